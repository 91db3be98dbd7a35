package rule

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/aigate/gate/gate"
	"go.yaml.in/yaml/v3"
)

// Sample is a text that a rule must, or must not, match.
type Sample struct {
	Rule     string
	Match    bool // must match; otherwise the rule must stay quiet
	Text     string
	Line     int           // first line of the finding, for samples that must match
	Severity gate.Severity // expected; SeverityUnknown accepts any
	Language gate.Language // what the text is taken for
	Role     gate.Role
	Path     string // "" is a made-up name
	Source   Position
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
		data, err := readFile(src.FS, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", src.Name, err))
			continue
		}
		r := &reader{file: path.Join(src.Name, name)}
		if root := r.document(data); root != nil {
			all = append(all, r.samples(root, s)...)
		}
		errs = append(errs, r.err())
	}
	return all, errors.Join(errs...)
}

// samples reads a file of the form {rule id: {match: [...], quiet: [...]}}.
func (r *reader) samples(root *yaml.Node, set *Set) []Sample {
	if root.Kind != yaml.MappingNode {
		r.fail(root, "a sample file must be a mapping of rule ids to samples, not %s", kind(root))
		return nil
	}
	var all []Sample
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		j := slices.IndexFunc(set.Rules, func(o *Rule) bool { return o.ID == k.Value })
		if j < 0 {
			r.fail(k, "samples of an unknown rule %q", k.Value)
			continue
		}
		read := func(match bool) func(*yaml.Node) {
			return func(v *yaml.Node) {
				r.items(v, "samples", func(v *yaml.Node) { all = append(all, r.sample(v, set.Rules[j], match)) })
			}
		}
		r.mapping(v, "the samples of a rule", field{"match", read(true)}, field{"quiet", read(false)})
	}
	return all
}

func (r *reader) sample(n *yaml.Node, of *Rule, match bool) Sample {
	out := Sample{Rule: of.ID, Match: match, Role: gate.RoleSource, Source: r.at(n), Language: gate.LanguageText}
	if len(of.Languages) > 0 {
		out.Language = of.Languages[0]
	}
	fields := []field{
		{"text", func(v *yaml.Node) { out.Text = v.Value }},
		{"language", r.word("language", languages(), func(s string) { out.Language = gate.Language(s) })},
		{"role", r.word("role", roles(), func(s string) { out.Role = gate.Role(s) })},
		{"path", r.text("path", &out.Path)},
	}
	if match {
		fields = append(fields,
			field{"line", r.integer("line", 1, 1<<20, &out.Line)},
			field{"severity", r.severity(&out.Severity)})
	}
	r.mapping(n, "a sample", fields...)
	if out.Text == "" {
		r.fail(n, "a sample needs \"text\"")
	}
	if match && out.Line == 0 {
		out.Line = 1
	}
	return out
}
