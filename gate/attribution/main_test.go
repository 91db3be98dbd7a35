package attribution

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/git/gittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// attribute runs the attribution of what lies between two commits; an empty head
// is the work tree.
func attribute(t *testing.T, g *gittest.Repo, base, head string, in Input) map[string]*gate.Target {
	t.Helper()
	r, err := change.Open(t.Context(), []string{g.Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c, err := r.Between(t.Context(), base, head, change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in.Change = c
	if in.History, err = r.History(t.Context(), base, head); err != nil {
		t.Fatal(err)
	}
	if in.Policy.Changes == "" {
		in.Policy = gate.DefaultPolicy()
	}
	if err := Attribute(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	out := map[string]*gate.Target{}
	for _, target := range c.Targets {
		out[target.Path] = target
	}
	return out
}

// who writes an attribution as one line.
func who(t *gate.Target) string {
	if t == nil {
		return "no target"
	}
	a := t.Attribution
	s := a.Basis
	if len(a.Agents) > 0 {
		s += " " + strings.Join(a.Agents, "+")
	}
	if len(a.Lines) > 0 {
		s += fmt.Sprint(" ", a.Lines)
	}
	if a.AI == t.StaticOnly {
		s += fmt.Sprintf(" (ai %t, static only %t)", a.AI, t.StaticOnly)
	}
	return s
}

func evidence(t *gate.Target) string {
	var b strings.Builder
	for _, e := range t.Attribution.Evidence {
		fmt.Fprintf(&b, "%s: %s\n", e.Source, e.Text)
	}
	return b.String()
}

// numbered is a text of n distinct lines.
func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// commitAs records everything under another name.
func commitAs(g *gittest.Repo, name, email, message string) string {
	g.Git("add", "-A")
	g.Git("-c", "user.name="+name, "-c", "user.email="+email, "commit", "-q", "--no-verify", "--allow-empty", "--cleanup=verbatim", "-m", message)
	return g.Git("rev-parse", "HEAD")
}
