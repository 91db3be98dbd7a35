package supervisor

import (
	"bytes"
	"compress/zlib"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// A planted Git repository loses work without losing files: a branch moves to commits without those
// that it had, or it is deleted. So the branches and tags that were planted are looked up once more
// at the end of a run, and the history of those that moved is read.

// What became of a planted branch or tag. They are arguments of an "overwrite" event.
const (
	spoiledRewritten = "rewritten" // it no longer has the commits that it had, but older ones
	spoiledReplaced  = "replaced"  // its history has no commit of the one before
	spoiledRemoved   = "removed"   // it is gone, and the repository is not
)

const (
	maxCommits  = 1000      // that are read of one history
	maxObject   = 64 << 10  // bytes of a commit
	maxRefsFile = 256 << 10 // bytes of a file of references
)

// reference is a planted branch or tag.
type reference struct {
	repository, name string // absolute, "refs/heads/main"
	commit           string
}

// reference remembers a planted file if it is a branch or a tag of a repository.
func (r *remembered) reference(f wire.Plant) {
	i := strings.LastIndex(f.Path, "/refs/")
	if commit := strings.TrimSpace(string(f.Data)); i > 0 && isCommit(commit) {
		r.refs = append(r.refs, reference{f.Path[:i], f.Path[i+1:], commit})
	}
}

func isCommit(id string) bool {
	return len(id) == 40 && strings.Trim(id, "0123456789abcdef") == ""
}

// moved records the planted branches and tags that have lost commits.
func (r *remembered) moved(log *journal) {
	var stores []string
	for _, ref := range r.refs {
		if dir := filepath.Join(ref.repository, "objects"); !slices.Contains(stores, dir) {
			stores = append(stores, dir)
		}
	}
	for _, ref := range r.refs {
		if how := ref.became(stores); how != "" {
			log.add(wire.Event{Action: "overwrite", Object: filepath.Join(ref.repository, ref.name), Args: []string{how}})
		}
	}
}

// became says what became of a branch or tag. It is "" where the commits are still part of it, and
// where that is unknown, because commits are in packs.
func (f reference) became(stores []string) string {
	now, ok := f.now()
	switch {
	case !ok:
		if _, there := small(filepath.Join(f.repository, "HEAD")); !there {
			return "" // all of it is gone, and each file is an event
		}
		return spoiledRemoved
	case gone(f.commit, stores):
		return spoiledReplaced // the branch may name it, but its content is lost
	case now == f.commit:
		return ""
	}
	history, whole := ancestors(now, stores)
	if history[f.commit] || !whole {
		return ""
	}
	before, _ := ancestors(f.commit, stores)
	for id := range before {
		if history[id] {
			return spoiledRewritten
		}
	}
	return spoiledReplaced
}

// gone reports whether no repository has a commit, neither as a file nor in a pack, which may hold it.
func gone(id string, stores []string) bool {
	for _, dir := range stores {
		if _, err := os.Lstat(filepath.Join(dir, id[:2], id[2:])); err == nil {
			return false
		}
		if packs, _ := filepath.Glob(filepath.Join(dir, "pack", "*.pack")); len(packs) > 0 {
			return false
		}
	}
	return true
}

// now is the commit that a branch or tag names at the end.
func (f reference) now() (commit string, ok bool) {
	if data, ok := small(filepath.Join(f.repository, f.name)); ok {
		commit = strings.TrimSpace(string(data))
		return commit, true
	}
	data, _ := small(filepath.Join(f.repository, "packed-refs"))
	for line := range strings.Lines(string(data)) {
		if id, name, _ := strings.Cut(strings.TrimSpace(line), " "); name == f.name {
			return id, true
		}
	}
	return "", false
}

// small reads a file of references.
func small(name string) ([]byte, bool) {
	f, err := openRegular(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRefsFile))
	return data, err == nil
}

// ancestors are a commit and those before it, as far as they are files of their own. whole is
// false where one is not, or there are too many.
func ancestors(from string, stores []string) (seen map[string]bool, whole bool) {
	seen = map[string]bool{}
	next := []string{from}
	for len(next) > 0 {
		id := next[0]
		next = next[1:]
		if seen[id] {
			continue
		}
		parents, ok := parentsOf(id, stores)
		if !ok || len(seen) == maxCommits {
			return seen, false
		}
		seen[id] = true
		next = append(next, parents...)
	}
	return seen, true
}

// parentsOf reads the parents of a commit, or the commit of a tag with a message.
func parentsOf(id string, stores []string) (parents []string, ok bool) {
	if !isCommit(id) {
		return nil, false
	}
	for _, dir := range stores {
		f, err := openRegular(filepath.Join(dir, id[:2], id[2:]))
		if err != nil {
			continue
		}
		data, err := inflated(f)
		_ = f.Close() // it was only read
		if err != nil {
			return nil, false
		}
		return parentsIn(data)
	}
	return nil, false
}

// inflated is the head of an object that is packed for itself.
func inflated(f io.Reader) ([]byte, error) {
	z, err := zlib.NewReader(io.LimitReader(f, maxObject))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return io.ReadAll(io.LimitReader(z, maxObject))
}

// parentsIn are the parents that the text of an object names.
func parentsIn(object []byte) (parents []string, ok bool) {
	head, text, _ := bytes.Cut(object, []byte{0})
	tag := bytes.HasPrefix(head, []byte("tag "))
	if !tag && !bytes.HasPrefix(head, []byte("commit ")) {
		return nil, false
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case key == "":
			return parents, true // the message follows
		case key == "parent" && !tag, key == "object" && tag:
			parents = append(parents, value)
		}
	}
	return parents, len(object) < maxObject
}
