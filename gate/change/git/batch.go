package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// batch is one `git cat-file` that waits for requests. A process that died, or
// whose answer made no sense, is replaced for the next request, so that one
// damaged object does not make the others unreadable.
type batch struct {
	start func() *exec.Cmd

	turn sync.Mutex // held for the length of one request

	mu     sync.Mutex // guards what follows; never held while reading
	proc   *batchProcess
	closed bool
}

type batchProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// request asks for one object and gives the answer to read, which must consume
// the content that belongs to it.
func (b *batch) request(oid OID, read func(header, *bufio.Reader) error) error {
	b.turn.Lock()
	defer b.turn.Unlock()
	p, err := b.process()
	if err != nil {
		return err
	}
	late := time.AfterFunc(requestTimeout, func() { _ = p.cmd.Process.Kill() })
	err = p.exchange(oid, read)
	killed := !late.Stop()
	if killed || errors.Is(err, errAbandon) {
		b.drop(p)
	}
	if killed && err != nil {
		err = fmt.Errorf("no answer within %s", requestTimeout)
	}
	if err != nil {
		return fmt.Errorf("read object %.12s: %w", oid, err)
	}
	return nil
}

func (p *batchProcess) exchange(oid OID, read func(header, *bufio.Reader) error) error {
	format, err := formatOf(oid)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(p.in, string(oid)+"\n"); err != nil {
		return fmt.Errorf("%w: %w", errAbandon, err)
	}
	line, err := p.out.ReadSlice('\n')
	if err != nil || len(line) > maxHeader {
		return fmt.Errorf("%w: %w", errAbandon, errors.Join(err, io.ErrUnexpectedEOF))
	}
	h, err := parseHeader(strings.TrimSuffix(string(line), "\n"), format)
	if err != nil {
		return err
	}
	if h.oid != oid {
		return fmt.Errorf("%w: %.12s", errAbandon, h.oid)
	}
	return read(h, p.out)
}

// formatOf checks that a name is one, so that nothing else is ever written to
// git's standard input.
func formatOf(oid OID) (Format, error) {
	name := "sha1"
	if len(oid) == 64 {
		name = "sha256"
	}
	f, err := formatNamed(name)
	if err != nil {
		return f, err
	}
	_, err = f.parse(string(oid))
	return f, err
}

// process returns the waiting process, and starts one where there is none.
func (b *batch) process() (*batchProcess, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errClosed
	}
	if b.proc != nil {
		return b.proc, nil
	}
	cmd := b.start()
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	b.proc = &batchProcess{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}
	return b.proc, nil
}

// drop ends a process that is of no further use.
func (b *batch) drop(p *batchProcess) {
	b.mu.Lock()
	if b.proc == p {
		b.proc = nil
	}
	b.mu.Unlock()
	p.end()
}

// close ends the process. A request that waits for it fails.
func (b *batch) close() {
	b.mu.Lock()
	p := b.proc
	b.proc, b.closed = nil, true
	b.mu.Unlock()
	if p == nil {
		return
	}
	_ = p.cmd.Process.Kill() // wakes a request that is reading
	b.turn.Lock()            // and lets it finish before the pipes go
	defer b.turn.Unlock()
	p.end()
}

// end kills and reaps the process; how it ended does not matter any more.
func (p *batchProcess) end() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}
