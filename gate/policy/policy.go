package policy

//go:generate go test -run TestThePolicyReferenceIsCurrent . -update

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/strict"
)

// File is where a repository keeps its policy.
const File = ".gate.yml"

// MaxBytes is the largest configuration file that is read.
const MaxBytes = 256 << 10

// profileKey is the key whose value other keys of the same file override.
const profileKey = "profile"

// maxKey is how much of an unknown key is quoted, in bytes.
const maxKey = 80

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

// Load applies the sources to the default policy in their order, the later over
// the earlier. ignored lists the machine keys that an untrusted source tried to
// set, as "file:line: key". The error joins a [*strict.Error]
// for every mistake.
func Load(sources ...Source) (p gate.Policy, ignored []string, err error) {
	p = gate.DefaultPolicy()
	var errs []error
	for _, src := range sources {
		r := reader{doc: strict.Reader{File: src.Name}, src: src, policy: &p}
		r.read()
		ignored = append(ignored, r.ignored...)
		errs = append(errs, r.doc.Err())
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
	if e, ok := errors.AsType[*strict.Error](r.doc.Err()); ok {
		return fmt.Errorf("%s: %s", where, e.Msg)
	}
	*p = next
	return nil
}

// reader walks one document.
type reader struct {
	doc     strict.Reader
	src     Source
	policy  *gate.Policy
	ignored []string
}

func (r *reader) read() {
	top := &yaml.Node{}
	if len(r.src.Data) > MaxBytes {
		r.doc.Fail(top, "the file has %d bytes (at most %d are read)", len(r.src.Data), MaxBytes)
		return
	}
	root := r.doc.Document(r.src.Data)
	if root == nil || root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return // an empty file sets nothing
	}
	r.mapping(profileFirst(root), "", 0)
}

// profileFirst moves the profile in front of the other keys: what a file sets itself
// overrides its profile, wherever the line is. A second one stays behind the first,
// for the reader to refuse.
func profileFirst(root *yaml.Node) *yaml.Node {
	if root.Kind != yaml.MappingNode {
		return root
	}
	var first, rest []*yaml.Node
	for pair := range slices.Chunk(root.Content, 2) {
		if pair[0].Value == profileKey {
			first = append(first, pair...)
		} else {
			rest = append(rest, pair...)
		}
	}
	ordered := *root
	ordered.Content = slices.Concat(first, rest)
	return &ordered
}

// mapping reads the keys of one mapping whose dotted name is prefix.
func (r *reader) mapping(n *yaml.Node, prefix string, depth int) {
	if depth > maxDepth {
		r.doc.Fail(n, "nested too deeply")
		return
	}
	r.doc.Pairs(n, orDocument(prefix), func(k, v *yaml.Node) {
		name := join(prefix, k.Value)
		switch key, isKey := find(name); {
		case isKey:
			r.set(key, k, v)
		case len(children(name)) > 0:
			r.mapping(v, name, depth+1)
		default:
			r.doc.Fail(k, "unknown key %q in %s%s", gate.Clip(k.Value, maxKey), orDocument(prefix), strict.Allowed(k.Value, children(prefix)))
		}
	})
}

func (r *reader) set(key key, k, v *yaml.Node) {
	switch {
	case key.machine && r.src.Trust == Tree:
		r.ignored = append(r.ignored, fmt.Sprintf("%s:%d: %s", r.src.Name, k.Line, key.name))
		// It is still checked: a mistake in it is a mistake.
		scratch := gate.DefaultPolicy()
		key.set(r, &scratch, v)
	case !key.machine && r.src.Trust == User:
		r.doc.Fail(k, "%q belongs in the repository's .gate.yml: a user's configuration sets what is about the machine (%s)",
			key.name, strings.Join(machineKeys(), ", "))
	default:
		key.set(r, r.policy, v)
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
