package execute_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

// saying answers every run with these files in the folder of coverage.
func saying(status sandbox.Status, files map[string]string) *fakeRunner {
	return &fakeRunner{silent: true, answer: func(sandbox.Spec) (sandbox.Result, error) {
		res := sandbox.Result{Status: status, Reason: "a reason"}
		for name, data := range files {
			res.Files = append(res.Files, sandbox.File{Path: ".gate-coverage/" + name, Data: []byte(data)})
		}
		return res, nil
	}}
}

func TestUnknownLinesAreNotCalledCovered(t *testing.T) {
	for _, tt := range []struct {
		name   string
		path   string
		status sandbox.Status
		files  map[string]string
		want   string
	}{
		{"a run that tells", "a.py", sandbox.Exited, map[string]string{"python-1.json": `{"files": {"a.py": [[1], [1]]}}`}, "1 of 1, 1 changed"},
		{"two processes", "a.py", sandbox.Exited, map[string]string{"python-1.json": `{"files": {"a.py": [[1], []]}}`, "python-2.json": `{"files": {"a.py": [[1], [1]]}}`}, "1 of 1, 1 changed"},
		{"a process that stopped watching", "a.py", sandbox.Exited, map[string]string{"python-1.json": `{"files": {"a.py": [[1], []]}, "full": true}`},
			"0 of 1, 1 changed -1: it ran more lines than are watched, so some of those that did not may have"},
		{"nothing is left", "a.py", sandbox.Exited, nil, "not measured: the run left no word about its lines"},
		{"a run that was ended", "a.py", sandbox.Timeout, nil, "not measured: the run was ended before it told which of its lines ran"},
		{"another file", "a.py", sandbox.Exited, map[string]string{"python-1.json": `{"files": {"b.py": [[1], [1]]}}`}, "not measured: no run loaded the file"},
		{"a line that is not there", "a.py", sandbox.Exited, map[string]string{"python-1.json": `{"files": {"a.py": [[1, 2], [2]]}}`}, "0 of 1, 1 changed -1"},
		{"nonsense", "a.py", sandbox.Exited, map[string]string{"python-1.json": `]`}, "not measured: what Python says about its lines: invalid character ']' looking for beginning of value"},
		{"files of other names", "a.py", sandbox.Exited, map[string]string{"x.json": `{"files": {"a.py": [[1], [1]]}}`}, "not measured: no run loaded the file"},
		{"a shell that cannot tell", "a.sh", sandbox.Exited, nil, "not measured: bash does not tell which of its lines ran"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := program
			if tt.path == "a.sh" {
				text = "#!/bin/sh\n"
				tt.want = strings.Replace(tt.want, "bash", "sh", 1)
			}
			s := fakeStage(t, saying(tt.status, tt.files), nil)
			out, _ := executions(t, s, changeOf(files(map[string]string{tt.path: text})))
			if got := told(out.Executions[tt.path]); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

// Claims change what is shown of coverage, and nothing that anybody decides by.
func TestCoverageClaimsDoNotChangeTheDecision(t *testing.T) {
	outcome := func(claims map[string]string) (gate.Outcome, []gate.Finding) {
		r := saying(sandbox.Timeout, claims)
		out, found := executions(t, fakeStage(t, r, nil), changeOf(files(map[string]string{"a.py": program})))
		for _, e := range out.Executions {
			e.Coverage, e.Uncovered, e.CoverageReason = nil, nil, ""
		}
		return out, found.Of("a.py")
	}
	plain, noted := outcome(nil)
	forged, said := outcome(map[string]string{"python-1.json": `{"files": {"a.py": [[1], [1]]}}`})
	if len(noted) == 0 {
		t.Fatal("a run that does not end is a finding")
	}
	if diff := cmp.Diff(plain, forged) + cmp.Diff(noted, said); diff != "" {
		t.Error(diff)
	}
}

func TestFilesOfTheChangeAreNoClaims(t *testing.T) {
	const claim = `{"files": {"a.py": [[1], [1]]}}`
	r := saying(sandbox.Exited, map[string]string{"python-1.json": claim})
	out, _ := executions(t, fakeStage(t, r, nil), changeOf(files(map[string]string{"a.py": program, ".gate-coverage/python-1.json": claim}), "a.py"))
	if got := told(out.Executions["a.py"]); !strings.HasPrefix(got, "not measured") {
		t.Error(got)
	}
}

func TestFunctionsAreCalledWhereLinesDidNotRun(t *testing.T) {
	const module = "def f():\n    return 1\n"
	claim := func(ran string) sandbox.File {
		return sandbox.File{Path: ".gate-coverage/python-1.json", Data: []byte(`{"files": {"a.py": [[1, 2], [` + ran + `]]}}`)}
	}
	for _, tt := range []struct {
		name  string
		first sandbox.Result
		then  sandbox.Result
		fails error
		lines gate.LineSet
		want  string
		told  string
	}{
		{name: "a line that did not run", first: sandbox.Result{Files: []sandbox.File{claim("1")}}, then: sandbox.Result{Files: []sandbox.File{claim("1, 2")}},
			want: "module exercise", told: "2 of 2, 2 changed"},
		{name: "all ran", first: sandbox.Result{Files: []sandbox.File{claim("1, 2")}}, want: "module", told: "2 of 2, 2 changed"},
		{name: "it is no line of the change", first: sandbox.Result{Files: []sandbox.File{claim("1")}}, lines: gate.OnlyLines(gate.LineRange{1, 1}), want: "module", told: "1 of 1, 1 changed"},
		{name: "it cannot be imported", first: sandbox.Result{ExitCode: 1, Files: []sandbox.File{claim("1")}}, want: "module", told: "1 of 2, 2 changed -2"},
		{name: "calling hangs", first: sandbox.Result{Files: []sandbox.File{claim("1")}}, then: sandbox.Result{Status: sandbox.Timeout},
			want: "module exercise", told: "1 of 2, 2 changed -2: the run was ended before it told which of its lines ran"},
		{name: "the engine fails", first: sandbox.Result{Files: []sandbox.File{claim("1")}}, fails: errors.New("gone"), want: "module", told: "1 of 2, 2 changed -2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &fakeRunner{}
			r.answer = func(spec sandbox.Spec) (sandbox.Result, error) {
				res, err := tt.first, error(nil)
				if strings.Contains(spec.Argv[len(spec.Argv)-1], `"exercise":true`) {
					res, err = tt.then, tt.fails
				}
				if res.Status == "" {
					res.Status = sandbox.Exited
				}
				return res, err
			}
			c := changeOf(files(map[string]string{"a.py": module}))
			c.Targets[0].Lines = tt.lines
			out, _ := executions(t, fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 0 }), c)
			e := out.Executions["a.py"]
			var kinds []string
			for _, u := range e.Units {
				kinds = append(kinds, u.Kind)
			}
			if got := strings.Join(kinds, " "); got != tt.want || told(e) != tt.told {
				t.Errorf("run as %s, %s\nwant %s, %s", got, told(e), tt.want, tt.told)
			}
			if e.Status != gate.ExecutionExited || e.ExitCode != tt.first.ExitCode {
				t.Errorf("calling functions says how the import ended: %s %d", e.Status, e.ExitCode)
			}
			if gap := len(out.Incomplete) > 0; gap != (tt.fails != nil) {
				t.Errorf("incomplete: %v", out.Incomplete)
			}
		})
	}
}

func TestLanguagesAreAllAskedForTheirLines(t *testing.T) {
	r := &fakeRunner{}
	c := changeOf(files(map[string]string{
		"a.py": program, "b.js": "console.log(1)", "go.mod": "module m", "c/c.go": "package main\nfunc main() {}", "d/d.go": "package d", "e.sh": "#!/bin/bash\n:", "f.sh": "#!/bin/sh\n:",
	}))
	out, _ := executions(t, fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 0 }), c)
	asked := map[string]bool{"a.py": true, "./b.js": true, "./c": true, "./d": true, "e.sh": true, "f.sh": false}
	for _, spec := range r.specs {
		all := strings.Join(slices.Concat(spec.Argv, spec.Env), " ")
		for name, want := range asked {
			if !slices.ContainsFunc(spec.Argv, func(a string) bool { return a == name || strings.Contains(a, `"target":"`+name) }) {
				continue
			}
			delete(asked, name)
			told := slices.Contains(spec.Output, ".gate-coverage")
			how := strings.Contains(all, `"cover":["a.py"]`) || strings.Contains(all, "NODE_V8_COVERAGE=/workspace/.gate-coverage") || strings.Contains(all, "go build -cover") || strings.Contains(all, "go test -cover") || strings.Contains(all, "BASH_XTRACEFD=")
			if told != want || how != want {
				t.Errorf("%s: asked %v, brought back %v, want %v", name, how, told, want)
			}
		}
	}
	if len(asked) > 0 {
		t.Errorf("not run: %v", asked)
	}
	for path, e := range out.Executions {
		for _, u := range e.Units {
			if shown := strings.Join(u.Command, " "); strings.Contains(shown, "cover") {
				t.Errorf("%s: shown as %s", path, shown)
			}
		}
	}
}
