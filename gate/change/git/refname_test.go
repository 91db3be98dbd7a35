package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/change/git/gittest"
)

// twoCommits is a repository with the commits of main and of work, which is checked out.
func twoCommits(t *testing.T) (g *gittest.Repo, base, head string) {
	t.Helper()
	g = gittest.New(t)
	g.Write("f", "1\n")
	base = g.Commit("base")
	g.Git("checkout", "-q", "-b", "work")
	g.Write("f", "2\n")
	return g, base, g.Commit("head")
}

func TestANameOfSeveralCommitsIsAnError(t *testing.T) {
	for _, c := range []struct {
		name, rev string
		ref       string // is made to point to the head commit
		names     []string
	}{
		{"a tag with the name of the branch", "main", "refs/tags/main", []string{"refs/heads/main", "refs/tags/main"}},
		{"with a suffix", "main~0", "refs/tags/main", []string{"refs/heads/main", "refs/tags/main"}},
		{"a ref of that name", "main", "refs/main", []string{"refs/heads/main", "refs/main"}},
		{"a remote of that name", "main", "refs/remotes/main", []string{"refs/heads/main", "refs/remotes/main"}},
		{"a branch with the name of the remote's", "origin/main", "refs/heads/origin/main", []string{"refs/heads/origin/main", "refs/remotes/origin/main"}},
		{"a tag with the name of the remote's", "origin/main", "refs/tags/origin/main", []string{"refs/tags/origin/main", "refs/remotes/origin/main"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, base, head := twoCommits(t)
			g.Git("update-ref", "refs/remotes/origin/main", base)
			g.Git("update-ref", c.ref, head)
			got, err := open(t, g.Dir).Commit(t.Context(), c.rev)
			if !errors.Is(err, ErrAmbiguous) {
				t.Fatalf("%s, %v", got, err)
			}
			for _, n := range c.names {
				if !strings.Contains(err.Error(), n) {
					t.Errorf("%q does not name %s", err, n)
				}
			}
		})
	}
}

func TestANameThatIsAlsoTheBeginningOfAnIdIsAnError(t *testing.T) {
	g, base, head := twoCommits(t)
	g.Git("update-ref", "refs/heads/"+base[:8], head)
	if got, err := open(t, g.Dir).Commit(t.Context(), base[:8]); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("%s, %v", got, err)
	}
	g.Git("update-ref", "refs/heads/"+base, head)
	if got, err := open(t, g.Dir).Commit(t.Context(), base); err != nil || string(got) != base {
		t.Errorf("an id in full is something else: %s, %v", got, err)
	}
}

func TestANameMeansTheBranch(t *testing.T) {
	g, base, head := twoCommits(t)
	g.Git("tag", "-a", "main", "-m", "the same commit", base)
	g.Git("update-ref", "refs/heads/refs/heads/main", head)
	if err := os.WriteFile(filepath.Join(g.Dir, ".git", "main"), []byte(head+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := open(t, g.Dir)
	for _, rev := range []string{"main", "main~0", "main^{commit}", "heads/main", "refs/heads/main"} {
		if got, err := r.Commit(t.Context(), rev); err != nil || string(got) != base {
			t.Errorf("%q: %s, %v; main is %s", rev, got, err, base)
		}
	}
}
