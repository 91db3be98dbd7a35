package policy

//go:generate go test -run TestThePolicyReferenceIsCurrent . -update

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/strict"
)

// MaxBytes is the largest configuration file that is read.
const MaxBytes = 256 << 10

// maxDepth bounds nesting; the deepest legal key is at depth 4.
const maxDepth = 8

// Trust says whose word a source is.
type Trust int

// The kinds of source. The zero value is the least trusted.
const (
	// Tree is the scanned tree itself: it cannot set machine keys.
	Tree Trust = iota
	// Base is the base commit of a change: it can set every key.
	Base
	// User is the user's own configuration of this machine: machine keys only.
	User
)

// Source is one configuration file.
type Source struct {
	Name  string // as shown in errors
	Data  []byte
	Trust Trust
}

// Error is one mistake in a configuration file. Line and Column are 1-based.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

// Error returns "file:line:column: message".
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Load applies the sources to the default policy in their order, the later over
// the earlier. ignored lists the machine keys that an untrusted source tried to
// set, as "file:line: key". The error joins an [*Error] for every mistake.
func Load(sources ...Source) (p gate.Policy, ignored []string, err error) {
	p = gate.DefaultPolicy()
	var errs []error
	for _, src := range sources {
		r := reader{src: src, policy: &p}
		r.read()
		ignored = append(ignored, r.ignored...)
		errs = append(errs, r.errs...)
	}
	if err := errors.Join(errs...); err != nil {
		return gate.Policy{}, nil, err
	}
	return p, ignored, nil
}

// Set gives one key a value from outside of any file: a flag or an environment
// variable. where names it in the error.
func Set(p *gate.Policy, name, value, where string) error {
	key, ok := find(name)
	if !ok {
		return fmt.Errorf("%s: there is no setting %q", where, name)
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: value, Line: 1, Column: 1}
	next := *p
	r := reader{policy: &next}
	key.set(&r, &next, n)
	for _, err := range r.errs {
		if e, ok := errors.AsType[*Error](err); ok {
			return fmt.Errorf("%s: %s", where, e.Message)
		}
	}
	*p = next
	return nil
}

// reader walks one document.
type reader struct {
	src     Source
	policy  *gate.Policy
	ignored []string
	errs    []error
}

func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, &Error{File: r.src.Name, Line: max(n.Line, 1), Column: max(n.Column, 1), Message: fmt.Sprintf(format, args...)})
}

func (r *reader) read() {
	top := &yaml.Node{}
	if len(r.src.Data) > MaxBytes {
		r.fail(top, "the file has %d bytes (at most %d are read)", len(r.src.Data), MaxBytes)
		return
	}
	dec := yaml.NewDecoder(bytes.NewReader(r.src.Data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return // an empty file sets nothing
	case err != nil:
		r.syntax(err)
		return
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		r.fail(&doc, "one document is expected, and a second one follows")
		return
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return
	}
	r.mapping(root, "", 0)
}

// syntax reports a mistake that the YAML parser found; its messages carry the
// line as text.
func (r *reader) syntax(err error) {
	line, msg := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if _, serr := fmt.Sscanf(msg, "line %d:", &line); serr == nil {
		_, msg, _ = strings.Cut(msg, ": ")
	}
	r.fail(&yaml.Node{Line: line}, "not valid YAML: %s", msg)
}

// mapping reads the keys of one mapping whose dotted name is prefix.
func (r *reader) mapping(n *yaml.Node, prefix string, depth int) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s must be a mapping with the keys %s", orDocument(prefix), strings.Join(children(prefix), ", "))
		return
	}
	if depth > maxDepth {
		r.fail(n, "nested too deeply")
		return
	}
	for k, v := range r.pairs(n) {
		name := join(prefix, k.Value)
		switch key, isKey := find(name); {
		case isKey:
			r.set(key, k, v)
		case len(children(name)) > 0:
			r.mapping(v, name, depth+1)
		default:
			r.unknown(k, prefix)
		}
	}
}

func (r *reader) unknown(k *yaml.Node, prefix string) {
	allowed := children(prefix)
	hint := ""
	if s := strict.Closest(k.Value, allowed); s != "" {
		hint = fmt.Sprintf("; did you mean %q?", s)
	}
	r.fail(k, "unknown key %q in %s%s (allowed: %s)", k.Value, orDocument(prefix), hint, strings.Join(allowed, ", "))
}

func (r *reader) set(key key, k, v *yaml.Node) {
	switch {
	case key.machine && r.src.Trust == Tree:
		r.ignored = append(r.ignored, fmt.Sprintf("%s:%d: %s", r.src.Name, k.Line, key.name))
		// It is still checked: a mistake in it is a mistake.
		scratch := gate.DefaultPolicy()
		key.set(r, &scratch, v)
	case !key.machine && r.src.Trust == User:
		r.fail(k, "%q belongs in the repository's .gate.yml: a user's configuration sets what is about the machine (%s)",
			key.name, strings.Join(machineKeys(), ", "))
	default:
		key.set(r, r.policy, v)
	}
}

// pairs yields the entries of a mapping and reports duplicates and aliases.
func (r *reader) pairs(n *yaml.Node) func(yield func(k, v *yaml.Node) bool) {
	return func(yield func(k, v *yaml.Node) bool) {
		seen := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			if k.Kind != yaml.ScalarNode || k.Tag == "!!merge" || v.Kind == yaml.AliasNode {
				r.fail(k, "a plain key with a plain value is expected (no aliases, no merge keys)")
				continue
			}
			if line, dup := seen[k.Value]; dup {
				r.fail(k, "%q is set twice (first on line %d)", k.Value, line)
				continue
			}
			seen[k.Value] = k.Line
			if !yield(k, v) {
				return
			}
		}
	}
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

func orDocument(prefix string) string {
	if prefix == "" {
		return "the document"
	}
	return fmt.Sprintf("%q", prefix)
}

// children returns the names directly below a dotted prefix, in table order.
func children(prefix string) []string {
	var out []string
	for _, k := range keys() {
		rest := k.name
		if prefix != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(k.name, prefix+"."); !ok {
				continue
			}
		}
		head, _, _ := strings.Cut(rest, ".")
		if !slices.Contains(out, head) {
			out = append(out, head)
		}
	}
	return out
}

func find(name string) (key, bool) {
	for _, k := range keys() {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

func machineKeys() []string {
	var out []string
	for _, k := range keys() {
		if k.machine {
			out = append(out, k.name)
		}
	}
	return out
}

// ImageNames returns the languages that each configurable image serves.
func ImageNames() map[string][]gate.Language {
	return map[string][]gate.Language{
		"python": {gate.LanguagePython},
		"node":   {gate.LanguageJavaScript, gate.LanguageTypeScript},
		"go":     {gate.LanguageGo},
		"shell":  {gate.LanguageShell},
	}
}
