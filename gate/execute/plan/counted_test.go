package plan

import (
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
)

func TestAProgramCountsItselfAndWhatTheChangeTouchesOfIt(t *testing.T) {
	files := map[string]string{
		"go.mod":          "module example.com/m\n",
		"cmd/app/main.go": "package main\n\nimport _ \"example.com/m/mid\"\n\nfunc main() {}\n",
		"mid/m.go":        "package mid\n\nimport _ \"example.com/m/in\"\n",
		"in/a.go":         "package in\n",
		"alone/a.go":      "package alone\n",
		"main.go":         "package main\n\nimport _ \"example.com/m/in\"\n\nfunc main() {}\n",
		"gen.go":          "//go:build ignore\n\npackage main\n\nfunc main() {}\n",
		"odd,name/x.go":   "package main\n\nfunc main() {}\n",
	}
	for name, tt := range map[string]struct {
		add     map[string]string
		targets []string
		what    string
		of      string
	}{
		"the program alone":                         {targets: []string{"cmd/app/main.go"}, what: "./cmd/app", of: "./cmd/app"},
		"with what it imports over others":          {targets: []string{"cmd/app/main.go", "in/a.go"}, what: "./cmd/app", of: "./cmd/app,./in"},
		"without what it does not consist of":       {targets: []string{"cmd/app/main.go", "alone/a.go", "mid/m.go"}, what: "./cmd/app", of: "./cmd/app,./mid"},
		"a program in the folder of the module":     {targets: []string{"main.go", "in/a.go"}, what: ".", of: ".,./in"},
		"a file of its own counts as before":        {targets: []string{"gen.go", "in/a.go"}, what: "./gen.go"},
		"a name that would be two":                  {targets: []string{"odd,name/x.go"}, what: "./odd,name"},
		"a workspace, whose modules count together": {add: map[string]string{"go.work": "go 1.21\n\nuse .\n"}, targets: []string{"cmd/app/main.go"}, what: "./cmd/app"},
		"a module without a name":                   {add: map[string]string{"go.mod": "go 1.21\n"}, targets: []string{"cmd/app/main.go", "in/a.go"}, what: "./cmd/app"},
	} {
		t.Run(name, func(t *testing.T) {
			head := fstest.MapFS{}
			for _, all := range []map[string]string{files, tt.add} {
				for p, text := range all {
					head[p] = &fstest.MapFile{Data: []byte(text)}
				}
			}
			c := &gate.Change{Head: head}
			for p := range head {
				c.Files = append(c.Files, p)
			}
			for _, p := range tt.targets {
				c.Targets = append(c.Targets, &gate.Target{Path: p, Kind: gate.ChangeModified, Language: gate.LanguageGo, Mode: 0o644})
			}
			p := Make(workspace.Load(c, nil, workspace.Limits{Files: 100, Bytes: 1 << 20}), c.Targets, nil, nil)
			for _, u := range p.Units {
				if program, ok := u.Job.Program.(job.GoProgram); ok && program.What == tt.what {
					if program.Of != tt.of {
						t.Errorf("%s counts %q", tt.what, program.Of)
					}
					return
				}
			}
			t.Errorf("no unit runs %s: %+v", tt.what, p.Units)
		})
	}
}
