package execute_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/sandbox/images"
)

func TestAChangeRunsWithThePackagesThatItAdds(t *testing.T) {
	base := map[string]string{"requirements.txt": "flask==3.0.0\n", "app.py": "print(1)\n"}
	head := map[string]string{"requirements.txt": "flask==3.0.0\nclick==8.1.0\n", "app.py": "print(2)\n"}
	ofBase := lockOf(t, base, "python")
	ofBoth, added, ok := locks.Extend(ofBase, lockOf(t, head, "python"))
	if !ok || len(added) != 1 {
		t.Fatal(added, ok)
	}
	const projects = `[{"dir": "", "at": "/opt/aigate/deps/0"}]`
	small, large := images.DependencyRef("python", ofBase.Digest), images.DependencyRef("python", ofBoth.Digest)
	for name, tt := range map[string]struct {
		never string
		fails bool
		want  string
		rule  string
		asked int
	}{
		"they are fetched":         {want: large, rule: "dependency/from-change", asked: 1},
		"they cannot be fetched":   {fails: true, want: small, asked: 2},
		"the policy says never":    {never: "deps-added: never", want: small, asked: 1},
		"nothing can be installed": {fails: true, never: "deps-added: never", want: small, asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			engine := &library{labels: map[string]map[string]string{small: labelsOf(ofBase, projects)}}
			asked := 0
			o := options(func(context.Context) (execute.Runner, error) { return engine, nil })
			o.Policy.Conditions, o.NotAdded = 0, tt.never
			o.Install = func(_ context.Context, l locks.Lock) error {
				asked++
				switch {
				case tt.fails:
					return errors.New("the registry does not answer")
				case l.Changed:
					engine.labels[large] = labelsOf(l, projects)
				}
				return nil
			}
			s, err := execute.New(o)
			if err != nil {
				t.Fatal(err)
			}
			change := changeOf(mapFS(head), "app.py")
			change.Base = mapFS(base)
			_, found := executions(t, s, change)
			if len(engine.specs) == 0 || engine.specs[0].Image != tt.want || asked != tt.asked {
				t.Fatalf("it ran in %+v after %d installations, want %s", engine.specs, asked, tt.want)
			}
			if got := notes(found, "app.py"); got != tt.rule {
				t.Errorf("findings %q, want %q", got, tt.rule)
			}
		})
	}
}

func TestTheUserIsToldWhatIsNotInstalled(t *testing.T) {
	files := map[string]string{"requirements.txt": "flask==3.0.0\n", "app.py": "print(1)\n"}
	lock := lockOf(t, files, "python")
	for there, want := range map[bool]int{true: 0, false: 1} {
		engine := &library{labels: map[string]map[string]string{}}
		if there {
			engine.labels[images.DependencyRef("python", lock.Digest)] = labelsOf(lock, `[{"dir": "", "at": "/opt/aigate/deps/0"}]`)
		}
		told := 0
		o := options(func(context.Context) (execute.Runner, error) { return engine, nil })
		o.Policy.Conditions = 0
		o.Uninstalled = func(locks.Lock) { told++ }
		s, err := execute.New(o)
		if err != nil {
			t.Fatal(err)
		}
		change := changeOf(mapFS(files), "app.py")
		change.Base = mapFS(files)
		if executions(t, s, change); told != want {
			t.Errorf("with an image (%v), the user is told %d times", there, told)
		}
	}
}

// notes are the rules about dependencies of a file.
func notes(found *gate.Findings, file string) string {
	var out []string
	for _, f := range found.Of(file) {
		if strings.HasPrefix(f.Rule, "dependency/") {
			out = append(out, f.Rule)
		}
	}
	return strings.Join(out, " ")
}
