package probe

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

// write opens a file for writing and writes to it.
func write(path string) func() error {
	return func() error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
		if err == nil {
			_, err = f.Write([]byte("1"))
			err = errors.Join(err, f.Close())
		}
		return err
	}
}

// open opens a file that is there for writing, and leaves it as it is.
func open(path string) func() error {
	return func() error {
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			err = f.Close()
		}
		return err
	}
}

func read(path string) func() error {
	return func() error {
		f, err := os.Open(path)
		if err == nil {
			_, err = f.Read(make([]byte, 16))
			f.Close()
		}
		return err
	}
}

// list reads a folder; an empty one shows nothing.
func list(path string) func() error {
	return func() error {
		entries, err := os.ReadDir(path)
		if err == nil && len(entries) == 0 {
			err = errors.New("empty")
		}
		return err
	}
}

// program is a child. The container ends it with everything else.
func program(path string, args ...string) *exec.Cmd {
	return exec.CommandContext(context.Background(), path, args...)
}

// memory is what system calls point to. Heap objects of Go do not move.
type memory struct{ kept [][]byte }

func (m *memory) str(s string) uintptr {
	b := append([]byte(s), 0)
	m.kept = append(m.kept, b)
	return uintptr(unsafe.Pointer(&b[0]))
}

func (m *memory) mem(n int) uintptr {
	b := make([]byte, n)
	m.kept = append(m.kept, b)
	return uintptr(unsafe.Pointer(&b[0]))
}

// call makes a system call, with what it points to kept until then.
func (m *memory) call(nr uintptr, args ...uintptr) func() error {
	var a [6]uintptr
	copy(a[:], args)
	return func() error {
		_, _, errno := syscall.Syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
		runtime.KeepAlive(m)
		if errno != 0 {
			return errno
		}
		return nil
	}
}

func socket(family, kind, proto int) func() error {
	return func() error {
		fd, err := syscall.Socket(family, kind, proto)
		if err == nil {
			err = syscall.Close(fd)
		}
		return err
	}
}

// some turns what was found into an outcome: nothing is a refusal.
func some(list []string, err error) error {
	switch {
	case err != nil:
		return err
	case len(list) == 0:
		return errors.New("none")
	}
	return found(strings.Join(list, ", "))
}
