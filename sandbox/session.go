package sandbox

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

const (
	uploadWithin = 5 * time.Minute  // for the input to be sent and unpacked
	reportWithin = 45 * time.Second // for the report after the limit of time has passed
)

// errNoReport is the cause of a session that gate ends because the supervisor is
// silent for longer than it promises to be.
var errNoReport = errors.New("the supervisor did not report in time")

// session gives the instance its job and returns the report. The instance is of no more use
// after it. inputErr is what Spec.Input returned.
func (b *instance) session(ctx context.Context, s Spec) (rep report, inputErr, err error) {
	key := randomKey()
	job, err := wire.Encode(s.job(key))
	if err != nil {
		return report{}, nil, fmt.Errorf("write the job: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// The supervisor holds the limit of time. This one is for a supervisor that
	// does not: it has been starved, or worse.
	alarm := time.AfterFunc(uploadWithin, func() { cancel(errNoReport) })
	defer alarm.Stop()
	stop := context.AfterFunc(ctx, b.conn.Close)
	defer stop()

	facts := b.auditBefore(ctx, s)

	// Sending and receiving go side by side: a supervisor that refuses the input
	// says so while it is still coming.
	b.frames.Seal(key)
	out := newEgressRelay(ctx, b.conn.Conn, s.Observe, b.engine.egress)
	defer func() { rep.events = append(rep.events, out.close()...) }()
	sent := make(chan error, 1)
	go func() {
		input, err := b.send(job, s)
		if input != nil {
			cancel(input)
		}
		inputErr = input
		sent <- err
	}()
	rep, err = receive(b.frames, s.Limits, out.take, func() { alarm.Reset(wire.Stretch*s.Limits.Timeout + b.engine.patience) })
	if !errors.Is(err, errCutOff) {
		facts.after(ctx, b) // the supervisor waits until we hang up
	}
	if err != nil {
		err = causeOf(ctx, err)
	}
	if rep.audit = facts.facts; facts.err != nil {
		b.engine.log.Warn("the engine does not tell all about a container", "container", b.id, "error", facts.err)
	}
	b.conn.Close() // also ends a send that no one reads
	if serr := <-sent; err == nil && serr != nil {
		err = serr
	}
	return rep, inputErr, err
}

// send sends the job and everything that belongs to it. The stream stays open
// behind it: its end would tell the supervisor that we are gone.
func (b *instance) send(job []byte, s Spec) (input, err error) {
	w := wire.NewWriter(b.conn.Conn)
	if err := w.Write(wire.KindJob, job); err != nil {
		return nil, err
	}
	for _, files := range []func(*tar.Writer) error{s.Input, s.Given} {
		if input, err := sendFiles(w, files); input != nil || err != nil {
			return input, err
		}
	}
	if err := w.WriteChunks(wire.KindStdin, s.Stdin); err != nil {
		return nil, err
	}
	return nil, w.Write(wire.KindStart, nil)
}

// sendFiles sends the files of one folder; nil are none.
func sendFiles(w *wire.Writer, files func(*tar.Writer) error) (input, err error) {
	chunks := &chunkWriter{w: w}
	archive := tar.NewWriter(chunks)
	if files != nil {
		if err := files(archive); err != nil && chunks.err == nil {
			return fmt.Errorf("write the input: %w", err), nil
		}
	}
	if err := archive.Close(); err != nil && chunks.err == nil {
		return fmt.Errorf("write the input: %w", err), nil
	}
	return nil, chunks.end()
}

// chunkWriter gathers the small writes of a tar into full frames.
type chunkWriter struct {
	w   *wire.Writer
	buf []byte
	err error
}

func (c *chunkWriter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && c.err == nil {
		k := min(len(p), wire.MaxChunk-len(c.buf))
		c.buf = append(c.buf, p[:k]...)
		p = p[k:]
		if len(c.buf) == wire.MaxChunk {
			c.flush()
		}
	}
	return n - len(p), c.err
}

func (c *chunkWriter) flush() {
	if len(c.buf) > 0 && c.err == nil {
		c.err = c.w.Write(wire.KindInput, c.buf)
	}
	c.buf = c.buf[:0]
}

// end sends what is left and the empty frame that ends the input.
func (c *chunkWriter) end() error {
	c.flush()
	if c.err != nil {
		return c.err
	}
	return c.w.Write(wire.KindInput, nil)
}

// report is everything that the supervisor says about a run.
type report struct {
	exit    wire.Exit
	stdout  []byte
	stderr  []byte
	files   []File
	refused []Refusal

	events   []Event
	captures []Capture
	captured int  // bytes of them
	started  bool // the program
	audit    *Audit
}

// failure is what the supervisor says when it could not do its work.
type failure struct{ reason string }

func (f *failure) Error() string { return f.reason }

// violation is a supervisor that does not keep to the order of things.
func violation(format string, args ...any) error {
	return fmt.Errorf("the supervisor does not keep to the protocol: "+format, args...)
}

// errCutOff is a stream that ended before the supervisor said that it was done.
var errCutOff = errors.New("the report was cut off: the container ended before the supervisor was done")

// receive reads the report up to its last frame. Everything in it is bounded by
// the limits, because the supervisor, too, runs beside hostile code.
func receive(r *wire.Reader, l Limits, outside func(wire.Kind, []byte) error, started func()) (report, error) {
	var rep report
	kind, _, err := next(r)
	if err != nil {
		return rep, err
	}
	if kind != wire.KindStarted {
		return rep, violation("frame of kind %d before the start of the program", kind)
	}
	rep.started = true
	started()
	for {
		kind, payload, err := next(r)
		if err != nil {
			return rep, err
		}
		switch kind {
		case wire.KindStdout:
			rep.stdout = append(rep.stdout, payload...)
		case wire.KindStderr:
			rep.stderr = append(rep.stderr, payload...)
		case wire.KindOpen, wire.KindUp:
			if err := outside(kind, payload); err != nil {
				return rep, err
			}
		case wire.KindEvent, wire.KindCapture:
			if err := rep.observe(kind, payload); err != nil {
				return rep, err
			}
		case wire.KindExit:
			if err := wire.Decode(payload, &rep.exit); err != nil {
				return rep, violation("%w", err)
			}
			if err := rep.checkExit(); err != nil {
				return rep, err
			}
			if int64(len(rep.stdout)) > rep.exit.Stdout || int64(len(rep.stderr)) > rep.exit.Stderr {
				return rep, violation("it counted less output than it sent")
			}
			return rep, rep.receiveFiles(r, l.Output)
		default:
			return rep, violation("frame of kind %d while the program runs", kind)
		}
		if int64(len(rep.stdout)) > l.Stdout || int64(len(rep.stderr)) > l.Stdout {
			return rep, violation("more than %d bytes of output", l.Stdout)
		}
	}
}

// checkExit bounds what the report says about the end.
func (rep *report) checkExit() error {
	x := rep.exit
	if err := (*Inputs)(x.Inputs).Check(); err != nil {
		return violation("%w", err)
	}
	if err := x.Asked.Check(); err != nil {
		return violation("%w", err)
	}
	if len(x.Left) > wire.MaxLeft || x.More < 0 || x.Waited < 0 || x.Held < 0 || x.Skipped < 0 || x.Skips < 0 || len(x.Clock) > wire.MaxText {
		return violation("%d processes left and %d more, %s waited", len(x.Left), x.More, x.Waited)
	}
	for _, c := range x.Left {
		if len(c) > 2*wire.MaxCommand {
			return violation("a command of %d bytes", len(c))
		}
	}
	return nil
}

// receiveFiles reads what follows the end of the program.
func (rep *report) receiveFiles(r *wire.Reader, most int64) error {
	var want int64 // bytes of the last file that have not come yet
	for {
		kind, payload, err := next(r)
		if err != nil {
			return err
		}
		if (kind == wire.KindFileData) != (want > 0) {
			return violation("frame of kind %d with %d bytes of a file missing", kind, want)
		}
		switch kind {
		case wire.KindFileData:
			f := &rep.files[len(rep.files)-1]
			f.Data = append(f.Data, payload...)
			if want -= int64(len(payload)); want < 0 {
				return violation("file %q is larger than announced", f.Path)
			}
		case wire.KindFile:
			var f wire.File
			if err := wire.Decode(payload, &f); err != nil {
				return violation("%w", err)
			}
			if len(rep.files)+len(rep.refused) > 2*MaxFiles {
				return violation("too many files")
			}
			if f.Refused != "" {
				rep.refused = append(rep.refused, Refusal{Path: f.Path, Reason: f.Refused})
				continue
			}
			if most -= f.Size; f.Size < 0 || most < 0 {
				return violation("more bytes of files than were asked for")
			}
			rep.files = append(rep.files, File{Path: f.Path})
			want = f.Size
		case wire.KindDone:
			return nil
		default:
			return violation("frame of kind %d after the end of the program", kind)
		}
	}
}

// next reads a frame and turns what ends the report early into its error.
func next(r *wire.Reader) (wire.Kind, []byte, error) {
	kind, payload, err := r.Next()
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return 0, nil, errCutOff
	case err != nil:
		return 0, nil, err
	case kind == wire.KindFail:
		var f wire.Fail
		if err := wire.Decode(payload, &f); err != nil {
			return 0, nil, violation("%w", err)
		}
		return 0, nil, &failure{f.Reason}
	}
	return kind, payload, nil
}
