package untested

import (
	"bytes"
	"cmp"
	"go/build/constraint"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// File is a file of a change with its text before and after; nil where there is none.
type File struct {
	Path, OldPath string // OldPath is empty where it is the same
	Language      gate.Language
	Base, Head    []byte
}

// Lost is a test that ran before the change and no longer does, or no longer checks anything.
type Lost struct {
	Path string // of the file of the change that had it
	Line int    // of the head, 0 where the test is not there
	Name string
	How  string // what became of it
	// Edits is a function or a file that the test tested and that the change edits too; empty for none.
	Edits string
}

// Asker knows about what the change leaves alone.
type Asker interface {
	// Calls reports whether a test that the change leaves alone mentions a name.
	Calls(l gate.Language, name string) bool
	// Builds reports whether something that runs tests sets a build tag.
	Builds(tag string) bool
}

// version is one side of a file.
type version struct {
	path  string
	runs  bool   // a runner finds the file
	built string // why it is not built by default
	text  *text
	tests []test
}

// pair is a file with both sides.
type pair struct {
	File
	base, head *version
}

// Compare returns the tests that a change loses, in the order of the files and of the tests.
func Compare(files []File, ask Asker) []Lost {
	var pairs []pair
	any := false
	for _, f := range files {
		if !Knows(f.Language) {
			continue
		}
		p := pair{File: f}
		if f.Base != nil {
			old := f.Path
			if f.OldPath != "" {
				old = f.OldPath
			}
			p.base = read(f.Language, old, f.Base, nil)
			any = any || p.base.runs && len(p.base.tests) > 0
		}
		if f.Head != nil {
			p.head = read(f.Language, f.Path, f.Head, ask.Builds)
			if p.base != nil && p.head.built != "" && notBuilt(p.base.path, f.Base, ask.Builds) == p.head.built {
				p.head.built = "" // by the tags of CI the base was not built there either
			}
		}
		pairs = append(pairs, p)
	}
	if !any {
		return nil
	}
	c := newComparison(pairs, ask)
	var out []Lost
	for _, p := range pairs {
		if p.base != nil && p.base.runs && p.base.built == "" {
			out = append(out, c.lost(p)...)
		}
	}
	return out
}

func read(l gate.Language, name string, src []byte, builds func(string) bool) *version {
	v := &version{path: name, runs: RunsIn(l, name), text: newText(l, src)}
	if l == gate.LanguageGo {
		v.built = notBuilt(name, src, builds)
	}
	v.tests = v.text.tests()
	if v.text.fileOff() {
		for i := range v.tests {
			v.tests[i].off = cmp.Or(v.tests[i].off, skipped)
		}
	}
	seen := map[string]int{}
	for i, x := range v.tests {
		if before, ok := seen[x.name]; ok && l == gate.LanguagePython && v.tests[before].off == "" {
			v.tests[before].off = shadowed
		}
		seen[x.name] = i
	}
	if slices.ContainsFunc(v.tests, func(x test) bool { return x.only && x.off == "" }) {
		for i, x := range v.tests {
			if !x.only && x.off == "" {
				v.tests[i].off = exclusive
			}
		}
	}
	return v
}

var (
	pythonFile = regexp.MustCompile(`(?:^|/)(?:test[^/]*|[^/]*_tests?)\.py$`)
	scriptFile = regexp.MustCompile(`\.(?:test|spec|cy|e2e)\.[cm]?[jt]sx?$|(?:^|/)(?:__tests__|tests?|specs?|e2e|cypress)/|(?:[-_](?:test|spec)s?|(?:^|/)tests?)\.[cm]?[jt]sx?$`)
	otherFile  = regexp.MustCompile(`(?i)tests?\.(?:java|kt|cs|php)$|(?:^|/)(?:[^/]*tests?|specs?)/|_(?:test|spec)\.\w+$|(?:^|/)test_[^/]*$|spec\.kt$|tests?\.rs$`)
	goSystems  = regexp.MustCompile(`_(?:aix|android|darwin|dragonfly|freebsd|illumos|ios|js|nacl|netbsd|openbsd|plan9|solaris|wasip1|windows|zos)(?:_\w+)?_test\.go$`)
)

// RunsIn reports whether a runner looks for tests in a file of that name by default.
func RunsIn(l gate.Language, name string) bool {
	switch l {
	case gate.LanguagePython:
		return pythonFile.MatchString(name)
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		return scriptFile.MatchString(name)
	case gate.LanguageGo:
		for part := range strings.SplitSeq(path.Dir(name), "/") {
			if part == "testdata" || part == "vendor" || len(part) > 1 && (part[0] == '_' || part[0] == '.') {
				return false
			}
		}
		return strings.HasSuffix(name, "_test.go") && path.Base(name)[0] != '_' && path.Base(name)[0] != '.'
	case gate.LanguageRust:
		return true
	}
	return otherFile.MatchString(name)
}

// notBuilt says by what a file of Go is not built on a plain Linux; empty where it is.
func notBuilt(name string, src []byte, builds func(string) bool) string {
	if goSystems.MatchString(name) {
		return "the system in its name"
	}
	for line := range bytes.Lines(src[:min(len(src), 4<<10)]) {
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "package ") {
			return ""
		}
		if !constraint.IsGoBuild(text) {
			continue
		}
		x, err := constraint.Parse(text)
		if err != nil {
			return ""
		}
		if !x.Eval(func(tag string) bool {
			switch tag {
			case "linux", "unix", "amd64", "cgo", "gc":
				return true
			}
			return strings.HasPrefix(tag, "go1") || builds != nil && builds(tag)
		}) {
			return strings.TrimSpace(strings.TrimPrefix(text, "//go:build"))
		}
	}
	return ""
}

// comparison knows what the whole change has.
type comparison struct {
	ask    Asker
	pairs  []pair
	edited map[int]map[string]bool // by the pair, the functions that are edited and still there
	moved  map[string]test         // tests of the head that run, by what is in them
	idle   map[string]string       // what is in functions of the head that no runner finds, and why
	known  map[string]bool         // names of tests of the head that run, by language
	called func(l gate.Language, name string) bool
}

func key(l gate.Language, what string) string { return string(l) + "\x00" + what }

func newComparison(pairs []pair, ask Asker) *comparison {
	c := &comparison{ask: ask, pairs: pairs, edited: map[int]map[string]bool{}, moved: map[string]test{}, idle: map[string]string{}, known: map[string]bool{}}
	var running strings.Builder
	for i, p := range pairs {
		if p.head == nil {
			continue
		}
		for _, x := range p.head.tests {
			body := plain(x.body)
			switch {
			case !p.head.runs:
				c.idle[key(p.Language, body)] = unfound
			case p.head.built != "":
				c.idle[key(p.Language, body)] = unbuilt
			case !x.found:
				c.idle[key(p.Language, body)] = unnamed
			case x.off == "":
				c.moved[key(p.Language, body)] = x
				c.known[key(p.Language, x.name)] = true
				running.WriteString(x.body + "\n")
			}
		}
		if p.base != nil && (!p.base.runs || p.Language == gate.LanguageRust) {
			c.edited[i] = edited(p)
		}
	}
	text := running.String()
	c.called = func(l gate.Language, name string) bool { return hasWord(text, name) || ask.Calls(l, name) }
	return c
}

// edited are the names of functions and values that both sides of a file have, with different
// texts, and of those that use them.
func edited(p pair) map[string]bool {
	before, after := p.base.text.definitions(), p.head.text.definitions()
	out := map[string]bool{}
	for name, text := range after {
		if old, ok := before[name]; ok && old != text {
			out[name] = true
		}
	}
	for range 3 {
		added := false
		for name, text := range after {
			if !out[name] && before[name] != "" && slices.ContainsFunc(slices.Collect(maps.Keys(out)), func(w string) bool { return hasWord(text, w) }) {
				out[name], added = true, true
			}
		}
		if !added {
			break
		}
	}
	return out
}

func hasWord(text, name string) bool {
	isWord := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] == '_' || '0' <= text[i] && text[i] <= '9' || 'a' <= text[i]|0x20 && text[i]|0x20 <= 'z')
	}
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			break
		}
		if at := from + i; !isWord(at-1) && !isWord(at+len(name)) {
			return true
		}
		from += i + 1
	}
	return false
}

// lost are the tests that one file loses.
func (c *comparison) lost(p pair) []Lost {
	var out []Lost
	for _, was := range p.base.tests {
		if !was.found || was.off != "" {
			continue
		}
		line, how := c.became(p, was)
		if how == "" {
			continue
		}
		l := Lost{Path: p.Path, Line: line, Name: was.name, How: how, Edits: c.edits(p, was, how == gone)}
		if how != gone || l.Edits != "" && !c.called(p.Language, l.Edits) {
			out = append(out, l)
		}
	}
	return out
}

// became says what became of a test, with its line; how is empty where it still runs.
func (c *comparison) became(p pair, was test) (line int, how string) {
	body := plain(was.body)
	if p.head != nil {
		for _, is := range p.head.tests {
			if is.name != was.name {
				continue
			}
			switch {
			case !p.head.runs:
				how = unfound
			case p.head.built != "":
				how = unbuilt
			case !is.found:
				how = unnamed
			case is.off != "":
				how = is.off
			case checks(p.Language, was.body) > 0 && checks(p.Language, is.body) == 0 && len(plain(is.body)) < len(body):
				how = nothing
			case voids(p.Language, is.body) > voids(p.Language, was.body):
				how = whatever
			default:
				return 0, ""
			}
			line = is.line
			if how == shadowed {
				continue // the one that runs may be below
			}
			break
		}
	}
	if _, ok := c.moved[key(p.Language, body)]; ok && how != whatever && how != nothing {
		return 0, ""
	}
	if how != "" {
		return line, how
	}
	if why := c.idle[key(p.Language, body)]; why != "" && body != "" {
		return 0, why
	}
	if c.known[key(p.Language, was.name)] {
		return 0, "" // it moved, and was edited
	}
	return 0, gone
}

// edits is what the change edits of what a test tests, empty for nothing: a function that it calls,
// or, where deleted does not hold, the file that its own is named after.
func (c *comparison) edits(p pair, was test, deleted bool) string {
	for i, q := range c.pairs {
		if len(c.edited[i]) == 0 || !sameLanguage(q.Language, p.Language) || !p.knows(q) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(c.edited[i])) {
			if len(name) > 2 && hasWord(was.body, name) {
				return name
			}
		}
		if !deleted && stemOfTest(p.base.path) == stem(q.Path) {
			return path.Base(q.Path)
		}
	}
	return ""
}

func sameLanguage(a, b gate.Language) bool {
	script := func(l gate.Language) bool { return l == gate.LanguageJavaScript || l == gate.LanguageTypeScript }
	return a == b || script(a) && script(b)
}

// knows reports whether a file of tests has to do with another file: it is in the same package, or
// is named after it, or names it or a folder that it is in.
func (p pair) knows(q pair) bool {
	if q.Path == p.Path || stemOfTest(p.base.path) == stem(q.Path) || p.Language == gate.LanguageGo && path.Dir(p.base.path) == path.Dir(q.Path) {
		return true
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(q.Path, path.Ext(q.Path)), "/") {
		if part != "src" && part != "lib" && part != "index" && hasWord(p.base.text.bare, strings.TrimSuffix(part, path.Ext(part))) {
			return true
		}
	}
	return false
}

// stemOfTest is the name of the file that a file of tests is named after.
func stemOfTest(name string) string {
	s := strings.TrimPrefix(stem(name), "test_")
	for _, end := range []string{"_test", "_tests", "_spec", "-test", "-spec", "Tests", "Test"} {
		s = strings.TrimSuffix(s, end)
	}
	return s
}
