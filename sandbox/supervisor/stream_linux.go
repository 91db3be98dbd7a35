package supervisor

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/canary"
	"github.com/aigate/gate/sandbox/internal/wire"
)

// sender writes frames from several goroutines. The first failure is kept: the
// host is gone then, and nothing that follows matters.
type sender struct {
	mu   sync.Mutex
	w    *wire.Writer
	err  error
	dead chan struct{} // closed with the first failure
}

func newSender(f *os.File) *sender {
	return &sender{w: wire.NewWriter(f), dead: make(chan struct{})}
}

func (s *sender) send(k wire.Kind, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if s.err = s.w.Write(k, payload); s.err != nil {
		close(s.dead)
	}
	return s.err
}

func (s *sender) message(k wire.Kind, v any) error {
	payload, err := wire.Encode(v)
	if err != nil {
		return err
	}
	return s.send(k, payload)
}

// seal makes every frame from now on unforgeable.
func (s *sender) seal(key []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.w.Seal(key)
}

// drain reads what the program writes until no one can write any more. The head
// goes to the host; the rest is counted and dropped, because a full pipe would
// stop the program, and stopping must be left to the limit of time.
type drain struct {
	kind  wire.Kind
	name  string
	from  *os.File
	keep  int64
	total atomic.Int64
	// canaries are looked for in what flows through; nil looks for none.
	canaries matcher
	search   *canary.Stream
	searched int64
}

func (d *drain) run(out *sender) {
	defer d.from.Close()
	if d.canaries != nil {
		if m := d.canaries(); m != nil {
			d.search = m.NewStreamUpTo(maxSearchedStream)
		}
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := d.from.Read(buf)
		d.look(buf[:n])
		head := buf[:min(int64(n), d.keep)]
		d.keep -= int64(len(head))
		d.total.Add(int64(n))
		if len(head) > 0 && out.send(d.kind, head) != nil {
			return
		}
		if err != nil {
			return
		}
	}
}

// look searches a piece for canaries, up to the bound.
func (d *drain) look(p []byte) {
	if d.search == nil {
		return
	}
	if d.search.Looked() >= maxSkimmed {
		return
	}
	d.searched += int64(len(p))
	_, _ = d.search.Write(p) // never fails
}

// leaked records the canaries in what came through, and returns how many bytes
// were not searched. No one writes any more.
func (d *drain) leaked(log *journal) (unsearched int64) {
	if d.search == nil {
		return 0
	}
	_ = d.search.Close() // never fails
	if hits := d.search.Hits(); len(hits) > 0 {
		log.add(wire.Event{Action: "leak", Object: d.name, Canaries: names(hits)})
	}
	return d.total.Load() - d.searched
}

// feed writes the program's standard input and closes it. The program may never
// read it; the end of the run closes the pipe from the other side.
func feed(to *os.File, data []byte) {
	defer to.Close()
	_, _ = to.Write(data)
}

// pipe returns a pipe whose one end, for the supervisor, does not block a
// thread, while the other one is an ordinary end for the program.
func pipe(supervisorWrites bool) (mine *os.File, programs int, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, -1, err
	}
	own, other := fds[0], fds[1]
	if supervisorWrites {
		own, other = other, own
	}
	f, err := polled(own)
	if err != nil {
		return nil, -1, errors.Join(err, unix.Close(fds[0]), unix.Close(fds[1]))
	}
	return f, other, nil
}

// polled returns a file whose reads and writes wait in the runtime's poller and
// do not hold a thread.
func polled(fd int) (*os.File, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "pipe"), nil
}
