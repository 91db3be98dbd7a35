package weakening

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// pair is a function of the head with the one of the base that it comes from, which is nil
// for a new one.
type pair struct {
	base, head *unit
	// gone and come are the statements that only one of them has, in the order of the text.
	gone, come []stmt
	// at is the line of the head at which the first of those that are gone was.
	at int
}

// File is one program of the change. Base is nil where the base has none, Head where the
// change deletes it.
type File struct {
	Path       string // in the head, or in the base for a deleted one
	Language   gate.Language
	Base, Head []byte
	// Generated says that no one wrote it by hand: it covers, and nothing is found in it.
	Quiet bool
	// Memory keeps what Base is made of; nil keeps nothing.
	Memory *gate.Memory
}

// textKey stands for a program in a [gate.Memory].
type textKey struct {
	language gate.Language
	path     string
	digest   [sha256.Size]byte
}

// before are the units of the base.
func (f File) before() []*unit {
	key := textKey{f.Language, f.Path, sha256.Sum256(f.Base)}
	units := gate.Recall(f.Memory, key, len(f.Base), func() ([]*unit, bool) {
		out, _ := read(f.Language, f.Path, normal(f.Base))
		return out, true
	})
	return slices.Clone(units) // the units themselves don't change once they are read
}

// Knows reports whether programs in a language can be compared.
func Knows(l gate.Language) bool {
	switch l {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo:
		return true
	}
	return byLine(l)
}

// normal makes line ends uniform: tokens are read from lines that end with a line feed.
func normal(src []byte) []byte {
	if !slices.Contains(src, '\r') {
		return src
	}
	return []byte(strings.ReplaceAll(strings.ReplaceAll(string(src), "\r\n", "\n"), "\r", "\n"))
}

// changed are the units of all files that are not the same in both versions.
type changed struct {
	pairs []*pair
	lost  []*unit         // of the base, without a successor
	heirs map[*unit]*unit // what units of the base became
	// programs are the files of the head with all their units, by path.
	programs map[string]*program
}

// compareFiles finds which unit of the head comes from which one of the base.
func compareFiles(files []File) changed {
	out := changed{heirs: map[*unit]*unit{}, programs: map[string]*program{}}
	var lost, fresh []*unit
	for _, f := range files {
		var base, head []*unit
		if f.Base != nil {
			base = f.before()
		}
		if f.Head != nil {
			head, _ = read(f.Language, f.Path, normal(f.Head))
			out.programs[f.Path] = &program{units: head}
		}
		if f.Base != nil && f.Head != nil && (base == nil || head == nil) {
			continue
		}
		left, new := out.within(base, head)
		lost, fresh = append(lost, left...), append(fresh, new...)
	}
	lost, fresh = out.match(lost, fresh, func(a, b *unit) bool { return a.short() == b.short() && (a.path == b.path || alike(a, b) > 0.3) })
	lost, fresh = out.match(lost, fresh, func(a, b *unit) bool { return a.path == b.path && len(a.stmts) > 2 && alike(a, b) >= 0.5 })
	lost, fresh = out.match(lost, fresh, func(a, b *unit) bool { return a.path == b.path && sharesQuery(a, b) })
	for _, u := range fresh {
		out.add(&unit{path: u.path, lang: u.lang, name: u.name}, u, true)
	}
	out.lost = lost
	out.methods()
	return out
}

// query matches what asks a database about a table: statements of SQL, and calls on a model.
var query = regexp.MustCompile(`(?i)\b(select|delete)\b[^;]*?\bfrom\s+"?([\w.]+)|\b(update)\s+"?([\w.]+)"?\s+set\b`)

// sharesQuery reports whether two functions ask the same of the same table: one took over
// what the other did, whatever else it does.
func sharesQuery(a, b *unit) bool {
	asked := map[string]bool{}
	for _, q := range queriesOf(a) {
		asked[q] = true
	}
	return len(asked) > 0 && slices.ContainsFunc(queriesOf(b), func(q string) bool { return asked[q] })
}

// queriesOf are the verbs and tables of a function's queries.
func queriesOf(u *unit) []string {
	var out []string
	for _, s := range u.stmts {
		for _, m := range query.FindAllStringSubmatch(s.text, -1) {
			out = append(out, strings.ToLower(m[1]+m[3]+" "+m[2]+m[4]))
		}
	}
	return out
}

// methods puts the heads of methods that are gone among what their class has lost.
func (c *changed) methods() {
	byHead := map[*unit]*pair{}
	for _, p := range c.pairs {
		byHead[p.head] = p
	}
	for _, u := range c.lost {
		if u.parent == nil || !u.parent.class || u.class || u.heads == 0 {
			continue
		}
		heir := c.heirs[u.parent]
		if heir == nil {
			continue // the class is gone, too
		}
		p := byHead[heir]
		if p == nil {
			p = &pair{base: u.parent, head: heir, at: heir.line()}
			byHead[heir] = p
			c.pairs = append(c.pairs, p)
		}
		p.gone = append(p.gone, u.stmts[u.heads-1])
	}
}

// within matches the units of one file by their full names, the first with the first.
func (c *changed) within(base, head []*unit) (lost, fresh []*unit) {
	byName := map[string][]*unit{}
	for _, u := range base {
		byName[u.name] = append(byName[u.name], u)
	}
	for _, u := range head {
		same := byName[u.name]
		if len(same) == 0 {
			fresh = append(fresh, u)
			continue
		}
		byName[u.name] = same[1:]
		c.add(same[0], u, false)
	}
	for _, u := range base {
		if slices.Contains(byName[u.name], u) {
			lost = append(lost, u)
		}
	}
	return lost, fresh
}

// maxMatched bounds units that are compared with each other to find what was renamed.
const maxMatched = 300

func (c *changed) match(lost, fresh []*unit, same func(a, b *unit) bool) (restLost, restFresh []*unit) {
	if len(lost) > maxMatched || len(fresh) > maxMatched {
		return lost, fresh
	}
	for _, u := range lost {
		i := slices.IndexFunc(fresh, func(o *unit) bool { return o.lang == u.lang && o.class == u.class && same(u, o) })
		if i < 0 {
			restLost = append(restLost, u)
			continue
		}
		c.add(u, fresh[i], false)
		fresh = slices.Delete(fresh, i, i+1)
	}
	return restLost, fresh
}

// alike is the share of the statements behind their heads that two units have in common,
// from 0 to 1.
func alike(a, b *unit) float64 {
	x, y := a.stmts[a.heads:], b.stmts[b.heads:]
	count := map[string]int{}
	for _, s := range x {
		count[s.text]++
	}
	common := 0
	for _, s := range y {
		if count[s.text] > 0 {
			count[s.text]--
			common++
		}
	}
	return float64(common) / float64(max(len(x), len(y), 1))
}

func (c *changed) add(base, head *unit, isNew bool) {
	if !isNew {
		c.heirs[base] = head
	}
	if base.same(head) {
		return
	}
	p := &pair{base: base, head: head}
	if isNew {
		p.base, p.come, p.at = nil, head.stmts, head.line()
	} else {
		p.gone, p.come, p.at = difference(base, head)
	}
	c.pairs = append(c.pairs, p)
}

// maxTable bounds the work of finding the longest common sequence of two units.
const maxTable = 1 << 20

// difference returns what only one of two units has, and where the first loss is.
func difference(base, head *unit) (gone, come []stmt, at int) {
	a, b := base.stmts, head.stmts
	from := 0
	for from < min(len(a), len(b)) && a[from].text == b[from].text {
		from++
	}
	to := 0
	for to < min(len(a), len(b))-from && a[len(a)-1-to].text == b[len(b)-1-to].text {
		to++
	}
	at = head.line()
	if from < len(b) {
		at = b[from].first
	} else if len(b) > 0 {
		at = b[len(b)-1].last
	}
	a, b = a[from:len(a)-to], b[from:len(b)-to]
	if len(a)*len(b) > maxTable {
		return without(a, b), without(b, a), at
	}
	gone, come = longest(a, b)
	return gone, come, at
}

// without are the statements of a that b doesn't have, each counted.
func without(a, b []stmt) []stmt {
	count := map[string]int{}
	for _, s := range b {
		count[s.text]++
	}
	var out []stmt
	for _, s := range a {
		if count[s.text] > 0 {
			count[s.text]--
		} else {
			out = append(out, s)
		}
	}
	return out
}

// longest leaves out the longest common sequence of two texts.
func longest(a, b []stmt) (gone, come []stmt) {
	w := len(b) + 1
	table := make([]int32, (len(a)+1)*w)
	for i, s := range slices.Backward(a) {
		for j, o := range slices.Backward(b) {
			if s.text == o.text {
				table[i*w+j] = table[(i+1)*w+j+1] + 1
			} else {
				table[i*w+j] = max(table[(i+1)*w+j], table[i*w+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i].text == b[j].text:
			i, j = i+1, j+1
		case table[(i+1)*w+j] >= table[i*w+j+1]:
			gone = append(gone, a[i])
			i++
		default:
			come = append(come, b[j])
			j++
		}
	}
	return append(gone, a[i:]...), append(come, b[j:]...)
}

var words = regexp.MustCompile(`[A-Za-z_$][\w$]*`)

// kin is the share of words that two texts have in common, from 0 to 1, each word once.
func kin(a, b string) float64 {
	in := map[string]bool{}
	for _, w := range words.FindAllString(a, -1) {
		in[w] = true
	}
	n, all := 0, len(in)
	for _, w := range slices.Compact(slices.Sorted(slices.Values(words.FindAllString(b, -1)))) {
		if in[w] {
			n++
		} else {
			all++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}
