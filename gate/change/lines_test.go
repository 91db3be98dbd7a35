package change

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git/gittest"
)

var hunkHeader = regexp.MustCompile(`(?m)^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)

// TestRandomEditsHaveTheLinesThatGitShows compares with another implementation.
// The lines are distinct, so that there is one right answer.
func TestRandomEditsHaveTheLinesThatGitShows(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	g := gittest.New(t)
	const files = 60
	next := 0
	fresh := func() string { next++; return fmt.Sprintf("line %d\n", next) }
	texts := make([][]string, files)
	for i := range texts {
		for range r.IntN(60) {
			texts[i] = append(texts[i], fresh())
		}
		g.Write(fmt.Sprintf("f%02d.txt", i), strings.Join(texts[i], ""))
	}
	base := g.Commit("x")
	for i, text := range texts {
		var edited []string
		for _, line := range text {
			switch r.IntN(8) {
			case 0:
			case 1:
				edited = append(edited, fresh())
			case 2:
				edited = append(edited, line, fresh(), fresh())
			default:
				edited = append(edited, line)
			}
		}
		g.Write(fmt.Sprintf("f%02d.txt", i), strings.Join(edited, ""))
	}
	head := g.Commit("y")
	c := between(t, g.Dir, base, head, Options{})
	if len(c.Targets) < files/2 {
		t.Fatalf("only %d files changed", len(c.Targets))
	}
	for _, target := range c.Targets {
		if target.Kind != gate.ChangeModified {
			continue
		}
		want := asGitShows(t, g, base, head, target)
		if diff := cmp.Diff(want, target.Lines.Ranges()); diff != "" {
			t.Errorf("%s: -git +got:\n%s", target.Path, diff)
		}
	}
}

// asGitShows reads the hunks of git, with our rule for deletions.
func asGitShows(t *testing.T, g *gittest.Repo, base, head string, target *gate.Target) []gate.LineRange {
	t.Helper()
	total := strings.Count(g.Git("show", head+":"+target.Path)+"\n", "\n")
	marked := make([]bool, total+2)
	for _, m := range hunkHeader.FindAllStringSubmatch(g.Git("diff", "-U0", base, head, "--", target.Path), -1) {
		start, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		n := 1
		if m[2] != "" {
			if n, err = strconv.Atoi(m[2]); err != nil {
				t.Fatal(err)
			}
		}
		if n == 0 {
			marked[start], marked[start+1] = true, true
		}
		for i := range n {
			marked[start+i] = true
		}
	}
	var out []gate.LineRange
	for i := 1; i <= total; i++ {
		switch {
		case !marked[i]:
		case len(out) > 0 && out[len(out)-1][1] == i-1:
			out[len(out)-1][1] = i
		default:
			out = append(out, gate.LineRange{i, i})
		}
	}
	return out
}
