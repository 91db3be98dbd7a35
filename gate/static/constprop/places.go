package constprop

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
)

// What a place holds that runs code or sends data, in Python.
const pyRuns = `((?:os|subprocess|shutil|pickle|marshal)\.\w+|eval|exec|compile|__import__|(?:requests|urllib\.request)\.\w+)`

var (
	// pyEntry matches an entry of a table, pyKeyed one that is set later.
	pyEntry = regexp.MustCompile(`[{,(]\s*["']([\w.-]+)["']\s*:\s*` + pyRuns + `\s*[,}]`)
	pyKeyed = regexp.MustCompile(`\[\s*["']([\w.-]+)["']\s*\]\s*=\s*` + pyRuns + `\s*(?:$|[#;\n])`)
	// pyField matches a field of an object or a class.
	pyField = regexp.MustCompile(`(?m)(?:\b\w+\.(\w+)\s*=\s*` + pyRuns + `|\b(\w+)\s*=\s*staticmethod\(\s*` + pyRuns + `\s*\))\s*(?:$|[#;,])`)
	// pyGlobal matches a name that is set by its text, pyStarred one behind a starred one, and
	// pyMatched one that a pattern gives.
	pyGlobal  = regexp.MustCompile(`\b(?:globals|locals|vars)\(\s*\)\s*\[\s*["'](\w+)["']\s*\]\s*=\s*` + pyRuns)
	pyStarred = regexp.MustCompile(`\*\s*\w+\s*,\s*(\w+)\s*=\s*[^\n]*,\s*` + pyRuns + `\s*(?:$|[#;\n])`)
	pyMatched = regexp.MustCompile(`\bmatch\s+` + pyRuns + `\s*:\s*case\s+([A-Za-z_]\w*)\s*:`)

	pyAtKey  = regexp.MustCompile(`(?:\[\s*["']([\w.-]+)["']\s*\]|\.get\(\s*["']([\w.-]+)["']\s*\))\s*\(`)
	pyAtDot  = regexp.MustCompile(`\.(\w+)\s*\(`)
	pyCalled = regexp.MustCompile(`\.__call__\s*\(`)
)

// places are where functions that run code are kept: tables by their keys, objects by
// their fields. A key or a field that holds two things is left out.
type places struct{ keys, fields map[string]string }

// placesOf finds the places in a text of Python.
func placesOf(src []byte) places {
	p := places{map[string]string{}, map[string]string{}}
	add := func(to map[string]string, name, what string) {
		switch was, known := to[name]; {
		case name == "" || what == "" || len(to) >= maxNames:
		case known && was != what:
			to[name] = ""
		default:
			to[name] = what
		}
	}
	for _, m := range pyEntry.FindAllSubmatch(src, maxNames) {
		add(p.keys, string(m[1]), string(m[2]))
	}
	for _, m := range pyKeyed.FindAllSubmatch(src, maxNames) {
		add(p.keys, string(m[1]), string(m[2]))
	}
	for _, m := range pyField.FindAllSubmatch(src, maxNames) {
		add(p.fields, string(m[1])+string(m[3]), string(m[2])+string(m[4]))
	}
	return p
}

// placeWords are the words of which one is in every text with such a place.
var placeWords = [][]byte{[]byte("os."), []byte("subprocess."), []byte("eval"), []byte("exec"), []byte("pickle."), []byte("marshal."), []byte("requests."), []byte("urllib.")}

// fromPlaces returns a text of Python in which calls of what a table, a field or __call__
// holds are calls of that.
func fromPlaces(src []byte) ([]byte, bool) {
	has := false
	for _, w := range placeWords {
		has = has || bytes.Contains(src, w)
	}
	if !has {
		return nil, false
	}
	var cuts []edit
	f := &finder{lang: gate.LanguagePython, src: src}
	inCode := func(at int) bool { return f.lex().At(at) == lex.Code }
	if bytes.Contains(src, []byte(".__call__")) {
		for _, m := range pyCalled.FindAllIndex(src, maxNames) {
			if inCode(m[0]) {
				cuts = append(cuts, edit{m[0], m[1] - 1, ""})
			}
		}
	}
	p := placesOf(src)
	if len(p.keys) > 0 {
		for _, m := range pyAtKey.FindAllSubmatchIndex(src, maxNames) {
			key := group(src, m, 1) + group(src, m, 2)
			if to := p.keys[key]; to != "" && inCode(m[0]) {
				cuts = append(cuts, edit{objectBefore(src, m[0]), m[1] - 1, to})
			}
		}
	}
	if len(p.fields) > 0 {
		for _, m := range pyAtDot.FindAllSubmatchIndex(src, maxNames) {
			if to := p.fields[group(src, m, 1)]; to != "" && inCode(m[0]) {
				cuts = append(cuts, edit{objectBefore(src, m[0]), m[1] - 1, to})
			}
		}
	}
	return applied(src, cuts)
}

// edit is a stretch of a text and what takes its place.
type edit struct {
	start, end int
	to         string
}

// applied makes edits, of which those that overlap an earlier one are left out, and those
// that go over lines.
func applied(src []byte, edits []edit) ([]byte, bool) {
	if len(edits) == 0 {
		return nil, false
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	out, at := make([]byte, 0, len(src)), 0
	for _, e := range edits {
		if e.start < at || bytes.IndexByte(src[e.start:e.end], '\n') >= 0 {
			continue
		}
		out = append(append(out, src[at:e.start]...), e.to...)
		at = e.end
	}
	return append(out, src[at:]...), at > 0
}

// objectBefore is where the object begins that a key or a field is of: names, fields and
// calls without arguments.
func objectBefore(src []byte, at int) int {
	for at > 0 {
		switch c := src[at-1]; {
		case char.IsWord(c) || c == '.':
			at--
		case c == ')' && at > 1 && src[at-2] == '(':
			at -= 2
		default:
			return at
		}
	}
	return at
}

func group(src []byte, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return string(src[m[2*n]:m[2*n+1]])
}
