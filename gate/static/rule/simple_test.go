package rule

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// shownTree is what rules are read from: kinds, values and places.
func shownTree(n *yaml.Node) string {
	var b strings.Builder
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		fmt.Fprintf(&b, "(%d %d:%d %q %v", n.Kind, n.Line, n.Column, n.Value, n.Tag == "!!merge")
		for _, c := range n.Content {
			walk(c)
		}
		b.WriteByte(')')
	}
	walk(n)
	return b.String()
}

func TestOwnRulesAreReadAsTheLibraryReadsThem(t *testing.T) {
	own := os.DirFS("../rules")
	files, err := familyFiles(own, RulesFile)
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	quick := 0
	for _, name := range files {
		data, err := fs.ReadFile(own, name)
		if err != nil {
			t.Fatal(err)
		}
		got := readSimple(data)
		if got == nil {
			t.Logf("%s is read by the library", name)
			continue
		}
		quick++
		var want yaml.Node
		if err := yaml.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		compareTrees(t, name, shownTree(got), shownTree(want.Content[0]))
	}
	if quick*10 < len(files)*9 {
		t.Errorf("only %d of %d files are simple: what is not costs every run its time", quick, len(files))
	}
}

func compareTrees(t *testing.T, name, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	cut := func(s string) string { return s[max(0, at-100):min(len(s), at+100)] }
	t.Errorf("%s: got  …%s\nwant …%s", name, cut(got), cut(want))
}

func FuzzSimple(f *testing.F) {
	for _, text := range []string{
		"a: <<\n", "a: [<<]\n",
		"a: b\n", "a:\n  - b: c\n    d: [e, 'f''g', {h: i}]\n  - 'x' # y\n", "a: |-\n  b\n\n  c\nd: >\n  e\n  f\n", "a: b\n  c\n# d\ne: \"f\"\n",
		"a:\n- b\n- c: d\n", "- a\n- - b\n", "a: b: c\n", "a: [b: c]\n", "a: {b, c: }\n", "<<: a\n", "a: &x b\n", "a: 'b\n  c'\n", "é: [é, b]\n", "a: - b\n", "a: b\n---\nc\n", "a: [b] c\n", "a: |\n b\n  c\n d\n",
		"a: b\u0098\n", "a: 'b\uffff'\n",
		strings.Repeat("a", 1100) + ": b\n", // longer than a key of YAML may be
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := readSimple([]byte(text))
		if got == nil {
			return
		}
		var want yaml.Node
		if err := yaml.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%q is read, and is no YAML: %v", text, err)
		}
		compareTrees(t, fmt.Sprintf("%q", text), shownTree(got), shownTree(want.Content[0]))
	})
}
