package execute

import (
	"bytes"
	"path"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// Bats runs a copy of each file of tests in which every test is a function, and prints the
// Test Anything Protocol (https://testanything.org/tap-specification.html).

// A test in a file, in both forms that Bats knows, with what follows its bracket.
var (
	batsTest    = regexp.MustCompile(`^[ \t]*@test[ \t]+.*[^ \t][ \t]+\{(.*)$`)
	batsComment = regexp.MustCompile(`^[ \t]*[^ \t()]+[ \t]*\(?\)?[ \t]+\{[ \t]+#[ \t]*@test[ \t]*()$`)
)

// What a copy has in place of that line and behind the others: calls of Bats with words in
// which nothing is expanded.
const batsWords = `(?:[ \t]+(?:[\w.,:=/@%+-]|\\.|"[^"$\\` + "`" + `]*"|'[^']*'|\$'(?:[^'\\]|\\.)*')+)*`

var (
	batsFunction = regexp.MustCompile(`^(?:bats_test_function` + batsWords + `;)?test_[\w-]+\(\) \{(?: bats_test_begin` + batsWords + `;)?(.*)$`)
	batsCall     = regexp.MustCompile(`^bats_test_function` + batsWords + `$`)
)

// copyOfBats reports whether code is the copy that Bats makes of a file of the tree.
func copyOfBats(tree *workspace.Tree, data []byte) bool {
	if !bytes.Contains(data, []byte("bats_test_function")) {
		return false
	}
	copied := strings.Split(string(data), "\n")
	for _, f := range tree.Files {
		if path.Ext(f.Path) == ".bats" && f.Link == "" && saysTheSame(strings.Split(strings.ReplaceAll(string(f.Data), "\r", ""), "\n"), copied) {
			return true
		}
	}
	return false
}

func saysTheSame(lines, copied []string) bool {
	if len(copied) < len(lines) {
		return false
	}
	for i, line := range copied {
		switch {
		case i < len(lines) && line == lines[i]:
		case i < len(lines):
			body, test := bodyOf(lines[i])
			m := batsFunction.FindStringSubmatch(line)
			if !test || m == nil || strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(m[1]), ":; ")) != strings.TrimSpace(body) {
				return false
			}
		case strings.TrimSpace(line) != "" && !batsCall.MatchString(line):
			return false
		}
	}
	return true
}

// bodyOf is what follows the bracket of a line that begins a test.
func bodyOf(line string) (body string, test bool) {
	for _, form := range []*regexp.Regexp{batsTest, batsComment} {
		if m := form.FindStringSubmatch(line); m != nil {
			return m[1], true
		}
	}
	return "", false
}

var (
	tapPlan  = regexp.MustCompile(`(?m)^1\.\.(\d{1,6})$`)
	tapEnded = regexp.MustCompile(`(?m)^(?:not )?ok \d`)
)

// bats counts tests by what Bats printed. Those with edited lines run first, in a run of
// their own, then all files in their order, the nearest first.
func (c *cut) bats(tree *workspace.Tree, u plan.Unit, program job.Bats, out sandbox.Stream) {
	runs := tapPlan.FindAllSubmatchIndex(out.Data, -1)
	if out.Truncated || runs == nil {
		return
	}
	c.told = true
	if len(program.First) > 0 {
		c.near = len(runs) > 1
		if !c.near {
			return
		}
	}
	last := runs[len(runs)-1]
	c.total, _ = strconv.Atoi(string(out.Data[last[2]:last[3]]))
	c.ended = min(c.total, len(tapEnded.FindAllIndex(out.Data[last[1]:], -1)))
	nearest := 0
	for _, file := range u.Near {
		for line := range strings.Lines(tree.Text(file)) {
			if plan.BatsTest(line) != "" {
				nearest++
			}
		}
	}
	c.near = c.near || nearest > 0 && c.ended >= nearest
}
