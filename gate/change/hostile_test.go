package change

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git/gittest"
)

// ways are the ways to get a change, by name.
func ways(base, head string) map[string]func(*testing.T, *Repo) (*gate.Change, error) {
	o := Options{}
	return map[string]func(*testing.T, *Repo) (*gate.Change, error){
		"folder":    func(t *testing.T, r *Repo) (*gate.Change, error) { return r.Folder(t.Context(), o) },
		"staged":    func(t *testing.T, r *Repo) (*gate.Change, error) { return r.Staged(t.Context(), o) },
		"commits":   func(t *testing.T, r *Repo) (*gate.Change, error) { return r.Between(t.Context(), base, head, o) },
		"up to now": func(t *testing.T, r *Repo) (*gate.Change, error) { return r.Between(t.Context(), base, "", o) },
		"other tree": func(t *testing.T, r *Repo) (*gate.Change, error) {
			_, err := r.Tree(t.Context(), base)
			return nil, err
		},
	}
}

func TestAHostileRepositoryRunsNoCode(t *testing.T) {
	h := gittest.NewHostile(t)
	h.Write("sub/.git/hooks/pre-commit", "#!/bin/sh\n")
	for name, way := range ways(h.Base, h.Head) {
		t.Run(name, func(t *testing.T) {
			c, err := way(t, openRepo(t, h.Dir))
			if err != nil {
				t.Fatal(err)
			}
			if c != nil && (name != "staged" && len(c.Targets) == 0 || len(c.Incomplete) > 0) {
				t.Errorf("%d targets, gaps %v", len(c.Targets), c.Incomplete)
			}
			if ran := h.Triggered(); ran != "" {
				t.Errorf("it ran %q", ran)
			}
		})
	}
}

// TestWhenGitFails lets every single run of git fail, one after the other. The
// outcome must be an error or a gap; what it never may be is a change that looks
// whole and lacks a target.
func TestWhenGitFails(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	g := gittest.New(t)
	g.Write("a.py", numbered(9))
	g.Write(".gitignore", "*.log\n")
	base := g.Commit("x")
	g.Write("a.py", numbered(10))
	g.Write("b.py", "x\n")
	head := g.Commit("y")
	g.Write("a.py", numbered(11))
	g.Write("c.py", "x\n")
	g.Git("add", "a.py")
	g.Write("d.log", "x\n")

	fake := t.TempDir()
	counter := filepath.Join(fake, "count")
	script := fmt.Sprintf("#!/bin/sh\necho >> '%s'\nif [ $(wc -l < '%s') = \"$(cat '%s/fail')\" ]; then echo 'fatal: injected' >&2; exit 128; fi\nexec '%s' \"$@\"\n", counter, counter, fake, real)
	if err := os.WriteFile(filepath.Join(fake, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", fake+":"+os.Getenv("PATH"))
	attempt := func(t *testing.T, fail int, way func(*testing.T, *Repo) (*gate.Change, error)) (c *gate.Change, runs int, err error) {
		t.Helper()
		_ = os.Remove(counter)
		if err := os.WriteFile(filepath.Join(fake, "fail"), []byte(fmt.Sprint(fail)), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Open(t.Context(), []string{g.Dir})
		if err == nil {
			defer r.Close()
			c, err = way(t, r)
		}
		data, readErr := os.ReadFile(counter)
		if readErr != nil {
			t.Fatal(readErr)
		}
		return c, strings.Count(string(data), "\n"), err
	}
	for name, way := range ways(base, head) {
		t.Run(name, func(t *testing.T) {
			whole, runs, err := attempt(t, 0, way)
			if err != nil || runs < 2 {
				t.Fatalf("%d runs, %v", runs, err)
			}
			for i := 1; i <= runs; i++ {
				c, _, err := attempt(t, i, way)
				switch {
				case err != nil:
					t.Logf("run %d of %d fails: %v", i, runs, err)
				case c == nil:
					t.Errorf("run %d of %d fails and no one notices", i, runs)
				case len(c.Incomplete) > 0:
					t.Logf("run %d of %d fails: incomplete %v", i, runs, gaps(c))
				case !slices.Equal(paths(c), paths(whole)):
					t.Errorf("run %d of %d fails and the targets are %v", i, runs, paths(c))
				default:
					for j, target := range c.Targets {
						if !target.Lines.All() && !slices.Equal(target.Lines.Ranges(), whole.Targets[j].Lines.Ranges()) {
							t.Errorf("run %d of %d fails and %s has the lines %v", i, runs, target.Path, target.Lines.Ranges())
						}
					}
					t.Logf("run %d of %d fails: more lines are in the change", i, runs)
				}
			}
		})
	}
}
