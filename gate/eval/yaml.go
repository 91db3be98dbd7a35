package eval

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	"go.yaml.in/yaml/v3"
)

// Position is where something stands in a corpus file; both are 1-based.
type Position struct{ Line, Column int }

// maxErrors bounds how many mistakes are listed at once.
const maxErrors = 50

// reader turns a corpus file into a Corpus and collects every mistake in it.
type reader struct {
	file string
	errs []error
}

func (r *reader) failAt(at Position, format string, args ...any) {
	if len(r.errs) < maxErrors {
		r.errs = append(r.errs, fmt.Errorf("%s:%d:%d: %s", r.file, at.Line, at.Column, fmt.Sprintf(format, args...)))
	}
}

func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	r.failAt(Position{n.Line, n.Column}, format, args...)
}

func (r *reader) err() error { return errors.Join(r.errs...) }

// yamlLine finds the line in the text of a syntax error of the YAML package.
var yamlLine = regexp.MustCompile(`line (\d+): `)

// corpus reads the whole file. up is the folder, as the file names it, that the
// samples lie below.
func (r *reader) corpus(data []byte) (c *Corpus, up string) {
	c, up = &Corpus{}, "."
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		msg, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
		if m := yamlLine.FindStringSubmatch(msg); m != nil {
			line, _ = strconv.Atoi(m[1])
			msg = strings.Replace(msg, m[0], "", 1)
		}
		r.failAt(Position{line, 1}, "not valid YAML: %s", msg)
		return c, up
	}
	if len(root.Content) == 0 {
		r.failAt(Position{1, 1}, "the corpus is empty: a mapping with \"name\" and \"samples\" is expected")
		return c, up
	}
	top := root.Content[0]
	r.mapping(top, "a corpus", []string{"name", "samples"}, map[string]func(*yaml.Node){
		"name":    r.text("name", &c.Name),
		"about":   r.text("about", &c.About),
		"root":    func(n *yaml.Node) { r.root(n, &up) },
		"samples": func(n *yaml.Node) { r.samples(n, c) },
	})
	return c, up
}

// root reads how far above the corpus its samples lie.
func (r *reader) root(n *yaml.Node, up *string) {
	parts := strings.Split(n.Value, "/")
	if n.Kind != yaml.ScalarNode || len(parts) > maxUp || slices.ContainsFunc(parts, func(p string) bool { return p != ".." && p != "." }) {
		r.fail(n, "root is \".\" or a folder above this one, such as \"..\" or \"../..\", not %s", kind(n))
		return
	}
	*up = n.Value
}

func (r *reader) samples(n *yaml.Node, c *Corpus) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		r.fail(n, "samples must be a list with at least one entry, not %s", kind(n))
		return
	}
	if len(n.Content) > maxSamples {
		r.fail(n, "%d samples; a corpus has at most %d", len(n.Content), maxSamples)
		return
	}
	seen := map[string]int{}
	for _, entry := range n.Content {
		s := r.sample(entry)
		if line, twice := seen[s.Path]; twice && s.Path != "" {
			r.fail(entry, "the sample %q stands on line %d already", s.Path, line)
		}
		seen[s.Path] = entry.Line
		c.Samples = append(c.Samples, s)
	}
}

func (r *reader) sample(n *yaml.Node) Sample {
	s := Sample{At: Position{n.Line, n.Column}}
	r.mapping(n, "a sample", []string{"path", "language", "label", "category"}, map[string]func(*yaml.Node){
		"path":     r.path("path", &s.Path),
		"as":       r.path("as", &s.As),
		"language": r.word("language", languages(), func(w string) { s.Language = gate.Language(w) }),
		"label":    r.word("label", []string{string(Risky), string(Innocent)}, func(w string) { s.Label = Label(w) }),
		"category": r.category(&s.Category),
		"lines":    func(v *yaml.Node) { r.lines(v, &s.Lines) },
	})
	if s.Label == Innocent && s.Lines != nil {
		r.fail(n, "an innocent sample has no \"lines\": nothing is expected in it")
	}
	return s
}

// mapping reads a mapping with just these keys, each at most once; those that
// must be there are named.
func (r *reader) mapping(n *yaml.Node, what string, required []string, fields map[string]func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s must be a mapping of keys to values, not %s", what, kind(n))
		return
	}
	var known []string
	for k := range fields {
		known = append(known, k)
	}
	slices.Sort(known)
	var seen []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		read, ok := fields[k.Value]
		switch {
		case !ok || k.Kind != yaml.ScalarNode:
			r.fail(k, "unknown key %q in %s%s", k.Value, what, allowed(k.Value, known))
		case slices.Contains(seen, k.Value):
			r.fail(k, "key %q stands twice in %s", k.Value, what)
		case v.Kind == yaml.AliasNode:
			r.fail(v, "aliases are not allowed: write the value out")
		default:
			read(v)
		}
		seen = append(seen, k.Value)
	}
	for _, key := range required {
		if !slices.Contains(seen, key) {
			r.fail(n, "%s lacks %q", what, key)
		}
	}
}

func (r *reader) text(what string, dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" {
			r.fail(n, "%s must be a text, not %s", what, kind(n))
			return
		}
		*dst = strings.TrimSpace(n.Value)
	}
}

// path reads a path that stays below the root.
func (r *reader) path(what string, dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		p := n.Value
		if n.Kind != yaml.ScalarNode || p == "" || p == "." || path.Clean(p) != p || path.IsAbs(p) ||
			strings.HasPrefix(p, "../") || p == ".." || strings.ContainsAny(p, "\x00\\") {
			r.fail(n, "%s must be a plain path below the root of the corpus, with / between folders, not %s", what, kind(n))
			return
		}
		*dst = p
	}
}

var categoryShape = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (r *reader) category(dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || len(n.Value) > maxName || !categoryShape.MatchString(n.Value) {
			r.fail(n, "a category is lower-case words joined by \"-\", not %s", kind(n))
			return
		}
		*dst = n.Value
	}
}

func (r *reader) word(what string, words []string, set func(string)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || !slices.Contains(words, n.Value) {
			r.fail(n, "unknown %s %q%s", what, n.Value, allowed(n.Value, words))
			return
		}
		set(n.Value)
	}
}

func (r *reader) lines(n *yaml.Node, dst *[]int) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 || len(n.Content) > maxLines {
		r.fail(n, "lines must be a list of 1 to %d line numbers, not %s", maxLines, kind(n))
		return
	}
	for _, v := range n.Content {
		line, err := strconv.Atoi(v.Value)
		if v.Kind != yaml.ScalarNode || err != nil || line < 1 || line > maxLineNumber {
			r.fail(v, "a line is a whole number from 1 to %d, not %s", maxLineNumber, kind(v))
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

func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return fmt.Sprintf("a list of %d", len(n.Content))
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Value == "" {
		return "nothing"
	}
	return strconv.Quote(gate.Clip(n.Value, 80))
}

// allowed says which words would be right, and which of them was probably meant.
func allowed(got string, words []string) string {
	for _, w := range words {
		if alike(got, w) {
			return fmt.Sprintf("; did you mean %q? (allowed: %s)", w, strings.Join(words, ", "))
		}
	}
	return " (allowed: " + strings.Join(words, ", ") + ")"
}

// alike reports whether one word is the other with a letter changed, added,
// left out or swapped with its neighbour, or the beginning of it.
func alike(a, b string) bool {
	a = strings.ToLower(a)
	if a == b || len(a) > 1 && strings.HasPrefix(b, a) {
		return true
	}
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	restA, restB := a[i:], b[i:]
	switch {
	case len(restA) == 0 || len(restB) == 0:
		return len(restA)+len(restB) <= 1 && i > 1
	case len(restA) > 1 && len(restB) > 1 && restA[0] == restB[1] && restA[1] == restB[0] && restA[2:] == restB[2:]:
		return true
	}
	return restA[1:] == restB[1:] || restA == restB[1:] || restA[1:] == restB
}
