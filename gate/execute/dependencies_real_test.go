package execute_test

import (
	"context"
	"maps"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/deps"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/tools/indextest"
	"github.com/aigate/gate/tools/testenv"
)

// buildDependencies builds what `gate deps build` would of a tree, and removes it at
// the end of the test.
func buildDependencies(t *testing.T, tree map[string]string) map[string]string {
	t.Helper()
	file, wheel := indextest.Wheel(t, "gate_greeting", "1.2", "def greet(): return 'hello from the lock file'\n")
	return buildDependenciesWith(t, tree, map[string]string{"PIP_INDEX_URL": indextest.Start(t, map[string][]byte{file: wheel})})
}

// buildDependenciesWith does so with settings of installers.
func buildDependenciesWith(t testing.TB, tree, env map[string]string) map[string]string {
	t.Helper()
	testenv.Docker(t)
	env["GATE_BUILD_NETWORK"], env["GATE_SUPERVISOR"] = "host", testenv.Gate(t)
	how, err := deps.Options{}.Resolve(func(name string) string { return env[name] }, "")
	if err != nil {
		t.Fatal(err)
	}
	how.Trusted = true
	base := mapFS(tree)
	paths, err := locks.Paths(base)
	if err != nil {
		t.Fatal(err)
	}
	all, left, err := locks.Read(base, paths)
	if err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	refs := map[string]string{}
	for _, l := range all {
		testenv.Image(t, l.Language)
		info, _, err := how.Build(t.Context(), l)
		if err != nil || len(info.Problems) > 0 {
			t.Fatal(info.Problems, err)
		}
		refs[l.Language] = info.Ref
		t.Cleanup(func() {
			// An engine in which any container hangs removes no image.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
			defer cancel()
			if out, err := exec.CommandContext(ctx, "docker", "rmi", info.Ref).CombinedOutput(); err != nil {
				t.Logf("%v: %s", err, out)
			}
		})
	}
	return refs
}

func TestAMonorepoRunsWithTheDependenciesOfItsBase(t *testing.T) {
	t.Parallel()
	testenv.WithoutRace(t, "it waits for an installer and for containers")
	head := tree(t, "monorepo-locked")
	base := maps.Clone(head)
	delete(base, "packages/new/package.json")
	delete(base, "packages/new/index.js")
	texts := map[string]string{}
	for name, f := range base {
		texts[name] = string(f.Data)
	}
	refs := buildDependencies(t, texts)

	s := sharedStage(t, "runc", 0)
	change := changeOf(head, "packages/app/main.js", "packages/new/index.js", "packages/new/package.json", "go/tool/main.go", "services/api/run.py", "services/api/src/api/core.py", "services/api/tests/test_core.py")
	change.Base = base
	out, found := executions(t, s, change)
	for _, w := range []struct{ path, language, output string }{
		{"packages/app/main.js", "node", "odd true false\n"},
		{"go/tool/main.go", "go", "workspace I can eat glass and it doesn't hurt me.\n"},
		{"services/api/run.py", "python", "answer: hello from the lock file\n"},
		{"services/api/src/api/core.py", "python", ""},
		{"services/api/tests/test_core.py", "python", ""},
	} {
		e := out.Executions[w.path]
		if e == nil || len(e.Units) == 0 {
			t.Errorf("%s was not run: %+v", w.path, e)
			continue
		}
		if u := e.Units[0]; u.ExitCode != 0 || w.output != "" && u.Stdout.Text != w.output {
			t.Errorf("%s: exit %d, %q, %q", w.path, u.ExitCode, u.Stdout.Text, u.Stderr.Text)
		}
		if e.Image != refs[w.language] || len(e.StandIns) > 0 {
			t.Errorf("%s ran in %s with stand-ins %v", w.path, e.Image, e.StandIns)
		}
		for _, f := range found.Of(w.path) {
			t.Errorf("%s: %s %s", w.path, f.Rule, f.Evidence)
		}
	}
}

func TestReportSaysHowToBuildAMissingImage(t *testing.T) {
	t.Parallel()
	files := tree(t, "monorepo-locked")
	files["services/api/requirements.txt"].Data = []byte("gate-greeting==9.9\n") // which no one has built
	s := realStage(t, "runc", func(o *execute.Options) {
		o.Policy.Conditions = 0
		o.DependencyCommand = "gate deps build --base main"
	})
	change := changeOf(files, "services/api/run.py")
	change.Base = files
	out, found := executions(t, s, change)
	if e := out.Executions["services/api/run.py"]; e.Image != images.Ref("python") || !slices.Equal(e.StandIns, []string{"gate_greeting"}) {
		t.Errorf("it ran in %s with stand-ins %v", e.Image, e.StandIns)
	}
	notes := found.Of("services/api/run.py")
	if len(notes) != 1 || notes[0].Rule != "dependency/not-installed" || notes[0].Severity != gate.SeverityNote {
		t.Fatalf("%+v", notes)
	}
	contains(t, notes[0].Evidence, "it needs the module gate_greeting", "the engine has no image gate-deps-python:", "gate deps build --base main")
}
