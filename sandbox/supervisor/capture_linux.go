package supervisor

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// captures keeps the code that appears while the program runs: what it writes
// and then reads or starts, and what it starts from memory.
type captures struct {
	mu    sync.Mutex
	kept  []wire.Capture
	sums  map[[sha256.Size]byte]bool
	size  int
	fresh map[string]bool // paths that the program has written to
	built map[string]bool // those of them that nothing but a compiler has
	// counted are those that nothing but Go's cover tool has: the files of a package
	// with counters in them, which are no new code.
	counted map[string]bool
	more    int64 // how much was not kept

	inlined int // how many came as arguments
}

func newCaptures() *captures {
	return &captures{sums: map[[sha256.Size]byte]bool{}, fresh: map[string]bool{}, built: map[string]bool{}, counted: map[string]bool{}}
}

// maxFresh bounds how many paths are remembered.
const maxFresh = wire.MaxEvents

// see follows what happens to files. open is the path by which the supervisor
// reaches the file that runs, "" where none does; program says who did it. It
// reports whether a path became fresh.
func (c *captures) see(e wire.Event, open string, program func() string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := len(c.fresh)
	switch e.Action {
	case "write":
		by := program()
		c.wrote(e.Object, compiles(by), counts(by))
	case "rename":
		c.wrote(e.Args[0], c.built[e.Object], c.counted[e.Object])
	case "link":
		c.wrote(e.Object, false, false)
	case "read":
		code := isCode(e.Object) && (filepath.Ext(e.Object) != "" || interprets(program()))
		if c.fresh[e.Object] && !c.counted[e.Object] && (code || isLibrary(e.Object)) {
			c.take(e.Object, e.Object, "read after it was written")
		}
	case "exec":
		if name, ok := memoryFile(e.Object); ok {
			c.take(open, "memfd:"+name, "executed")
		} else if c.fresh[e.Object] {
			c.take(open, e.Object, "executed after it was written")
		}
	}
	return len(c.fresh) != before
}

// ignores reports whether seeing an event again changes nothing while no other
// path becomes fresh.
func (c *captures) ignores(e wire.Event) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e.Action {
	case "read":
		return !c.fresh[e.Object]
	case "write":
		return c.fresh[e.Object]
	}
	return e.Action == "list"
}

func (c *captures) wrote(path string, byCompiler, byCover bool) {
	if known := c.fresh[path]; known || len(c.fresh) < maxFresh {
		c.built[path] = byCompiler && (!known || c.built[path])
		c.counted[path] = byCover && (!known || c.counted[path])
		c.fresh[path] = true
	}
}

// compiles reports whether a program is the toolchain of Go in the image, which
// nothing in the container can change.
func compiles(program string) bool { return strings.HasPrefix(program, "/usr/local/go/") }

// counts reports whether a program is the cover tool of Go in the image. It writes what
// it reads, with counters.
func counts(program string) bool {
	return compiles(program) && strings.Contains(program, "/pkg/tool/") && filepath.Base(program) == "cover"
}

// memoryFile returns the name of a file that has no path, as /proc shows it.
func memoryFile(link string) (string, bool) {
	name, ok := strings.CutPrefix(link, "/memfd:")
	return strings.TrimSuffix(name, " (deleted)"), ok
}

// interprets reports whether a program is one that runs what it reads.
func interprets(program string) bool {
	name := strings.TrimRight(filepath.Base(program), "0123456789.")
	return slices.Contains([]string{
		"sh", "dash", "bash", "zsh", "ksh", "mksh", "busybox", "python", "pypy", "node", "deno", "bun", "perl", "ruby", "php", "lua", "tclsh", "awk", "gawk", "mawk", "make",
	}, name)
}

// isCode reports whether a file's name is one under which interpreters look. Any
// file without an extension may be a script; in the caches of tools there are
// thousands of them that are none.
func isCode(path string) bool {
	if ext := filepath.Ext(path); ext != "" {
		return slices.Contains([]string{
			".py", ".pth", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".sh", ".bash", ".zsh", ".go", ".rb", ".pl", ".php",
		}, ext)
	}
	return !strings.Contains(path, "/go-build") && !strings.Contains(path, "/.cache/")
}

// startsLater reports whether what a file says is run at a login or at a certain time.
func startsLater(path string) bool {
	switch filepath.Base(path) {
	case ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".xprofile", ".xinitrc", ".xsession":
		return true
	}
	return slices.ContainsFunc([]string{"/autostart/", "/systemd/", "/cron", "/LaunchAgents/", "/LaunchDaemons/"}, func(part string) bool { return strings.Contains(path, part) })
}

// isLibrary reports whether a file's name is one under which programs load machine code.
func isLibrary(path string) bool {
	return slices.Contains([]string{".so", ".dylib", ".dll", ".pyd", ".node"}, filepath.Ext(path))
}

// elfMagic begins programs that the kernel runs without an interpreter, elf(5).
const elfMagic = "\x7fELF"

// take keeps the head of a file, once for each content.
func (c *captures) take(open, path, how string) {
	data, more, err := head(open, wire.MaxCapture)
	if err != nil || len(data) == 0 {
		return // it is gone again, and what it does is recorded anyway
	}
	if (c.built[path] || isLibrary(path)) && bytes.HasPrefix(data, []byte(elfMagic)) {
		// The test binaries of a few Go packages, or libraries that are built, would fill what
		// may be kept, and hide scripts. Machine code is no text that a layer reads, and shows in
		// what it does.
		return
	}
	piece := wire.Capture{Path: clip(path, wire.MaxText), How: how, Data: data, Truncated: more}
	if more {
		piece.Sum = sumOf(open)
	}
	c.keep(piece)
}

// add keeps a capture.
func (c *captures) add(piece wire.Capture) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(piece)
}

// miss counts code that was not kept.
func (c *captures) miss() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.more++
}

// keep keeps a capture whose content is new, and returns how many it has kept.
func (c *captures) keep(piece wire.Capture) int {
	sum := sha256.Sum256(slices.Concat(piece.Data, piece.Sum)) // of two with one head, both are news
	if c.sums[sum] {
		return 0
	}
	if len(c.kept) == wire.MaxCaptures || c.size+len(piece.Data) > wire.MaxCaptured {
		c.more++
		return 0
	}
	c.sums[sum] = true
	c.size += len(piece.Data)
	c.kept = append(c.kept, piece)
	return 1
}

// all returns what was kept and how much was not, and the paths that were written
// to. Code among them that no one used is kept now: a process may start it later.
func (c *captures) all() (kept []wire.Capture, more int64, written []string, built map[string]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, path := range sortedKeys(c.fresh) {
		data, _, err := head(path, 2)
		if err == nil && !c.counted[path] && (bytes.HasPrefix(data, []byte("#!")) || isCode(path) && filepath.Ext(path) != "" || startsLater(path)) {
			c.take(path, path, "written")
		}
	}
	return c.kept, c.more, sortedKeys(c.fresh), c.built
}

// openRegular opens a file of the program's.
func openRegular(path string) (*os.File, error) {
	// A path of the program's may be a pipe by now, which must not block, or a
	// terminal, which must not become ours.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return f, nil
}

// head reads the first bytes of a regular file and says whether there are more.
func head(path string, most int) (data []byte, more bool, err error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, int64(most)+1))
	if len(data) > most {
		return data[:most], true, err
	}
	return data, false, err
}

// maxSummed is how much of a file is read to know it by its sum, in bytes.
const maxSummed = 16 << 20

// sumOf is the SHA-256 of a file that is too large to be kept, nil where that cannot be had.
func sumOf(path string) []byte {
	f, err := openRegular(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	h := sha256.New()
	if n, err := io.Copy(h, io.LimitReader(f, maxSummed+1)); err != nil || n > maxSummed {
		return nil
	}
	return h.Sum(nil)
}
