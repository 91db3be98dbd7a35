package supervisor

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// collected runs a collector over a folder and writes down what it sent.
func collected(t *testing.T, dir string, c collector, paths ...string) []string {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var log []string
	c.root = root
	c.send = func(f wire.File) error {
		if f.Refused != "" {
			log = append(log, f.Path+": "+f.Refused)
		} else {
			log = append(log, fmt.Sprintf("%s=", f.Path))
		}
		return nil
	}
	c.data = func(b []byte) error { log[len(log)-1] += string(b); return nil }
	if err := c.collect(paths); err != nil {
		t.Fatal(err)
	}
	return log
}

func TestFilesAreCollectedOnceAndInOrder(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, err := range []error{
		os.MkdirAll("d/e", 0o755), os.WriteFile("d/b", []byte("B"), 0o644), os.WriteFile("d/e/c", []byte("C"), 0o644),
		os.WriteFile("a", nil, 0o644), os.WriteFile("z", []byte("12345"), 0o644), os.Symlink("a", "link"),
		os.Symlink("d", "dirlink"), unix.Mkfifo("d/fifo", 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name  string
		c     collector
		paths []string
		want  string
	}{
		{"a file and its folder", collector{bytes: 100, files: 10}, []string{"d", "a", "d/b", "./d/"}, "a=|d/b=B|d/e/c=C|d/fifo: not a regular file (p---------)"},
		{"a link", collector{bytes: 100, files: 10}, []string{"link", "dirlink", "dirlink/b"}, `dirlink/b: "dirlink" is a link or not there|dirlink: not a regular file (L---------)|link: not a regular file (L---------)`},
		{"a path that climbs", collector{bytes: 100, files: 10}, []string{"../x", "/etc/passwd"}, "../x: the path leaves the workspace|/etc/passwd: the path leaves the workspace"},
		{"what is not there", collector{bytes: 100, files: 10}, []string{"no", "no/no"}, `no/no: "no" is a link or not there|no: no such file or directory`},
		{"more bytes than may be", collector{bytes: 5, files: 10}, []string{"d/b", "z"}, "d/b=B|z: 5 bytes are more than the 4 that may still be brought back"},
		{"more files than may be", collector{bytes: 100, files: 1}, []string{"a", "d", "z"}, "a=|d/b: too many files: this one and all after it stay behind"},
		{"nothing", collector{bytes: 100, files: 10}, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(collected(t, ".", tt.c, tt.paths...), "|"); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestFoldersAreSearchedOnlySoDeep(t *testing.T) {
	dir := t.TempDir()
	deep := dir + strings.Repeat("/d", maxDepth+3)
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(deep+"/leaf", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got := collected(t, dir, collector{bytes: 10, files: 10}, "d")
	if len(got) != 1 || !strings.HasSuffix(got[0], "not a regular file (d---------)") {
		t.Errorf("got %.200q", got)
	}
}

func TestCollectingEndsWhenTheHostIsGone(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a", []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	gone := errors.New("gone")
	c := collector{root: root, bytes: 10, files: 10, send: func(wire.File) error { return nil }, data: func([]byte) error { return gone }}
	if err := c.collect([]string{"a"}); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}
