package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
)

// MaxDepth is how deep a folder may lie.
const MaxDepth = 256

// Refused is an entry that no file system can hold, or that is not safe to
// write to one.
type Refused struct {
	Path string
	Err  error
}

// TreeFS shows entries of a tree or an index as a file system. Symbolic links
// are never followed: opening one is an error, [TreeFS.ReadLink] reads it.
// Submodules are empty folders. It implements [fs.ReadLinkFS], [fs.ReadDirFS] and
// [fs.StatFS]; unlike [fs.ValidPath] it accepts names that are not UTF-8, since
// git does.
type TreeFS struct {
	objects *Objects
	files   map[string]Entry
	dirs    map[string][]string // names of children, sorted
	when    time.Time
}

// OfCommit says which time the tree's commit has.
func (t *TreeFS) OfCommit(c Commit) { t.when = c.Committer.When }

// When is the time of the tree's commit as its committer's clock had it; zero where that is
// not known.
func (t *TreeFS) When() time.Time { return t.when }

// NewTreeFS returns the file system of the entries, and those that it refuses:
// paths that climb, .git at any depth, two entries for one path.
func NewTreeFS(objects *Objects, entries []Entry) (*TreeFS, []Refused) {
	t := &TreeFS{objects: objects, files: make(map[string]Entry, len(entries)), dirs: map[string][]string{".": nil}}
	var refused []Refused
	for _, e := range entries {
		if err := t.add(e); err != nil {
			refused = append(refused, Refused{Path: e.Path, Err: err})
		}
	}
	for _, names := range t.dirs {
		slices.Sort(names)
	}
	return t, refused
}

func (t *TreeFS) add(e Entry) error {
	if err := CheckPath(e.Path); err != nil {
		return err
	}
	if _, dup := t.files[e.Path]; dup {
		return errors.New("the tree has two entries of this name")
	}
	if _, dup := t.dirs[e.Path]; dup {
		return errors.New("the tree has a folder and a file of this name")
	}
	missing := 0
	for d := path.Dir(e.Path); d != "."; d = path.Dir(d) {
		if _, file := t.files[d]; file {
			return errors.New("the tree has a folder and a file of this name")
		}
		if _, known := t.dirs[d]; known {
			break
		}
		missing++
	}
	if len(t.dirs)+missing > MaxEntries {
		return fmt.Errorf("the tree has more than %d folders", MaxEntries)
	}
	t.files[e.Path] = e
	for child := e.Path; ; {
		parent := path.Dir(child)
		siblings, known := t.dirs[parent]
		t.dirs[parent] = append(siblings, path.Base(child))
		if known {
			return nil
		}
		child = parent
	}
}

// CheckPath reports why a slash-separated path cannot be used below a root: it
// is absolute, climbs, is not in its shortest form, lies too deep, or is inside
// of a git repository.
func CheckPath(p string) error {
	if p == "" || len(p) > MaxPath {
		return fmt.Errorf("the path has %d bytes (1 to %d are accepted)", len(p), MaxPath)
	}
	if strings.Count(p, "/") >= MaxDepth {
		return fmt.Errorf("the path lies deeper than %d folders", MaxDepth)
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "", part == ".", part == "..":
			return fmt.Errorf("the path has a part %q", part)
		case IsDotGit(part):
			return errors.New("the path leads into a git repository")
		case strings.Contains(part, "\x00"):
			return errors.New("the path has a NUL byte")
		}
	}
	return nil
}

// IsDotGit reports whether a file name is ".git" for some file system: in
// another case, with invisible characters (HFS+), with trailing dots, spaces
// or a stream (NTFS), or in its short form.
func IsDotGit(name string) bool {
	visible := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	base, _, _ := strings.Cut(visible, ":")
	base = strings.TrimRight(base, " .")
	return strings.EqualFold(base, ".git") || strings.EqualFold(base, "git~1")
}

// Open opens a regular file or a folder.
func (t *TreeFS) Open(name string) (fs.File, error) {
	info, err := t.Lstat(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: unwrapPath(err)}
	}
	if info.IsDir() {
		entries, err := t.ReadDir(name)
		return &openDir{info: info, entries: entries}, err
	}
	e := t.files[name]
	if !e.Mode.File() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("a symbolic link, which is not followed")}
	}
	r, err := t.objects.Stream(e.OID)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{ReadCloser: r, info: info}, nil
}

// Stat is Lstat: links are not followed.
func (t *TreeFS) Stat(name string) (fs.FileInfo, error) { return t.Lstat(name) }

// Lstat describes a file, a link or a folder.
func (t *TreeFS) Lstat(name string) (fs.FileInfo, error) {
	if name != "." {
		if err := CheckPath(name); err != nil {
			return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
		}
	}
	if _, ok := t.dirs[name]; ok {
		return fileInfo{name: path.Base(name), mode: fs.ModeDir | 0o755}, nil
	}
	e, ok := t.files[name]
	if !ok {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	i := fileInfo{name: path.Base(name), mode: e.Mode.FS()}
	if e.Mode == ModeSubmodule {
		return i, nil
	}
	var err error
	if i.size, err = t.objects.Size(e.OID); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return i, nil
}

// ReadLink returns where a symbolic link points.
func (t *TreeFS) ReadLink(name string) (string, error) {
	e, ok := t.files[name]
	if !ok || e.Mode != ModeSymlink {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	data, err := t.objects.Blob(e.OID)
	if err == nil && len(data) > MaxPath {
		err = fmt.Errorf("the target has %d bytes (at most %d)", len(data), MaxPath)
	}
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
	}
	return string(data), nil
}

// ReadDir lists a folder.
func (t *TreeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if e, ok := t.files[name]; ok && e.Mode == ModeSubmodule {
		return nil, nil
	}
	names, ok := t.dirs[name]
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	out := make([]fs.DirEntry, 0, len(names))
	for _, n := range names {
		full := path.Join(name, n)
		mode := fs.ModeDir
		if e, ok := t.files[full]; ok {
			mode = e.Mode.FS().Type()
		}
		out = append(out, dirEntry{tree: t, path: full, mode: mode})
	}
	return out, nil
}

// Entry returns the entry of a path.
func (t *TreeFS) Entry(name string) (Entry, bool) {
	e, ok := t.files[name]
	return e, ok
}

func unwrapPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

type dirEntry struct {
	tree *TreeFS
	path string
	mode fs.FileMode
}

func (d dirEntry) Name() string               { return path.Base(d.path) }
func (d dirEntry) IsDir() bool                { return d.mode.IsDir() }
func (d dirEntry) Type() fs.FileMode          { return d.mode }
func (d dirEntry) Info() (fs.FileInfo, error) { return d.tree.Lstat(d.path) }
func (d dirEntry) String() string             { return fs.FormatDirEntry(d) }

// fileInfo describes a file of a tree; trees have no times.
type fileInfo struct {
	name string
	size int64
	mode fs.FileMode
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }

type openFile struct {
	io.ReadCloser
	info fs.FileInfo
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }

type openDir struct {
	info    fs.FileInfo
	entries []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.Name(), Err: errors.New("is a folder")}
}

// ReadDir implements [fs.ReadDirFile].
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		out := d.entries
		d.entries = nil
		return out, nil
	}
	if len(d.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.entries))
	out := d.entries[:n]
	d.entries = d.entries[n:]
	return out, nil
}
