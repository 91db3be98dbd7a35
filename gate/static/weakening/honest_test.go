package weakening

import (
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/aigate/gate/gate"
)

func TestChecksMadeInAnotherWayAreNoWeakening(t *testing.T) {
	for _, archive := range []string{"testdata/honest.txtar", "testdata/moved.txtar"} {
		e := engine(t)
		for name, files := range changesIn(t, archive) {
			t.Run(name, func(t *testing.T) {
				for _, f := range e.Compare(files, nil) {
					t.Errorf("%s:%d %s: %s", f.Path, f.Line, f.Rule.ID, f.Evidence)
				}
			})
		}
	}
}

func TestChecksLostInAMoveAreWeakenings(t *testing.T) {
	e := engine(t)
	for name, files := range changesIn(t, "testdata/lost.txtar") {
		t.Run(name, func(t *testing.T) {
			if len(e.Compare(files, nil)) == 0 {
				t.Error("nothing found")
			}
		})
	}
}

// changesIn reads the changes of an archive, by their names.
func changesIn(t *testing.T, archive string) map[string][]File {
	t.Helper()
	read, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string][]File{}
	for _, f := range read.Files {
		name, rest, _ := strings.Cut(f.Name, "/")
		side, where, _ := strings.Cut(rest, "/")
		files := changes[name]
		i := slices.IndexFunc(files, func(o File) bool { return o.Path == where })
		if i < 0 {
			files = append(files, File{Path: where, Language: map[string]gate.Language{".py": gate.LanguagePython, ".js": gate.LanguageJavaScript, ".ts": gate.LanguageTypeScript, ".go": gate.LanguageGo}[path.Ext(where)]})
			i = len(files) - 1
		}
		if side == "base" {
			files[i].Base = f.Data
		} else {
			files[i].Head = f.Data
		}
		changes[name] = files
	}
	if len(changes) == 0 {
		t.Fatal("no changes")
	}
	return changes
}
