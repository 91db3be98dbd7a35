package modules

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
)

// Bounds of one text.
const (
	// maxHops is how many statements lie between one that uses a name and the last one
	// that is followed: as many as flows within one text have steps.
	maxHops   = 6
	MaxPieces = 3000      // statements of other modules
	maxJoined = 512 << 10 // bytes of them
)

// Names are names of modules, each of one module.
type Names map[owner]bool

// Piece is a stretch of whole statements of one module.
type Piece struct {
	Path string
	Text []byte // with names as the joined text needs them
	Line int    // of its first byte in the file, from 1 on
}

// Joined is a file with what it needs of other modules.
type Joined struct {
	// Before are the pieces of other modules, in the order in which they come before the file.
	Before []Piece
	// Own are the statements of the file that depend on them, in their order, with what those
	// need of the file.
	Own []Piece
}

// seat is a statement of a module.
type seat struct {
	of    *module
	chunk int
}

// lines are those of a chunk, from 1 on.
func (m *module) lines(c chunk, starts []int) (first, last int) {
	return sort.SearchInts(starts, int(m.tokens[c.first].start)+1), sort.SearchInts(starts, int(m.tokens[c.last-1].end))
}

func lineStarts(src []byte) []int {
	out := make([]int, 1, 1+bytes.Count(src, []byte{'\n'}))
	for i, c := range src {
		if c == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// Change is what a change does to one module.
type Change struct {
	// Lines is the text of its lines.
	Lines []byte
	// Near are the statements that its lines use, and that those use, as far as they are short.
	Near []Piece
	// Constants are the names that depend on a statement that it touches and that is a constant, and
	// Names those that depend on any.
	Constants, Names Names
}

// Changed returns what a change of some lines does to a module. constant says what statement
// is a constant.
func (p *Program) Changed(name string, lines gate.LineSet, constant func(Piece) bool) Change {
	p.begin()
	m := p.module(name)
	if m == nil {
		return Change{}
	}
	var out Change
	starts, seeds, constants, near := p.starts(m), map[int]bool{}, map[int]bool{}, map[seat]bool{}
	for i, c := range m.chunks {
		first, last := m.lines(c, starts)
		if !lines.Touches(first, last) {
			continue
		}
		seeds[i] = true
		if constant(Piece{name, m.statement(i), first}) {
			constants[i] = true
		}
		for first := c.first; first < c.last; {
			last := first
			for last < c.last && m.tokens[last].kind != newline {
				last++
			}
			if last > first && lines.Touches(m.lines(chunk{first: first, last: last}, starts)) {
				out.Lines = append(append(out.Lines, m.src[m.tokens[first].start:m.tokens[last-1].end]...), '\n')
				p.uses(m, first, last, func(u use) { u.statements(near) })
			}
			first = last + 1
		}
	}
	for _, s := range sorted(near) {
		c := s.of.chunks[s.chunk]
		p.uses(s.of, c.first, c.last, func(u use) { u.statements(near) })
	}
	size := 0
	for _, s := range sorted(near) {
		text := s.of.statement(s.chunk)
		if s.of == m && seeds[s.chunk] && !constants[s.chunk] || len(text) > maxNear || size > maxNearAll {
			continue
		}
		size += len(text)
		line, _ := s.of.lines(s.of.chunks[s.chunk], p.starts(s.of))
		out.Near = append(out.Near, Piece{s.of.path, text, line})
	}
	out.Names, out.Constants = p.dependent(m, seeds), p.dependent(m, constants)
	return out
}

// Bounds of the text of what changed lines use: classes are only made there.
const (
	maxNear    = 4 << 10   // bytes of one statement
	maxNearAll = 128 << 10 // bytes
)

// statements adds those that give a value to what is used.
func (u use) statements(to map[seat]bool) {
	for _, t := range u.to {
		for _, n := range t.of.defs[t.local] {
			if len(to) < MaxPieces {
				to[seat{t.of, n}] = true
			}
		}
	}
}

// statement is the text of a chunk.
func (m *module) statement(i int) []byte {
	c := m.chunks[i]
	return m.src[m.tokens[c.first].start:m.tokens[c.last-1].end]
}

// sorted puts seats in order.
func sorted(seats map[seat]bool) []seat {
	return slices.SortedFunc(maps.Keys(seats), func(a, b seat) int {
		return cmp.Or(strings.Compare(a.of.path, b.of.path), cmp.Compare(a.chunk, b.chunk))
	})
}

// Near returns the statements of a file that use some names of other modules, and the short ones
// that those use.
func (p *Program) Near(name string, by Names) []Piece {
	p.begin()
	m := p.module(name)
	if m == nil {
		return nil
	}
	near := map[seat]bool{}
	for i := range p.using(m, by) {
		near[seat{m, i}] = true
		p.uses(m, m.chunks[i].first, m.chunks[i].last, func(u use) { u.statements(near) })
	}
	var out []Piece
	for _, s := range sorted(near) {
		if text := s.of.statement(s.chunk); s.of == m || len(text) <= maxNear {
			line, _ := s.of.lines(s.of.chunks[s.chunk], p.starts(s.of))
			out = append(out, Piece{s.of.path, text, line})
		}
	}
	return out
}

// starts are where the lines of a module begin.
func (p *Program) starts(m *module) []int {
	if m.starts == nil {
		m.starts = lineStarts(m.src)
	}
	return m.starts
}

// Affected returns the names of a file that depend on some names of other modules, and
// whether it hands any of those on.
func (p *Program) Affected(name string, by Names) (Names, bool) {
	p.begin()
	m := p.module(name)
	if m == nil {
		return nil, false
	}
	seeds := p.using(m, by)
	handsOn := len(m.stars) > 0
	for _, r := range m.imports {
		to, ok := p.follow(m, r, 0)
		handsOn = handsOn || ok && (to.local == "" || by[to.owner()])
	}
	for _, e := range m.exports {
		handsOn = handsOn || e.ref.spec != ""
	}
	return p.dependent(m, seeds), handsOn || len(seeds) > 0
}

// using are the statements of a module that use some names.
func (p *Program) using(m *module, by Names) map[int]bool {
	out := map[int]bool{}
	for i, c := range m.chunks {
		p.uses(m, c.first, c.last, func(u use) {
			for _, to := range u.to {
				out[i] = out[i] || by[to.owner()]
			}
		})
		if !out[i] {
			delete(out, i)
		}
	}
	return out
}

// dependent adds to seeds the statements of the module that depend on them, and returns
// the names that all of them give values.
func (p *Program) dependent(m *module, seeds map[int]bool) Names {
	out := Names{}
	fresh := seeds
	for hop := 0; hop < maxHops && len(fresh) > 0; hop++ {
		more := map[string]bool{}
		for i := range fresh {
			for _, n := range m.chunks[i].names {
				if o := (target{of: m, local: n}).owner(); n != "" && !out[o] {
					out[o], more[n] = true, true
				}
			}
		}
		fresh = map[int]bool{}
		if len(more) == 0 {
			break
		}
		for i, c := range m.chunks {
			for t := c.first; t < c.last && !seeds[i]; t++ {
				if m.isName(t) && !m.member(t) && more[string(m.bytes(t))] {
					fresh[i], seeds[i] = true, true
				}
			}
		}
	}
	return out
}

// Link joins a file with what statements of it use of other modules: those on some lines,
// those that use some names of other modules, and those that depend on either. It is false
// for a file that needs nothing of them.
func (p *Program) Link(name string, lines gate.LineSet, by Names) (*Joined, bool) {
	p.begin()
	m := p.module(name)
	if m == nil {
		return nil, false
	}
	starts, seeds := p.starts(m), p.using(m, by)
	for i, c := range m.chunks {
		if lines.Touches(m.lines(c, starts)) {
			seeds[i] = true
		}
	}
	if len(seeds) == 0 {
		return nil, false
	}
	p.dependent(m, seeds)
	l := &linker{program: p, root: m, hops: map[seat]int{}, names: map[owner]string{}, taken: map[string]owner{}}
	for _, i := range slices.Sorted(maps.Keys(seeds)) {
		l.reach(seat{m, i}, 0)
	}
	return l.join()
}

// linker makes one text.
type linker struct {
	program *Program
	root    *module
	hops    map[seat]int
	queue   []seat
	size    int
	full    bool
	names   map[owner]string
	taken   map[string]owner
}

func (l *linker) reach(s seat, hops int) {
	if _, known := l.hops[s]; known || hops > maxHops {
		return
	}
	c := s.of.chunks[s.chunk]
	if s.of != l.root {
		l.size += int(s.of.tokens[c.last-1].end - s.of.tokens[c.first].start)
		if len(l.hops) >= MaxPieces || l.size > maxJoined {
			l.full = true
			return
		}
	}
	l.hops[s] = hops
	l.queue = append(l.queue, s)
}

// join follows the names, and writes the text.
func (l *linker) join() (*Joined, bool) {
	for len(l.queue) > 0 {
		s := l.queue[0]
		l.queue = l.queue[1:]
		c := s.of.chunks[s.chunk]
		l.program.uses(s.of, c.first, c.last, func(u use) {
			for _, to := range u.to {
				for _, n := range to.of.defs[to.local] {
					l.reach(seat{to.of, n}, l.hops[s]+1)
				}
			}
		})
	}
	l.program.full = l.program.full || l.full
	var seats []seat
	var own []int
	for s := range l.hops {
		if s.of != l.root {
			seats = append(seats, s)
		} else {
			own = append(own, s.chunk)
		}
	}
	if len(seats) == 0 {
		return nil, false
	}
	far := map[*module]int{} // what is farther off comes first
	for _, s := range seats {
		far[s.of] = max(far[s.of], l.hops[s])
	}
	slices.SortFunc(seats, func(a, b seat) int {
		return cmp.Or(cmp.Compare(far[b.of], far[a.of]), strings.Compare(a.of.path, b.of.path), cmp.Compare(a.chunk, b.chunk))
	})
	l.rename(seats, far)
	out := &Joined{}
	for _, s := range seats {
		out.Before = append(out.Before, l.piece(s))
	}
	slices.Sort(own)
	for _, i := range own {
		out.Own = append(out.Own, l.piece(seat{l.root, i}))
	}
	return out, true
}

// piece is a statement, as it is written in the joined text.
func (l *linker) piece(s seat) Piece {
	c := s.of.chunks[s.chunk]
	first, _ := s.of.lines(c, l.program.starts(s.of))
	return Piece{s.of.path, l.write(s.of, c), first}
}

// rename gives every name of another module that is needed one that means nothing else.
func (l *linker) rename(seats []seat, with map[*module]int) {
	for _, s := range seats {
		for _, n := range s.of.chunks[s.chunk].names {
			o := target{of: s.of, local: n}.owner()
			if _, known := l.names[o]; known || n == "" {
				continue
			}
			if r, imported := s.of.imports[n]; imported && (strings.HasSuffix(path.Base(r.spec), n) || r.name == n) {
				continue // its name is that of the module outside of the tree, or of a part of it
			}
			name := n
			for i := 2; l.clashes(s.of, n, name, o, with); i++ {
				name = n + "_" + strconv.Itoa(i)
			}
			l.names[o], l.taken[name] = name, o
		}
	}
}

// clashes reports whether a name means something else in any of the modules.
func (l *linker) clashes(of *module, local, name string, o owner, with map[*module]int) bool {
	if by, taken := l.taken[name]; taken && by != o {
		return true
	}
	other := func(m *module) bool {
		if m == of || !m.plain[name] {
			return m == of && name != local && m.plain[name]
		}
		for _, to := range l.program.bind(m, name) {
			if to.local != "" && to.owner() == o {
				return false
			}
		}
		return true
	}
	if other(l.root) {
		return true
	}
	for m := range with {
		if other(m) {
			return true
		}
	}
	return false
}

// write copies a statement, with the names of the joined text.
func (l *linker) write(m *module, c chunk) []byte {
	at, to := int(m.tokens[c.first].start), int(m.tokens[c.last-1].end)
	out := make([]byte, 0, to-at+64)
	l.program.uses(m, c.first, c.last, func(u use) {
		start, end := int(m.tokens[u.first].start), int(m.tokens[u.last-1].end)
		text := ""
		if len(u.to) > 0 {
			t := u.to[0]
			text = cmp.Or(l.names[t.owner()], t.local)
			if t.member != "" {
				text += "." + t.member
			}
		}
		text = u.pre + text + u.after
		if text == string(m.src[start:end]) {
			return
		}
		out = append(out, m.src[at:start]...)
		out = append(out, text...)
		for range bytes.Count(m.src[start:end], []byte{'\n'}) {
			out = append(out, '\n') // every line stays where it is
		}
		at = end
	})
	out = append(out, m.src[at:to]...)
	return out
}
