package change

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aigate/gate/gate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openRepo opens the tree of some paths until the end of the test.
func openRepo(t *testing.T, paths ...string) *Repo {
	t.Helper()
	r, err := Open(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// show writes targets one per line: kind, path, old path, mode where it is not
// that of a plain file, changed lines where not all are.
func show(c *gate.Change) []string {
	out := []string{}
	for _, t := range c.Targets {
		s := fmt.Sprintf("%s %q", t.Kind, t.Path)
		if t.OldPath != "" {
			s += fmt.Sprintf(" from %q", t.OldPath)
		}
		if t.Mode != 0o644 {
			s += " " + t.Mode.String()
		}
		if !t.Lines.All() {
			s += fmt.Sprintf(" %v", t.Lines.Ranges())
		}
		out = append(out, s)
	}
	return out
}

func paths(c *gate.Change) []string {
	out := []string{}
	for _, t := range c.Targets {
		out = append(out, t.Path)
	}
	return out
}

func skips(c *gate.Change) []string {
	out := []string{}
	for _, s := range c.Skipped {
		out = append(out, s.Path+": "+s.Reason)
	}
	return out
}

func gaps(c *gate.Change) []string {
	out := []string{}
	for _, g := range c.Incomplete {
		out = append(out, g.Path+": "+g.Reason)
	}
	return out
}

// mustRead returns the head content of a path.
func mustRead(t *testing.T, c *gate.Change, path string) string {
	t.Helper()
	i := slices.IndexFunc(c.Targets, func(t *gate.Target) bool { return t.Path == path })
	if i < 0 {
		t.Fatalf("%s is no target", path)
	}
	data, err := c.Read(c.Targets[i], 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// checkSorted fails unless everything in a change is in order.
func checkSorted(t *testing.T, c *gate.Change) {
	t.Helper()
	if !slices.IsSorted(paths(c)) || !slices.IsSorted(c.Files) || !slices.IsSorted(skips(c)) {
		t.Errorf("not sorted: %v %v %v", paths(c), c.Files, skips(c))
	}
}

func modeOf(s string) fs.FileMode {
	switch {
	case strings.HasPrefix(s, "link"):
		return fs.ModeSymlink | 0o777
	case strings.HasPrefix(s, "exec"):
		return 0o755
	default:
		return 0o644
	}
}
