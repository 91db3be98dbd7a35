package eval

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/strict"
)

// reader turns a corpus file into a Corpus.
type reader struct{ strict.Reader }

// corpus reads the whole file. up is the folder, as the file names it, that the
// samples lie below.
func (r *reader) corpus(data []byte) (c *Corpus, up string) {
	c, up = &Corpus{}, "."
	top := r.Document(data)
	if top == nil {
		if r.Err() == nil {
			r.Fail(&yaml.Node{}, "the corpus is empty: a mapping with \"name\" and \"samples\" is expected")
		}
		return c, up
	}
	r.Mapping(top, "a corpus",
		strict.Need("name", r.Text("name", &c.Name)),
		strict.Key("about", r.Text("about", &c.About)),
		strict.Key("root", func(n *yaml.Node) { r.root(n, &up) }),
		strict.Need("samples", func(n *yaml.Node) { r.samples(n, c) }),
	)
	return c, up
}

// root reads how far above the corpus its samples lie.
func (r *reader) root(n *yaml.Node, up *string) {
	parts := strings.Split(n.Value, "/")
	if n.Kind != yaml.ScalarNode || len(parts) > maxUp || slices.ContainsFunc(parts, func(p string) bool { return p != ".." && p != "." }) {
		r.Fail(n, "root is \".\" or a folder above this one, such as \"..\" or \"../..\", not %s", strict.Kind(n))
		return
	}
	*up = n.Value
}

func (r *reader) samples(n *yaml.Node, c *Corpus) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		r.Fail(n, "samples must be a list with at least one entry, not %s", strict.Kind(n))
		return
	}
	if len(n.Content) > maxSamples {
		r.Fail(n, "%d samples; a corpus has at most %d", len(n.Content), maxSamples)
		return
	}
	seen := map[string]int{}
	for _, entry := range n.Content {
		s := r.sample(entry)
		if line, twice := seen[s.Path]; twice && s.Path != "" {
			r.Fail(entry, "the sample %q is on line %d already", s.Path, line)
		}
		seen[s.Path] = entry.Line
		c.Samples = append(c.Samples, s)
	}
}

func (r *reader) sample(n *yaml.Node) Sample {
	s := Sample{At: r.At(n)}
	r.Mapping(n, "a sample",
		strict.Need("path", r.path("path", &s.Path)),
		strict.Key("base", r.path("base", &s.Base)),
		strict.Key("as", r.path("as", &s.As)),
		strict.Need("language", r.Word("language", languages(), func(w string) { s.Language = gate.Language(w) })),
		strict.Need("label", r.Word("label", slices.Sorted(maps.Keys(labelWords)), func(w string) { s.Label = labelWords[w] })),
		strict.Need("category", r.category(&s.Category)),
		strict.Key("lines", func(v *yaml.Node) { r.lines(v, &s.Lines) }),
	)
	if s.Label == Benign && s.Lines != nil {
		r.Fail(n, "a benign sample has no \"lines\": nothing is expected in it")
	}
	return s
}

// path reads a path that stays below the root.
func (r *reader) path(what string, dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		p := n.Value
		if n.Kind != yaml.ScalarNode || p == "" || p == "." || path.Clean(p) != p || path.IsAbs(p) ||
			strings.HasPrefix(p, "../") || p == ".." || strings.ContainsAny(p, "\x00\\") {
			r.Fail(n, "%s must be a plain path below the root of the corpus, with / between folders, not %s", what, strict.Kind(n))
			return
		}
		*dst = p
	}
}

var categoryShape = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (r *reader) category(dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || len(n.Value) > maxName || !categoryShape.MatchString(n.Value) {
			r.Fail(n, "a category is lower-case words joined by \"-\", not %s", strict.Kind(n))
			return
		}
		*dst = n.Value
	}
}

func (r *reader) lines(n *yaml.Node, dst *[]int) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 || len(n.Content) > maxLines {
		r.Fail(n, "lines must be a list of 1 to %d line numbers, not %s", maxLines, strict.Kind(n))
		return
	}
	for _, v := range n.Content {
		line, err := strconv.Atoi(v.Value)
		if v.Kind != yaml.ScalarNode || err != nil || line < 1 || line > maxLineNumber {
			r.Fail(v, "a line is a whole number from 1 to %d, not %s", maxLineNumber, strict.Kind(v))
			continue
		}
		*dst = append(*dst, line)
	}
	slices.Sort(*dst)
}

// languages are the words for a language. A folder of several is "mixed".
func languages() []string {
	var out []string
	for _, l := range []gate.Language{
		gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageShell,
		gate.LanguageGo, gate.LanguagePowerShell, gate.LanguageRuby, gate.LanguagePerl, gate.LanguagePHP,
		gate.LanguageC, gate.LanguageRust, gate.LanguageJava, gate.LanguageDockerfile, gate.LanguageMakefile,
		gate.LanguageYAML, gate.LanguageWorkflow, gate.LanguageJSON, gate.LanguageTOML, gate.LanguageINI,
		gate.LanguageNotebook, gate.LanguageMarkdown, gate.LanguageHTML, gate.LanguageText, Mixed,
	} {
		out = append(out, string(l))
	}
	return out
}

// Mixed is the language of a sample that has several, such as a package.
const Mixed gate.Language = "mixed"
