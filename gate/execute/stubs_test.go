package execute_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

// lacks is a runner whose program wants one module after the other.
func lacks(modules ...string) *fakeRunner {
	return &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
		for _, m := range modules {
			if !strings.Contains(s.Argv[len(s.Argv)-1], `"`+m+`"`) {
				return sandbox.Result{Status: sandbox.Exited, ExitCode: 1, Stderr: sandbox.Stream{Data: fmt.Appendf(nil, "ModuleNotFoundError: No module named '%s.sub'\n", m)}}, nil
			}
		}
		return sandbox.Result{Status: sandbox.Exited, Stdout: sandbox.Stream{Data: []byte("all of it ran\n")}}, nil
	}}
}

func TestMissingModulesAreReplacedAndReported(t *testing.T) {
	none := func(o *execute.Options) { o.Policy.Conditions = 0 }
	head := files(map[string]string{"a.py": program})
	r := lacks("first", "second")
	out, _ := executions(t, fakeStage(t, r, none), changeOf(head))
	e := out.Executions["a.py"]
	if !slices.Equal(e.StandIns, []string{"first", "second"}) || e.Reason != "it needs the module first" || e.ExitCode != 1 {
		t.Errorf("stand-ins %v, exit %d, %q", e.StandIns, e.ExitCode, e.Reason)
	}
	if last := e.Units[len(e.Units)-1]; last.Kind != "script, with stand-ins" || last.Stdout.Text != "all of it ran\n" {
		t.Errorf("the last run is %+v", last)
	}

	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprint("module", i))
	}
	r = lacks(many...)
	out, _ = executions(t, fakeStage(t, r, none), changeOf(head))
	if n := len(out.Executions["a.py"].StandIns); n != 6 || len(r.specs) != 7 {
		t.Errorf("%d stand-ins after %d runs", n, len(r.specs))
	}
}

func TestModulesThatAProgramNamesAreAllReplacedAtOnce(t *testing.T) {
	r := &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
		if strings.Contains(s.Argv[len(s.Argv)-1], `"third"`) {
			return sandbox.Result{Status: sandbox.Exited}, nil
		}
		return sandbox.Result{Status: sandbox.Exited, ExitCode: 1, Stdout: sandbox.Stream{Data: []byte("E   ModuleNotFoundError: No module named 'first.x'\nE   ModuleNotFoundError: No module named 'second'\nE   ModuleNotFoundError: No module named 'third'\n")}}, nil
	}}
	out, _ := executions(t, fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 0 }), changeOf(files(map[string]string{"a.py": program})))
	if got := out.Executions["a.py"].StandIns; !slices.Equal(got, []string{"first", "second", "third"}) || len(r.specs) != 2 {
		t.Errorf("stand-ins %v after %d runs", got, len(r.specs))
	}
}

func TestOtherConditionsAndCallsFindTheStandIns(t *testing.T) {
	for path, text := range map[string]string{
		"a.py":     "import os, absent\nprint(os.environ.get('CI'))\n", // a script
		"pkg/m.py": "import os, absent\n\n\ndef f():\n    return os.environ.get('CI')\n",
	} {
		r := lacks("absent")
		s := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 2 })
		out, _ := executions(t, s, changeOf(files(map[string]string{path: text}), path))
		var kinds []string
		for _, u := range out.Executions[path].Units {
			kinds = append(kinds, u.Kind)
		}
		with, without, called := 0, 0, false
		for _, k := range kinds {
			if strings.Contains(k, "machine") || strings.Contains(k, "user") || strings.Contains(k, "clock") {
				if strings.Contains(k, "with stand-ins") {
					with++
				} else {
					without++
				}
			}
			called = called || k == "exercise, with stand-ins"
		}
		if with != 2 || without != 1 || !called {
			t.Errorf("%s: %q", path, kinds)
		}
	}
}

func TestStandInsReplaceModulesOfTestsThatTimedOut(t *testing.T) {
	for says, want := range map[string][]string{
		`{"total": 9, "ended": 2, "lacks": ["absent", "other", "no name"]}`: {"absent", "other"},
		`{"total": 9, "ended": 2}`: nil,
	} {
		r := &fakeRunner{}
		r.answer = func(spec sandbox.Spec) (sandbox.Result, error) {
			res := sandbox.Result{Status: sandbox.Exited}
			if line := strings.Join(spec.Argv, " "); strings.Contains(line, "test_a.py") && !strings.Contains(line, `"absent"`) {
				res.Duration = time.Minute
				res.Files = []sandbox.File{{Path: ".gate-coverage/tests-running-1", Data: []byte(says)}}
			}
			return res, nil
		}
		s := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions, o.Policy.TestTimeout = 0, time.Minute })
		out, _ := executions(t, s, changeOf(files(map[string]string{"a.py": program, "test_a.py": "def test(): pass\n"}), "a.py"))
		if got := out.Executions["a.py"].StandIns; !slices.Equal(got, want) {
			t.Errorf("%s: stand-ins %v, want %v", says, got, want)
		}
	}
}

func TestAFolderOfTheRepositoryIsNotReplaced(t *testing.T) {
	r := lacks("pkg")
	out, _ := executions(t, fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 0 }),
		changeOf(files(map[string]string{"a.py": program, "pkg/other.txt": "x"}), "a.py"))
	if e := out.Executions["a.py"]; len(e.StandIns) != 0 || len(r.specs) != 1 {
		t.Errorf("stand-ins %v after %d runs", e.StandIns, len(r.specs))
	}
}

func TestPackagesOfAWorkspaceFindEachOther(t *testing.T) {
	workspace := map[string]string{
		"package.json":                   `{"workspaces": ["packages/*"]}`,
		"packages/util/package.json":     `{"name": "@acme/util"}`,
		"packages/plain/package.json":    `{"name": "plain"}`,
		"packages/climbs/package.json":   `{"name": "../../etc/x"}`,
		"packages/hidden/package.json":   `{"name": ".bin"}`,
		"packages/absolute/package.json": `{"name": "/etc"}`,
		"packages/broken/package.json":   `{"name": `,
		"packages/again/package.json":    `{"name": "plain"}`,
		"node_modules/dep/package.json":  `{"name": "dep"}`,
		"packages/app/main.js":           "console.log(1)\n",
	}
	links := func(tree map[string]string) []string {
		r := &fakeRunner{}
		executions(t, fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 0 }), changeOf(files(tree), "packages/app/main.js"))
		var got []string
		for name := range r.inputs[0] {
			if strings.HasPrefix(name, "node_modules/") && !strings.HasPrefix(name, "node_modules/dep") {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		return got
	}
	if got := links(workspace); !slices.Equal(got, []string{"node_modules/@acme/util", "node_modules/plain"}) {
		t.Errorf("links %v", got)
	}
	delete(workspace, "package.json")
	if got := links(workspace); len(got) != 0 {
		t.Errorf("without a workspace: links %v", got)
	}
}
