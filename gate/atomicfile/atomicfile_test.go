package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	for _, content := range []string{"first, which is longer", "second", ""} {
		if err := Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("it holds %q, want %q (%v)", got, content, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o644 {
		t.Errorf("its mode is %v (%v)", info.Mode(), err)
	}
	if err := os.Mkdir(filepath.Join(dir, "taken"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, refused := range []string{"taken", "missing/report.json"} {
		if err := Write(filepath.Join(dir, refused), []byte("x")); err == nil {
			t.Errorf("%s was written", refused)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".gate-*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %q (%v)", left, err)
	}
}
