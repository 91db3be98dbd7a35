package rule

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Position is where something stands in a rule file.
type Position struct {
	File   string
	Line   int // 1-based
	Column int // 1-based
}

// String returns file:line:column.
func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Error is one mistake in a rule file.
type Error struct {
	At  Position
	Msg string
}

// Error returns the mistake as file:line:column: message.
func (e *Error) Error() string { return e.At.String() + ": " + e.Msg }

// maxErrors bounds how many mistakes are listed at once.
const maxErrors = 50

// reader turns one YAML file into values and collects every mistake in it.
type reader struct {
	file    string
	checked bool // see Source
	errs    []error
}

func (r *reader) at(n *yaml.Node) Position {
	return Position{File: r.file, Line: n.Line, Column: n.Column}
}

func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	if len(r.errs) < maxErrors {
		r.errs = append(r.errs, &Error{At: r.at(n), Msg: fmt.Sprintf(format, args...)})
	}
}

// yamlLine finds the line in the text of a syntax error of the YAML package.
var yamlLine = regexp.MustCompile(`line (\d+): `)

// document parses the file and returns its root, nil for an empty document or
// after a mistake.
func (r *reader) document(data []byte) *yaml.Node {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		msg, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
		if m := yamlLine.FindStringSubmatch(msg); m != nil {
			line, _ = strconv.Atoi(m[1])
			msg = strings.Replace(msg, m[0], "", 1)
		}
		r.fail(&yaml.Node{Line: line, Column: 1}, "not valid YAML: %s", msg)
		return nil
	}
	if len(root.Content) == 0 {
		return nil
	}
	return root.Content[0]
}

// field reads the value of one key of a mapping.
type field struct {
	key  string
	read func(v *yaml.Node)
}

// mapping reads a mapping with just these keys, each at most once.
func (r *reader) mapping(n *yaml.Node, what string, fields ...field) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s must be a mapping of keys to values, not %s", what, kind(n))
		return
	}
	var seen []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		j := slices.IndexFunc(fields, func(f field) bool { return f.key == k.Value })
		switch {
		case j < 0 || k.Kind != yaml.ScalarNode:
			r.fail(k, "unknown key %q in %s%s", k.Value, what, allowed(k.Value, names(fields)))
		case slices.Contains(seen, k.Value):
			r.fail(k, "key %q stands twice in %s", k.Value, what)
		case v.Kind == yaml.AliasNode:
			r.fail(v, "aliases are not allowed: write the value out")
		default:
			seen = append(seen, k.Value)
			fields[j].read(v)
		}
	}
}

func names(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.key
	}
	return out
}

// items reads a sequence.
func (r *reader) items(n *yaml.Node, what string, read func(v *yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "%s must be a list, not %s", what, kind(n))
		return
	}
	for _, v := range n.Content {
		if v.Kind == yaml.AliasNode {
			r.fail(v, "aliases are not allowed: write the value out")
			continue
		}
		read(v)
	}
}

// text reads a non-empty string; surrounding space is dropped.
func (r *reader) text(what string, dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" {
			r.fail(n, "%s must be a text, not %s", what, kind(n))
			return
		}
		*dst = strings.TrimSpace(n.Value)
	}
}

// texts reads a list of non-empty strings, as they are.
func (r *reader) texts(what string, dst *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.items(n, what, func(v *yaml.Node) {
			if v.Kind != yaml.ScalarNode || v.Value == "" {
				r.fail(v, "an entry of %s must be a text, not %s", what, kind(v))
				return
			}
			*dst = append(*dst, v.Value)
		})
	}
}

// word reads one of a fixed set of words.
func (r *reader) word(what string, words []string, set func(string)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || !slices.Contains(words, n.Value) {
			r.fail(n, "unknown %s %q%s", what, n.Value, allowed(n.Value, words))
			return
		}
		set(n.Value)
	}
}

// integer reads a number in lo..hi.
func (r *reader) integer(what string, lo, hi int, dst *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < lo || v > hi {
			r.fail(n, "%s must be a whole number from %d to %d, not %q", what, lo, hi, n.Value)
			return
		}
		*dst = v
	}
}

// flag reads a boolean.
func (r *reader) flag(what string, dst *bool) func(*yaml.Node) {
	return r.word(what, []string{"true", "false"}, func(s string) { *dst = s == "true" })
}

func (r *reader) err() error { return errors.Join(r.errs...) }

func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Value == "" {
		return "nothing"
	}
	return strconv.Quote(n.Value)
}

// allowed says which words would be right, the closest one first.
func allowed(got string, words []string) string {
	best, dist := "", 3
	for _, w := range words {
		if d := distance(got, w); d < dist {
			best, dist = w, d
		}
	}
	list := " (allowed: " + strings.Join(words, ", ") + ")"
	if best != "" {
		return fmt.Sprintf("; did you mean %q?", best) + list
	}
	return list
}

// distance is the edit distance of two short words; long ones count as far
// apart.
func distance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return 40
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
