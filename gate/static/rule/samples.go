package rule

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/strict"
	"go.yaml.in/yaml/v3"
)

// Sample is a text that a rule must, or must not, match.
type Sample struct {
	Rule     string
	Match    bool // must match; otherwise the rule must stay quiet
	Text     string
	Base     string        // what the file was; "" for a new one. It matters to a rule with a change only
	Line     int           // first line of the finding, for samples that must match
	Severity gate.Severity // expected; SeverityUnknown accepts any
	Language gate.Language // what the text is taken for
	Role     gate.Role
	Path     string   // "" is a made-up name
	Named    []string // the hosts that the base names; the change is one of a base that names no other
	Source   strict.Position
}

// LoadSamples reads the samples of every family of a source. A sample without a
// language is in the first language of its rule.
func (s *Set) LoadSamples(src Source) ([]Sample, error) {
	files, err := familyFiles(src.FS, SamplesFile)
	if err != nil {
		return nil, fmt.Errorf("%s: look for samples: %w", src.Name, err)
	}
	var all []Sample
	var errs []error
	for _, name := range files {
		data, err := bounded.ReadFile(src.FS, name, maxFile)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", src.Name, err))
			continue
		}
		r := &reader{Reader: strict.Reader{File: path.Join(src.Name, name)}}
		if root := r.Document(data); root != nil {
			all = append(all, r.samples(root, s)...)
		}
		errs = append(errs, r.Err())
	}
	return all, errors.Join(errs...)
}

// samples reads a file of the form {rule id: {match: [...], quiet: [...]}}.
func (r *reader) samples(root *yaml.Node, set *Set) []Sample {
	var all []Sample
	r.Pairs(root, "a sample file", func(k, v *yaml.Node) {
		j := slices.IndexFunc(set.Rules, func(o *Rule) bool { return o.ID == k.Value })
		if j < 0 {
			r.Fail(k, "samples of an unknown rule %q", k.Value)
			return
		}
		read := func(match bool) func(*yaml.Node) {
			return func(v *yaml.Node) {
				r.Items(v, "samples", func(v *yaml.Node) { all = append(all, r.sample(v, set.Rules[j], match)) })
			}
		}
		r.Mapping(v, "the samples of a rule", strict.Key("match", read(true)), strict.Key("quiet", read(false)))
	})
	return all
}

func (r *reader) sample(n *yaml.Node, of *Rule, match bool) Sample {
	out := Sample{Rule: of.ID, Match: match, Role: gate.RoleSource, Source: r.At(n), Language: gate.LanguageText}
	if len(of.Languages) > 0 {
		out.Language = of.Languages[0]
	}
	fields := []strict.Field{
		strict.Key("text", func(v *yaml.Node) { out.Text = v.Value }),
		strict.Key("base", func(v *yaml.Node) { out.Base = v.Value }),
		strict.Key("language", r.Word("language", languages(), func(s string) { out.Language = gate.Language(s) })),
		strict.Key("role", r.Word("role", roles(), func(s string) { out.Role = gate.Role(s) })),
		strict.Key("path", r.Text("path", &out.Path)),
		strict.Key("named", r.Texts("named", &out.Named)),
	}
	if match {
		fields = append(fields,
			strict.Key("line", r.Integer("line", 1, 1<<20, &out.Line)),
			strict.Key("severity", r.severity(&out.Severity)))
	}
	r.Mapping(n, "a sample", fields...)
	if out.Text == "" {
		r.Fail(n, "a sample needs \"text\"")
	}
	if match && out.Line == 0 {
		out.Line = 1
	}
	return out
}
