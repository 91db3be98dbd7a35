package execute

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/wants"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

func TestAProgramGetsWhatItAskedForUntilItAsksForNothingNew(t *testing.T) {
	script := func(file, text string) (*workspace.Tree, plan.Unit) {
		return treeOf(map[string]string{file: text}), plan.Unit{Kind: plan.Script, Targets: []string{file}, Job: job.Job{Image: gate.LanguageShell, Program: job.Script{Interpreter: "bash", File: file}}}
	}
	for name, tt := range map[string]struct {
		text   string
		errors []string // one for each run
		args   []string
		env    []string
		files  []string
		what   string // commands
	}{
		"an argument by its message":     {errors: []string{"x.sh: line 2: 1: host\n"}, args: []string{"gate-sample.invalid"}, files: []string{"gate-sample.txt", "gate-sample/first.txt"}},
		"the second argument":            {errors: []string{"x.sh: line 2: $2: unbound variable\n"}, text: "port=$2\n", args: []string{"8080", "8080"}, files: []string{"gate-sample.txt", "gate-sample/first.txt"}},
		"the same argument twice":        {errors: []string{"x.sh: line 2: 1: host\n", "x.sh: line 2: 1: host\n"}, args: []string{"gate-sample.invalid"}, files: []string{"gate-sample.txt", "gate-sample/first.txt"}},
		"a message of use":               {errors: []string{"usage: x.sh URL FILE\n"}, args: []string{"http://gate-sample.invalid/", "gate-sample.txt"}, files: []string{"gate-sample.txt", "gate-sample/first.txt"}},
		"a refusal without a reason":     {errors: []string{"name the pages\n", "name the pages\n", "name the pages\n"}, text: "[ $# -gt 1 ] || exit 2\n", args: []string{"gate-sample.txt", "gate-sample.txt"}, files: []string{"gate-sample.txt", "gate-sample/first.txt"}},
		"a failure without arguments":    {errors: []string{"no luck\n"}, text: "false\n"},
		"a variable":                     {errors: []string{"x.sh: line 2: API_URL: unbound variable\n"}, env: []string{"API_URL=http://gate-sample.invalid/"}},
		"a file, its folder first":       {errors: []string{"x.sh: line 2: out/a.md: No such file or directory\n", "x.sh: line 2: out/a.md: No such file or directory\n"}, files: []string{"out/.keep", "out/a.md"}},
		"a file of the machine":          {errors: []string{"x.sh: line 2: /etc/x.conf: No such file or directory\n"}},
		"a file above the workspace":     {errors: []string{"x.sh: line 2: ../../x.conf: No such file or directory\n"}},
		"a file that is there":           {errors: []string{"x.sh: line 2: x.sh: No such file or directory\n"}},
		"a module that go.work names":    {errors: []string{"x.sh: line 2: tools/go.mod: No such file or directory\n"}},
		"a manifest":                     {errors: []string{"x.sh: line 2: package.json: No such file or directory\n"}},
		"a command, and one that is not": {errors: []string{"x.sh: line 2: hugo: command not found\n", "x.sh: line 2: hugo: command not found\n"}, what: "hugo"},
	} {
		t.Run(name, func(t *testing.T) {
			tree, u := script("x.sh", tt.text)
			var s supplied
			for _, text := range tt.errors {
				one := run{res: sandbox.Result{Status: sandbox.Exited, ExitCode: 2, Stderr: sandbox.Stream{Data: []byte(text)}}}
				if !s.add(tree, u, one, wants.Usage(text)) {
					break
				}
			}
			var files []string
			for _, f := range s.files {
				files = append(files, f.Path)
			}
			if !slices.Equal(s.args, tt.args) || !slices.Equal(s.env, tt.env) || !slices.Equal(files, tt.files) || strings.Join(s.commands, " ") != tt.what {
				t.Errorf("args %q, env %q, files %q, commands %q", s.args, s.env, files, s.commands)
			}
		})
	}
}
