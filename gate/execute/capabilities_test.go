package execute_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

// analyst is a runner that answers for the program that looks at capabilities, by a
// word in the files that it finds, and for every other with success.
func analyst(t *testing.T, answers map[string]sandbox.Result) *fakeRunner {
	t.Helper()
	return &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
		if s.Argv[0] != "/usr/local/bin/gate-capabilities" {
			return sandbox.Result{Status: sandbox.Exited}, nil
		}
		if s.Observe == nil || s.Limits.Memory < 1<<30 {
			t.Errorf("it runs as %+v", s.Limits)
		}
		files, err := unpack(s)
		if err != nil {
			return sandbox.Result{}, err
		}
		for word, res := range answers {
			if strings.Contains(files["lib/lib.go"], word) {
				return res, nil
			}
		}
		return sandbox.Result{}, errors.New("a tree without lib.go was analysed")
	}}
}

func able(text string) sandbox.Result {
	return sandbox.Result{Status: sandbox.Exited, Stdout: sandbox.Stream{Data: []byte(`{"version": 1, "go": "go1", "packages": ` + text + `}`)}}
}

func TestWhatAPackageCanDoSinceTheChange(t *testing.T) {
	const files = `{"name": "FILES", "path": "lib.F > os.Open", "file": "lib.go", "line": 3}`
	const exec = `{"name": "EXEC", "path": "lib.F > os/exec.Command", "file": "other.go", "line": 7}`
	const network = `{"name": "NETWORK", "path": "lib.G > net.Dial", "file": "lib.go", "line": 9}`
	const env = `{"name": "MODIFY_SYSTEM_STATE/ENV", "path": "lib.init > os.Setenv", "file": "", "line": 0}`
	const harmless = `{"name": "READ_SYSTEM_STATE", "path": "lib.F > os.Getpid", "file": "lib.go", "line": 3}`
	lib := func(caps ...string) sandbox.Result {
		return able(`[{"dir": "lib", "capabilities": [` + strings.Join(caps, ",") + `]}]`)
	}
	for name, c := range map[string]struct {
		base, head sandbox.Result
		isNew      bool
		strict     bool
		want       []string
		gaps       int
	}{
		"nothing new":                  {base: lib(files, harmless), head: lib(files, harmless)},
		"what is new":                  {base: lib(files), head: lib(files, network, harmless), want: []string{"suspicious capability/added-network lib.G > net.Dial (lib.go:9)"}},
		"in a file without a change":   {base: lib(), head: lib(exec), want: []string{"suspicious capability/added-exec lib.F > os/exec.Command (other.go:7)"}},
		"of the system's state":        {base: lib(), head: lib(env), want: []string{"suspicious capability/added-modify-system-state lib.init > os.Setenv"}},
		"what is gone":                 {base: lib(files, network), head: lib(files)},
		"a new package":                {isNew: true, head: lib(files, exec), want: []string{"suspicious capability/added-exec lib.F > os/exec.Command (other.go:7)", "note capability/added-files lib.F > os.Open (lib.go:3)"}},
		"a head that does not build":   {base: lib(files), head: able(`[{"dir": "lib", "error": "undefined: x", "capabilities": []}]`), want: []string{"note capability/unknown undefined: x"}},
		"the same, and it is required": {base: lib(files), head: able(`[{"dir": "lib", "error": "undefined: x"}]`), strict: true, want: []string{"note capability/unknown undefined: x"}, gaps: 1},
		"a base that does not build":   {base: able(`[{"dir": "lib", "error": "undefined: y"}]`), head: lib(files), want: []string{"note capability/unknown undefined: y"}},
		"an image without the program": {base: lib(), head: sandbox.Result{Status: sandbox.Exited, ExitCode: 127}, want: []string{"note capability/unknown the image has no /usr/local/bin/gate-capabilities; an image that is older than this lacks it: gate doctor --build go"}},
		"an analysis that ran out":     {base: lib(), head: sandbox.Result{Status: sandbox.OOM, Reason: "memory"}, want: []string{"note capability/unknown the analysis ended as oom: memory"}},
		"an answer of another version": {base: lib(), head: sandbox.Result{Status: sandbox.Exited, Stdout: sandbox.Stream{Data: []byte("{}")}}, want: []string{"note capability/unknown the analysis gave no answer that is understood (version 0); an image that is older than this lacks it: gate doctor --build go"}},
		"an analysis that failed":      {base: able(`[], "error": "panic"`), head: lib(), want: []string{"note capability/unknown panic"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := analyst(t, map[string]sandbox.Result{"BASE": c.base, "HEAD": c.head})
			s := fakeStage(t, r, func(o *execute.Options) {
				o.Policy.Conditions = 0
				if c.strict {
					o.On.NotExecutable = gate.LeniencyIncomplete
				}
			})
			base := map[string]string{"go.mod": "module example.com/m\n\ngo 1.21\n", "main.go": "package main\n"}
			head := map[string]string{"go.mod": base["go.mod"], "main.go": base["main.go"], "lib/lib.go": "package lib // HEAD\n", "lib/lib_test.go": "package lib\n"}
			if !c.isNew {
				base["lib/lib.go"] = "package lib // BASE\n"
			}
			change := changeOf(mapFS(head), "lib/lib.go", "lib/lib_test.go")
			change.Base = mapFS(base)
			out, found := executions(t, s, change)
			var got []string
			for _, f := range found.Of("lib/lib.go") {
				got = append(got, fmt.Sprintf("%s %s %s", f.Severity, f.Rule, f.Evidence))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if len(found.Of("lib/lib_test.go")) > 0 {
				t.Error("a test is taken for part of the package")
			}
			if len(out.Incomplete) != c.gaps {
				t.Errorf("gaps %+v", out.Incomplete)
			}
		})
	}
}

func TestCapabilitiesAreComparedOnlyWhereThereIsABase(t *testing.T) {
	r := &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
		if strings.Contains(s.Argv[0], "capabilities") {
			t.Error("it was analysed")
		}
		return sandbox.Result{Status: sandbox.Exited}, nil
	}}
	executions(t, fakeStage(t, r, nil), changeOf(mapFS(map[string]string{"a.go": "package a\n"})))
}

func TestCapabilitiesThatWereNotReachedAreAGap(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("the time budget was used up")
	r := &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
		if strings.Contains(s.Argv[0], "capabilities") {
			cancel(over)
			return sandbox.Result{Status: sandbox.Killed}, over
		}
		return sandbox.Result{Status: sandbox.Exited}, nil
	}}
	files := mapFS(map[string]string{"go.mod": "module example.com/m\n", "a.go": "package a\n"})
	c := changeOf(files, "a.go")
	c.Base = files
	out, _ := fakeStage(t, r, func(o *execute.Options) { o.Parallel, o.Policy.Conditions = 1, 0 }).Run(ctx, c, gate.NewFindings(c.Targets, nil))
	if len(out.Incomplete) != 1 || !strings.Contains(out.Incomplete[0].Reason, "was not compared with the base: "+over.Error()) {
		t.Errorf("%+v", out.Incomplete)
	}
}
