package locks

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate/bounded"
)

// The languages whose lock files are read.
const (
	Python = "python"
	Node   = "node"
	Go     = "go"
)

// The kinds of projects: by what installs them.
const (
	KindPython   = "python"          // requirements that pip resolves
	KindExported = "python-exported" // a complete list that was made of another lock file
	KindNPM      = "npm"
	KindPNPM     = "pnpm"
	KindYarn     = "yarn"
	KindBerry    = "yarn-berry" // Yarn 2 and later
	KindBun      = "bun"
	KindGo       = "go"

	// Without a lock file: what installers resolve out of manifests.
	KindNPMManifest    = "npm-manifest"
	KindPNPMManifest   = "pnpm-manifest"
	KindPythonManifest = "python-manifest"
)

// Bounds of what is read of one tree.
const (
	maxFile     = 32 << 20 // bytes of one file
	maxFiles    = 2000     // lock files and manifests
	maxProjects = 64       // of one language
	maxEntries  = 500_000  // of the tree
)

// Lock is what the lock files of one language say.
type Lock struct {
	Language string
	// Digest is that of everything that goes into a build, in hexadecimal.
	Digest   string
	Projects []Project
	// AsOf is the time of the commit, where the tree says it. The digest does not follow
	// from it, but for the interpreter.
	AsOf time.Time
	// Interpreter is the version of the interpreter that the tree asks for.
	Interpreter Interpreter
	// Tree is where it was read; the digest does not follow from what else is there.
	Tree fs.FS
	// Bun says that packages of the tree are made for Bun, which is installed with them.
	Bun bool
	// Changed says that the change has a part in it: see [Extend].
	Changed bool
	// Base is the digest of the lock that it extends, "" for none.
	Base string
}

// Project is a folder with lock files.
type Project struct {
	Dir   string // slash-separated, "" for the root of the tree
	Kind  string
	Files map[string][]byte // what an installer gets, by path below Dir
	// Changed says that the change names packages in it that the base does not.
	Changed bool
}

// Locked reports whether a lock file names every version.
func (p Project) Locked() bool { return !strings.HasSuffix(p.Kind, "-manifest") }

// Locked returns the lock with those projects only that have a lock file; ok is false
// where there are none.
func (l Lock) Locked() (locked Lock, ok bool) {
	locked = Lock{Language: l.Language, Changed: l.Changed, AsOf: l.AsOf, Interpreter: l.Interpreter, Bun: l.Bun, Tree: l.Tree, Projects: slices.DeleteFunc(slices.Clone(l.Projects), func(p Project) bool { return !p.Locked() })}
	locked.Digest = digest(locked)
	return locked, len(locked.Projects) > 0
}

// Left is a file that was not taken, or a part of one, and why.
type Left struct{ Path, Reason string }

// Paths lists the files of a tree that this package reads: lock files and
// manifests, sorted, without those of installed packages and of test data.
func Paths(tree fs.FS) ([]string, error) {
	var out []string
	seen := 0
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if seen++; seen > maxEntries {
			return fmt.Errorf("the tree has more than %d files", maxEntries)
		}
		switch {
		case d.IsDir() && p != "." && foreign(path.Base(p)):
			return fs.SkipDir
		case d.Type().IsRegular() && Reads(p):
			out = append(out, p)
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}

// foreign are folders whose files are not the project's own.
func foreign(dir string) bool {
	return strings.HasPrefix(dir, ".") || slices.Contains([]string{"node_modules", "vendor", "testdata", "fixtures", "__fixtures__", "site-packages"}, dir)
}

// Reads reports whether a file names dependencies in a way that is understood.
func Reads(p string) bool {
	if slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(d string) bool { return d != "." && foreign(d) }) {
		return false
	}
	switch path.Base(p) {
	case "package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock", "bun.lock", ".npmrc",
		"pyproject.toml", "setup.cfg", "tox.ini", "tox.toml", "noxfile.py", "go.mod", "go.sum", "go.work", "go.work.sum", "poetry.lock", "uv.lock", "Pipfile.lock":
		return true
	}
	return isRequirements(p)
}

// Read returns what the lock files among paths say, one Lock for each language that
// has any.
func Read(tree fs.FS, paths []string) (locks []Lock, left []Left, err error) {
	r := &reader{tree: tree, has: map[string]bool{}, own: map[string]bool{}}
	for _, p := range paths {
		if Reads(p) {
			r.paths = append(r.paths, p)
			r.has[p] = true
		}
	}
	slices.Sort(r.paths)
	if len(r.paths) > maxFiles {
		return nil, nil, fmt.Errorf("the tree has %d lock files and manifests, at most %d are read", len(r.paths), maxFiles)
	}
	for _, l := range []Lock{{Language: Python, Projects: r.python()}, {Language: Node, Projects: r.node()}, {Language: Go, Projects: r.goModules()}} {
		if len(l.Projects) > maxProjects {
			r.leave(l.Projects[maxProjects].Dir, "there are more than %d projects of %s", maxProjects, l.Language)
			l.Projects = l.Projects[:maxProjects]
		}
		if len(l.Projects) > 0 {
			l.Tree = tree
			if commit, ok := tree.(interface{ When() time.Time }); ok {
				l.AsOf = commit.When()
			}
			if l.Language == Node {
				l.Interpreter, l.Bun = nodeInterpreter(tree, l.AsOf), r.bun()
			}
			l.Digest = digest(l)
			locks = append(locks, l)
		}
	}
	return locks, r.left, r.err
}

// ReadTree is [Read] of all that a tree has.
func ReadTree(tree fs.FS) (locks []Lock, left []Left, err error) {
	paths, err := Paths(tree)
	if err != nil {
		return nil, nil, err
	}
	return Read(tree, paths)
}

// digest changes with everything that an installer is given.
func digest(l Lock) string {
	h := sha256.New()
	interpreters := l.Interpreter.Major
	if l.Bun {
		interpreters += " bun"
	}
	if l.Changed { // never the digest of a base
		interpreters += " changed"
	}
	fmt.Fprintf(h, "1 %s%s %d\n", l.Language, interpreters, len(l.Projects))
	for _, p := range l.Projects {
		fmt.Fprintf(h, "%s %q %d\n", p.Kind, p.Dir, len(p.Files))
		for _, name := range slices.Sorted(maps.Keys(p.Files)) {
			fmt.Fprintf(h, "%q %d\n", name, len(p.Files[name]))
			h.Write(p.Files[name])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// reader reads the files of one tree.
type reader struct {
	tree  fs.FS
	paths []string
	has   map[string]bool
	own   map[string]bool // normalised names of the tree's own projects of Python
	left  []Left
	err   error // a file that is there and could not be read
}

func (r *reader) leave(p, format string, args ...any) {
	r.left = append(r.left, Left{Path: p, Reason: fmt.Sprintf(format, args...)})
}

// text returns the content of a file, nil for one that is not there or too large.
func (r *reader) text(p string) []byte {
	if !r.has[p] {
		return nil
	}
	data, err := ReadFile(r.tree, p)
	if err != nil {
		r.err = errors.Join(r.err, err)
		return nil
	}
	return data
}

// ReadFile reads a lock file or manifest, at most 32 MiB of it.
func ReadFile(tree fs.FS, p string) ([]byte, error) { return bounded.ReadFile(tree, p, maxFile) }

// parent is path.Dir with "" for the root.
func parent(p string) string {
	if d := path.Dir(p); d != "." && d != "/" {
		return d
	}
	return ""
}

// below reports whether a path lies below a folder, and where.
func below(p, dir string) (string, bool) {
	if dir == "" {
		return p, true
	}
	return strings.CutPrefix(p, dir+"/")
}
