package bounded

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
)

// content is as long as limit.
const content, limit = "0123456789", 10

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"exact": content, "larger": content + "x", "empty": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("exact", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	// A tree without Stat, which opens folders.
	plain := struct{ fs.FS }{os.DirFS(dir)}

	ways := map[string]struct {
		read        func(name string) ([]byte, error)
		followsLink bool
	}{
		"ReadFile of a tree that can stat":    {func(name string) ([]byte, error) { return ReadFile(os.DirFS(dir), name, limit) }, true},
		"ReadFile of a tree that cannot stat": {func(name string) ([]byte, error) { return ReadFile(plain, name, limit) }, true},
		"ReadFile of a root":                  {func(name string) ([]byte, error) { return ReadFile(root.FS(), name, limit) }, true},
		"ReadPath":                            {func(name string) ([]byte, error) { return ReadPath(filepath.Join(dir, name), limit) }, true},
		"ReadRoot":                            {func(name string) ([]byte, error) { return ReadRoot(root, name, limit) }, false},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			for file, want := range map[string]string{"exact": content, "empty": ""} {
				if data, err := way.read(file); err != nil || string(data) != want {
					t.Errorf("%s: got %q, %v", file, data, err)
				}
			}
			data, err := way.read("larger")
			if tooLarge, ok := errors.AsType[*TooLarge](err); !ok || !IsTooLarge(err) || tooLarge.Limit != limit || data != nil {
				t.Errorf("a byte more than the limit: got %q, %v", data, err)
			} else if msg := err.Error(); !strings.HasSuffix(msg, "larger has more than 10 bytes") {
				t.Errorf("the error %q names no file or no limit", msg)
			}
			if _, err := way.read("missing"); !errors.Is(err, fs.ErrNotExist) || IsTooLarge(err) {
				t.Errorf("a missing file: got %v", err)
			}
			if _, err := way.read("folder"); err == nil || !strings.Contains(err.Error(), "folder is not a regular file (d") {
				t.Errorf("a folder: got %v", err)
			}
			if data, err := way.read("link"); (err == nil) != way.followsLink {
				t.Errorf("a link: got %q, %v", data, err)
			}
		})
	}
}

func TestReadFileOfATreeThatRefusesLinksGivesItsReason(t *testing.T) {
	if _, err := ReadFile(refusing{}, "link", limit); !errors.Is(err, errRefused) {
		t.Errorf("got %v", err)
	}
}

// refusing is a tree that has links and doesn't open them.
type refusing struct{}

var errRefused = errors.New("links are not followed")

func (refusing) Open(string) (fs.File, error) { return nil, errRefused }

func (refusing) Stat(name string) (fs.FileInfo, error) {
	return fs.Lstat(fstest.MapFS{name: {Mode: fs.ModeSymlink, Data: []byte("/")}}, name)
}

func TestHead(t *testing.T) {
	for name, tt := range map[string]struct {
		text, want string
		more       bool
	}{
		"a file below the limit":   {"01", "01", false},
		"a file at the limit":      {content, content, false},
		"a file above the limit":   {content + "more", content, true},
		"a file without a content": {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for way, read := range map[string]func() ([]byte, bool, error){
				"Head":     func() ([]byte, bool, error) { return Head(strings.NewReader(tt.text), limit) },
				"HeadFile": func() ([]byte, bool, error) { return HeadFile(os.DirFS(filepath.Dir(path)), "file", limit) },
				"HeadPath": func() ([]byte, bool, error) { return HeadPath(path, limit) },
			} {
				if data, more, err := read(); err != nil || string(data) != tt.want || more != tt.more {
					t.Errorf("%s: got %q, %v, %v", way, data, more, err)
				}
			}
		})
	}
	if _, _, err := HeadPath(t.TempDir(), limit); err == nil {
		t.Error("the head of a folder was read")
	}
}

func TestRead(t *testing.T) {
	t.Run("an endless stream is read only a little above the limit", func(t *testing.T) {
		endless := &counted{r: zeros{}}
		if _, err := Read(endless, "the answer", limit); !IsTooLarge(err) || err.Error() != "the answer has more than 10 bytes" {
			t.Errorf("got %v", err)
		}
		if endless.n > limit+1 {
			t.Errorf("%d bytes were read", endless.n)
		}
	})
	t.Run("an error of the stream keeps its cause and names the stream", func(t *testing.T) {
		data, err := Read(io.MultiReader(strings.NewReader("01"), iotest.ErrReader(io.ErrClosedPipe)), "the answer", limit)
		if !errors.Is(err, io.ErrClosedPipe) || !strings.HasPrefix(err.Error(), "read the answer: ") || data != nil {
			t.Errorf("got %q, %v", data, err)
		}
	})
}

func TestTooLargeNamesTheFileAndTheLimit(t *testing.T) {
	for limit, want := range map[int64]string{
		0: "a.json has more than 0 bytes", 1000: "a.json has more than 1000 bytes",
		1<<20 + 1: "a.json has more than 1048577 bytes", 32 << 20: "a.json has more than 32 MiB",
	} {
		if got := (&TooLarge{"a.json", limit}).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

type counted struct {
	r io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}
