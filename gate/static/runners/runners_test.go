package runners_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/runners"
)

func named(lang gate.Language, text string) []string {
	var out []string
	in, _ := runners.In(lang, []byte(text))
	for _, r := range in {
		how := "runs"
		if r.Evaluates {
			how = "evaluates"
		}
		out = append(out, fmt.Sprintf("%s %s on line %d of %d-%d", r.Name, how, r.At, r.First, r.Last))
	}
	return out
}

func TestAFunctionThatRunsWhatItIsGivenIsARunner(t *testing.T) {
	for _, c := range []struct {
		lang gate.Language
		text string
		want []string
	}{
		{gate.LanguagePython, "import os\ndef show(x, y=1):\n    cmd = f'{x} -v'\n    os.system(cmd)\n\nprint(1)\n", []string{"show runs on line 4 of 2-5"}},
		{gate.LanguagePython, "import subprocess\nasync def go(\n    x,\n):\n    pass\nnotify = subprocess.getoutput\n", []string{"notify runs on line 6 of 6-6"}},
		{gate.LanguagePython, "from os import system as say\n", []string{"say runs on line 1 of 1-1"}},
		{gate.LanguagePython, "def render(t):\n    return eval(t)\n", []string{"render evaluates on line 2 of 1-3"}},
		{gate.LanguagePython, "OUT = {'a': print, 'log': os.system}\ndef show(x, to='log'):\n    OUT[to](x)\n", []string{"log runs on line 1 of 1-1", "show runs on line 3 of 2-4"}},
		{gate.LanguageJavaScript, "const { exec } = require('child_process');\nexports.log = exec;\n", []string{"log runs on line 2 of 2-2"}},
		{gate.LanguageJavaScript, "import { execSync as say } from 'node:child_process'\nexport const note = (m) => {\n  execSync(m);\n};\n", []string{"say runs on line 1 of 1-1", "note runs on line 3 of 2-4"}},
		{gate.LanguageTypeScript, "class A {\n  say(m: string) {\n    return eval(m)\n  }\n}\n", []string{"say evaluates on line 3 of 2-4"}},
		{gate.LanguageGo, "func Say(m string) {\n\texec.Command(\"sh\", \"-c\", m).Run()\n}\n", []string{"Say runs on line 2 of 1-3"}},
		{gate.LanguageShell, "say() { eval \"$*\"; }\n", []string{"say runs on line 1 of 1-1"}},
		{gate.LanguageShell, "note() {\n  local m=\"$1\"\n  bash -c \"$m\"\n}\n", []string{"note runs on line 3 of 1-4"}},
		{gate.LanguageShell, "function note {\n  echo \"$*\" | sh\n}\n", []string{"note runs on line 2 of 1-3"}},
		{gate.LanguageMakefile, "RUN := eval\nSH = @bash -ec\nSAY := echo\nCC = gcc -c\n", []string{"$RUN runs on line 1 of 1-1", "$SH runs on line 2 of 2-2"}},
		{gate.LanguageUnknown, "export RUN=\"sh -c\"\nNAME=sh\n", []string{"$RUN runs on line 1 of 1-1"}},
		{gate.LanguageRuby, "def say(m)\n  system(m)\nend\n", []string{"say runs on line 2 of 1-2"}},
		{gate.LanguagePHP, "function say($m) {\n  shell_exec($m);\n}\n", []string{"say runs on line 2 of 1-3"}},
		{gate.LanguagePerl, "sub say {\n  my $m = shift;\n  system($m);\n}\n", []string{"say runs on line 3 of 1-4"}},
		{gate.LanguageLua, "function M.say(m)\n  os.execute(m)\nend\n", []string{"say runs on line 2 of 1-2"}},
	} {
		if got := named(c.lang, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s %q: %q, want %q", c.lang, c.text, got, c.want)
		}
	}
}

func TestAFunctionThatRunsSomethingElseIsNoRunner(t *testing.T) {
	for text, lang := range map[string]gate.Language{
		"def show(x):\n    print(x)\n":                                       gate.LanguagePython,
		"def show(x):\n    os.system('make')\n    print(x)\n":                gate.LanguagePython,
		"def show(x):\n    print(x)\n\ndef other():\n    os.system(x)\n":     gate.LanguagePython,
		"const m = re.exec(line);\nfunction a(x) { return pattern.exec(x) }": gate.LanguageJavaScript,
		"exports.log = console.log;\n":                                       gate.LanguageJavaScript,
		"func Say(m string) {\n\texec.Command(\"git\", \"status\").Run()\n}": gate.LanguageGo,
		"say() { echo \"$*\"; }\nrun() { eval \"$(tool env)\"; }\n":          gate.LanguageShell,
	} {
		if got := named(lang, text); len(got) > 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestTextsThatACallGivesAreFound(t *testing.T) {
	names := map[string]bool{"say": true, "$RUN": true}
	for _, c := range []struct {
		lang gate.Language
		text string
		want []string
	}{
		{gate.LanguagePython, "from u import say\nsay(\n  'git status', 3)\n", []string{"2 git status"}},
		{gate.LanguagePython, "from u import say as p\nCMD = 'git ' + 'status'\np(CMD)\n", []string{"3 git status"}},
		{gate.LanguageJavaScript, "const { say: p } = require('./u');\nconst o = { cmd: `git status` };\np(o.cmd)\n", []string{"3 git status"}},
		{gate.LanguageGo, "u.say(\"git status\")\n", []string{"1 git status"}},
		{gate.LanguageShell, ". ./u.sh\nCMD=\"git status\"\nif x; then say \"$CMD -v\"; fi\n", []string{"3 git status -v"}},
		{gate.LanguageMakefile, "a:\n\t@$(RUN) \"git status\"\nb:\n\techo $(RUN) git status\n", []string{"2 git status"}},
		{gate.LanguageShell, "cd x && ${RUN:-echo} git status -v\n", []string{"1 git status -v"}},
		{gate.LanguagePython, "def say(x='git status'):\n  pass\nother('git status')\n", nil},
		{gate.LanguagePython, "say('short')\n", nil},
	} {
		var got []string
		given, _ := runners.Given(c.lang, []byte(c.text), names)
		for _, g := range given {
			got = append(got, fmt.Sprint(g.Line, " ", g.Text))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzRunners(f *testing.F) {
	for _, s := range []string{"def a(x):\n os.system(x)\na('git status')", "say() { eval \"$*\"; }\nsay \"$A\"", "exports.a = exec; a(`b", "a(\"\\", "T = {\n'a': eval}\nT['a'](x)"} {
		f.Add(string(gate.LanguagePython), s)
		f.Add(string(gate.LanguageShell), s)
		f.Add(string(gate.LanguageJavaScript), s)
	}
	f.Fuzz(func(t *testing.T, lang, text string) {
		l := gate.Language(lang)
		lines := 1 + strings.Count(text, "\n")
		names := map[string]bool{"a": true, "say": true}
		in, _ := runners.In(l, []byte(text))
		for _, r := range in {
			if r.First < 1 || r.At < r.First || r.Last < r.At || r.Last > lines {
				t.Errorf("%q: %+v of %d lines", text, r, lines)
			}
			names[r.Name] = true
		}
		given, _ := runners.Given(l, []byte(text), names)
		for _, g := range given {
			if g.Line < 1 || !names[g.Name] {
				t.Errorf("%q: %+v", text, g)
			}
		}
	})
}

func TestReadingTakesTimeThatGrowsWithTheText(t *testing.T) {
	names := map[string]bool{"aa": true}
	for _, piece := range []string{"def aa(x):\n", "aa(", "aa(\"", "a = b[c](", "aa = {", "aa() {\n", "x as y, ", "aa $x "} {
		text := []byte(strings.Repeat(piece, 100_000/len(piece)))
		for _, l := range []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageShell, gate.LanguageGo} {
			began := time.Now()
			runners.In(l, text)
			runners.Given(l, text, names)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%s %q: %v", l, piece, took)
			}
		}
	}
}
