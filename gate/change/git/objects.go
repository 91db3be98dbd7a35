package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// MaxBuffered is the largest object, in bytes, that [Objects.Read] gives out.
	MaxBuffered = 16 << 20
	// requestTimeout bounds one request to a waiting git, so that a FIFO among
	// the objects cannot hang the run.
	requestTimeout = time.Minute
	// maxHeader is the longest answer of cat-file that is not content.
	maxHeader = 256
)

// Errors of an object.
var (
	ErrMissing  = errors.New("the object is not in the repository")
	ErrTooLarge = fmt.Errorf("the object is larger than %d MiB", MaxBuffered>>20)
)

// Objects reads objects through two long-lived git processes, one for sizes and
// one for contents. It is safe for concurrent use. Close ends the processes.
type Objects struct {
	repo   *Repo
	sizes  *batch
	blobs  *batch
	mu     sync.Mutex
	known  map[OID]int64
	open   map[*stream]struct{}
	closed bool
	detach func() bool
}

// Objects starts reading. It ends with ctx, or with Close.
func (r *Repo) Objects(ctx context.Context) *Objects {
	o := &Objects{repo: r, known: map[OID]int64{}, open: map[*stream]struct{}{}}
	o.sizes = &batch{start: o.starter("--batch-check=%(objectname) %(objecttype) %(objectsize)")}
	o.blobs = &batch{start: o.starter("--batch=%(objectname) %(objecttype) %(objectsize)")}
	o.detach = context.AfterFunc(ctx, o.shut)
	return o
}

func (o *Objects) starter(mode string) func() *exec.Cmd {
	return func() *exec.Cmd {
		return o.repo.process(context.Background(), command{args: []string{"cat-file", mode}})
	}
}

// Close ends the processes. Reading fails from then on.
func (o *Objects) Close() {
	o.detach()
	o.shut()
}

func (o *Objects) shut() {
	o.mu.Lock()
	o.closed = true
	streams := o.open
	o.open = map[*stream]struct{}{}
	o.mu.Unlock()
	o.sizes.close()
	o.blobs.close()
	for s := range streams {
		s.kill()
	}
}

// Size returns the size of a blob in bytes.
func (o *Objects) Size(oid OID) (int64, error) {
	o.mu.Lock()
	n, ok := o.known[oid]
	o.mu.Unlock()
	if ok {
		return n, nil
	}
	err := o.sizes.request(oid, func(h header, _ *bufio.Reader) error {
		n = h.size
		return h.want("blob")
	})
	if err != nil {
		return 0, err
	}
	o.mu.Lock()
	o.known[oid] = n
	o.mu.Unlock()
	return n, nil
}

// Blob returns the content of a blob of at most [MaxBuffered] bytes.
func (o *Objects) Blob(oid OID) ([]byte, error) {
	n, err := o.Size(oid) // cheap, and spares the content of what is too large
	if err != nil {
		return nil, err
	}
	if n > MaxBuffered {
		return nil, fmt.Errorf("%.12s has %d bytes: %w", oid, n, ErrTooLarge)
	}
	return o.content(oid, "blob")
}

func (o *Objects) content(oid OID, kind string) (data []byte, err error) {
	err = o.blobs.request(oid, func(h header, r *bufio.Reader) error {
		if h.size > MaxBuffered {
			return errAbandon
		}
		data = make([]byte, h.size)
		if _, err := io.ReadFull(r, data); err != nil {
			return fmt.Errorf("%w: %w", errAbandon, err)
		}
		if end, err := r.ReadByte(); err != nil || end != '\n' {
			return errAbandon
		}
		return h.want(kind)
	})
	return data, err
}

// Stream opens a blob of any size. The reader has a git process of its own, and
// must be closed.
func (o *Objects) Stream(oid OID) (io.ReadCloser, error) {
	n, err := o.Size(oid)
	if err != nil {
		return nil, err
	}
	if n <= MaxBuffered>>2 {
		data, err := o.Blob(oid)
		return io.NopCloser(bytes.NewReader(data)), err
	}
	cmd := o.repo.process(context.Background(), command{args: []string{"cat-file", "blob", string(oid)}})
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("read %.12s: %w", oid, err)
	}
	s := &stream{objects: o, cmd: cmd, out: out, left: n, oid: oid}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, fmt.Errorf("read %.12s: %w", oid, errClosed)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("read %.12s: %w", oid, err)
	}
	o.open[s] = struct{}{}
	return s, nil
}

// stream is the output of one `git cat-file blob`.
type stream struct {
	objects *Objects
	cmd     *exec.Cmd
	out     io.ReadCloser
	oid     OID
	left    int64
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.out.Read(p)
	s.left -= int64(n)
	if errors.Is(err, io.EOF) && s.left != 0 {
		return n, fmt.Errorf("read %.12s: %w", s.oid, io.ErrUnexpectedEOF)
	}
	return n, err
}

func (s *stream) Close() error {
	s.objects.mu.Lock()
	delete(s.objects.open, s)
	s.objects.mu.Unlock()
	s.kill()
	// Whether git ended well was decided by the length; killed it is for sure.
	_ = s.cmd.Wait()
	return nil
}

// kill ends the process, so that a pending Read returns. It does not wait for
// it: Close does.
func (s *stream) kill() { _ = s.cmd.Process.Kill() }

// Errors of a batch.
var (
	errClosed = errors.New("the repository is closed")
	// errAbandon says that the process cannot be used any further.
	errAbandon = errors.New("git gave an unexpected answer")
)

// header is the first line of an answer of cat-file.
type header struct {
	oid  OID
	kind string
	size int64
}

func (h header) want(kind string) error {
	if h.kind != kind {
		return fmt.Errorf("%.12s is a %s, not a %s", h.oid, h.kind, kind)
	}
	return nil
}

// parseHeader reads "OID SP TYPE SP SIZE" or "OID SP missing".
func parseHeader(line string, f Format) (header, error) {
	fields := strings.Split(line, " ")
	if len(fields) == 2 && fields[1] == "missing" {
		return header{}, ErrMissing
	}
	if len(fields) != 3 {
		return header{}, fmt.Errorf("%w: %q", errAbandon, printable(clip(line)))
	}
	oid, err := f.parse(fields[0])
	if err != nil {
		return header{}, fmt.Errorf("%w: %w", errAbandon, err)
	}
	switch fields[1] {
	case "blob", "tree", "commit", "tag":
	default:
		return header{}, fmt.Errorf("%w: %q", errAbandon, printable(clip(line)))
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 || fields[2] != strconv.FormatInt(size, 10) {
		return header{}, fmt.Errorf("%w: %q", errAbandon, printable(clip(line)))
	}
	return header{oid: oid, kind: fields[1], size: size}, nil
}
