package engine

import (
	"cmp"
	"net"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/policy"
)

// Options are what a command line may say about a run. They go above the environment,
// which goes above every file. The zero value says nothing. They are checked once, when
// the settings of a run are loaded.
type Options struct {
	Layers  []string // the layers that run, all required; empty: all that are there
	Require []string // layers that must complete, besides the policy's
	Config  string   // a file that takes the place of .gate.yml
	FailOn  string   // the lowest verdict that blocks: dangerous or suspicious
	Runtime string   // of containers
	Memory  string   // of one container, such as 512m
	CPUs    string   // cores of one container, such as 2
	Timeout string   // of one unit, such as 30s
	Python  string   // standard or restricted
	Ollama  string   // address of the server
	Model   string   // that judges
}

// Selected returns the layers to run: those that were named, or all, in their order.
func (o Options) Selected() []gate.Layer {
	return slices.DeleteFunc(gate.Layers(), func(l gate.Layer) bool {
		return len(o.Layers) > 0 && !slices.Contains(o.Layers, string(l))
	})
}

// apply puts the environment and then the options over a policy.
func (o Options) apply(p *gate.Policy, getenv func(string) string) error {
	for _, s := range []struct{ value, key, where string }{
		{getenv("GATE_RUNTIME"), "sandbox.runtime", "GATE_RUNTIME"},
		{getenv("GATE_MODEL"), "judge.model", "GATE_MODEL"},
		{o.Runtime, "sandbox.runtime", "--runtime"},
		{o.Memory, "sandbox.memory", "--memory"},
		{o.CPUs, "sandbox.cpus", "--cpus"},
		{o.Timeout, "sandbox.timeout", "--timeout"},
		{o.Python, "sandbox.python", "--python"},
		{o.Model, "judge.model", "--model"},
		{o.FailOn, "fail-on", "--fail-on"},
	} {
		if s.value == "" {
			continue
		}
		if err := policy.Set(p, s.key, s.value, s.where); err != nil {
			return exit.Usagef("%w", err)
		}
	}
	if o.Memory != "" {
		p.Sandbox.MemoryOf = nil // a flag is above every key of the policy
	}
	imagesOf(getenv, p)
	if host := cmp.Or(o.Ollama, getenv("OLLAMA_HOST")); host != "" {
		p.Judge.Hosts = []string{withScheme(host)}
	}
	named, err := layerNames("--layers", o.Layers)
	if err != nil {
		return err
	}
	if len(named) > 0 {
		p.Require = named
	}
	more, err := layerNames("--require", o.Require)
	if err != nil {
		return err
	}
	p.Require = union(p.Require, more)
	return nil
}

// imagesOf takes the images of the environment, GATE_IMAGE_PYTHON and so on.
func imagesOf(getenv func(string) string, p *gate.Policy) {
	for name, langs := range policy.ImageNames() {
		ref := getenv("GATE_IMAGE_" + strings.ToUpper(name))
		if ref == "" {
			continue
		}
		if p.Sandbox.Images == nil {
			p.Sandbox.Images = map[gate.Language]string{}
		}
		for _, l := range langs {
			p.Sandbox.Images[l] = ref
		}
	}
}

func layerNames(flag string, names []string) ([]gate.Layer, error) {
	var out []gate.Layer
	for _, n := range names {
		if !slices.Contains(gate.Layers(), gate.Layer(n)) {
			return nil, exit.Usagef("%s: %q is not a layer (static, judge, sandbox)", flag, n)
		}
		out = append(out, gate.Layer(n))
	}
	return out, nil
}

// union returns the layers of both lists, those of the first in front.
func union(a, b []gate.Layer) []gate.Layer {
	out := slices.Clone(a)
	for _, l := range b {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// withScheme completes an address as OLLAMA_HOST may have it: host, host:port or
// a URL.
func withScheme(host string) string {
	if strings.Contains(host, "://") {
		return host
	}
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), "11434")
	}
	return "http://" + host
}
