package execute_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/tools/testenv"
)

// bringsUp is a runner whose program shows these captures.
func bringsUp(captures ...sandbox.Capture) *fakeRunner {
	return &fakeRunner{answer: func(sandbox.Spec) (sandbox.Result, error) {
		return sandbox.Result{Status: sandbox.Exited, Behaviour: sandbox.Behaviour{Recorder: "fake", Captures: captures}}, nil
	}}
}

func TestCodeThatAppearsGoesThroughTheLayersAgain(t *testing.T) {
	long := strings.Repeat("print('long')\n", 10)
	s := fakeStage(t, bringsUp(
		sandbox.Capture{Path: "/tmp/.gate-code/17-1.py", Data: []byte("print(11)")},
		sandbox.Capture{Path: "/tmp/.gate-code/17-2.py", Data: []byte("print(2)")},
		sandbox.Capture{Path: "/tmp/stage2", Data: []byte("#!/usr/bin/env bash\necho hi\n")},
		sandbox.Capture{Path: "/workspace/sub/late.js", Data: []byte("let a = 1;"), How: "written"},
		sandbox.Capture{Path: "memfd:../../x!y", Data: []byte("odd name")},
		sandbox.Capture{Path: "/tmp/long.py", Data: []byte(long), Truncated: true},
		// What is no news.
		sandbox.Capture{Path: "/workspace/a.py", Data: []byte(program)},
		sandbox.Capture{Path: "/tmp/copy.py", Data: []byte(program)},
		sandbox.Capture{Path: "/tmp/again.py", Data: []byte("print(11)")},
		sandbox.Capture{Path: "memfd:elf", Data: []byte("\x7fELF\x00\x00")},
		sandbox.Capture{Path: "/workspace/.gate-coverage/python-7.json", Data: []byte("{}")},
		sandbox.Capture{Path: "/tmp/blank.py", Data: []byte(" \n")},
	), func(o *execute.Options) { o.Policy.Conditions = 0 })
	out, _ := executions(t, s, changeOf(files(map[string]string{"a.py": program})))
	var got []string
	for _, c := range out.Derived {
		if c.Target.Parent != "a.py" || c.Target.Role != gate.RoleSource {
			t.Errorf("%+v", c.Target)
		}
		got = append(got, fmt.Sprint(c.Target.Path, " ", c.Target.Language))
	}
	want := []string{
		"a.py!compiled.py python", "a.py!compiled-2.py python", "a.py!tmp/stage2 shell", "a.py!sub/late.js javascript",
		"a.py!code python", "a.py!tmp/long.py python",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !slices.ContainsFunc(out.Incomplete, func(g gate.Gap) bool {
		return g.Path == "a.py" && strings.Contains(g.Reason, "a.py!tmp/long.py only the first")
	}) {
		t.Errorf("code that was cut is no gap: %v", out.Incomplete)
	}
}

func TestALargeFileOfTheTreeThatAnInterpreterCompilesIsNoNews(t *testing.T) {
	testenv.WithoutRace(t, "hundreds of kilobytes, one file at a time through the rules")
	large := strings.Repeat("print('large')\n", 20_000)
	head, whole := []byte(large[:200_000]), sha256.Sum256([]byte(large))
	other := sha256.Sum256([]byte(large + "print('more')\n"))
	for name, tt := range map[string]struct {
		sum      []byte
		children int
	}{"all of it": {whole[:], 0}, "its head, with another end": {other[:], 1}, "its head, and nothing known of the end": {nil, 1}} {
		t.Run(name, func(t *testing.T) {
			c := sandbox.Capture{Path: "/tmp/.gate-code/17-1.py", How: "written", Data: head, Truncated: true, Sum: tt.sum}
			s := fakeStage(t, bringsUp(c), func(o *execute.Options) { o.Policy.Conditions = 0 })
			out, _ := executions(t, s, changeOf(files(map[string]string{"a.py": program, "test_large.py": large}), "a.py"))
			if len(out.Derived) != tt.children || len(out.Incomplete) != tt.children {
				t.Errorf("%d children, gaps %v", len(out.Derived), out.Incomplete)
			}
		})
	}
}

func TestMoreCodeThanIsLookedAtIsAGap(t *testing.T) {
	var many []sandbox.Capture
	for i := range 20 {
		many = append(many, sandbox.Capture{Path: fmt.Sprintf("/tmp/%d.py", i), Data: fmt.Appendf(nil, "print(%d)", i)})
	}
	s := fakeStage(t, bringsUp(many...), func(o *execute.Options) { o.Policy.Conditions = 0 })
	out, _ := executions(t, s, changeOf(files(map[string]string{"a.py": program})))
	if len(out.Derived) != 8 || !slices.ContainsFunc(out.Incomplete, func(g gate.Gap) bool { return strings.HasPrefix(g.Reason, "12 more pieces of code") }) {
		t.Errorf("%d children, gaps %v", len(out.Derived), out.Incomplete)
	}
}

func TestCodeThatAppearsInTwoRunsOfAFileHasTwoNames(t *testing.T) {
	var runs atomic.Int64
	r := &fakeRunner{answer: func(sandbox.Spec) (sandbox.Result, error) {
		code := fmt.Sprintf("print('run %d')", runs.Add(1))
		return sandbox.Result{Status: sandbox.Exited, Behaviour: sandbox.Behaviour{Recorder: "fake", Captures: []sandbox.Capture{
			{Path: "/tmp/late.py", Data: []byte(code)}, {Path: "/tmp/both.py", Data: []byte("print('both')")},
		}}}, nil
	}}
	s := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 0 })
	out, _ := executions(t, s, changeOf(files(map[string]string{"a.py": program, "test_a.py": "def test(): pass\n"}), "a.py"))
	got := map[string]string{}
	for _, c := range out.Derived {
		if _, there := got[c.Target.Path]; there {
			t.Errorf("two texts are called %s", c.Target.Path)
		}
		got[c.Target.Path] = string(c.Content)
	}
	if n := int(runs.Load()); n < 2 || len(got) != n+1 || len(out.Incomplete) > 0 {
		t.Errorf("%q after %d runs, gaps %v", got, n, out.Incomplete)
	}
}

func TestCompiledPartsOfThreadsAndProcessesAreOneText(t *testing.T) {
	for ext, language := range map[string]gate.Language{"js": gate.LanguageJavaScript, "py": gate.LanguagePython, "sh": gate.LanguageShell} {
		var many []sandbox.Capture
		for i := range 20 {
			many = append(many, sandbox.Capture{Path: fmt.Sprintf("/tmp/.gate-code/1-%d.%s", i, ext), Data: fmt.Appendf(nil, "log('thread', %d); log()", i)})
		}
		s := fakeStage(t, bringsUp(many...), func(o *execute.Options) { o.Policy.Conditions = 0 })
		out, _ := executions(t, s, changeOf(files(map[string]string{"a.py": program})))
		if len(out.Derived) != 9 || len(out.Incomplete) > 0 {
			t.Fatalf("%s: %d children, gaps %v", ext, len(out.Derived), out.Incomplete)
		}
		if rest := out.Derived[8]; strings.Count(string(rest.Content), "thread") != 12 || rest.Target.Language != language || rest.Target.Path != "a.py!compiled-9."+ext {
			t.Errorf("the rest is %+v %q", rest.Target, rest.Content)
		}
	}
}

func TestCommandsThatAreOnRecordAreNoGapAndComeLast(t *testing.T) {
	var many []sandbox.Capture
	for i := range 20 {
		many = append(many, sandbox.Capture{Path: "argument.sh", How: sandbox.PassedAsArgument + " to sh", Data: fmt.Appendf(nil, "cd /tmp/%d && git init", i)})
	}
	many = append(many, sandbox.Capture{Path: "/tmp/late.py", How: "written", Data: []byte("print('late')")})
	s := fakeStage(t, bringsUp(many...), func(o *execute.Options) { o.Policy.Conditions = 0 })
	out, _ := executions(t, s, changeOf(files(map[string]string{"a.py": program})))
	if len(out.Derived) != 8 || out.Derived[0].Target.Path != "a.py!tmp/late.py" || len(out.Incomplete) > 0 {
		t.Errorf("%d children, the first %v, gaps %v", len(out.Derived), out.Derived[0].Target, out.Incomplete)
	}
}

func TestCodeThatIsNoNewsBringsNothingUp(t *testing.T) {
	argument, pipe := sandbox.PassedAsArgument+" to sh", sandbox.ReadFromPipe+" by sh"
	text := map[string]string{
		"a.py":     program,
		"Makefile": "all:\n\ttar czf out.tgz src && sha256sum out.tgz\n",
		"b.js":     "module.exports = Function('return this')();\n",
	}
	for name, tt := range map[string]struct {
		c   sandbox.Capture
		new bool
	}{
		"a line that is in the change":           {sandbox.Capture{Path: "argument.sh", How: argument, Data: []byte("tar czf out.tgz src && sha256sum out.tgz")}, false},
		"a command with its words filled in":     {sandbox.Capture{Path: "argument.sh", How: argument, Data: []byte("ls -l /tmp/x")}, false},
		"the same that does more":                {sandbox.Capture{Path: "argument.sh", How: argument, Data: []byte("ls -l /tmp/x | sh")}, true},
		"what multiprocessing starts":            {sandbox.Capture{Path: "argument.py", How: argument, Data: []byte("from multiprocessing.resource_tracker import main;main(6)")}, false},
		"something behind it":                    {sandbox.Capture{Path: "argument.py", How: argument, Data: []byte("from multiprocessing.x import y;y(6);import os")}, true},
		"a here-document":                        {sandbox.Capture{Path: "stdin.sh", How: pipe, Data: []byte("tar czf out.tgz src && sha256sum out.tgz\n")}, false},
		"what was piped":                         {sandbox.Capture{Path: "stdin.sh", How: pipe, Data: []byte("id; whoami\n")}, true},
		"what every library compiles":            {sandbox.Capture{Path: "/tmp/.gate-code/1-1.js", Data: []byte("(function anonymous(\n) {\nreturn this\n})")}, false},
		"a function that no file holds":          {sandbox.Capture{Path: "/tmp/.gate-code/1-1.js", Data: []byte("(function anonymous(\n) {\nreturn that\n})")}, true},
		"a file of that name outside the folder": {sandbox.Capture{Path: "/tmp/1-1.js", Data: []byte("return this")}, true},
	} {
		s := fakeStage(t, bringsUp(tt.c), func(o *execute.Options) { o.Policy.Conditions = 0 })
		out, _ := executions(t, s, changeOf(files(text), "a.py"))
		if got := len(out.Derived) == 1; got != tt.new {
			t.Errorf("%s: new is %t, want %t", name, got, tt.new)
		}
	}
}

func TestAnExpressionThatCallsNothingIsNoNews(t *testing.T) {
	for text, new := range map[string]bool{
		"3*3+1": false, "row.total * 1.2 > limit": false, "names['a'] + \"b\"": false, "(a + b) % 7 == 0": false,
		"f(1)": true, "(f)(1)": true, "a[0] (1)": true, "import os": true, "x.__class__": true, "lambda: 1": true,
		"a\nb": true, "a`b`": true, "a; b": true, "a = 1": true, "a.b += c": true, "a >= b": false, "@f": true, "{**a}": true,
		`"import sys\nf(1)"`: false, `'it\'s; f(1)'`: false, `b"f(1)"`: false, `"f(1)" + f("1")`: true, `f"{f(1)}"`: true, `"a" if f(1) else "b"`: true, `"a\"`: true, strings.Repeat("1+", 200) + "1": true,
	} {
		for _, ext := range []string{"py", "js", "sh"} {
			s := fakeStage(t, bringsUp(sandbox.Capture{Path: "/tmp/.gate-code/1-1." + ext, Data: []byte(text)}), func(o *execute.Options) { o.Policy.Conditions = 0 })
			out, _ := executions(t, s, changeOf(files(map[string]string{"a.py": program})))
			if got := len(out.Derived) == 1; got != (new || ext == "sh") {
				t.Errorf("%q of %s: new is %t", text, ext, got)
			}
		}
	}
}
