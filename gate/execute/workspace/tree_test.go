package workspace

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

func mapFile(text string, mode fs.FileMode) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(text), Mode: mode}
}

// entries lists what a tree puts into a container: name, mode and content.
func entries(t *testing.T, tr *Tree, extra ...File) []string {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := tr.Write(w, extra); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var out []string
	for r := tar.NewReader(&buf); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(Time) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s carries %v %d %q of this machine", h.Name, h.ModTime, h.Uid, h.Uname)
		}
		out = append(out, h.FileInfo().Mode().String()+" "+h.Name+" "+h.Linkname+string(data))
	}
}

func TestWorkspaceHasTheFilesOfAView(t *testing.T) {
	head := fstest.MapFS{
		"b.sh":            mapFile("b", 0o755),
		"a.txt":           mapFile("a", 0o600),
		"d/in":            mapFile("../a.txt", 0o777|fs.ModeSymlink),
		"d/out":           mapFile("../../etc/passwd", 0o777|fs.ModeSymlink),
		"d/abs":           mapFile("/etc/passwd", 0o777|fs.ModeSymlink),
		"d/fifo":          mapFile("", 0o644|fs.ModeNamedPipe),
		".git/config":     mapFile("token", 0o644),
		"sub/.GIT/config": mapFile("token", 0o644),
		".env":            mapFile("SECRET=1", 0o644),
		"x/.env":          mapFile("SECRET=1", 0o644),
		"not-listed":      mapFile("z", 0o644),
	}
	c := &gate.Change{Head: head, Files: []string{"b.sh", "a.txt", "d/in", "d/out", "d/abs", "d/fifo", ".git/config", "sub/.GIT/config", ".env", "x/.env", "gone", "../up", "/abs", "a.txt"}}
	tr := Load(c, nil, Limits{Bytes: 1000, Files: 100})
	want := []string{"-rw-r--r-- a.txt a", "-rwxr-xr-x b.sh b", "Lrwxrwxrwx d/in ../a.txt"}
	if diff := cmp.Diff(want, entries(t, tr)); diff != "" {
		t.Error(diff)
	}
	want = []string{"-rwxr-xr-x b.sh b", "Lrwxrwxrwx d/in ../a.txt", "-rw-r--r-- a.txt mine"}
	if diff := cmp.Diff(want, entries(t, tr, File{Path: "a.txt", Data: []byte("mine")})); diff != "" {
		t.Errorf("an extra file does not stand for that of the tree: %s", diff)
	}
}

func TestWorkspaceLeavesOutWhatDoesNotFit(t *testing.T) {
	head := fstest.MapFS{
		"big.bin":   mapFile(strings.Repeat("b", 600), 0o644),
		"small.py":  mapFile(strings.Repeat("s", 100), 0o644),
		"tiny.py":   mapFile(strings.Repeat("t", 50), 0o644),
		"target.py": mapFile(strings.Repeat("x", 300), 0o644),
		"huge.py":   mapFile(strings.Repeat("y", 5000), 0o644),
	}
	c := &gate.Change{Head: head, Targets: []*gate.Target{{Path: "target.py"}, {Path: "huge.py"}}}
	for p := range head {
		c.Files = append(c.Files, p)
	}
	slices.Sort(c.Files)
	names := func(l Limits) (in, out []string) {
		tr := Load(c, nil, l)
		for _, f := range tr.Files {
			in = append(in, f.Path)
		}
		for p := range tr.Left {
			out = append(out, p)
		}
		slices.Sort(out)
		return in, out
	}
	in, out := names(Limits{Bytes: 500, Files: 100})
	if diff := cmp.Diff([][]string{{"small.py", "target.py", "tiny.py"}, {"big.bin", "huge.py"}}, [][]string{in, out}); diff != "" {
		t.Errorf("targets first, then the small ones: %s", diff)
	}
	in, out = names(Limits{Bytes: 10000, Files: 3})
	if diff := cmp.Diff([][]string{{"huge.py", "target.py", "tiny.py"}, {"big.bin", "small.py"}}, [][]string{in, out}); diff != "" {
		t.Errorf("at most three: %s", diff)
	}
}
