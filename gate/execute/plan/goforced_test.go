package plan

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
)

func TestWhatOnlyTellsIsActedOnWhereItIsCalled(t *testing.T) {
	const src = `package main

func root(out string) string {
	if len(out) == 7 {
		return out
	}
	return "/home"
}

func main() { wipe(root("x")) }

func wipe(string) {}
`
	tree := treeOf(map[string]string{"go.mod": "module example.com/p\n", "p.go": src})
	u := Unit{Kind: Script, Targets: []string{"p.go"}, Job: job.Job{Image: gate.LanguageGo}}
	lines := map[string][][2]int{"p.go": {{7, 7}}}
	units := GoCalls(tree, u, lines, lines)
	if len(units) != 1 {
		t.Fatalf("%d units", len(units))
	}
	text := string(units[0].Extra[len(units[0].Extra)-1].Data)
	if !strings.Contains(text, "{root,") || !strings.Contains(text, "{main,") || strings.Contains(text, "{wipe,") {
		t.Errorf("calls:\n%s", text)
	}
}

func TestAnErrorThatCameAloneIsGoneOnFrom(t *testing.T) {
	const src = "package p\n\nfunc f() {\n\terr := g()\n\tswitch {\n\tcase is(err):\n\t\treturn\n\tcase err != nil:\n\t\treturn\n\t}\n\tharm()\n}\n\nfunc h() {\n\tx, err := k()\n\tif err != nil {\n\t\treturn\n\t}\n\tharm(x)\n}\n"
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := goForced(set, file, src, [][2]int{{11, 11}, {19, 19}})
	for _, want := range []string{"case gateGivenUnmet(is(err)):", "case gateGivenUnmet(err != nil):", "\tif err != nil {"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestScriptsGoOnBehindWhatEndsThem(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		line int
		want string
	}{
		"a function that ends the script": {"#!/bin/bash\nreply() {\n    echo no\n    exit 0\n}\n[ \"$n\" -gt 0 ] 2>/dev/null || reply bad\nrm -rf x\n", 7, `{ [ "$n" -gt 0 ] 2>/dev/null; :; } || reply bad`},
		"the last branch of a case":       {"#!/bin/bash\ncase $v in\n    *-*) f=./env ;;\n    *) f=$HOME/.bashrc ;;\nesac\n", 4, "case 'given' in"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := shellForced(tt.text, [][2]int{{tt.line, tt.line}}, 0); !strings.Contains(got, tt.want) {
				t.Errorf("no %q in\n%s", tt.want, got)
			}
		})
	}
}
