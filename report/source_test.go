package report

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestSourceOfChangeGivesTheLinesOfAFileOrNone(t *testing.T) {
	tree := fstest.MapFS{
		"three.py": {Data: []byte("one\r\ntwo\nthree\n")},
		"open.py":  {Data: []byte("one\ntwo")},
		"bytes.py": {Data: []byte("one\n\xff\n")},
		"nul.py":   {Data: []byte("one\n\x00\n")},
		"empty.py": {},
		"large.py": {Data: []byte(strings.Repeat("x\n", maxSource/2+1))},
	}
	c := &gate.Change{Head: tree}
	for path := range tree {
		c.Targets = append(c.Targets, &gate.Target{Path: path, Kind: gate.ChangeModified})
	}
	c.Targets = append(c.Targets, &gate.Target{Path: "gone.py", Kind: gate.ChangeDeleted})
	tree["beside.py"] = &fstest.MapFile{Data: []byte("not part of the change\n")}
	if got := new(Source).Lines("three.py", 1, 2); got != nil {
		t.Errorf("without a change: %q", got)
	}
	s := SourceOfChange(c)
	for _, tt := range []struct {
		path     string
		from, to int
		want     []string
	}{
		{"three.py", 1, 2, []string{"one", "two"}},
		{"three.py", 3, 99, []string{"three"}},
		{"three.py", 4, 9, nil},
		{"three.py", 0, 2, nil},
		{"three.py", 3, 2, nil},
		{"open.py", 2, 2, []string{"two"}},
		{"three.py", 2, 2, []string{"two"}},
		{"bytes.py", 1, 1, nil},
		{"nul.py", 1, 1, nil},
		{"empty.py", 2, 3, nil},
		{"large.py", 1, 1, nil},
		{"gone.py", 1, 1, nil},
		{"beside.py", 1, 1, nil},
		{"../three.py", 1, 1, nil},
	} {
		if got := s.Lines(tt.path, tt.from, tt.to); !slices.Equal(got, tt.want) {
			t.Errorf("%s %d-%d: %q, want %q", tt.path, tt.from, tt.to, got, tt.want)
		}
	}
}

func TestSourceOfFolderGivesOnlyFilesThatAreStillWhatWasScanned(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "checkout")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	digest := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	for path, text := range map[string]string{"checkout/same.py": "same\n", "checkout/edited.py": "edited\n", "checkout/unnamed.py": "unnamed\n", "outside.py": "outside\n"} {
		if err := os.WriteFile(filepath.Join(top, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link.py": "same.py", "out.py": "../outside.py"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	res := gate.Result{Files: []gate.FileResult{
		{Path: "same.py", SHA256: digest("same\n")},
		{Path: "edited.py", SHA256: digest("before\n")},
		{Path: "unnamed.py"},
		{Path: "link.py", SHA256: digest("same\n")},
		{Path: "out.py", SHA256: digest("outside\n")},
		{Path: "../outside.py", SHA256: digest("outside\n")},
		{Path: filepath.Join(top, "outside.py"), SHA256: digest("outside\n")},
		{Path: "absent.py", SHA256: digest("")},
		{Path: ".", SHA256: digest("")},
	}}
	s := SourceOfFolder(dir, res)
	for _, f := range res.Files {
		want := []string(nil)
		if f.Path == "same.py" {
			want = []string{"same"}
		}
		if got := s.Lines(f.Path, 1, 1); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", f.Path, got, want)
		}
	}
}
