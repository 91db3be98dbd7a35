package execute_test

import (
	"slices"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// TestAProgramTellsTheLinesOfWhatTheChangeTouches runs a program that ends with success only
// without arguments, and reaches a package that the change touches over one that it does not.
func TestAProgramTellsTheLinesOfWhatTheChangeTouches(t *testing.T) {
	t.Parallel()
	head := map[string]string{
		"go.mod":          "module example.com/m\n\ngo 1.21\n",
		"cmd/app/main.go": "package main\n\nimport (\n\t\"os\"\n\n\t\"example.com/m/mid\"\n)\n\nfunc main() {\n\tif len(os.Args) != 1 {\n\t\tos.Exit(3)\n\t}\n\tmid.Call()\n}\n",
		"mid/m.go":        "package mid\n\nimport \"example.com/m/in\"\n\n// Call calls.\nfunc Call() {\n\tprintln(in.Big(2))\n}\n",
		"in/a.go":         "package in\n\n// Big is big.\nfunc Big(n int) int {\n\tif n > 9 {\n\t\treturn 100\n\t}\n\treturn n\n}\n",
	}
	c := changeOf(mapFS(head), "cmd/app/main.go", "in/a.go")
	for _, target := range c.Targets {
		target.Kind = gate.ChangeAdded
	}
	s := realStage(t, "runc", func(o *execute.Options) { o.Policy.Conditions = 0 })
	out, _ := executions(t, s, c)
	for file, left := range map[string]int{"cmd/app/main.go": 1, "in/a.go": 1} {
		e := out.Executions[file]
		if e == nil || e.Status != gate.ExecutionExited {
			t.Fatalf("%s: %+v", file, e)
		}
		if e.Coverage["executed"] == 0 || e.Coverage["executable"]-e.Coverage["executed"] != left {
			t.Errorf("%s: %v, %s", file, e.Coverage, e.CoverageReason)
		}
	}
	units := out.Executions["cmd/app/main.go"].Units
	if slices.ContainsFunc(units, func(u gate.Unit) bool { return u.ExitCode != 0 }) {
		t.Errorf("the program got arguments: %+v", units)
	}
}
