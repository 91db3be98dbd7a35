package build

import (
	"slices"
	"strings"
	"testing"
)

// ninjaFiles are files of ninja, with the command that they come to.
func ninjaFiles() map[string]string {
	const edge = "build y: x\n"
	return map[string]string{
		"as it is written":          "rule x\n  command = cu rl\n" + edge,
		"a variable of the file":    "a = cu\nrule x\n  command = $a rl\n" + edge,
		"a variable in braces":      "a = c\nrule x\n  command = ${a}u rl\n" + edge,
		"a variable of the rule":    "rule x\n  a = cu\n  command = $a rl\n" + edge,
		"a variable of the edge":    "a = no\nrule x\n  command = $a rl\nbuild y: x\n  a = cu\n",
		"escapes":                   "a = $:\nrule x\n  command = cu$ rl\n" + edge,
		"a line that goes on":       "rule x\n  command = c$\n      u rl\n" + edge,
		"what goes in":              "rule x\n  command = cu $in\nbuild y: x rl | z\n",
		"what comes out":            "rule x\n  command = cu $out\nbuild rl: x\n",
		"a file of arguments":       "rule x\n  command = sh @f\n  rspfile_content = cu rl\n" + edge,
		"a name that is not there":  "rule x\n  command = c${none}u rl\n" + edge,
		"a rule that nothing uses":  "rule x\n  command = cu rl\n",
		"a value of its own moment": "a = cu\nb = $a\na = no\nrule x\n  command = $b rl\n" + edge,
	}
}

func TestTheVariablesOfNinjaArePutIn(t *testing.T) {
	for name, src := range ninjaFiles() {
		t.Run(name, func(t *testing.T) {
			got, unread := Ninja([]byte(src))
			if !slices.ContainsFunc(got, func(l Line) bool { return l.Text == "cu rl" }) || len(unread) > 0 {
				t.Errorf("got %v, %v", got, unread)
			}
		})
	}
}

func TestAVariableOfNinjaThatHoldsItselfIsABound(t *testing.T) {
	_, unread := Ninja([]byte("rule x\n  a = $a\n  command = $a\nbuild y: x\n"))
	if len(unread) > 0 {
		return
	}
	got, _ := Ninja([]byte("rule x\n  a = $a$a\n  command = $a\nbuild y: x\n"))
	if len(got) == 1 && len(got[0].Text) > maxValue {
		t.Errorf("%d bytes", len(got[0].Text))
	}
}

func TestMacrosOfKconfigAreThoseOfMake(t *testing.T) {
	m := ReadMakefile(Kconfig([]byte("u := rl\nf = $(shell,$(1) $(u))\nconfig A\n\tdef_bool $(f,cu)\n")))
	if !slices.ContainsFunc(append(m.Read, m.Expanded...), func(l Line) bool { return l.Text == "cu rl" && l.At == 4 }) {
		t.Errorf("got %v %v", m.Read, m.Expanded)
	}
}

func m4Texts() map[string]string {
	return map[string]string{
		"a macro":              "define(`a', `cu')\na rl\n",
		"arguments":            "define(`a', `$1u $2')\na(`c', `rl')\n",
		"quotes":               "define(`a', `')\nc`'u rl\n",
		"a macro of Autoconf":  "AC_INIT([x])\nm4_define([a], [cu])\nAC_CONFIG_COMMANDS([y], [a rl])\n",
		"a macro with a macro": "define(`b', `u rl')\ndefine(`a', `c`'b')\na\n",
		"empty brackets":       "AC_INIT([x])\ncu[] r[]l\n",
		"a macro of itself":    "define(`a', `cu a')\na rl\n",
	}
}

func TestMacrosOfM4ArePutIn(t *testing.T) {
	for name, src := range m4Texts() {
		t.Run(name, func(t *testing.T) {
			got, ok, unread := M4([]byte(src))
			want := "cu rl"
			if name == "a macro of itself" {
				want = "cu a rl"
			}
			if !ok || !strings.Contains(string(got), want) || len(unread) > 0 || strings.Count(string(got), "\n") != strings.Count(src, "\n") {
				t.Errorf("got %q, %v", got, unread)
			}
		})
	}
}

func FuzzToolText(f *testing.F) {
	for _, src := range ninjaFiles() {
		f.Add([]byte(src))
	}
	for _, src := range m4Texts() {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		last := strings.Count(string(src), "\n") + 1
		commands, _ := Ninja(src)
		for _, c := range commands {
			if c.At < 1 || c.At > last {
				t.Fatalf("line %d of %d", c.At, last)
			}
		}
		if plain, ok, _ := M4(src); ok && strings.Count(string(plain), "\n") != last-1 {
			t.Fatalf("%d lines of %d", strings.Count(string(plain), "\n")+1, last)
		}
		Kconfig(src)
	})
}
