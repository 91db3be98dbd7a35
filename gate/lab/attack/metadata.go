package attack

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/strict"
)

var (
	idPattern        = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+){1,12}$`)
	techniquePattern = regexp.MustCompile(`^T\d{4}(\.\d{3})?$`)
	runtimePattern   = regexp.MustCompile(`^[a-z][a-z0-9._-]{0,63}$`)
)

// languages are what attack.yaml may name.
var languages = []string{"python", "javascript", "typescript", "shell", "go", languageManifest, languageMarkdown, languageText}

// maxTitle bounds what is in tables, in bytes.
const maxTitle = 200

// metadata reads one attack.yaml.
type metadata struct {
	strict.Reader
	a *Attack
}

// parse reads attack.yaml. Every mistake is an error with file, line and column.
func parse(file string, text []byte) (*Attack, error) {
	m := &metadata{strict.Reader{File: file}, &Attack{}}
	switch root := m.Document(text); {
	case root != nil:
		m.attack(root)
	case m.Err() == nil:
		m.Fail(&yaml.Node{}, "the file is empty: keys with values are expected")
	}
	if err := m.Err(); err != nil {
		return nil, err
	}
	return m.a, nil
}

func (m *metadata) attack(root *yaml.Node) {
	a := m.a
	m.Mapping(root, "an attack",
		strict.Need("id", m.matching(&a.ID, idPattern, "lower-case words with hyphens")),
		strict.Need("title", m.sentence(&a.Title)),
		strict.Need("technique", m.matching(&a.Technique, techniquePattern, "an ATT&CK id such as T1048.003")),
		strict.Need("language", m.Word("language", languages, func(s string) { a.Language = s })),
		strict.Need("tries", m.sentence(&a.Tries)),
		strict.Need("entry", m.entry),
		strict.Need("catch", func(n *yaml.Node) { a.Catch = list(m, n, "catch", gate.Layers()) }),
		strict.Need("contain", func(n *yaml.Node) {
			a.Contain = list(m, n, "contain", Concerns())
			if len(a.Contain) > 1 && slices.Contains(a.Contain, None) {
				m.Fail(n, "contain: none stands alone")
			}
		}),
		strict.Need("runtimes", m.runtimes),
		strict.Need("blind", m.Flag("blind", &a.Blind)),
	)
	if m.Err() == nil {
		m.together(root)
	}
}

// together checks what depends on more than one key.
func (m *metadata) together(root *yaml.Node) {
	a := m.a
	if (a.Language == languageMarkdown || a.Language == languageText) && !slices.Equal(a.Contain, []Concern{None}) {
		m.Fail(root, "contain: nothing of a %s attack is executed, so it is [none]", a.Language)
	}
	if !a.Executes() && slices.Contains(a.Catch, gate.LayerSandbox) {
		m.Fail(root, "catch: nothing of this attack is executed, so the sandbox cannot catch it")
	}
}

func (m *metadata) matching(dst *string, p *regexp.Regexp, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || !p.MatchString(n.Value) {
			m.Fail(n, "%s is expected, not %s", what, strict.Kind(n))
			return
		}
		*dst = n.Value
	}
}

// sentence is text for people, which ends up in tables.
func (m *metadata) sentence(dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Value == "" || len(n.Value) > maxTitle ||
			strings.ContainsFunc(n.Value, func(r rune) bool { return !unicode.IsPrint(r) }) {
			m.Fail(n, "one printable line of at most %d bytes is expected, not %s", maxTitle, strict.Kind(n))
			return
		}
		*dst = n.Value
	}
}

func (m *metadata) entry(n *yaml.Node) {
	rest, ok := strings.CutPrefix(n.Value, "payload/")
	if n.Kind != yaml.ScalarNode || !ok || path.Clean(n.Value) != n.Value || rest == "" {
		m.Fail(n, "a path below payload/ is expected, not %s", strict.Kind(n))
		return
	}
	m.a.Entry = strings.TrimSuffix(rest, disarmed)
}

func (m *metadata) runtimes(n *yaml.Node) {
	m.few(n, "runtimes", func(v *yaml.Node) {
		var s string
		m.matching(&s, runtimePattern, "the name of a container runtime")(v)
		if slices.Contains(m.a.Runtimes, s) {
			m.Fail(v, "runtimes: %s is there twice", s)
		}
		m.a.Runtimes = append(m.a.Runtimes, s)
	})
}

// few reads a short list that is not empty.
func (m *metadata) few(n *yaml.Node, key string, read func(*yaml.Node)) {
	const most = 16
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 || len(n.Content) > most {
		m.Fail(n, "%s: a list of 1 to %d values is expected, not %s", key, most, strict.Kind(n))
		return
	}
	m.Items(n, key, read)
}

// list reads a list of distinct words.
func list[T ~string](m *metadata, n *yaml.Node, key string, allowed []T) []T {
	var out []T
	words := make([]string, len(allowed))
	for i, w := range allowed {
		words[i] = string(w)
	}
	m.few(n, key, func(v *yaml.Node) {
		m.Word("word under "+key, words, func(s string) {
			if slices.Contains(out, T(s)) {
				m.Fail(v, "%s: %s is there twice", key, s)
			}
			out = append(out, T(s))
		})(v)
	})
	return out
}
