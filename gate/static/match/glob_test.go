package match

import (
	"path"
	"strings"
	"testing"
)

// FuzzGlob compares with the definition: ** is any number of folders.
func FuzzGlob(f *testing.F) {
	for _, g := range []string{"**/a", "a/**/b", "*.py", "a/?[b-c]", "**", "a/**/**/b/*"} {
		f.Add(g, "a/x/b")
	}
	f.Fuzz(func(t *testing.T, glob, name string) {
		if len(glob) > 40 || len(name) > 40 {
			return
		}
		full := glob
		if !strings.Contains(full, "/") {
			full = "**/" + full
		}
		want := slowly(strings.Split(strings.TrimPrefix(full, "/"), "/"), strings.Split(name, "/"))
		if got := Glob(glob, name); got != want {
			t.Fatalf("%q on %q: %v", glob, name, got)
		}
	})
}

func slowly(glob, name []string) bool {
	switch {
	case len(glob) == 0:
		return len(name) == 0
	case glob[0] == "**":
		return slowly(glob[1:], name) || len(name) > 0 && slowly(glob, name[1:])
	case len(name) == 0:
		return false
	}
	ok, err := path.Match(glob[0], name[0])
	return ok && err == nil && slowly(glob[1:], name[1:])
}
