//go:build unix

package bounded

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadFileRefusesAFIFOWithoutWaiting(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, read := range map[string]func() ([]byte, error){
		"ReadFile": func() ([]byte, error) { return ReadFile(os.DirFS(dir), "fifo", limit) },
		"ReadPath": func() ([]byte, error) { return ReadPath(filepath.Join(dir, "fifo"), limit) },
		"ReadRoot": func() ([]byte, error) { return ReadRoot(root, "fifo", limit) },
		"a FIFO that was a file a moment ago": func() ([]byte, error) {
			f, err := os.OpenFile(filepath.Join(dir, "fifo"), os.O_RDONLY|nonblock, 0)
			if err != nil {
				return nil, err
			}
			return ReadFile(replaced{f}, "fifo", limit)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := read(); err == nil || !strings.Contains(err.Error(), "fifo is not a regular file (p") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// replaced is a tree whose only file is another one when it is opened.
type replaced struct{ f fs.File }

func (r replaced) Open(string) (fs.File, error) { return r.f, nil }
