package execute_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
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
		if slices.Contains(s.Argv, "./lib") {
			return sandbox.Result{}, errors.New("a package was analysed that is not there")
		}
		return able("[]"), nil
	}}
}

func able(text string) sandbox.Result {
	return sandbox.Result{Status: sandbox.Exited, Stdout: sandbox.Stream{Data: []byte(`{"version": 2, "go": "go1", "packages": ` + text + `}`)}}
}

func TestCapabilitiesOfAPackageThatAChangeAdds(t *testing.T) {
	const files = `{"name": "FILES", "path": "lib.F > os.Open", "file": "lib/lib.go", "line": 3, "through": [{"file": "lib/lib.go", "from": 2, "to": 4}]}`
	const exec = `{"name": "EXEC", "path": "lib.F > os/exec.Command", "file": "lib/other.go", "line": 7, "through": [{"file": "lib/other.go", "from": 6, "to": 8}]}`
	const network = `{"name": "NETWORK", "path": "lib.G > net.Dial", "file": "lib/lib.go", "line": 9, "through": [{"file": "lib/lib.go", "from": 8, "to": 9}]}`
	const env = `{"name": "MODIFY_SYSTEM_STATE/ENV", "path": "lib.init > os.Setenv", "file": "", "line": 0, "through": [{"file": "lib/lib.go", "from": 5, "to": 5}]}`
	const linked = `{"name": "ARBITRARY_EXECUTION", "path": "lib links the name x", "file": "lib/lib.go", "line": 2}`
	const harmless = `{"name": "READ_SYSTEM_STATE", "path": "lib.F > os.Getpid", "file": "lib/lib.go", "line": 3, "through": [{"file": "lib/lib.go", "from": 2, "to": 4}]}`
	// Another path to what exec reaches, which the change edits, and one that goes through
	// an edited function of another package.
	const edited = `{"name": "EXEC", "path": "lib.Z > os/exec.Command", "file": "lib/lib.go", "line": 21, "through": [{"file": "lib/lib.go", "from": 20, "to": 22}]}`
	const through = `{"name": "EXEC", "path": "lib.Y > m.run > os/exec.Command", "file": "lib/other.go", "line": 4, "through": [{"file": "lib/other.go", "from": 3, "to": 5}, {"file": "main.go", "from": 1, "to": 1}]}`
	const shown = `{"name": "EXEC", "path": "lib.Z > m.run > os/exec.Command", "file": "lib/lib.go", "line": 21, "through": [{"file": "lib/lib.go", "from": 20, "to": 22}, {"file": "main.go", "from": 1, "to": 1}]}`
	const within = `{"name": "EXEC", "path": "lib.Y > lib.Z > os/exec.Command", "file": "lib/other.go", "line": 4, "through": [{"file": "lib/other.go", "from": 3, "to": 5}, {"file": "lib/lib.go", "from": 20, "to": 22}]}`
	const dep = `{"name": "EXEC", "path": "lib.Y > dep.Run > os/exec.Command", "file": "lib/other.go", "line": 5, "through": [{"file": "lib/other.go", "from": 3, "to": 5}], "dependency": "example.com/dep@v1.1.0"}`
	const added = `{"name": "EXEC", "path": "lib.Y > new.Run > os/exec.Command", "file": "lib/other.go", "line": 5, "through": [{"file": "lib/other.go", "from": 3, "to": 5}], "dependency": "example.com/new@v1.0.0"}`
	const same = `{"name": "EXEC", "path": "lib.Y > same.Run > os/exec.Command", "file": "lib/other.go", "line": 5, "through": [{"file": "lib/other.go", "from": 3, "to": 5}], "dependency": "example.com/same@v1.0.0"}`
	of := func(name, imports string, caps ...string) sandbox.Result {
		return able(`[{"dir": "lib", "name": "` + name + `", "imports": [` + imports + `], "capabilities": [` + strings.Join(caps, ",") + `]}]`)
	}
	lib := func(caps ...string) sandbox.Result { return of("lib", `"strings"`, caps...) }
	const runs = "package tool\n\nimport \"os/exec\"\n\nvar Run = exec.Command\n"
	for name, c := range map[string]struct {
		base, head sandbox.Result
		isNew      bool
		strict     bool
		other      map[string]string // files of the base
		want       []string
		gaps       int
	}{
		"nothing new":                    {base: lib(files, harmless), head: lib(files, harmless)},
		"what is new":                    {base: lib(files), head: lib(files, network, harmless), want: []string{"suspicious capability/added-network lib.G > net.Dial (lib.go:9)"}},
		"in a file without a change":     {base: lib(), head: lib(exec), want: []string{"suspicious capability/added-exec lib.F > os/exec.Command (other.go:7)"}},
		"of the system's state":          {base: lib(), head: lib(env), want: []string{"suspicious capability/added-modify-system-state lib.init > os.Setenv"}},
		"what is gone":                   {base: lib(files, network), head: lib(files)},
		"by another path than before":    {base: lib(exec), head: lib(edited, dep)},
		"once for several paths":         {base: lib(), head: lib(exec, dep), want: []string{"suspicious capability/added-exec lib.Y > dep.Run > os/exec.Command (other.go:5), in the dependency example.com/dep@v1.1.0, which the change updates from v1.0.0"}},
		"in plain sight":                 {base: lib(), head: lib(edited), want: []string{"note capability/added-exec lib.Z > os/exec.Command (lib.go:21)"}},
		"in plain sight and by a detour": {base: lib(), head: lib(edited, added), want: []string{"suspicious capability/added-exec lib.Y > new.Run > os/exec.Command (other.go:5), in the dependency example.com/new@v1.0.0, which the change adds"}},
		"through an edited function":     {base: lib(), head: lib(exec, dep, through), want: []string{"suspicious capability/added-exec lib.Y > m.run > os/exec.Command (other.go:4)"}},
		"in plain sight elsewhere":       {base: lib(), head: lib(shown), want: []string{"note capability/added-exec lib.Z > m.run > os/exec.Command (lib.go:21)"}},
		"an edited function of its own":  {base: lib(), head: lib(within), want: []string{"note capability/added-exec lib.Y > lib.Z > os/exec.Command (other.go:4)"}},
		"in an updated dependency":       {base: lib(), head: lib(exec, dep), want: []string{"suspicious capability/added-exec lib.Y > dep.Run > os/exec.Command (other.go:5), in the dependency example.com/dep@v1.1.0, which the change updates from v1.0.0"}},
		"in an added dependency":         {base: lib(), head: lib(added), want: []string{"suspicious capability/added-exec lib.Y > new.Run > os/exec.Command (other.go:5), in the dependency example.com/new@v1.0.0, which the change adds"}},
		"in a dependency as it was":      {base: lib(), head: lib(same), want: []string{"suspicious capability/added-exec lib.Y > same.Run > os/exec.Command (other.go:5), in the dependency example.com/same@v1.0.0"}},
		"a new package":                  {isNew: true, head: lib(files, exec), want: []string{"suspicious capability/added-exec lib.F > os/exec.Command (other.go:7)", "note capability/added-files lib.F > os.Open (lib.go:3)"}},
		"a command":                      {base: of("main", ""), head: lib(files, network, exec), want: []string{"suspicious capability/added-exec lib.F > os/exec.Command (other.go:7)", "note capability/added-files lib.F > os.Open (lib.go:3)", "note capability/added-network lib.G > net.Dial (lib.go:9)"}},
		"a server":                       {base: of("lib", `"net/http"`), head: lib(network, env), want: []string{"suspicious capability/added-modify-system-state lib.init > os.Setenv", "note capability/added-network lib.G > net.Dial (lib.go:9)"}},
		"what only the change makes one": {base: lib(), head: of("main", `"net/http"`, network), want: []string{"suspicious capability/added-network lib.G > net.Dial (lib.go:9)"}},
		"what uses the system":           {base: of("lib", `"os"`), head: lib(files, network), want: []string{"suspicious capability/added-network lib.G > net.Dial (lib.go:9)", "note capability/added-files lib.F > os.Open (lib.go:3)"}},
		"a helper of tests":              {base: of("lib", `"testing"`), head: lib(env, exec), want: []string{"suspicious capability/added-exec lib.F > os/exec.Command (other.go:7)", "note capability/added-modify-system-state lib.init > os.Setenv"}},
		"as the base does elsewhere":     {base: lib(), head: lib(exec, linked), other: map[string]string{"tool/run.go": runs}, want: []string{"suspicious capability/added-arbitrary-execution lib links the name x (lib.go:2)", "note capability/added-exec lib.F > os/exec.Command (other.go:7)"}},
		"as only the base's tests do":    {base: lib(), head: lib(exec), other: map[string]string{"tool/run_test.go": runs, "testdata/run.go": runs, "tools/go.mod": "module tools", "tools/run.go": runs}, want: []string{"suspicious capability/added-exec lib.F > os/exec.Command (other.go:7)"}},
		"a head that does not build":     {base: lib(files), head: able(`[{"dir": "lib", "error": "undefined: x", "capabilities": []}]`), want: []string{"note capability/unknown undefined: x"}},
		"what is seen all the same":      {base: lib(), head: able(`[{"dir": "lib", "error": "undefined: x", "capabilities": [` + linked + `,` + files + `]}]`), want: []string{"suspicious capability/added-arbitrary-execution lib links the name x (lib.go:2)", "note capability/unknown undefined: x"}},
		"the same, and it is required":   {base: lib(files), head: able(`[{"dir": "lib", "error": "undefined: x"}]`), strict: true, want: []string{"note capability/unknown undefined: x"}, gaps: 1},
		"a base that does not build":     {base: able(`[{"dir": "lib", "error": "undefined: y"}]`), head: lib(files), want: []string{"note capability/unknown undefined: y"}},
		"an image without the program":   {base: lib(), head: sandbox.Result{Status: sandbox.Exited, ExitCode: 127}, want: []string{"note capability/unknown the image has no /usr/local/bin/gate-capabilities; an image that is older than this lacks it: gate doctor --build go"}},
		"an analysis that ran out":       {base: lib(), head: sandbox.Result{Status: sandbox.OOM, Reason: "memory"}, want: []string{"note capability/unknown the analysis ended as oom: memory"}},
		"an answer of another version":   {base: lib(), head: sandbox.Result{Status: sandbox.Exited, Stdout: sandbox.Stream{Data: []byte(`{"version": 1}`)}}, want: []string{"note capability/unknown the analysis gave no answer that is understood (version 1); an image that is older than this lacks it: gate doctor --build go"}},
		"an analysis that failed":        {base: able(`[], "error": "panic"`), head: lib(), want: []string{"note capability/unknown panic"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := analyst(t, map[string]sandbox.Result{"BASE": c.base, "HEAD": c.head})
			s := fakeStage(t, r, func(o *execute.Options) {
				o.Policy.Conditions = 0
				if c.strict {
					o.On.NotExecutable = gate.LeniencyIncomplete
				}
			})
			base := map[string]string{"go.mod": "module example.com/m\n\ngo 1.21\n\nrequire (\n\texample.com/dep v1.0.0 // indirect\n\texample.com/same v1.0.0\n)\n", "main.go": "package main\n"}
			maps.Copy(base, c.other)
			head := map[string]string{"go.mod": base["go.mod"], "main.go": base["main.go"], "lib/lib.go": "package lib // HEAD\n", "lib/lib_test.go": "package lib\n"}
			if !c.isNew {
				base["lib/lib.go"] = "package lib // BASE\n"
			}
			change := changeOf(mapFS(head), "lib/lib.go", "lib/lib_test.go", "main.go")
			change.Targets[0].Lines = gate.OnlyLines(gate.LineRange{21, 21})
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
