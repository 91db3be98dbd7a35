package workflow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// IsSettings reports whether a file holds settings of the repository itself: who may do
// what, and what protects its branches.
func IsSettings(name string) bool {
	// https://github.com/repository-settings/app, https://github.com/github/safe-settings,
	// https://github.com/apache/infrastructure-asfyaml
	return glob.Any([]string{".github/settings.yml", ".github/settings.yaml", ".github/repos/*.yml", ".github/suborgs/*.yml", "/.asf.yaml"}, name)
}

// Settings are what such a file sets: scalars by their path.
type Settings map[string]Line

// Line is a value and its place.
type Line struct {
	Value string
	Line  int
}

// ReadSettings reads the settings of a repository.
func ReadSettings(text []byte) (Settings, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooMuch, len(text))
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	out := Settings{}
	b := budget{nodes: maxNodes}
	if len(doc.Content) > 0 && !b.settings(doc.Content[0], "", 0, out) {
		return nil, ErrTooMuch
	}
	return out, nil
}

func (b *budget) settings(n *yaml.Node, at string, depth int, out Settings) bool {
	if b.nodes--; b.nodes < 0 || depth > maxDepth {
		return false
	}
	n = deref(n)
	if n.Kind == yaml.ScalarNode {
		out[at] = Line{n.Value, n.Line}
		return true
	}
	if len(n.Content) == 0 {
		out[at] = Line{"", n.Line}
	}
	for _, c := range items(n) {
		name := "" // elements are known by their name, not by their place
		for _, k := range []string{"name", "username", "context", "slug", "type"} {
			if name == "" {
				name = valueOf(deref(c), k)
			}
		}
		if c = deref(c); c.Kind == yaml.ScalarNode {
			name = c.Value
		}
		if !b.settings(c, at+"["+name+"]", depth+1, out) {
			return false
		}
	}
	for k, v := range pairs(n) {
		if !b.settings(v, strings.TrimPrefix(at+"."+k.Value, "."), depth+1, out) {
			return false
		}
	}
	return true
}

var (
	guards = regexp.MustCompile(`(?i)protect|ruleset|required_|\brules\b|enforce_admins|allow_force|allow_deletions|bypass|collaborators|\bteams\b|environments|\bprivate\b|visibility|vulnerability|automated_security|restrictions`)
	// loosening are the settings that allow more when they are on.
	loosening = regexp.MustCompile(`(?i)allow_force|allow_deletions|bypass|permission$|auto_merge`)
	// members are people and teams by name: without a permission they may push.
	members = regexp.MustCompile(`(?i)(?:collaborators|teams)\[[^\]]*\]\.(?:username|name)$`)
)

// Weakened lists what protects less in head than in base, or gives more rights, in order.
func Weakened(base, head Settings) []string {
	var out []string
	for _, at := range paths(base, head) {
		was, had := base[at]
		is, has := head[at]
		if members.MatchString(at) {
			if _, said := head[at[:strings.LastIndexByte(at, '.')]+".permission"]; !said && has && !had {
				out = append(out, at+": may push")
			}
			continue
		}
		if !guards.MatchString(at) || had && has && was.Value == is.Value || !less(at, was.Value, is.Value, had, has) {
			continue
		}
		show := func(v Line, there bool) string {
			if !there {
				return "nothing"
			}
			return strconv.Quote(v.Value)
		}
		out = append(out, fmt.Sprintf("%s: %s instead of %s", at, show(is, has), show(was, had)))
	}
	return out
}

func paths(of ...Settings) []string {
	var out []string
	for _, s := range of {
		for at := range s {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// less reports whether a value that changed protects less.
func less(at, was, is string, had, has bool) bool {
	if loosening.MatchString(at) {
		return has && is != "false" && is != "" && !slices.Contains([]string{"pull", "read", "triage"}, is)
	}
	if !had {
		return false // one more requirement
	}
	if !has || is == "" || is == "null" || is == "~" {
		return was != "false" && was != "" && was != "null"
	}
	if a, err := strconv.Atoi(was); err == nil {
		if b, err := strconv.Atoi(is); err == nil {
			return b < a
		}
	}
	return is != "true"
}
