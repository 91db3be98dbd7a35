package supervisor

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// receive takes the job, the input and the standard input.
func (r *run) receive(root *os.Root) error {
	kind, payload, err := r.in.Next()
	if errors.Is(err, io.EOF) {
		return errHostGone
	}
	if err != nil {
		return fmt.Errorf("receive the job: %w", err)
	}
	if kind != wire.KindJob {
		return fmt.Errorf("receive the job: got a frame of kind %d", kind)
	}
	if r.job, err = wire.DecodeJob(payload); err != nil {
		return err
	}
	r.out.seal(r.job.Key)
	// Before the input, which counts as memory of the job.
	r.evidence = newEvidence(os.DirFS("/"), ownCPU, r.job.Memory, r.job.Pids)

	if r.job.Observe != nil {
		r.held = newRemembered()
	}
	u := unpacker{root: root, bytes: r.job.InputBytes, entries: r.job.InputEntries, held: r.held}
	if err := r.unpack(&u); err != nil {
		return err
	}
	r.files, r.folders = u.files, slices.Sorted(maps.Keys(u.folders))
	if err := r.given(); err != nil {
		return err
	}
	for {
		kind, payload, err := r.in.Next()
		if err != nil {
			return fmt.Errorf("receive the standard input: %w", err)
		}
		switch {
		case kind == wire.KindStart:
			return nil
		case kind != wire.KindStdin:
			return fmt.Errorf("receive the standard input: got a frame of kind %d", kind)
		case len(r.stdin)+len(payload) > wire.MaxStdin:
			return fmt.Errorf("receive the standard input: more than %d bytes", wire.MaxStdin)
		}
		r.stdin = append(r.stdin, payload...)
	}
}

// given takes the files of [InputFolder] and lets nothing of them be written to.
func (r *run) given() error {
	root, err := os.OpenRoot(InputFolder)
	if err != nil {
		return fmt.Errorf("open the folder for given files: %w", err)
	}
	defer root.Close()
	u := unpacker{root: root, bytes: r.job.InputBytes, entries: r.job.InputEntries, fixed: true}
	if err := r.unpack(&u); err != nil {
		return err
	}
	return u.fix()
}

// unpack takes the files of one folder.
func (r *run) unpack(u *unpacker) error {
	input := &inputReader{in: r.in}
	if err := u.unpack(input); err != nil {
		return err
	}
	// What follows the end of a tar is padding.
	if _, err := io.Copy(io.Discard, input); err != nil {
		return fmt.Errorf("receive the input: %w", err)
	}
	return nil
}

// inputReader is the input as a stream, up to the empty frame.
type inputReader struct {
	in   *wire.Reader
	rest []byte
	done bool
}

func (r *inputReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.done {
			return 0, io.EOF
		}
		kind, payload, err := r.in.Next()
		if errors.Is(err, io.EOF) {
			return 0, io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
		if kind != wire.KindInput {
			return 0, fmt.Errorf("got a frame of kind %d", kind)
		}
		r.rest, r.done = payload, len(payload) == 0
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// watchHost tells when the host hangs up. Nothing but data of tunnels is expected
// from it any more, so whatever else comes counts as that.
func (r *run) watchHost() <-chan struct{} {
	gone := make(chan struct{})
	r.tunnels = newTunnels(r.out)
	go func() {
		defer close(gone)
		for {
			kind, payload, err := r.in.Next()
			if err != nil || kind != wire.KindDown || r.tunnels.deliver(payload) != nil {
				r.tunnels.close()
				return
			}
		}
	}()
	return gone
}
