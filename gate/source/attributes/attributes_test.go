package attributes_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate/source/attributes"
)

func TestTheLastLineOfTheNearestFolderGivesTheEncoding(t *testing.T) {
	tree := attributes.NewTree(fstest.MapFS{
		".gitattributes": {Data: []byte("# text\n[attr]wide working-tree-encoding=UTF-16BE\n*.sh text working-tree-encoding=UTF-16LE eol=lf\n" +
			"/top.txt wide\n\"with space.txt\"\tworking-tree-encoding=UTF-32LE\ndocs/** working-tree-encoding=UTF-16\nplain.sh -working-tree-encoding\n")},
		"sub/.gitattributes":      {Data: []byte("*.sh !working-tree-encoding\n")},
		"sub/deep/.gitattributes": {Data: []byte("x.sh working-tree-encoding=IBM037\n")},
	})
	for path, want := range map[string]string{
		"a.sh": "UTF-16LE", "b/c.sh": "UTF-16LE", "plain.sh": "", "top.txt": "UTF-16BE", "b/top.txt": "",
		"with space.txt": "UTF-32LE", "docs/a/b": "UTF-16", "sub/a.sh": "", "sub/deep/x.sh": "IBM037", "sub/deep/y.sh": "", "a.py": "",
	} {
		if got, err := tree.Encoding(path); got != want || err != nil {
			t.Errorf("%s is checked out as %q (%v), want %q", path, got, err, want)
		}
	}
}

func TestAFileThatIsTooLargeIsAnError(t *testing.T) {
	tree := attributes.NewTree(fstest.MapFS{".gitattributes": {Data: []byte(strings.Repeat("#\n", 1<<20))}})
	if _, err := tree.Encoding("a"); !errors.Is(err, attributes.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("*.sh working-tree-encoding=UTF-16LE\n", "a.sh")
	f.Add("[attr]x working-tree-encoding=y\n\"a\\\" x\n{a,[ x", "a")
	f.Fuzz(func(t *testing.T, text, name string) {
		for _, l := range attributes.Read([]byte(text)) {
			if l.Number < 1 || l.Number > strings.Count(text, "\n")+1 {
				t.Errorf("line %d of %q", l.Number, text)
			}
		}
		if _, err := attributes.NewTree(fstest.MapFS{".gitattributes": {Data: []byte(text)}}).Encoding(name); err != nil {
			t.Error(err)
		}
	})
}
