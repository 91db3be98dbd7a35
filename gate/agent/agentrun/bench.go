package agentrun

import (
	"context"
	"fmt"
	"path"
	"slices"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent"
	"github.com/aigate/gate/gate/agent/data"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
)

// bench is where the programs of an agent are tried: all layers, and the data.
type bench struct {
	layers   *engine.Layers
	policy   gate.Policy
	data     []data.Datum
	progress gate.Handler // nil shows nothing

	// Of the program that is tried.
	path    string
	change  *gate.Change
	files   []agent.File
	refused []agent.Refusal
}

func openBench(ctx context.Context, p Process, set engine.Settings, given []data.Datum) (*bench, error) {
	b := &bench{policy: set.Policy, data: given, progress: p.Progress}
	var err error
	b.layers, err = p.Engine.Open(ctx, engine.Setup{
		Settings: set, Selected: gate.Layers(),
		Export: &engine.Export{Data: agent.DataFolder, Out: agent.OutFolder, Bytes: agent.MaxBytes, Take: b.take},
	})
	return b, err
}

// try implements [agent.Options].Try by the pipeline of a scan. Nothing suppresses a
// finding: a comment in the program is the model's.
func (b *bench) try(ctx context.Context, p agent.Program) (agent.Trial, error) {
	tree := fstest.MapFS{p.Path: {Data: []byte(p.Code), Mode: 0o755}}
	c, err := change.Added(ctx, tree)
	if err != nil {
		return agent.Trial{}, err
	}
	if len(c.Targets) != 1 || c.Targets[0].Path != p.Path {
		return agent.Trial{}, fmt.Errorf("%s is not looked at", p.Path)
	}
	c.Targets[0].Attribution = gate.Attribution{Basis: "marked", AI: true, Agents: []string{"gate agent"}, Confidence: 1}
	for _, d := range b.data {
		name := path.Join(agent.DataFolder, d.Name)
		tree[name] = &fstest.MapFile{Data: d.Data, Mode: 0o444}
		c.Files = append(c.Files, name)
	}
	slices.Sort(c.Files)
	b.path, b.change, b.files, b.refused = p.Path, c, nil, nil
	res, err := b.layers.Run(ctx, engine.Job{
		Change: c, Policy: b.policy, Handler: b.progress,
	})
	return agent.Trial{Result: res, Files: b.files, Refused: b.refused}, err
}

// take keeps the files of the program. Those that are programs themselves go through
// the layers as well.
func (b *bench) take(target string, files []engine.File, refused []engine.Refusal) []gate.Derived {
	if target != b.path {
		return nil
	}
	for _, f := range files {
		b.files = append(b.files, agent.File(f))
	}
	for _, r := range refused {
		b.refused = append(b.refused, agent.Refusal(r))
	}
	if len(agent.Problems(b.files, b.refused)) > 0 {
		return nil // none of them is handed out
	}
	var children []gate.Derived
	for _, f := range b.files {
		language, role := change.Classify(f.Path, 0o644, f.Data[:min(len(f.Data), change.HeadBytes)])
		if !acted(language, role) {
			continue
		}
		children = append(children, gate.Derived{Content: f.Data, Target: &gate.Target{
			Path: b.path + "!" + agent.OutFolder + "/" + f.Path, Parent: b.path, Language: language, Role: role,
			Attribution: b.change.Targets[0].Attribution,
		}})
	}
	return children
}

// acted reports whether a person or a tool may act on a file, and does not only read it.
// A file of an unknown kind may be anything.
func acted(l gate.Language, r gate.Role) bool {
	switch l {
	case gate.LanguageText, gate.LanguageBinary:
		return false
	case gate.LanguageJSON:
		return r != gate.RoleSource && r != gate.RoleDocs && r != gate.RoleTest
	}
	return true
}
