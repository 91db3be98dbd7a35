// Command blindsupervise speaks the supervisor's protocol and does nothing of its
// work: it sets no limits, guards nothing, records nothing and ends nothing. With
// it, tests see whether anybody notices that the supervisor is not there.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

func main() {
	if os.Getpid() != 1 {
		os.Exit(99) // only for containers
	}
	if err := serve(); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

func serve() error {
	in, out := wire.NewReader(os.Stdin), wire.NewWriter(os.Stdout)
	hello, err := wire.Encode(wire.Hello{Version: wire.Version})
	if err != nil {
		return err
	}
	if err := out.Write(wire.KindHello, hello); err != nil {
		return err
	}
	var job wire.Job
	var input bytes.Buffer
	for started := false; !started; {
		kind, payload, err := in.Next()
		if err != nil {
			return err
		}
		switch kind {
		case wire.KindJob:
			if err := wire.Decode(payload, &job); err != nil {
				return err
			}
			out.Seal(job.Key)
		case wire.KindInput:
			input.Write(payload)
		case wire.KindStart:
			started = true
		}
	}
	if err := unpack(&input); err != nil {
		return err
	}
	if err := out.Write(wire.KindStarted, nil); err != nil {
		return err
	}
	begin := time.Now()
	cmd := exec.Command(job.Argv[0], job.Argv[1:]...)
	cmd.Dir, cmd.Env = filepath.Join("/workspace", job.Dir), append(os.Environ(), job.Env...)
	text, err := cmd.CombinedOutput()
	text = text[:min(len(text), wire.MaxChunk)]
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return err
	}
	if err := out.Write(wire.KindStdout, text); err != nil {
		return err
	}
	exit, err := wire.Encode(wire.Exit{Cause: wire.CauseExit, Code: max(cmd.ProcessState.ExitCode(), 0), Stdout: int64(len(text)), Duration: time.Since(begin)})
	if err != nil {
		return err
	}
	if err := out.Write(wire.KindExit, exit); err != nil {
		return err
	}
	if err := out.Write(wire.KindDone, nil); err != nil {
		return err
	}
	_, _, err = in.Next() // the host hangs up
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

func unpack(r io.Reader) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		path := filepath.Join("/workspace", h.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(t)
		if err == nil {
			err = os.WriteFile(path, data, 0o644)
		}
		if err != nil {
			return err
		}
	}
}
