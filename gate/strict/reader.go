package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Position is where something is in a file.
type Position struct {
	File   string
	Line   int // 1-based
	Column int // 1-based
}

// String returns file:line:column.
func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Error is one mistake in a file.
type Error struct {
	At  Position
	Msg string
}

// Error returns the mistake as file:line:column: message.
func (e *Error) Error() string { return e.At.String() + ": " + e.Msg }

// maxErrors bounds how many mistakes are listed at once.
const maxErrors = 50

// Reader turns one file into values and collects every mistake in it.
type Reader struct {
	File string // as errors name it
	errs []error
}

// At returns the position of a node.
func (r *Reader) At(n *yaml.Node) Position {
	return Position{File: r.File, Line: max(n.Line, 1), Column: max(n.Column, 1)}
}

// Fail reports a mistake at a node.
func (r *Reader) Fail(n *yaml.Node, format string, args ...any) { r.FailAt(r.At(n), format, args...) }

// FailAt reports a mistake at a place.
func (r *Reader) FailAt(at Position, format string, args ...any) {
	if len(r.errs) < maxErrors {
		r.errs = append(r.errs, &Error{At: at, Msg: fmt.Sprintf(format, args...)})
	}
}

// Err returns all mistakes as one error, nil for none. Each is an *Error.
func (r *Reader) Err() error { return errors.Join(r.errs...) }

// yamlLine finds the line in the text of a syntax error of the YAML package.
var yamlLine = regexp.MustCompile(`line (\d+): `)

// Document parses the file and returns its root, nil for an empty file or after
// a mistake.
func (r *Reader) Document(data []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var root yaml.Node
	switch err := dec.Decode(&root); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		msg, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
		if m := yamlLine.FindStringSubmatch(msg); m != nil {
			line, _ = strconv.Atoi(m[1])
			msg = strings.Replace(msg, m[0], "", 1)
		}
		r.Fail(&yaml.Node{Line: line}, "not valid YAML: %s", msg)
		return nil
	}
	var next yaml.Node
	if err := dec.Decode(&next); !errors.Is(err, io.EOF) {
		r.Fail(&next, "one document is expected, and more follows after ---")
		return nil
	}
	if len(root.Content) == 0 {
		return nil
	}
	return root.Content[0]
}

// Field reads the value of one key of a mapping.
type Field struct {
	Key      string
	Read     func(v *yaml.Node)
	Required bool // the mapping is wrong without it
}

// Key is a key that may be missing.
func Key(name string, read func(v *yaml.Node)) Field { return Field{Key: name, Read: read} }

// Need is a key that must be there.
func Need(name string, read func(v *yaml.Node)) Field {
	return Field{Key: name, Read: read, Required: true}
}

// Mapping reads a mapping with just these keys, each at most once.
func (r *Reader) Mapping(n *yaml.Node, what string, fields ...Field) {
	seen := map[string]bool{}
	ok := r.Pairs(n, what, func(k, v *yaml.Node) {
		seen[k.Value] = true
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Key == k.Value })
		if i < 0 {
			r.Fail(k, "unknown key %q in %s%s", gate.Clip(k.Value, maxQuoted), what, Allowed(k.Value, names(fields)))
			return
		}
		fields[i].Read(v)
	})
	if !ok {
		return
	}
	for _, f := range fields {
		if f.Required && !seen[f.Key] {
			r.Fail(n, "%s lacks %q", what, f.Key)
		}
	}
}

// Pairs reads a mapping whose keys are names that its writer chose. It reports
// whether there is a mapping at all.
func (r *Reader) Pairs(n *yaml.Node, what string, read func(k, v *yaml.Node)) bool {
	if n.Kind != yaml.MappingNode {
		r.Fail(n, "%s must be a mapping of keys to values, not %s", what, Kind(n))
		return false
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		line, twice := seen[k.Value]
		switch {
		case k.Kind != yaml.ScalarNode || k.Tag == "!!merge":
			r.Fail(k, "a key of %s must be a plain text, not %s", what, Kind(k))
			continue
		case twice:
			r.Fail(k, "key %q is given twice in %s, first on line %d", gate.Clip(k.Value, maxQuoted), what, line)
			continue
		case v.Kind == yaml.AliasNode:
			r.Fail(v, "aliases are not allowed: write the value out")
		default:
			read(k, v)
		}
		seen[k.Value] = k.Line
	}
	return true
}

// Items reads a list.
func (r *Reader) Items(n *yaml.Node, what string, read func(v *yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		r.Fail(n, "%s must be a list, not %s", what, Kind(n))
		return
	}
	for _, v := range n.Content {
		if v.Kind == yaml.AliasNode {
			r.Fail(v, "aliases are not allowed: write the value out")
			continue
		}
		read(v)
	}
}

func names(fields []Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Key
	}
	return out
}
