package execute

import (
	"archive/tar"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox/supervisor"
)

// Bounds of what enters a container. The workspace lies in its memory, so they
// follow from the memory of a container and not from the size of repositories.
const (
	DefaultMaxInput = 64 << 20 // bytes of all files together
	DefaultMaxFiles = 20_000
)

// inputTime is the modification time of every file in a container: the same
// input has the same bytes. Make and zip dislike times before 1980.
var inputTime = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// file is one file as it enters a container.
type file struct {
	path string
	exec bool   // has the executable bit
	link string // where a symbolic link points; "" for a regular file
	read bool   // can be read only
	data []byte
}

// tree is what enters the containers of one run: read once, so that every unit
// sees the same bytes whatever happens to the files meanwhile.
type tree struct {
	files []file // sorted by path
	index map[string]int
	dirs  map[string]bool // every folder with a file in it, "" for the root
	// withheld are the paths that a layer calls dangerous.
	withheld map[string]bool
	// left says why a file that was listed is not here.
	left map[string]string
}

// limits of a tree.
type limits struct {
	bytes int64
	files int
}

// load reads the files of a change. Where they are more than fits, files that are
// not targets go first, the largest before the others.
func load(c *gate.Change, withheld map[string]bool, l limits) *tree {
	t := &tree{index: map[string]int{}, dirs: map[string]bool{"": true}, withheld: withheld, left: map[string]string{}}
	if c.Head == nil {
		return t
	}
	targets := map[string]bool{}
	for _, x := range slices.Concat(c.Targets, c.Elsewhere) {
		targets[x.Path] = true
	}
	var bytes int64
	for _, p := range wanted(c, targets, withheld) {
		room := l.bytes - bytes
		if len(t.files) >= l.files {
			t.left[p] = fmt.Sprintf("a container takes %d files", l.files)
			continue
		}
		f, err := read(c.Head, p, room)
		if err != nil {
			t.left[p] = err.Error()
			continue
		}
		bytes += int64(len(f.data))
		t.files = append(t.files, f)
	}
	slices.SortFunc(t.files, func(a, b file) int { return cmp.Compare(a.path, b.path) })
	for i, f := range t.files {
		t.index[f.path] = i
		for d := parent(f.path); !t.dirs[d]; d = parent(d) {
			t.dirs[d] = true
		}
	}
	return t
}

// wanted lists the files to read: targets, then the others from small to large,
// so that what does not fit is what matters least to a program.
func wanted(c *gate.Change, targets, withheld map[string]bool) []string {
	type sized struct {
		path  string
		size  int64
		other bool
	}
	var all []sized
	for _, p := range c.Files {
		if withheld[p] || forbidden(p) {
			continue
		}
		s := sized{path: p, other: !targets[p]}
		if info, err := lstat(c.Head, p); err == nil && s.other {
			s.size = info.Size()
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b sized) int {
		if a.other != b.other {
			return map[bool]int{false: -1, true: 1}[a.other]
		}
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.path, b.path))
	})
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = s.path
	}
	return slices.Compact(out)
}

// forbidden is the last fence: whoever lists files leaves these out already.
func forbidden(p string) bool {
	if !fs.ValidPath(p) || p == "." {
		return true
	}
	return slices.ContainsFunc(strings.Split(p, "/"), func(part string) bool {
		return strings.EqualFold(part, ".git") || part == ".env"
	})
}

func lstat(fsys fs.FS, p string) (fs.FileInfo, error) {
	if l, ok := fsys.(fs.ReadLinkFS); ok {
		return l.Lstat(p)
	}
	return fs.Stat(fsys, p)
}

var errNoRoom = errors.New("it does not fit into a container beside the other files")

func read(fsys fs.FS, p string, room int64) (file, error) {
	info, err := lstat(fsys, p)
	switch {
	case err != nil:
		return file{}, err
	case info.Mode()&fs.ModeSymlink != 0:
		return readLink(fsys, p)
	case !info.Mode().IsRegular():
		return file{}, fmt.Errorf("not a regular file (%s)", info.Mode().Type())
	case info.Size() > room:
		return file{}, errNoRoom
	}
	r, err := fsys.Open(p)
	if err != nil {
		return file{}, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, room+1))
	switch {
	case err != nil:
		return file{}, err
	case int64(len(data)) > room:
		return file{}, errNoRoom
	}
	return file{path: p, exec: info.Mode()&0o111 != 0, data: data}, nil
}

// readLink takes a link that stays inside of the tree. Others would not be
// dangerous, since they point into the container, but they would not mean there
// what they mean outside.
func readLink(fsys fs.FS, p string) (file, error) {
	l, ok := fsys.(fs.ReadLinkFS)
	if !ok {
		return file{}, errors.New("a symbolic link")
	}
	to, err := l.ReadLink(p)
	if err != nil {
		return file{}, err
	}
	if path.IsAbs(to) || !fs.ValidPath(path.Join(path.Dir(p), to)) {
		return file{}, errors.New("a symbolic link that leads out of the tree")
	}
	return file{path: p, link: to}, nil
}

// has reports whether a regular file is in the tree.
func (t *tree) has(p string) bool {
	i, ok := t.index[p]
	return ok && t.files[i].link == ""
}

// maxSource bounds what a plan reads of one file, in bytes.
const maxSource = 1 << 20

// text returns the first maxSource bytes of a file, "" when it is not there.
func (t *tree) text(p string) string {
	if !t.has(p) {
		return ""
	}
	data := t.files[t.index[p]].data
	return string(data[:min(len(data), maxSource)])
}

// bytes is the size of a file that is there.
func (t *tree) bytes(p string) int { return len(t.files[t.index[p]].data) }

func (t *tree) executable(p string) bool { return t.has(p) && t.files[t.index[p]].exec }

// in lists the regular files directly in a folder, sorted by path.
func (t *tree) in(dir string) []string {
	var out []string
	from, _ := slices.BinarySearchFunc(t.files, dir, func(f file, d string) int { return cmp.Compare(f.path, d) })
	for _, f := range t.files[from:] {
		if dir != "" && !strings.HasPrefix(f.path, dir) {
			break
		}
		if parent(f.path) == dir && f.link == "" {
			out = append(out, f.path)
		}
	}
	return out
}

// above returns the nearest folder, from dir upwards, that has one of the names.
func (t *tree) above(dir string, names ...string) (string, bool) {
	for {
		if slices.ContainsFunc(names, func(n string) bool { return t.has(path.Join(dir, n)) }) {
			return dir, true
		}
		if dir == "" {
			return "", false
		}
		dir = parent(dir)
	}
}

// write writes the tree as a tar, with extra files over it. The same tree gives
// the same bytes.
func (t *tree) write(w *tar.Writer, extra []file) error {
	replaced := map[string]bool{}
	for _, f := range extra {
		replaced[f.path] = true
	}
	for _, f := range t.files {
		if replaced[f.path] {
			continue
		}
		if err := f.write(w); err != nil {
			return err
		}
	}
	for _, f := range extra {
		if err := f.write(w); err != nil {
			return err
		}
	}
	return nil
}

func (f file) write(w *tar.Writer) error {
	h := &tar.Header{Name: f.path, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(f.data)), ModTime: inputTime}
	switch {
	case f.link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, f.link, 0o777
	case f.read:
		h.Mode = supervisor.ReadOnly
	case f.exec:
		h.Mode = 0o755
	}
	if err := w.WriteHeader(h); err != nil {
		return fmt.Errorf("put %s into the container: %w", f.path, err)
	}
	if _, err := w.Write(f.data); err != nil {
		return fmt.Errorf("put %s into the container: %w", f.path, err)
	}
	return nil
}

// size is how many bytes and entries the tree takes in a container.
func (t *tree) size() (bytes, entries int64) {
	for _, f := range t.files {
		bytes += int64(len(f.data))
	}
	return bytes, int64(len(t.files) + len(t.dirs))
}

// parent is path.Dir with "" for the root, which makes prefixes simple.
func parent(p string) string {
	if d := path.Dir(p); d != "." && d != "/" {
		return d
	}
	return ""
}
