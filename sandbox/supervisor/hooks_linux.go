package supervisor

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// Interpreters take from their environment what the caller wants each of them to load.
// A program decides with which environment it starts another one, so what it leaves out is
// put back: when a process has become another program and has not begun, its environment is
// on its stack, and is written there once more with the variable in it.

// hooks are those of a run.
type hooks struct {
	all []wire.Hook

	// stopped is held while a process may have stopped for us: who else waits for processes
	// would take that for itself.
	stopped sync.Mutex
	// ended is told of a process whose end was seen meanwhile; stopped is held.
	ended func(pid int, s unix.WaitStatus)

	mu      sync.Mutex
	without []wire.Unhooked
	expect  map[int]expected // programs that have not loaded theirs yet, by process
	began   bool             // the first program has
}

// expected is a program that is to open a file.
type expected struct {
	program string
	hook    wire.Hook
}

func newHooks(all []wire.Hook) *hooks { return &hooks{all: all, expect: map[int]expected{}} }

// restore puts back the hooks of a process that has become another program and has stopped
// before its first instruction.
func (h *hooks) restore(m *memory, pid int) {
	if h == nil {
		return
	}
	open := "/proc/" + strconv.Itoa(pid) + "/exe"
	exe, err := os.Readlink(open)
	h.forgets(pid)
	args := argumentsOf(m, pid)
	for _, hook := range h.all {
		switch {
		case hook.Variable == "":
			// What the caller starts is the caller's.
			if isNamed(hook, exe) && h.began && !onlyTells(args) {
				h.expects(pid, expected{filepath.Base(exe), hook})
			}
		case err != nil || concerns(hook, exe, open):
			had, perr := put(m, pid, hook)
			if perr != nil && !errors.Is(perr, unix.ESRCH) {
				h.miss(exe, perr.Error(), true)
			} else if option := earlier(hook, args, had); isNamed(hook, exe) && option != "" {
				h.miss(exe, "with "+option+" it loads code before its hooks", false)
			}
		}
	}
	h.began = true
}

// expects notes that a process is to open a file.
func (h *hooks) expects(pid int, e expected) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expect[pid] = e
}

// forgets is for a process that has become another program: what it has not opened by now, the
// one before never did.
func (h *hooks) forgets(pid int) {
	h.mu.Lock()
	e, ok := h.expect[pid]
	delete(h.expect, pid)
	h.mu.Unlock()
	if ok {
		h.miss(e.program, notLoaded, false)
	}
}

const notLoaded = "it did not load its hooks"

// opens looks whether a process opens the file that it is to open.
func (h *hooks) opens(r *reading) {
	if h == nil || len(h.expect) == 0 {
		return
	}
	at := r.args[0]
	switch r.nr {
	case callOpen:
	case unix.SYS_OPENAT:
		at = r.args[1]
	default:
		return
	}
	e, ok := h.expect[r.pid]
	if !ok {
		return
	}
	if name := r.text(at); strings.HasPrefix(name, e.hook.Folder) && strings.HasPrefix(filepath.Base(name), e.hook.File) && filepath.Clean(name) == name {
		h.mu.Lock()
		delete(h.expect, r.pid)
		h.mu.Unlock()
	}
}

// miss notes that a program began without.
func (h *hooks) miss(program, why string, failed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := wire.Unhooked{Program: clip(filepath.Base(program), wire.MaxWhy), Why: clip(why, wire.MaxWhy), Failed: failed}
	if slices.Contains(h.without, u) {
		return
	}
	if len(h.without) == wire.MaxUnhooked { // the last one is to say the worst
		last := &h.without[len(h.without)-1]
		if failed && !last.Failed {
			*last = u
		}
		return
	}
	h.without = append(h.without, u)
}

// report returns what began without, in order. No process is left.
func (h *hooks) report() []wire.Unhooked {
	if h == nil {
		return nil
	}
	for pid := range maps.Clone(h.expect) {
		h.forgets(pid)
	}
	slices.SortFunc(h.without, func(a, b wire.Unhooked) int {
		return cmp.Or(strings.Compare(a.Program, b.Program), strings.Compare(a.Why, b.Why))
	})
	return h.without
}

// isNamed reports whether a program is one of a hook by its name.
func isNamed(hook wire.Hook, exe string) bool {
	return slices.Contains(hook.Programs, strings.TrimRight(filepath.Base(exe), "0123456789.-"))
}

// onlyTells reports whether a command asks an interpreter what it is.
func onlyTells(args []string) bool {
	return len(args) == 2 && slices.Contains([]string{"-V", "-VV", "--version", "-v", "-h", "--help"}, args[1])
}

// earlier returns the option in a command, or in what its variable had, that makes it load code
// before its hooks; "" for none.
func earlier(hook wire.Hook, args []string, had string) string {
	var options []string
	for i, a := range args {
		// The first word that is neither an option nor may be the value of one is a script.
		if i > 0 && !strings.HasPrefix(a, "-") && (i == 1 || !strings.HasPrefix(args[i-1], "-") || strings.Contains(args[i-1], "=")) {
			break // its arguments follow
		}
		options = append(options, a)
	}
	for _, o := range append(options, strings.Fields(strings.ReplaceAll(had, `"`, " "))...) {
		name, _, _ := strings.Cut(o, "=")
		if slices.Contains(hook.Earlier, strings.ReplaceAll(name, "_", "-")) {
			return name
		}
	}
	return ""
}

// argumentsOf are the first arguments of a process that has stopped before it begins.
func argumentsOf(m *memory, pid int) []string {
	at, err := stackOf(pid)
	if err != nil {
		return nil
	}
	r, s := reading{call: call{pid: pid}, memory: m}, stackReader{m: m, pid: pid, at: at}
	argc, ok := s.word(0)
	var out []string
	for i := 1; ok && i <= int(min(argc, maxArguments)); i++ {
		w, there := s.word(i)
		if !there {
			break
		}
		out = append(out, r.text(w))
	}
	return out
}

// concerns reports whether a program may be one of a hook: by its name, because it loads others,
// or because it is none of the image and may be a copy of one. open is the path by which the
// supervisor reaches its file.
func concerns(hook wire.Hook, exe, open string) bool {
	base := filepath.Base(exe)
	if isNamed(hook, exe) || strings.HasPrefix(base, "ld-") || strings.HasPrefix(base, "ld.") || strings.HasPrefix(base, "ld64.") {
		return true
	}
	image := slices.ContainsFunc([]string{"/usr/", "/bin/", "/lib/", "/lib64/", "/sbin/", "/opt/", "/.gate/"}, func(dir string) bool { return strings.HasPrefix(exe, dir) })
	return !image && copied(hook, open)
}

// maxCopy bounds how much of a program is looked at, in bytes.
const maxCopy = 1 << 30

// copied reports whether a file may be a copy of a program of a hook. One that cannot be looked
// at may be.
func copied(hook wire.Hook, open string) bool {
	f, err := openRegular(open)
	if err != nil {
		return true
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() < hook.Copied {
		return err != nil
	}
	name := []byte(hook.Variable)
	buf := make([]byte, 256<<10)
	kept := 0 // the end of what was looked at, in which the name may begin
	for at := 0; at < maxCopy; {
		n, err := f.Read(buf[kept:])
		if bytes.Contains(buf[:kept+n], name) {
			return true
		}
		if err != nil {
			return !errors.Is(err, io.EOF)
		}
		at += n
		rest := min(len(name)-1, kept+n)
		copy(buf, buf[kept+n-rest:kept+n])
		kept = rest
	}
	return true
}
