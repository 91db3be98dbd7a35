package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "result.json")
	for _, text := range []string{"first", "second, which is longer", ""} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%v, %v", info, err)
		}
	}
}

func TestWriteLeavesWhatIsNoRegularFileAsItIs(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, os.DevNull} {
		if err := Write(path, []byte("new")); err == nil {
			t.Errorf("%s was replaced", path)
		}
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("%v, %v", info, err)
	}
}

func TestWriteThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	if err := Write(filepath.Join(dir, "absent", "x"), nil); err == nil {
		t.Error("a file in a folder that is not there was written")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestARelativePathDoesNotLeaveTheFolderByALink(t *testing.T) {
	elsewhere, here := t.TempDir(), t.TempDir()
	t.Chdir(here)
	for link, to := range map[string]string{"out": elsewhere, "up": "..", "in": "real"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("real", 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"out/x": false, "up/x": false, "in/x": true, "x": true, "real/x": true, filepath.Join(elsewhere, "x"): true} {
		if err := Write(path, nil); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}
