package relay

import (
	"archive/tar"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/hashicorp/yamux"
)

// Main is the hidden mode. It returns the exit code of the container.
func Main(stdin io.Reader, stdout io.Writer, stderr *os.File) int {
	// It unpacks into fixed folders and ends with everything in its container: anywhere
	// else that would be the host.
	if os.Getpid() != 1 {
		fmt.Fprintln(stderr, "gate relay: this mode is for the first process of a container that installs")
		return 2
	}
	if err := serve(stdin, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "gate relay:", err)
		return 2
	}
	return 0
}

// pipe is the two ends of standard input and output as one.
type pipe struct {
	io.Reader
	io.Writer
}

// Close implements [io.Closer].
func (pipe) Close() error { return nil }

func serve(stdin io.Reader, stdout io.Writer, stderr *os.File) error {
	session, err := yamux.Client(pipe{stdin, stdout}, settings())
	if err != nil {
		return err
	}
	control, err := session.Open()
	if err != nil {
		return fmt.Errorf("speak to gate: %w", err)
	}
	var size uint64
	if err := binary.Read(control, binary.BigEndian, &size); err != nil {
		return fmt.Errorf("receive what to install: %w", err)
	}
	if err := unpack(io.LimitReader(control, int64(min(size, maxInput))), Input); err != nil {
		return fmt.Errorf("receive what to install: %w", err)
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", ProxyAddress)
	if err != nil {
		return fmt.Errorf("open the way out: %w", err)
	}
	go accept(session, l)
	code := install(session.CloseChan(), stderr)
	if err := binary.Write(control, binary.BigEndian, uint32(code)); err != nil {
		return fmt.Errorf("tell gate how it ended: %w", err)
	}
	<-session.CloseChan() // gate fetches the files now
	return nil
}

// install runs the installers and returns their exit code.
func install(ended <-chan struct{}, stderr *os.File) int {
	more, err := os.ReadFile(filepath.Join(Input, Environment))
	if err != nil {
		fmt.Fprintln(stderr, "gate relay:", err)
		return 127
	}
	return run(ended, environment(os.Getenv, string(more)), stderr, Installer)
}

// run runs a program until it ends, or the session with gate has ended: an installer without
// its way out would try one package after the other, and nothing takes what it has. What the
// program has started ends with the container.
func run(ended <-chan struct{}, env []string, stderr *os.File, argv ...string) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = env
	cmd.Stdout, cmd.Stderr = stderr, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(stderr, "gate relay:", err)
		return 127
	}
	return 0
}

// unpack writes the files of a tar below a folder.
func unpack(r io.Reader, dir string) error {
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(h.Name) {
			return fmt.Errorf("%.100q is no path below %s", h.Name, dir)
		}
		at := filepath.Join(dir, h.Name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, t)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
}
