package exchange

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write makes a file and the folders above it.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestAProgramIsGivenRegularFilesAndTheRestIsNamed(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a.csv", "1")
	write(t, dir+"/sub/b.csv", "2")
	write(t, dir+"/.env", "KEY=secret")
	write(t, dir+"/.git/config", "secret")
	if err := os.Symlink("/etc/passwd", dir+"/link"); err != nil {
		t.Fatal(err)
	}
	g, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := Given{
		Files: []File{{"a.csv", []byte("1")}, {"sub/b.csv", []byte("2")}}, Bytes: 2,
		Left: []Left{{".env", "secrets and the repository's own data stay here"}, {".git", "secrets and the repository's own data stay here"}, {"link", "not a regular file (L---------)"}},
	}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Error(diff)
	}
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := errors.Join(g.Tar(w), w.Close()); err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(&buf); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || h.Mode != 0o444 {
			t.Fatalf("%v, mode %o", err, h.Mode)
		}
		names = append(names, h.Name)
	}
	if !slices.Equal(names, []string{"a.csv", "sub/b.csv"}) {
		t.Errorf("%q", names)
	}
}

func TestSecretsAreNotGivenUnderAnyName(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/.env", "KEY=secret")
	write(t, dir+"/.git/hooks/x", "secret")
	write(t, dir+"/data.env/values.csv", "1")
	for link, to := range map[string]string{"/notes.txt": ".env", "/folder": ".git", "/loop": "loop", "/fine.csv": "data.env/values.csv"} {
		if err := os.Symlink(to, dir+link); err != nil {
			t.Fatal(err)
		}
	}
	for name, allowed := range map[string]bool{
		"/.env": false, "/.git": false, "/.git/hooks": false, "/.git/hooks/x": false, "/data.env/../.env": false, "/notes.txt": false, "/folder": false, "/folder/hooks/x": false,
		"": true, "/data.env": true, "/data.env/values.csv": true, "/fine.csv": true, "/loop": true, "/missing": true,
	} {
		if err := Allowed(dir + name); (err == nil) != allowed {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"/.git", "/folder", "/.git/hooks"} {
		if g, err := Read(dir + name); err == nil || len(g.Files) > 0 {
			t.Errorf("%s is read: %+v", name, g)
		}
	}
}

func TestMoreInputThanTheBoundsAllowIsAnError(t *testing.T) {
	for name, tt := range map[string]struct {
		fill func(dir string)
		want string
	}{
		"too many files":  {func(dir string) { many(t, dir, MaxFiles+1) }, "more than 1000 files"},
		"as many as fit":  {func(dir string) { many(t, dir, MaxFiles) }, ""},
		"too large":       {func(dir string) { sparse(t, dir+"/large", MaxBytes+1) }, "more than 64 MiB"},
		"large together":  {func(dir string) { sparse(t, dir+"/a", MaxBytes); write(t, dir+"/b", "x") }, "more than 64 MiB"},
		"too deep":        {func(dir string) { write(t, dir+strings.Repeat("/d", MaxDepth)+"/f", "x") }, "folders deep"},
		"no folder there": {func(dir string) { _ = os.Remove(dir) }, "open the folder with input"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "in")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			tt.fill(dir)
			_, err := Read(dir)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func many(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		write(t, fmt.Sprintf("%s/%d", dir, i), "")
	}
}

func sparse(t *testing.T, name string, size int64) {
	t.Helper()
	write(t, name, "")
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
}

func TestOutputOfAProgramIsWrittenBelowTheFolderOnly(t *testing.T) {
	parent := t.TempDir()
	dir := parent + "/out"
	write(t, parent+"/decoy", "decoy")
	write(t, dir+"/mine.txt", "mine")
	for link, to := range map[string]string{"/up": "..", "/one": "../decoy"} {
		if err := os.Symlink(to, dir+link); err != nil {
			t.Fatal(err)
		}
	}
	n, left, err := Write(dir, []File{
		{"table 1.csv", []byte("1")}, {"sub/Übersicht.txt", []byte("2")}, {"mine.txt", []byte("theirs")}, {"up/decoy", []byte("x")}, {"one", []byte("x")},
		{"../decoy", []byte("x")}, {"mine.txt/below", []byte("x")},
	})
	if err != nil || n != 2 {
		t.Fatalf("%d, %v", n, err)
	}
	want := []Left{
		{"mine.txt", "a file of this name is there already, and stays"},
		{"up/decoy", `"up" is there already and is not a folder`},
		{"one", "a file of this name is there already, and stays"},
		{"../decoy", "its path is not one inside of a folder"},
		{"mine.txt/below", `"mine.txt" is there already and is not a folder`},
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Error(diff)
	}
	for name, text := range map[string]string{"/decoy": "decoy", "/out/mine.txt": "mine", "/out/table 1.csv": "1", "/out/sub/Übersicht.txt": "2"} {
		if data, err := os.ReadFile(parent + name); err != nil || string(data) != text {
			t.Errorf("%s is %q (%v)", name, data, err)
		}
	}
	if info, err := os.Stat(dir + "/table 1.csv"); err != nil || info.Mode()&0o111 != 0 {
		t.Errorf("%v: %v", info, err)
	}
}

func TestNamesThatMeanSomethingElseAreNotTaken(t *testing.T) {
	for _, name := range []string{
		".bashrc", "sub/.git/hooks/x", "-rf", "~root", "COM1.log", "a\x1b[2J", "a\u202efdp.exe", "zero\u200bwidth", "a:stream", `a\b`, "$(x)", "`x`", "dot.", " a", "a ", "",
		".", "/etc/passwd", "a//b", "a/../b", "bad\xff", strings.Repeat("a", 201), strings.Repeat("d/", MaxDepth+1) + "f",
	} {
		dir := t.TempDir()
		n, left, err := Write(dir, []File{{name, []byte("x")}})
		entries, rerr := os.ReadDir(dir)
		if err != nil || rerr != nil || n != 0 || len(left) != 1 || len(entries) != 0 {
			t.Errorf("%q: %d written, %v, %v, %v", name, n, left, entries, err)
		}
	}
}

func TestMoreOutputThanTheBoundsAllowIsNamed(t *testing.T) {
	files := make([]File, MaxFiles+2)
	for i := range files {
		files[i].Path = fmt.Sprint(i)
	}
	if n, left, err := Write(t.TempDir(), files); n != MaxFiles || len(left) != 2 || err != nil {
		t.Errorf("%d, %v, %v", n, left, err)
	}
	large := []File{{"a", make([]byte, MaxBytes)}, {"b", []byte("x")}}
	if n, left, err := Write(t.TempDir(), large); n != 1 || len(left) != 1 || left[0].Path != "b" || err != nil {
		t.Errorf("%d, %v, %v", n, left, err)
	}
}

func FuzzNothingIsWrittenOutsideOfTheFolder(f *testing.F) {
	for _, s := range []string{"a", "../a", "a/b", "/a", ".a", "a\x00b", "sub/../../a", "C:\\x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		parent := t.TempDir()
		dir := filepath.Join(parent, "out")
		if err := Prepare(dir); err != nil {
			t.Fatal(err)
		}
		n, left, err := Write(dir, []File{{name, []byte("x")}})
		if err != nil || n+len(left) != 1 {
			t.Fatalf("%q: %d, %v, %v", name, n, left, err)
		}
		outside, regular := 0, 0
		err = filepath.WalkDir(parent, func(p string, e fs.DirEntry, err error) error {
			if e != nil && !e.IsDir() {
				if regular++; !strings.HasPrefix(p, dir+string(filepath.Separator)) {
					outside++
				}
			}
			return err
		})
		if err != nil || outside != 0 || regular != n {
			t.Errorf("%q: %d files, %d outside (%v)", name, regular, outside, err)
		}
	})
}
