package canary

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlantedDatabasesCanBeQueried asks a real SQLite, where Python has one.
func TestPlantedDatabasesCanBeQueried(t *testing.T) {
	s := New(nothing)
	python, err := exec.LookPath("python3")
	for _, p := range plants {
		if p.build == nil {
			continue
		}
		t.Run(filepath.Base(p.path), func(t *testing.T) {
			data := dataOf(s, p.path)
			if len(data)%pageSize != 0 || !bytes.HasPrefix(data, []byte("SQLite format 3\x00")) {
				t.Fatalf("%d bytes that begin with %q", len(data), data[:min(len(data), 16)])
			}
			if err != nil {
				return // TestHomeFoldersLookUsedInARealContainer queries them as well
			}
			file := filepath.Join(t.TempDir(), "x.db")
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), python, "-I", "-c", `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
    for row in db.execute(f"SELECT rowid, * FROM {name}"):
        print(name, *row, sep="|")
db.execute("DELETE FROM " + name)
db.commit()
assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
`, file).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for _, c := range s.Canaries() {
				if c.ID == p.id && !strings.Contains(string(out), c.Value) {
					t.Errorf("the canary is in no row of\n%s", out)
				}
			}
			if want := strings.Count(p.form, "\n") - strings.Count(p.form, "CREATE TABLE "); strings.Count(string(out), "\n") != want {
				t.Errorf("want %d rows of\n%s", want, out)
			}
		})
	}
}

func dataOf(s *Set, path string) []byte {
	for _, f := range s.files {
		if f.Path == path {
			return f.data
		}
	}
	return nil
}
