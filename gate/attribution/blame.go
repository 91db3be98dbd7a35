package attribution

import (
	"context"
	"slices"

	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/change/linediff"
)

// Where a line comes from that no commit of the history wrote.
const (
	before    = -1 // it was there before the change
	uncertain = -2 // it is in no commit, or could not be followed
)

// line is one line of a target's head on its way back through the history.
type line struct {
	target int   // index of the file
	head   int32 // line of the head, 0-based
	at     int32 // line of the version that is looked at, 0-based
}

// origin is where a line was written.
type origin struct {
	step int // index of the commit in the history, or before, or uncertain
	path string
	line int // 1-based, in the version of that commit
}

// file is what the blame of a target starts from.
type file struct {
	path string // in the head commit
	text []byte // of the head of the change
	head git.OID
	want []int // lines of text, 0-based, sorted
}

// maxBlamedLines bounds the lines of all files together.
const maxBlamedLines = 4_000_000

// blame follows lines back to the commits that wrote them, as git blame does:
// a commit passes on to a parent what is unchanged in comparison with it, and is
// the author of the rest. Copies are written by who copies.
type blame struct {
	history *git.History
	index   map[git.OID]int
	pending []map[string][]line // by step and path
	origins []map[int32]origin  // by file and head line
}

// trace returns, for each file, the origin of every wanted line.
func (b *blame) trace(ctx context.Context, files []file) ([]map[int32]origin, error) {
	b.index = map[git.OID]int{}
	for i, s := range b.history.Steps {
		b.index[s.OID] = i
	}
	b.pending = make([]map[string][]line, len(b.history.Steps))
	b.origins = make([]map[int32]origin, len(files))
	total := 0
	for i, f := range files {
		b.origins[i] = make(map[int32]origin, len(f.want))
		if total += len(f.want); total > maxBlamedLines {
			b.give(i, f.want, uncertain)
			continue
		}
		b.start(i, f)
	}
	for i := range b.history.Steps {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		b.step(i)
	}
	return b.origins, nil
}

// give decides wanted lines of a file at once.
func (b *blame) give(target int, want []int, step int) {
	for _, l := range want {
		b.origins[target][int32(l)] = origin{step: step, line: l + 1}
	}
}

// start hands the lines of a file to the head commit. Lines that the head commit
// does not have are in no commit yet.
func (b *blame) start(target int, f file) {
	committed, err := b.history.Blob(f.head)
	if f.head.Zero() || err != nil {
		b.give(target, f.want, uncertain)
		return
	}
	follow := mapping(committed, f.text)
	var refs []line
	for _, l := range f.want {
		at, ok := follow.older(l)
		if !ok {
			b.give(target, []int{l}, uncertain)
			continue
		}
		refs = append(refs, line{target: target, head: int32(l), at: int32(at)})
	}
	b.pass(b.history.Head, f.path, refs)
}

// pass hands lines to a commit, which may lie before the change.
func (b *blame) pass(to git.OID, path string, refs []line) {
	i, ok := b.index[to]
	if !ok {
		b.decide(refs, before, path)
		return
	}
	if b.pending[i] == nil {
		b.pending[i] = map[string][]line{}
	}
	b.pending[i][path] = append(b.pending[i][path], refs...)
}

func (b *blame) decide(refs []line, step int, path string) {
	for _, r := range refs {
		b.origins[r.target][r.head] = origin{step: step, path: path, line: int(r.at) + 1}
	}
}

// step lets one commit keep or pass on what it was handed.
func (b *blame) step(i int) {
	s := b.history.Steps[i]
	if len(b.pending[i]) == 0 {
		return
	}
	changed := make([]map[string]git.Difference, len(s.Changes))
	for p, ds := range s.Changes {
		changed[p] = make(map[string]git.Difference, len(ds))
		for _, d := range ds {
			changed[p][d.New.Path] = d
		}
	}
	for path, refs := range b.pending[i] {
		for p, parent := range s.Parents {
			if len(refs) == 0 {
				break
			}
			d, differs := changed[p][path]
			if !differs {
				b.pass(parent, path, refs)
				refs = nil
				break
			}
			refs = b.unchanged(parent, d, refs)
		}
		b.decide(refs, i, path)
	}
	b.pending[i] = nil
}

// unchanged passes on to a parent the lines that it has too, and returns the
// others.
func (b *blame) unchanged(parent git.OID, d git.Difference, refs []line) (rest []line) {
	if d.Status != git.Modified && d.Status != git.Renamed || !d.Old.Mode.File() {
		return refs
	}
	older, oldErr := b.history.Blob(d.Old.OID)
	newer, newErr := b.history.Blob(d.New.OID)
	if oldErr != nil || newErr != nil {
		b.decide(refs, uncertain, d.New.Path)
		return nil
	}
	follow := mapping(older, newer)
	var kept []line
	for _, r := range refs {
		if at, ok := follow.older(int(r.at)); ok {
			kept = append(kept, line{target: r.target, head: r.head, at: int32(at)})
		} else {
			rest = append(rest, r)
		}
	}
	b.pass(parent, d.Old.Path, kept)
	return rest
}

// hunks finds where lines of a newer text were in an older one.
type hunks []linediff.Hunk

func mapping(older, newer []byte) hunks { return linediff.Hunks(older, newer) }

// older returns the line of the older text that is unchanged as line l of the
// newer one.
func (h hunks) older(l int) (int, bool) {
	i, inside := slices.BinarySearchFunc(h, l, func(h linediff.Hunk, l int) int {
		switch {
		case h.New.End <= l:
			return -1
		case h.New.Start > l:
			return 1
		default:
			return 0
		}
	})
	if inside {
		return 0, false
	}
	if i == 0 {
		return l, true
	}
	last := h[i-1]
	return last.Old.End + l - last.New.End, true
}
