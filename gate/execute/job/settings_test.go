package job

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// programs has one of each kind, two where a setting tells them apart.
func programs() map[string]Job {
	return map[string]Job{
		"a program of Python":  {Image: gate.LanguagePython, Program: Python{Mode: RunFile, Target: "a.py", Roots: []string{""}}},
		"a module of Python":   {Image: gate.LanguagePython, Program: Python{Mode: Import, Target: "a", Roots: []string{""}}},
		"a program of Node":    {Image: gate.LanguageJavaScript, Program: Node{Command: []string{"node", "./a.js"}}},
		"a module of Node":     {Image: gate.LanguageJavaScript, Program: Node{Import: "file:///workspace/a.js"}},
		"a program of Go":      {Image: gate.LanguageGo, Program: GoProgram{What: "."}},
		"tests of Go":          {Image: gate.LanguageGo, Program: GoTests{Packages: []string{"."}}},
		"a script of Bash":     {Image: gate.LanguageShell, Program: Script{Interpreter: "bash", File: "a.sh"}},
		"a script of sh":       {Image: gate.LanguageShell, Program: Script{Interpreter: "sh", File: "a.sh"}},
		"a WebAssembly module": {Image: gate.LanguageShell, Program: Module{File: "a.wasm"}},
		"lines of shell":       {Image: gate.LanguageShell, Program: Lines{Name: "RUN", Each: []string{"true"}}},
		"a Makefile":           {Image: gate.LanguageShell, Program: Make{File: "Makefile"}},
		"a command":            {Image: gate.LanguagePython, Program: Command{Argv: []string{"sh", "-c", "true"}}},
	}
}

// TestSettings holds for every program and every setting that it is honoured, and
// shows in the command line or the environment, or is refused with an error: a
// setting that is dropped in silence is the defect that this package is there to end.
func TestSettings(t *testing.T) {
	all := slices.Collect(maps.Keys(programs()))
	for name, tt := range map[string]struct {
		set   func(Job) (Job, error)
		takes []string
	}{
		"a later clock": {
			func(j Job) (Job, error) { j, _, err := j.AtTime(2_000_000_000); return j, err },
			[]string{"a program of Python", "a module of Python", "a program of Node", "a module of Node", "a script of Bash", "a WebAssembly module"},
		},
		"calling functions": {exercised, []string{"a program of Python", "a module of Python", "a program of Node", "a module of Node"}},
		"stand-ins": {
			func(j Job) (Job, error) {
				return j.WithStandIns([]string{"x"}, func(string) []string { return []string{"y"} })
			},
			[]string{"a program of Python", "a module of Python", "a program of Node", "a module of Node"},
		},
		"the restricted mode": {func(j Job) (Job, error) { return j.Restricted(Limits{Allow: []string{"os"}}) }, []string{"a program of Python", "a module of Python"}},
		"WebAssembly":         {Job.AsWasm, []string{"a program of Go"}},
		"counting lines": {
			func(j Job) (Job, error) { return j.Counted([]string{"a"}, "") },
			[]string{"a program of Python", "a module of Python", "a program of Node", "a module of Node", "a program of Go", "tests of Go", "a script of Bash", "a Makefile"},
		},
		"arguments":   {func(j Job) (Job, error) { return j.With("--x"), nil }, all},
		"a variable":  {func(j Job) (Job, error) { return j.In("X=1"), nil }, all},
		"a directory": {func(j Job) (Job, error) { return j.WithInstalled("/opt/x"), nil }, all},
	} {
		for kind, j := range programs() {
			before := j.Line()
			got, err := tt.set(j)
			if want := slices.Contains(tt.takes, kind); want != (err == nil) {
				t.Errorf("%s for %s: %v", name, kind, err)
				continue
			}
			var notApplicable *NotApplicable
			switch {
			case err != nil && (!errors.As(err, &notApplicable) || notApplicable.Why == ""):
				t.Errorf("%s for %s: the error is %#v", name, kind, err)
			case err == nil && reflect.DeepEqual(before, got.Line()):
				t.Errorf("%s for %s: nothing of it is in the line", name, kind)
			}
			if after := j.Line(); !reflect.DeepEqual(before, after) || !reflect.DeepEqual(j, programs()[kind]) {
				t.Errorf("%s for %s changes the job that it was made from", name, kind)
			}
		}
	}
}

// exercised calls the functions of a module for the sake of a few lines.
func exercised(j Job) (Job, error) {
	return j.Exercised(Calls{Touched: map[string][][2]int{"a.py": {{3, 4}}}})
}

func TestTheModulePathOfChildrenHasTheRepositoryBeforeWhatIsInstalled(t *testing.T) {
	j := programs()["a module of Python"].In("CI=true").ForChildren([]string{"", "src"})
	before := slices.Clone(j.Env)
	if got, want := j.WithInstalled("/opt/x").Env, []string{"CI=true", "PYTHONPATH=/workspace:/workspace/src:/opt/x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.Equal(j.Env, before) {
		t.Errorf("the job that it was made from has %q now", j.Env)
	}
}

func TestSettingsAddUp(t *testing.T) {
	j := programs()["a module of Python"].WithInstalled("/opt/x").In("CI=true")
	for _, set := range []func(Job) (Job, error){
		exercised,
		func(j Job) (Job, error) { j, _, err := j.AtTime(7); return j, err },
		func(j Job) (Job, error) { return j.Counted([]string{"a.py"}, "") },
		func(j Job) (Job, error) { return j.Restricted(Limits{}) },
		func(j Job) (Job, error) { return j.WithStandIns([]string{"x"}, nil) },
	} {
		var err error
		if j, err = set(j); err != nil {
			t.Fatal(err)
		}
	}
	line := j.Line()
	want := `{"mode":"import","roots":["","/opt/x"],"target":"a","clock":7,"cover":["a.py"],"exercise":true,"touched":{"a.py":[[3,4]]},"stand_ins":["x"],"restrict":{"allow":[],"runner":[]}}`
	if got := line.Argv[len(line.Argv)-1]; got != want {
		t.Errorf("it is told %s\nwant %s", got, want)
	}
	if got := strings.Join(line.Env, " "); got != "PYTHONPATH=/opt/x CI=true" {
		t.Errorf("its environment is %s", got)
	}
}

func TestRestricted(t *testing.T) {
	command := Command{Argv: []string{"sh", "-c", "python3 a.py"}}
	if _, err := (Job{Image: gate.LanguagePython, Program: command}).Restricted(Limits{}); err == nil {
		t.Error("a command that has no exception runs without the restricted mode")
	}
	command.OwnInterpreter = true
	j := Job{Image: gate.LanguagePython, Program: command}
	if got, err := j.Restricted(Limits{}); err != nil || !reflect.DeepEqual(got, j) {
		t.Errorf("a documented exception: %v, %v", got, err)
	}
}

func TestCounted(t *testing.T) {
	for name, tt := range map[string]struct {
		j      Job
		source string
		want   string
	}{
		"a shell without a trace":    {programs()["a script of sh"], "", "sh does not tell which of its lines ran"},
		"a script with its own":      {programs()["a script of Bash"], "set -x\n", "the script has a trace of its own"},
		"a module":                   {programs()["a WebAssembly module"], "", "nothing tells which of its instructions ran"},
		"a command of Python":        {programs()["a command"], "", "only programs that are started directly are watched in Python"},
		"a program of Go in Wasm":    {Job{Image: gate.LanguageGo, Program: GoProgram{What: ".", Wasi: true}}, "", "only programs that are started directly are watched in Go"},
		"lines that a tool starts":   {programs()["lines of shell"], "", "nothing tells which of its lines ran"},
		"a command in another image": {Job{Image: gate.LanguageShell, Program: Command{Argv: []string{"make"}}}, "", "nothing tells which of its lines ran"},
	} {
		if _, err := tt.j.Counted([]string{"a"}, tt.source); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

func TestOurs(t *testing.T) {
	j := programs()["a command"]
	for code, want := range map[string]bool{
		importFile: true, strings.TrimSpace(exerciseFile): true, aroundShell: true, aroundMake: true, goRunCounted: true, goTwice: true, goNearestOnly: true, goWasi(64): true, goWasi(65 << 20): false,
		"true": true, "--help": true, "false": false, "": false, pythonCover + "more": true, "print(1)": false,
	} {
		if got := j.Ours(code, 64); got != want {
			t.Errorf("%.40q is ours: %v, want %v", code, got, want)
		}
	}
}
