package attribution

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/change/git/gittest"
)

// TestBlameAgreesWithGit makes random histories with merges and compares line by
// line with git blame. The lines are distinct, so that there is one right answer.
func TestBlameAgreesWithGit(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for round := range 4 {
		g := gittest.New(t)
		next := 0
		fresh := func() string { next++; return fmt.Sprintf("line %d", next) }
		edit := func(path string) {
			data, err := os.ReadFile(g.Path(path))
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for line := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n") {
				switch r.IntN(10) {
				case 0:
				case 1:
					out = append(out, fresh())
				case 2:
					out = append(out, line, fresh())
				default:
					out = append(out, line)
				}
			}
			g.Write(path, strings.Join(append(out, fresh()), "\n")+"\n")
		}
		g.Write("a.txt", numbered(1_000_001, 1_000_040))
		g.Write("b.txt", numbered(2_000_001, 2_000_040))
		base := g.Commit("base")
		for i := range 8 {
			if r.IntN(3) == 0 {
				branch := fmt.Sprintf("side%d", i)
				g.Git("checkout", "-q", "-b", branch)
				edit("b.txt")
				g.Commit("side")
				g.Git("checkout", "-q", "main")
				edit("a.txt")
				g.Commit("main")
				g.Git("merge", "-q", "--no-ff", "-m", "merge", branch)
				continue
			}
			edit([]string{"a.txt", "b.txt"}[r.IntN(2)])
			g.Commit("edit")
		}
		checkBlame(t, g, base, round)
	}
}

func checkBlame(t *testing.T, g *gittest.Repo, base string, round int) {
	t.Helper()
	repo, err := change.Open(t.Context(), []string{g.Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	h, err := repo.History(t.Context(), base, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a.txt", "b.txt"} {
		text, err := os.ReadFile(g.Path(path))
		if err != nil {
			t.Fatal(err)
		}
		total := countLines(text)
		f := file{path: path, text: text, head: git.OID(g.Git("rev-parse", "HEAD:"+path))}
		for l := range total {
			f.want = append(f.want, l)
		}
		origins, err := (&blame{history: h}).trace(t.Context(), []file{f})
		if err != nil {
			t.Fatal(err)
		}
		lineNo := 0
		for out := range strings.Lines(g.Git("blame", "--line-porcelain", "HEAD", "--", path)) {
			fields := strings.Fields(out)
			if len(fields) < 3 || len(fields[0]) != 40 || strings.HasPrefix(out, "\t") {
				continue
			}
			o := origins[0][int32(lineNo)]
			lineNo++
			got := base
			if o.step >= 0 {
				got = string(h.Steps[o.step].OID)
			}
			if got != fields[0] || o.step >= 0 && strconv.Itoa(o.line) != fields[1] {
				t.Errorf("round %d, %s line %d: %s line %d, git says %s line %s", round, path, lineNo, got, o.line, fields[0], fields[1])
			}
		}
		if lineNo != total {
			t.Fatalf("git blame has %d lines of %d", lineNo, total)
		}
	}
}
