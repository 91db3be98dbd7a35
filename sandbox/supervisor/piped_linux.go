package supervisor

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// No file holds code that is piped into an interpreter: what base64 -d | sh runs is
// in no file and no argument. So the interpreter gets another pipe, and what the
// first one holds goes through here. Needs a kernel in which the supervisor can put
// a descriptor into a process: Linux 5.9, not gVisor.

// piped are the pipes of a run that go through the supervisor.
type piped struct {
	code    *captures
	mu      sync.Mutex
	ours    map[string]bool // pipes of ours, as /proc names them
	started int
	copying sync.WaitGroup
}

func newPiped(code *captures) *piped { return &piped{code: code, ours: map[string]bool{}} }

const (
	maxPiped    = 16              // pipes of a run; each takes two descriptors and a little memory
	pipedWithin = 2 * time.Second // for the copies to end once no process is left
)

// readsCode reports whether a command is an interpreter that reads its program from
// standard input, and the file as which that is shown.
func readsCode(program string, argv []string) (file string, ok bool) {
	for _, in := range inliners() {
		if !in.is(program) {
			continue
		}
		for i := 1; i < len(argv); i++ {
			switch a := argv[i]; {
			case a == "-", a == "--", a == "-s", strings.HasPrefix(a, "+"):
			case a == "-m" && in.file == "argument.py":
				return "", false
			case strings.HasPrefix(a, "-"):
				if in.valued(a) {
					i++
				}
			default:
				// What follows -s are the arguments of what is read.
				return in.read, argv[i-1] == "-s" || argv[i-1] == "-" || argv[i-1] == "--" && i > 1 && argv[i-2] == "-s"
			}
		}
		return in.read, true
	}
	return "", false
}

// take puts another pipe in place of the standard input of a process that is about
// to become an interpreter. give puts a descriptor of ours into it.
func (p *piped) take(r *reading, program string, argv []string, give func(from, to int) error) {
	file, ok := readsCode(program, argv)
	if !ok {
		return
	}
	name := r.link("fd/0")
	p.mu.Lock()
	mine := p.ours[name]
	full := p.started >= maxPiped
	p.mu.Unlock()
	if mine || !strings.HasPrefix(name, "pipe:") || unix.Access(program, unix.X_OK) != nil {
		return
	}
	if full {
		p.code.miss()
		return
	}
	// A path of the process's own: it may be a pipe no more, which must not block.
	from, err := unix.Open("/proc/"+strconv.Itoa(r.pid)+"/fd/0", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return
	}
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		_ = unix.Close(from)
		return
	}
	inside, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(ends[0]))
	if err == nil {
		err = give(ends[0], 0)
	}
	_ = unix.Close(ends[0])
	if err != nil || unix.SetNonblock(ends[1], true) != nil {
		_ = unix.Close(from)
		_ = unix.Close(ends[1])
		return
	}
	p.mu.Lock()
	p.ours[inside] = true
	p.started++
	p.mu.Unlock()
	how := wire.ReadFromPipe + " by " + clip(filepath.Base(program), 64)
	p.copying.Go(func() {
		p.copy(os.NewFile(uintptr(from), "a pipe"), os.NewFile(uintptr(ends[1]), "a pipe of ours"), file, how)
	})
}

// copy moves everything from one pipe to the other and keeps the head of it. When
// no one reads any more, neither does it, and who writes is told as ever.
func (p *piped) copy(from, to *os.File, file, how string) {
	head := headKeeper{most: wire.MaxCapture}
	_, _ = io.Copy(to, io.TeeReader(from, &head))
	_ = from.Close()
	_ = to.Close()
	if len(head.data) > 0 {
		p.code.add(wire.Capture{Path: file, How: how, Data: head.data, Truncated: head.more})
	}
}

// wait returns when all copies have ended. Without processes the pipes have no other
// ends left.
func (p *piped) wait() {
	done := make(chan struct{})
	go func() { p.copying.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(pipedWithin):
		p.code.miss()
	}
}

// headKeeper keeps the beginning of what is written to it.
type headKeeper struct {
	most int
	data []byte
	more bool
}

func (h *headKeeper) Write(b []byte) (int, error) {
	room := h.most - len(h.data)
	h.more = h.more || len(b) > room
	h.data = append(h.data, b[:min(len(b), room)]...)
	return len(b), nil
}
