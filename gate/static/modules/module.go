package modules

import (
	"bytes"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
)

// ref is what an import names: something of a module, or all of it.
type ref struct {
	spec string // as it is written
	name string // what is taken of it, "" for the module itself
}

// chunk is a statement at the top of a module.
type chunk struct {
	first, last int // tokens, half open
	names       []string
}

// rewrite stands for tokens: an expression that is a module, or an export that needs a name.
type rewrite struct {
	last       int // the token behind it
	ref        ref
	binds      bool   // it only gives names to what the ref stands for, and is left out
	local      string // a name of the module itself, where it is no ref
	pre, after string
}

// module is the summary of one file.
type module struct {
	path string
	lang gate.Language
	*source
	starts   []int // of its lines, once asked for
	chunks   []chunk
	defs     map[string][]int // which chunks give a name a value
	plain    map[string]bool  // the names that stand for values anywhere in it
	imports  map[string]ref
	exports  map[string]export
	stars    []string // modules all of whose exports it exports, or imports
	rewrites map[int]rewrite
	whole    string // the name that stands for module.exports
}

// export is a name of the module, or of another one.
type export struct {
	local string
	ref   ref
}

func newModule(name string, lang gate.Language, src []byte) *module {
	m := &module{path: name, lang: lang, source: newSource(lang, src), defs: map[string][]int{}, plain: map[string]bool{},
		imports: map[string]ref{}, exports: map[string]export{}, rewrites: map[int]rewrite{}}
	for i := range m.tokens {
		if m.free(i) && !m.plain[string(m.bytes(i))] {
			m.plain[m.text(i)] = true
		}
	}
	switch lang {
	case gate.LanguagePython:
		(&python{m}).read()
	case gate.LanguageGo:
		(&golang{m}).read()
	default:
		(&script{m}).read()
	}
	for i, c := range m.chunks {
		for _, n := range c.names {
			if at := m.defs[n]; len(at) == 0 || at[len(at)-1] != i && len(at) < maxDefinitions {
				m.defs[n] = append(at, i)
			}
		}
	}
	return m
}

// Knows reports whether the modules of a language are followed.
func Knows(l gate.Language) bool {
	switch l {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo:
		return true
	}
	return false
}

// Imports reports whether a text may import a module of its tree, which is cheap to ask.
func Imports(l gate.Language, src []byte) bool {
	if l == gate.LanguageGo {
		return true
	}
	return bytes.Contains(src, []byte("import")) || l != gate.LanguagePython && (bytes.Contains(src, []byte("require")) || bytes.Contains(src, []byte("from")))
}

// stem is a name made of that of a file.
func stem(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if base == "index" || base == "__init__" {
		base = path.Base(path.Dir(name))
	}
	out := strings.Map(func(r rune) rune {
		if r < 0x80 && (letter(byte(r)) || digit(byte(r))) {
			return r
		}
		return '_'
	}, base)
	return "_" + out
}

// unused is a name that nothing in the module has.
func (m *module) unused(want string) string {
	for m.plain[want] {
		want += "_"
	}
	m.plain[want] = true
	return want
}

// assigned are the names to which a statement in tokens gives a value, or of which it
// changes one, at a depth of brackets.
func (m *module) assigned(first, last int) []string {
	var out []string
	if first >= last {
		return nil
	}
	depth := m.tokens[first].depth
	sign := -1
	for i := first; i < last; i++ {
		if m.tokens[i].depth == depth && (m.mark(i) == '=' || m.is(i, "+=", ":=")) {
			sign = i
			if !m.is(i, ":=") {
				break
			}
		}
	}
	for i := first; i < sign; i++ {
		if m.isName(i) && !m.member(i) && !words[string(m.bytes(i))] {
			out = append(out, m.text(i))
		}
		if (m.mark(i) == ':' && m.tokens[i].depth == depth) || m.mark(i) == '[' && i > first {
			if m.mark(i) == ':' {
				break // an annotation
			}
			i = m.close(i)
		}
	}
	// a.append(b), a.b.update(c): the statement changes a.
	if sign < 0 && m.isName(first) && (m.member(first+1) || m.mark(first+1) == '.') && !words[string(m.bytes(first))] {
		out = append(out, m.text(first))
	}
	return out
}

// words are keywords, and names that stand for no value of the module.
var words = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq("if elif else for while try except finally with def class match case async await return yield pass break continue del raise assert import from as global nonlocal lambda not and or in is None True False self cls " +
		"const let var function export default new typeof instanceof void delete throw switch do catch static this super extends null undefined true false type interface enum declare abstract public private protected readonly of " +
		"func package range go defer select chan map struct nil") {
		out[w] = true
	}
	return out
}()

// Bounds of one module.
const (
	maxChunks      = 20_000
	maxDefinitions = 32 // statements that give one name a value
)

func (m *module) chunk(c chunk) {
	if c.last > c.first && len(m.chunks) < maxChunks {
		m.chunks = append(m.chunks, c)
	}
}
