package weakening

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/dfa"
)

var callee = regexp.MustCompile(`([A-Za-z_$][\w$]*) ?\(`)

// cover are the statements that could do what a statement of the function did.
func (v *view) cover() []stmt {
	if v.coversRead {
		return v.covers
	}
	v.coversRead = true
	v.covers = append(slices.Clone(v.come), v.all.wide...)
	defined := definitions(v)
	names := map[string]bool{}
	for _, s := range append(slices.Clone(v.come), defined...) {
		for _, name := range called(s.text) {
			names[name] = true
		}
	}
	for p := v.head.parent; p != nil && p.name != ""; p = p.parent {
		names[p.short()] = true
	}
	v.covers = append(v.covers, defined...)
	for _, p := range v.all.hooks(v.pair) {
		v.covers = append(v.covers, v.all.doneBy(p)...)
	}
	for _, h := range v.all.hooked() {
		if h.idle && h.does != v.pair && h.does.head.lang == v.head.lang {
			for _, s := range v.all.doneBy(h.does) {
				v.all.idle[s] = true
				v.covers = append(v.covers, s)
			}
		}
	}
	v.called = len(v.covers)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		for _, p := range v.all.reached(name) {
			if p == v.pair || len(v.covers) >= maxCover {
				continue
			}
			v.covers = append(v.covers, v.all.doneBy(p)...)
			for len(v.callees) < len(v.covers)-v.called {
				v.callees = append(v.callees, name)
			}
		}
	}
	for _, m := range v.all.byWord()[known(v.head)] {
		if m.in != v.pair && len(v.covers) < maxCover {
			v.covers = append(v.covers, m.stmt)
			v.covers = append(v.covers, definitions(&view{all: v.all, pair: &pair{head: m.in.head, come: []stmt{m.stmt}}})...)
		}
	}
	if byLine(v.head.lang) {
		// What a page shows is made elsewhere, and may be made harmless there; settings and
		// scripts do in one file what another did.
		for _, p := range v.all.pairs {
			if p != v.pair && len(v.covers) < maxCover {
				v.covers = append(v.covers, p.come...)
			}
		}
	}
	v.covers = v.covers[:min(len(v.covers), maxCover)]
	return v.covers
}

// leastShared is how long a name is that one file defines for another, in bytes.
const leastShared = 3

// definitions are the statements by which the change defines or imports, for the whole file or in
// another one, what the function newly uses: the options of a parser, a schema, a loader under another name.
func definitions(v *view) []stmt {
	if v.head.name == "" {
		return nil
	}
	used := map[string]bool{}
	for _, s := range v.come {
		for _, w := range words.FindAllString(s.text, -1) {
			used[w] = true
		}
	}
	var out, imports []stmt
	for _, p := range v.all.pairs {
		if p.head.name != "" || p.head.lang != v.head.lang {
			continue
		}
		here := p.head.path == v.head.path
		for _, s := range p.come {
			if v.head.lang == gate.LanguageGo && strings.HasPrefix(s.text, "import") {
				if here {
					imports = append(imports, s)
				}
				continue
			}
			m := gives.FindStringSubmatch(s.text)
			if m == nil || !used[m[1]] && !used[m[2]] || len(out) >= maxDefinitions || !here && len(m[1]+m[2]) < leastShared {
				continue
			}
			out = append(out, s)
			for _, w := range words.FindAllString(s.text, -1) {
				used[w] = true
			}
		}
	}
	// Which of two packages of one name it is, only the import says.
	for _, s := range imports {
		for _, m := range imported.FindAllStringSubmatch(s.text, -1) {
			if used[m[2]] && len(out) < maxDefinitions {
				out = append(out, stmt{text: "import " + m[0], first: s.first, last: s.last, depth: s.depth})
			}
		}
	}
	return out
}

// imported is the path of a package of Go.
var imported = regexp.MustCompile(`"((?:[\w.~-]+/)*)([\w.~-]+)"`)

// maxDefinitions bounds the statements of a file that define what one function uses.
const maxDefinitions = 200

// gives matches statements that give a name to something: an import under another name, or a
// value outside of functions. What an import only names says nothing about how it is used.
var gives = dfa.MustCompile(`^(?:from|import)\b.*\bas (\w+)$|^(?:export )?(?:(?:const|let|var) )?(?:(?:module\.)?exports\.)?(\w+)(?: ?: ?[^=]+| [\w.*]+)? ?:?= `)

// defines matches statements that define a name for a whole file.
var defines = dfa.MustCompile(`^(?:export )?(?:(?:const|let|var) )?\w+(?: ?: ?[^=]+)? ?:?= `)

// importing matches statements that import something.
var importing = dfa.MustCompile(`^(?:from|import)\b|\brequire\( ?["']`)

// covered reports whether something that comes does what went; at is the refusal that went,
// nil for another statement.
func (v *view) covered(m *matcher, gone string, at *refusal) bool {
	if !m.covered.given() {
		return false
	}
	cover := v.cover()
	if v.head.name == "" && (defines.MatchString(gone) || importing.MatchString(gone)) {
		// What is defined or imported for all functions of a file is used in them.
		for _, p := range v.all.pairs {
			if p.head.path == v.head.path && p != v.pair && used(v.all, p) {
				cover = append(slices.Clip(cover), p.come...)
			}
		}
	}
	again := 0
	for i, s := range cover {
		if at != nil && (!at.onPath(i, s) || v.calls(i) && (at.another(s) || v.hadBefore(m, s.text, at.was.at))) {
			continue
		}
		same := len(m.Change.Adds) == 0 && m.removes.match(s.text)
		if same && i < len(v.come) && kin(s.text, gone) > 0.4 {
			continue // it stands for the one that went, and was counted
		}
		if i < len(v.come) && !same && kin(s.text, gone) > 0.6 && had(m.covered, s.text, gone) {
			continue // what covers was in the one that went as well
		}
		if s.text == gone && i < len(v.come) {
			continue
		}
		if same {
			again += m.removes.times(s.text)
		}
		if same && again >= m.removes.kinds(gone) || m.covered.match(s.text) && m.covered.match(v.all.withoutShown(s.text)) {
			return true
		}
	}
	return false
}

// had reports whether all that covers in a statement was in the one that went as well.
func had(covered expressions, text, gone string) bool {
	if !covered.match(text) {
		return false
	}
	for _, what := range covered.slow().FindAllString(text, -1) {
		if !strings.Contains(gone, what) {
			return false
		}
	}
	return true
}

// hadBefore reports whether all that covers in a statement was in another statement of the base
// than the one that went: it is no other way to do what that did.
func (v *view) hadBefore(m *matcher, text string, gone stmt) bool {
	if v.base == nil || !m.covered.match(text) {
		return false
	}
	return !slices.ContainsFunc(m.covered.slow().FindAllString(text, -1), func(what string) bool {
		return !slices.ContainsFunc(v.base.stmts, func(o stmt) bool { return o != gone && strings.Contains(o.text, what) })
	})
}
