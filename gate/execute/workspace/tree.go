package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
)

// Bounds of what enters a container. The workspace lies in its memory, so they
// follow from the memory of a container and not from the size of repositories.
const (
	DefaultMaxInput = 64 << 20 // bytes of all files together
	DefaultMaxFiles = 20_000
)

// File is one file as it enters a container.
type File struct {
	Path string
	Exec bool   // has the executable bit
	Link string // where a symbolic link points; "" for a regular file
	Data []byte
}

// Tree is what enters the containers of one run: read once, so that every unit
// sees the same bytes whatever happens to the files meanwhile.
type Tree struct {
	// Files are sorted by path.
	Files []File
	index map[string]int
	// Dirs are all folders with a file in them, "" for the root.
	Dirs map[string]bool
	// Withheld are the paths that a layer calls dangerous.
	Withheld map[string]bool
	// Left says why a file that was listed is not here.
	Left map[string]string
}

// Limits of a tree.
type Limits struct {
	Bytes int64
	Files int
}

// Load reads the files of a change. Where they are more than fits, files that are
// not targets go first, the largest before the others.
func Load(c *gate.Change, withheld map[string]bool, l Limits) *Tree {
	t := &Tree{index: map[string]int{}, Dirs: map[string]bool{"": true}, Withheld: withheld, Left: map[string]string{}}
	if c.Head == nil {
		return t
	}
	targets := map[string]bool{}
	for _, x := range slices.Concat(c.Targets, c.OtherShards) {
		targets[x.Path] = true
	}
	var bytes int64
	for _, p := range wanted(c, targets, withheld) {
		room := l.Bytes - bytes
		if len(t.Files) >= l.Files {
			t.Left[p] = fmt.Sprintf("a container takes %d files", l.Files)
			continue
		}
		f, err := read(c.Head, p, room)
		if err != nil {
			t.Left[p] = err.Error()
			continue
		}
		bytes += int64(len(f.Data))
		t.Files = append(t.Files, f)
	}
	t.order()
	return t
}

// Of returns a tree of these files, which the caller gives up.
func Of(files []File) *Tree {
	t := &Tree{Files: files, index: map[string]int{}, Dirs: map[string]bool{"": true}, Withheld: map[string]bool{}, Left: map[string]string{}}
	t.order()
	return t
}

// order sorts the files and makes them known by their paths.
func (t *Tree) order() {
	slices.SortFunc(t.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	for i, f := range t.Files {
		t.index[f.Path] = i
		for d := Parent(f.Path); !t.Dirs[d]; d = Parent(d) {
			t.Dirs[d] = true
		}
	}
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
		if c.Remote || withheld[p] || forbidden(p) {
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

// forbidden is the last fence: listings leave these files out already.
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

func read(fsys fs.FS, p string, room int64) (File, error) {
	info, err := lstat(fsys, p)
	switch {
	case err != nil:
		return File{}, err
	case info.Mode()&fs.ModeSymlink != 0:
		return readLink(fsys, p)
	case !info.Mode().IsRegular():
		return File{}, fmt.Errorf("not a regular file (%s)", info.Mode().Type())
	case info.Size() > room:
		return File{}, errNoRoom
	}
	data, err := bounded.ReadFile(fsys, p, room)
	if bounded.IsTooLarge(err) {
		return File{}, errNoRoom
	}
	if err != nil {
		return File{}, err
	}
	return File{Path: p, Exec: info.Mode()&0o111 != 0, Data: data}, nil
}

// readLink takes a link that stays inside of the tree. Others would not be
// dangerous, since they point into the container, but they would not mean there
// what they mean outside.
func readLink(fsys fs.FS, p string) (File, error) {
	l, ok := fsys.(fs.ReadLinkFS)
	if !ok {
		return File{}, errors.New("a symbolic link")
	}
	to, err := l.ReadLink(p)
	if err != nil {
		return File{}, err
	}
	if path.IsAbs(to) || !fs.ValidPath(path.Join(path.Dir(p), to)) {
		return File{}, errors.New("a symbolic link that leads out of the tree")
	}
	return File{Path: p, Link: to}, nil
}

// Has reports whether a regular file is in the tree.
func (t *Tree) Has(p string) bool {
	i, ok := t.index[p]
	return ok && t.Files[i].Link == ""
}

// MaxSource bounds what a plan reads of one file, in bytes.
const MaxSource = 1 << 20

// Text returns the first MaxSource bytes of a file, "" when it is not there.
func (t *Tree) Text(p string) string {
	if !t.Has(p) {
		return ""
	}
	data := t.Files[t.index[p]].Data
	return string(data[:min(len(data), MaxSource)])
}

// Bytes is the size of a file that is there.
func (t *Tree) Bytes(p string) int { return len(t.Files[t.index[p]].Data) }

// Executable reports whether a file is there and has the executable bit.
func (t *Tree) Executable(p string) bool { return t.Has(p) && t.Files[t.index[p]].Exec }

// In lists the regular files directly in a folder, sorted by path.
func (t *Tree) In(dir string) []string {
	var out []string
	from, _ := slices.BinarySearchFunc(t.Files, dir, func(f File, d string) int { return cmp.Compare(f.Path, d) })
	for _, f := range t.Files[from:] {
		if dir != "" && !strings.HasPrefix(f.Path, dir) {
			break
		}
		if Parent(f.Path) == dir && f.Link == "" {
			out = append(out, f.Path)
		}
	}
	return out
}

// Above returns the nearest folder, from dir upwards, that has one of the names.
func (t *Tree) Above(dir string, names ...string) (string, bool) {
	for {
		if slices.ContainsFunc(names, func(n string) bool { return t.Has(path.Join(dir, n)) }) {
			return dir, true
		}
		if dir == "" {
			return "", false
		}
		dir = Parent(dir)
	}
}

// Size is how many bytes and entries the tree takes in a container.
func (t *Tree) Size() (bytes, entries int64) {
	for _, f := range t.Files {
		bytes += int64(len(f.Data))
	}
	return bytes, int64(len(t.Files) + len(t.Dirs))
}

// Parent is path.Dir with "" for the root, which makes prefixes simple.
func Parent(p string) string {
	if d := path.Dir(p); d != "." && d != "/" {
		return d
	}
	return ""
}
