package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of a history.
const (
	// MaxCommits is the most commits that are read one by one.
	MaxCommits = 2000
	// maxDifferences bounds the differences of all its commits together.
	maxDifferences = 1_000_000
	maxNotes       = 1 << 20 // bytes of one note
)

// ErrTooLong says that a history has more commits, or larger ones, than are read.
var ErrTooLong = errors.New("the history is too long")

// Step is a commit with what it changed, compared with each of its parents.
type Step struct {
	Commit
	Changes [][]Difference // by parent; one for a commit without parents
}

// History is what lies between two commits.
type History struct {
	Head    OID
	Steps   []Step // every commit before its parents
	objects *Objects
	repo    *Repo
}

// History reads the commits that can be reached from head and from none of
// without. The error is ErrTooLong when there are more than [MaxCommits].
func (r *Repo) History(ctx context.Context, o *Objects, head OID, without ...OID) (*History, error) {
	h := &History{Head: head, objects: o, repo: r}
	oids, err := r.revisions(ctx, head, without)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, oid := range oids {
		s, err := r.step(ctx, o, oid)
		if err != nil {
			return nil, err
		}
		for _, d := range s.Changes {
			total += len(d)
		}
		if total > maxDifferences {
			return nil, fmt.Errorf("%w: more than %d changes of files", ErrTooLong, maxDifferences)
		}
		h.Steps = append(h.Steps, s)
	}
	return h, nil
}

// revisions lists commits, every one before its parents.
func (r *Repo) revisions(ctx context.Context, head OID, without []OID) ([]OID, error) {
	args := []string{"rev-list", "--topo-order", fmt.Sprintf("--max-count=%d", MaxCommits+1), string(head), "--not"}
	for _, w := range without {
		args = append(args, string(w))
	}
	var out []OID
	err := r.run(ctx, command{args: args, read: func(rd io.Reader) error {
		lines := bufio.NewScanner(rd)
		for lines.Scan() {
			oid, err := r.format.parse(lines.Text())
			if err != nil {
				return err
			}
			out = append(out, oid)
		}
		return lines.Err()
	}})
	if err == nil && len(out) > MaxCommits {
		err = fmt.Errorf("%w: more than %d commits", ErrTooLong, MaxCommits)
	}
	return out, err
}

func (r *Repo) step(ctx context.Context, o *Objects, oid OID) (Step, error) {
	c, err := o.Commit(oid)
	if err != nil {
		return Step{}, err
	}
	s := Step{Commit: c}
	from := c.Parents
	if len(from) == 0 {
		from = []OID{r.format.EmptyTree()}
	}
	for _, parent := range from {
		d, err := r.Diff(ctx, parent, oid)
		if err != nil {
			return Step{}, err
		}
		s.Changes = append(s.Changes, d)
	}
	return s, nil
}

// Blob returns the content of a blob of at most [MaxBuffered] bytes.
func (h *History) Blob(oid OID) ([]byte, error) { return h.objects.Blob(oid) }

// Files returns the files of the head commit whose path the filter accepts.
func (h *History) Files(ctx context.Context, accept func(path string) bool) ([]Entry, error) {
	all, err := h.repo.Tree(ctx, h.Head)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, e := range all {
		if e.Mode.File() && accept(e.Path) {
			out = append(out, e)
		}
	}
	return out, nil
}

// Notes returns the notes of one namespace, such as "refs/notes/ai", by the
// commit that they are about. No such namespace has no notes.
func (h *History) Notes(ctx context.Context, ref string) (map[OID]OID, error) {
	tip, err := h.repo.Commit(ctx, ref)
	if errors.Is(err, ErrNoRevision) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := h.repo.Tree(ctx, tip)
	if err != nil {
		return nil, err
	}
	out := make(map[OID]OID, len(entries))
	for _, e := range entries {
		// Large namespaces are stored in folders: ab/cd/ef…
		about, err := h.repo.format.parse(strings.ReplaceAll(e.Path, "/", ""))
		if err == nil && e.Mode.File() {
			out[about] = e.OID
		}
	}
	return out, nil
}

// Note returns the text of a note.
func (h *History) Note(oid OID) ([]byte, error) {
	n, err := h.objects.Size(oid)
	if err == nil && n > maxNotes {
		err = fmt.Errorf("the note has %d bytes (at most %d are read)", n, maxNotes)
	}
	if err != nil {
		return nil, err
	}
	return h.objects.Blob(oid)
}
