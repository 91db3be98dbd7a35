package attack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
)

var (
	idPattern        = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+){1,12}$`)
	techniquePattern = regexp.MustCompile(`^T\d{4}(\.\d{3})?$`)
	runtimePattern   = regexp.MustCompile(`^[a-z][a-z0-9._-]{0,63}$`)
)

// languages are what attack.yaml may name.
var languages = []string{"python", "javascript", "typescript", "shell", "go", languageManifest, languageMarkdown, languageText}

// maxTitle bounds what stands in tables, in bytes.
const maxTitle = 200

// metadata reads one attack.yaml.
type metadata struct {
	file string
	a    *Attack
	errs []error
}

// parse reads attack.yaml. Every mistake is an error with file and line.
func parse(file string, text []byte) (*Attack, error) {
	m := &metadata{file: file, a: &Attack{}}
	m.document(text)
	if err := errors.Join(m.errs...); err != nil {
		return nil, err
	}
	return m.a, nil
}

func (m *metadata) fail(n *yaml.Node, format string, args ...any) {
	m.errs = append(m.errs, fmt.Errorf("%s:%d: %s", m.file, max(n.Line, 1), fmt.Sprintf(format, args...)))
}

func (m *metadata) document(text []byte) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		m.fail(&yaml.Node{}, "not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		return
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		m.fail(&doc, "one document is expected, and more follows")
		return
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		m.fail(root, "keys with values are expected")
		return
	}
	keys := m.keys()
	seen := map[string]bool{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		set, ok := keys[k.Value]
		switch {
		case !ok:
			m.fail(k, "there is no key %q (want %s)", k.Value, strings.Join(keyOrder, ", "))
		case seen[k.Value]:
			m.fail(k, "%s is there twice", k.Value)
		default:
			set(v)
		}
		seen[k.Value] = true
	}
	for _, k := range keyOrder {
		if !seen[k] {
			m.fail(root, "%s is missing", k)
		}
	}
	if len(m.errs) == 0 {
		m.together(root)
	}
}

// keyOrder are the keys as every attack.yaml has them.
var keyOrder = []string{"id", "title", "technique", "language", "tries", "entry", "catch", "contain", "runtimes", "blind"}

func (m *metadata) keys() map[string]func(*yaml.Node) {
	a := m.a
	return map[string]func(*yaml.Node){
		"id":        func(n *yaml.Node) { m.matching(n, &a.ID, idPattern, "lower-case words with hyphens") },
		"title":     func(n *yaml.Node) { m.sentence(n, &a.Title) },
		"technique": func(n *yaml.Node) { m.matching(n, &a.Technique, techniquePattern, "an ATT&CK id such as T1048.003") },
		"language": func(n *yaml.Node) {
			if m.scalar(n, &a.Language) && !slices.Contains(languages, a.Language) {
				m.fail(n, "language %q is not one of %s", a.Language, strings.Join(languages, ", "))
			}
		},
		"tries": func(n *yaml.Node) { m.sentence(n, &a.Tries) },
		"entry": m.entry,
		"catch": func(n *yaml.Node) { a.Catch = list(m, n, "catch", gate.Layers()) },
		"contain": func(n *yaml.Node) {
			a.Contain = list(m, n, "contain", Concerns())
			if len(a.Contain) > 1 && slices.Contains(a.Contain, None) {
				m.fail(n, "contain: none stands alone")
			}
		},
		"runtimes": m.runtimes,
		"blind": func(n *yaml.Node) {
			var s string
			if m.scalar(n, &s) && s != "true" && s != "false" {
				m.fail(n, "blind is true or false, not %q", s)
			}
			a.Blind = s == "true"
		},
	}
}

// together checks what depends on more than one key.
func (m *metadata) together(root *yaml.Node) {
	a := m.a
	if (a.Language == languageMarkdown || a.Language == languageText) && !slices.Equal(a.Contain, []Concern{None}) {
		m.fail(root, "contain: nothing of a %s attack is executed, so it is [none]", a.Language)
	}
	if !a.Executes() && slices.Contains(a.Catch, gate.LayerSandbox) {
		m.fail(root, "catch: nothing of this attack is executed, so the sandbox cannot catch it")
	}
}

func (m *metadata) scalar(n *yaml.Node, dst *string) bool {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		m.fail(n, "a single value is expected here")
		return false
	}
	*dst = n.Value
	return true
}

func (m *metadata) matching(n *yaml.Node, dst *string, p *regexp.Regexp, what string) {
	if m.scalar(n, dst) && !p.MatchString(*dst) {
		m.fail(n, "%q is not %s", gate.Clip(*dst, maxTitle), what)
	}
}

// sentence is text for people, which ends up in tables.
func (m *metadata) sentence(n *yaml.Node, dst *string) {
	if !m.scalar(n, dst) {
		return
	}
	if *dst == "" || len(*dst) > maxTitle || strings.ContainsFunc(*dst, func(r rune) bool { return !unicode.IsPrint(r) }) {
		m.fail(n, "one printable line of at most %d bytes is expected", maxTitle)
	}
}

func (m *metadata) entry(n *yaml.Node) {
	var s string
	if !m.scalar(n, &s) {
		return
	}
	rest, ok := strings.CutPrefix(s, "payload/")
	if !ok || path.Clean(s) != s || rest == "" {
		m.fail(n, "entry %q is not a path below payload/", gate.Clip(s, maxTitle))
		return
	}
	m.a.Entry = strings.TrimSuffix(rest, disarmed)
}

func (m *metadata) runtimes(n *yaml.Node) {
	for _, v := range m.sequence(n, "runtimes") {
		var s string
		m.matching(v, &s, runtimePattern, "the name of a container runtime")
		if slices.Contains(m.a.Runtimes, s) {
			m.fail(v, "runtimes: %s is there twice", s)
		}
		m.a.Runtimes = append(m.a.Runtimes, s)
	}
}

func (m *metadata) sequence(n *yaml.Node, key string) []*yaml.Node {
	const most = 16
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 || len(n.Content) > most {
		m.fail(n, "%s: a list of 1 to %d values is expected", key, most)
		return nil
	}
	return n.Content
}

// list reads a list of distinct words.
func list[T ~string](m *metadata, n *yaml.Node, key string, allowed []T) []T {
	var out []T
	for _, v := range m.sequence(n, key) {
		var s string
		if !m.scalar(v, &s) {
			continue
		}
		switch {
		case !slices.Contains(allowed, T(s)):
			m.fail(v, "%s: %q is not one of %v", key, s, allowed)
		case slices.Contains(out, T(s)):
			m.fail(v, "%s: %s is there twice", key, s)
		}
		out = append(out, T(s))
	}
	return out
}
