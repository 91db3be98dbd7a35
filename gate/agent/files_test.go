package agent

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// below lists what is in a folder.
func below(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		text := ""
		if e.Type().IsRegular() {
			data, rerr := os.ReadFile(p)
			text, err = "="+string(data), rerr
		}
		out = append(out, filepath.ToSlash(rel)+text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func TestFilesAreWrittenAllOrNone(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(dir string) error
		files  []File
		force  bool
		want   string // below the folder
		err    string
	}{
		"a new folder":           {func(dir string) error { return os.Remove(dir) }, []File{{"a", []byte("1")}, {"sub/deep/b.txt", []byte("2")}}, false, "a=1 sub sub/deep sub/deep/b.txt=2", ""},
		"one is there":           {func(dir string) error { return os.WriteFile(dir+"/b", []byte("mine"), 0o600) }, []File{{"a", nil}, {"b", []byte("2")}}, false, "b=mine", "b is there already"},
		"one is replaced":        {func(dir string) error { return os.WriteFile(dir+"/b", []byte("mine"), 0o777) }, []File{{"a", nil}, {"b", []byte("2")}}, true, "a= b=2", ""},
		"a folder is there":      {func(dir string) error { return os.Mkdir(dir+"/b", 0o755) }, []File{{"a", nil}, {"b", []byte("2")}}, true, "b", "no regular file"},
		"a link is there":        {func(dir string) error { return os.Symlink("../decoy", dir+"/b") }, []File{{"b", []byte("2")}}, true, "b", "no regular file"},
		"a link for a folder":    {func(dir string) error { return os.Symlink("..", dir+"/sub") }, []File{{"a", nil}, {"sub/decoy", []byte("2")}}, true, "sub", "is no folder"},
		"a file for a folder":    {func(dir string) error { return os.WriteFile(dir+"/sub", nil, 0o600) }, []File{{"x/y", nil}, {"sub/b", nil}}, true, "sub=", "is no folder"},
		"a path that climbs":     {func(string) error { return nil }, []File{{"a", nil}, {"../decoy", nil}}, true, "", "no path inside"},
		"a path of this machine": {func(string) error { return nil }, []File{{"/tmp/gate-agent-decoy", nil}}, true, "", "no path inside"},
		"one twice":              {func(string) error { return nil }, []File{{"a", nil}, {"A", nil}}, true, "", "one name on some systems"},
	} {
		parent := t.TempDir()
		dir := filepath.Join(parent, "out")
		if err := os.WriteFile(filepath.Join(parent, "decoy"), []byte("decoy"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := tt.before(dir); err != nil {
			t.Fatal(err)
		}
		err := Write(dir, tt.files, tt.force)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v", name, err)
		}
		if got := below(t, dir); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if decoy, _ := os.ReadFile(filepath.Join(parent, "decoy")); string(decoy) != "decoy" {
			t.Errorf("%s: the decoy is %q", name, decoy)
		}
		if info, err := os.Stat(filepath.Join(dir, "b")); err == nil && tt.err == "" && info.Mode()&0o111 != 0 {
			t.Errorf("%s: a file can be executed: %s", name, info.Mode())
		}
	}
}

func TestFilesThatAreNotHandedOutAreNamed(t *testing.T) {
	many := make([]File, MaxFiles+1)
	for name, tt := range map[string]struct {
		files []File
		want  string
	}{
		"too many":            {many, "65 files"},
		"too much":            {[]File{{"a", make([]byte, MaxBytes)}, {"b", []byte("x")}}, "bytes together"},
		"a program for Linux": {[]File{{"a", []byte("\x7fELF\x02")}}, "a program of a machine"},
		"one for Windows":     {[]File{{"a.txt", []byte("MZ\x90")}}, "a program of a machine"},
		"a hidden file":       {[]File{{".git/hooks/x", nil}}, "a name has"},
		"a flag":              {[]File{{"-rf", nil}}, "a name has"},
		"a device":            {[]File{{"sub/COM1.log", nil}}, "a name has"},
		"a terminal sequence": {[]File{{"a\x1b[2J", nil}}, `"a\x1b[2J"`},
		"text that turns":     {[]File{{"a\u202efdp.exe", nil}}, "a name has"},
		"a path that is deep": {[]File{{"a/b/c/d/e", nil}}, "at most"},
		"a path that is long": {[]File{{strings.Repeat("a", 201), nil}}, "at most"},
		"nothing for a name":  {[]File{{"", nil}}, "no path inside"},
	} {
		got := strings.Join(Problems(tt.files), "; ")
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if got := Problems([]File{{"a.txt", nil}, {"sub/My-table_2.csv", nil}}); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
