package plain

import (
	"bytes"
	"sort"
)

// Bounds of what is looked at.
const (
	maxScript  = 2 << 20  // bytes; longer ones are no scripts that a person wrote
	maxDepth   = 40       // of substitutions and blocks
	maxRounds  = 3        // a function may call another
	maxNames   = 200      // functions, aliases, copies and downloads of one script, each
	maxBody    = 500      // bytes of a function that is written where it is called
	maxWritten = 64 << 10 // bytes of functions that are written where they are called, in one round
	maxWord    = 2000     // bytes of a word that is looked at
)

// Script returns a shell script with its downloads, and what runs them, in plain form. ok is
// false where there is nothing to write otherwise.
func Script(src []byte) (out []byte, ok bool) {
	if len(src) > maxScript || !mayFetch(src) {
		return nil, false
	}
	for range maxRounds {
		w := &rewriter{src: src, facts: newFacts()}
		r := &reader{src: src, out: w}
		r.list(0, 0)
		w.finish()
		next, changed := w.apply()
		if !changed {
			break
		}
		src, ok = next, true
		if !w.again || len(src) > maxScript {
			break
		}
	}
	return src, ok
}

// mayFetch is a cheap test for the name of a program that fetches.
func mayFetch(src []byte) bool {
	for _, name := range fetchWords {
		if bytes.Contains(src, name) {
			return true
		}
	}
	return false
}

// rewriter writes a script in plain form, pipeline by pipeline.
type rewriter struct {
	src   []byte
	facts facts
	edits []edit
	again bool // something was put in that has to be read, too

	inner   string // the program of the last pipeline that was read, if it fetches
	arrays  int    // how many lists of values are open
	written int    // bytes of functions that are written where they are called
}

// edit replaces a stretch of the script.
type edit struct {
	start, end int
	text       string
}

// replace notes that a stretch is written otherwise.
func (r *rewriter) replace(start, end int, text string) {
	r.edits = append(r.edits, edit{start, end, text})
}

// insert notes that something is written before an offset.
func (r *rewriter) insert(at int, text string) { r.replace(at, at, text) }

// apply writes the script with its edits. Where two of them overlap, the longer one holds. Line
// ends that an edit removes come back at the end of the line, so that later lines keep their
// numbers.
func (r *rewriter) apply() ([]byte, bool) {
	if len(r.edits) == 0 {
		return nil, false
	}
	sort.SliceStable(r.edits, func(i, j int) bool {
		a, b := r.edits[i], r.edits[j]
		return a.start < b.start || a.start == b.start && (a.start == a.end) && b.start < b.end
	})
	out := make([]byte, 0, len(r.src)+len(r.src)/8)
	at, owed := 0, 0
	keep := func(to int) {
		for at < to {
			n := bytes.IndexByte(r.src[at:to], '\n')
			if n < 0 || owed == 0 {
				out, at = append(out, r.src[at:to]...), to
				return
			}
			out = append(out, r.src[at:at+n+1]...)
			out = append(out, bytes.Repeat([]byte{'\n'}, owed)...)
			at, owed = at+n+1, 0
		}
	}
	for _, e := range r.edits {
		if e.start < at {
			continue
		}
		keep(e.start)
		out = append(out, e.text...)
		owed += bytes.Count(r.src[e.start:e.end], []byte{'\n'})
		at = e.end
	}
	keep(len(r.src))
	return append(out, bytes.Repeat([]byte{'\n'}, owed)...), !bytes.Equal(out, r.src)
}
