package change_test

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/git/gittest"
)

func TestTheStagedTreeIsTheOneThatGitWrites(t *testing.T) {
	for _, flags := range [][]string{nil, {"--object-format=sha256"}} {
		g := gittest.New(t, flags...)
		for _, name := range []string{"a.txt", "a/b.txt", "a-b", "a.b/c/d", "z/é", "x0"} {
			g.Write(name, name+"\n")
		}
		g.Link("a.txt", "link")
		g.Git("add", "-A")
		g.Git("update-index", "--chmod=+x", "x0")
		r, err := change.Open(t.Context(), []string{g.Dir})
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.StagedTree(t.Context())
		if want := strings.TrimSpace(g.Git("write-tree")); err != nil || string(got) != want {
			t.Errorf("%v: %s, git says %s: %v", flags, got, want, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
