package eval

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

func TestASampleWithABaseIsAChange(t *testing.T) {
	c := open(t, folder(t, map[string]string{
		"corpus.yaml": `name: pairs
samples:
  - {path: head/a.py, base: base/a.py, language: python, label: risky, category: c}
  - {path: head/pkg, base: base/pkg, language: python, label: benign, category: c}
  - {path: head/b.py, language: python, label: benign, category: c}
`,
		"base/a.py": "old\n", "head/a.py": "new\n", "base/pkg/x.py": "old x\n", "head/pkg/x.py": "new x\n", "head/b.py": "alone\n",
	}))
	var got []string
	_, err := Run(t.Context(), c, Options{Workers: 1, Pipeline: func(_ context.Context, base, head fs.FS) (gate.Result, error) {
		before := "nothing"
		if base != nil {
			before = listed(t, base)
		}
		got = append(got, before+" -> "+listed(t, head))
		return gate.Result{}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"head/a.py=old -> head/a.py=new", "x.py=old x -> x.py=new x", "nothing -> head/b.py=alone"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestABaseIsOfTheKindOfItsSample(t *testing.T) {
	dir := folder(t, map[string]string{
		"corpus.yaml": "name: pairs\nsamples:\n  - {path: a.py, base: b, language: python, label: risky, category: c}\n",
		"a.py":        "x\n", "b/c.py": "x\n",
	})
	if c, err := Open(dir); err == nil {
		c.Close()
		t.Error("a file with a folder as its base was accepted")
	}
}

// listed are the files of a tree with their texts.
func listed(t *testing.T, tree fs.FS) string {
	t.Helper()
	var out []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		out = append(out, name+"="+strings.TrimSpace(string(data)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, ",")
}
