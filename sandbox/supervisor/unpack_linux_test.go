package supervisor

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type item struct {
	name, link string
	kind       byte
	mode       int64
	content    string
}

func archive(t testing.TB, items ...item) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, i := range items {
		if i.kind == 0 {
			i.kind = tar.TypeReg
		}
		h := &tar.Header{Name: i.name, Linkname: i.link, Typeflag: i.kind, Mode: i.mode, Size: int64(len(i.content))}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(i.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// unpackInto unpacks beside a file that no archive may touch, and returns the
// paths that are there afterwards.
func unpackInto(t testing.TB, data []byte, bytes64 int64, entries int) (paths []string, err error) {
	t.Helper()
	parent := t.TempDir()
	if err := os.WriteFile(filepath.Join(parent, "decoy"), []byte("decoy"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, "workspace")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	u := unpacker{root: root, bytes: bytes64, entries: entries}
	err = u.unpack(bytes.NewReader(data))
	around, rerr := os.ReadDir(parent)
	if decoy, _ := os.ReadFile(filepath.Join(parent, "decoy")); rerr != nil || len(around) != 2 || string(decoy) != "decoy" {
		t.Errorf("outside of the workspace: %v, decoy %q (%v)", around, decoy, rerr)
	}
	_ = fs.WalkDir(os.DirFS(dir), ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			t.Error(err)
			return nil
		}
		info, err := e.Info()
		if err != nil {
			t.Error(err)
			return nil
		}
		if info.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket|0o022) != 0 && info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s has mode %s", p, info.Mode())
		}
		paths = append(paths, p+" "+info.Mode().String())
		return nil
	})
	return paths, err
}

func TestAnOrdinaryTreeIsUnpacked(t *testing.T) {
	data := archive(t,
		item{name: "./", kind: tar.TypeDir},
		item{name: "a/b/c.py", mode: 0o644, content: "print()"},
		item{name: "data/fixed.csv", mode: ReadOnly, content: "1,2"},
		item{name: "a/", kind: tar.TypeDir, mode: 0o700},
		item{name: "run.sh", mode: 0o4755, content: "#!"},
		item{name: "secret", mode: 0},
		item{name: "a/link", link: "../run.sh", kind: tar.TypeSymlink},
		item{name: "a/node_modules", link: "/opt/aigate/deps/0/node_modules", kind: tar.TypeSymlink},
		item{name: ".wh.run.sh", content: "not a whiteout here"},
		item{name: "with\\backslash and \n newline"},
	)
	paths, err := unpackInto(t, data, 1<<20, 100)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		". drwxr-xr-x", ".wh.run.sh -rw-r--r--", "a drwxr-xr-x", "a/b drwxr-xr-x", "a/b/c.py -rw-r--r--", "a/link Lrwxrwxrwx", "a/node_modules Lrwxrwxrwx",
		"data drwxr-xr-x", "data/fixed.csv -r--r--r--",
		"run.sh -rwxr-xr-x", "secret -rw-r--r--", "with\\backslash and \n newline -rw-r--r--",
	}
	if strings.Join(paths, "|") != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", paths, want)
	}
}

func TestAFolderOfModulesIsOneToWriteIn(t *testing.T) {
	image := t.TempDir()
	for _, name := range []string{"vite", ".bin", "@scope"} {
		if err := os.Mkdir(filepath.Join(image, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		entries int
		from    string
		folder  bool
	}{
		"a link for each module":            {10, image, true},
		"one link, where there is no room":  {2, image, false},
		"one link, where nothing is listed": {10, filepath.Join(image, "none"), false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			u := unpacker{root: root, entries: tt.entries, folders: map[string]bool{".": true}}
			if err := u.modules(tt.from, "node_modules"); err != nil {
				t.Fatal(err)
			}
			info, err := os.Lstat(filepath.Join(dir, "node_modules"))
			if err != nil || info.IsDir() != tt.folder {
				t.Fatalf("%v, %v", info.Mode(), err)
			}
			if to, err := os.Readlink(filepath.Join(dir, "node_modules/vite")); tt.folder && (err != nil || to != filepath.Join(image, "vite") || u.entries != tt.entries-3) {
				t.Errorf("vite leads to %q (%v), %d entries left", to, err, u.entries)
			}
		})
	}
}

// hostileArchives are archives that must be refused, with part of the reason.
func hostileArchives(t testing.TB) []struct {
	name, want string
	data       []byte
} {
	link := item{name: "out", link: "sub", kind: tar.TypeSymlink}
	return []struct {
		name, want string
		data       []byte
	}{
		{"a path that climbs", "leaves the workspace", archive(t, item{name: "../decoy"})},
		{"a path that climbs later", "leaves the workspace", archive(t, item{name: "a/../../decoy"})},
		{"an absolute path", "leaves the workspace", archive(t, item{name: "/etc/passwd"})},
		{"a folder that climbs", "leaves the workspace", archive(t, item{name: "..", kind: tar.TypeDir})},
		{"the workspace as a file", "cannot be replaced", archive(t, item{name: "."})},
		{"an empty name", "cannot be replaced", archive(t, item{name: ""})},
		{"an absolute link", "leads out", archive(t, item{name: "l", link: "/etc", kind: tar.TypeSymlink})},
		{"a link that climbs", "leads out", archive(t, item{name: "a/l", link: "../../decoy", kind: tar.TypeSymlink})},
		{"a link that only starts like the dependencies", "leads out", archive(t, item{name: "l", link: "/opt/aigate/deps/../../etc", kind: tar.TypeSymlink})},
		{"an empty link", "leads out", archive(t, item{name: "l", kind: tar.TypeSymlink})},
		{"a file through a link", "is in the way", archive(t, item{name: "sub/x"}, link, item{name: "out/y"})},
		{"a folder where a link is", "is in the way", archive(t, item{name: "sub/x"}, link, item{name: "out", kind: tar.TypeDir})},
		{"a file over a link", "file exists", archive(t, link, item{name: "out"})},
		{"a link over a file", "file exists", archive(t, item{name: "out"}, link)},
		{"a file twice", "file exists", archive(t, item{name: "f"}, item{name: "f"})},
		{"a file below a file", "is in the way", archive(t, item{name: "f"}, item{name: "f/g"})},
		{"a hard link", "are not taken", archive(t, item{name: "f"}, item{name: "h", link: "f", kind: tar.TypeLink})},
		{"a FIFO", "are not taken", archive(t, item{name: "f", kind: tar.TypeFifo})},
		{"a character device", "are not taken", archive(t, item{name: "f", kind: tar.TypeChar})},
		{"a block device", "are not taken", archive(t, item{name: "f", kind: tar.TypeBlock})},
		{"a path that is too long", "at most", archive(t, item{name: strings.Repeat("a/", 3000) + "f"})},
		{"too many bytes", "larger than the workspace", archive(t, item{name: "f", content: strings.Repeat("x", 2000)})},
		{"too many bytes in all", "larger than the workspace", archive(t, item{name: "f", content: strings.Repeat("x", 600)}, item{name: "g", content: strings.Repeat("x", 600)})},
		{"too many entries", "too many entries", archive(t, item{name: "1"}, item{name: "2"}, item{name: "3"}, item{name: "4"})},
		{"a tar that is cut", "unexpected EOF", archive(t, item{name: "f", content: "content"})[:515]},
		{"something else", "invalid tar header", bytes.Repeat([]byte("x"), 1024)},
	}
}

func TestAHostileArchiveIsRefusedAndTouchesNothingOutside(t *testing.T) {
	for _, tt := range hostileArchives(t) {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := unpackInto(t, tt.data, 1000, 3); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzUnpack(f *testing.F) {
	for _, h := range hostileArchives(f) {
		f.Add(h.data)
	}
	f.Add(archive(f, item{name: "a/b", content: "x"}, item{name: "l", link: "a/b", kind: tar.TypeSymlink}))
	f.Fuzz(func(t *testing.T, data []byte) {
		// unpackInto checks that nothing outside was touched.
		_, _ = unpackInto(t, data, 1<<16, 50)
	})
}
