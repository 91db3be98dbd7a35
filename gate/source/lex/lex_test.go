package lex

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// marks draws a text's classes: s string, c comment, . code, a line end as it is.
func marks(text *Text, src string) string {
	var b strings.Builder
	for i := range len(src) {
		switch {
		case src[i] == '\n':
			b.WriteByte('\n')
		default:
			b.WriteByte(".sc"[text.At(i)])
		}
	}
	return b.String()
}

type lexCase struct{ name, src, want string }

func runCases(t *testing.T, lang gate.Language, cases []lexCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := marks(Scan(lang, []byte(c.src)), c.src); got != c.want {
				t.Errorf("\n%s\ngot\n%s\nwant\n%s", c.src, got, c.want)
			}
		})
	}
}

func TestPython(t *testing.T) {
	runCases(t, gate.LanguagePython, []lexCase{
		{"a comment ends with its line", "a # b\nc", "..ccc\n."},
		{"a hash in a string is text", `a("#b")`, `..ssss.`},
		{"an escaped quote does not close", `a = 'it\'s' # x`, `....sssssss.ccc`},
		{"a string without an end stops at the line", "a = 'b\nc", "....ss\n."},
		{"a triple-quoted string spans lines", "a = '''b\n'c'''#", "....ssss\nsssssc"},
		{"a string that is a statement documents", "def f():\n  \"\"\"os.system\"\"\"\n  x", "........\n..ccccccccccccccc\n..."},
		{"a string in brackets on its own line is no documentation", "f(\n'a'\n)", "..\nsss\n."},
		{"a string that something is done with is no documentation", "'a'.join(x)", "sss........"},
		{"braces in an f-string hold code", `f"a{os.x('b')}c"`, ".sss.....sss.sss"},
		{"doubled braces in an f-string are text", `f"a{{b}}"`, ".ssssssss"},
		{"braces in a plain string are text", `"a{b}"`, "cccccc"},
		{"a lone carriage return ends a comment", "# a\ros.system", "ccc.........."},
		{"nested quotes in an f-string field", `x = f"{d["k"]}z"`, ".....ss..sss.sss"},
	})
}

func TestJavaScript(t *testing.T) {
	runCases(t, gate.LanguageJavaScript, []lexCase{
		{"line and block comments", "a // b\n/* c\n */ d", "..cccc\ncccc\nccc.."},
		{"a template holds code", "`a${b('c')}d`", "ssss..sss.sss"},
		{"a template in a template", "`a${`b${c}`}d`", "ssssssss.sssss"},
		{"a regular expression may hold quotes", `x = /['"]/g; y`, `....ssssss....`},
		{"a division is no regular expression", `a / b / "c"`, `........sss`},
		{"return begins an expression", `return /"/.test(a)`, `.......sss........`},
		{"a string stops at the line", "a = 'b\nc", "....ss\n."},
		{"a line separator ends a comment", "// a\u2028b() // c\u2029d", "cccc.......cccc...."},
		{"no comment begins behind the comment sign of HTML", "<!-- /*\na() /* b */\n<!-- */ c", ".......\n....ccccccc\n........."},
		{"no string begins there", "a <!-- `\nb\n<!-- `", "........\n.\n......"},
		{"nor behind its closing sign at the start of a line", "a\n /* b */ --> /*\nc() // d", ".\n.ccccccc.......\n....cccc"},
		{"nor behind a comment of several lines", "a /*\n*/ --> `\nb()", "..cc\ncc......\n..."},
		{"a closing sign inside of a line counts down", "while (a --> 0) /* b */;", "................ccccccc."},
		{"an interpreter line is a comment", "#!/usr/bin/env node\na", "ccccccccccccccccccc\n."},
	})
}

func TestShell(t *testing.T) {
	runCases(t, gate.LanguageShell, []lexCase{
		{"a hash inside a word is no comment", "echo a#b $# ${#a} # c", "..................ccc"},
		{"single quotes know no escapes", `a '\' b`, `..sss..`},
		{"a substitution in double quotes is code", `"a $(cat "b") c"`, "sssss....sssssss"},
		{"backticks in double quotes are code", "\"a `b` c\"", "ssss.ssss"},
		{"a here document is a string", "cat <<E\n# a\nE\nb", ".......\nsss\n.\n."},
		{"a quoted here document with tabs", "cat <<-'E'\n\ta\n\tE\n# c", "..........\nss\n..\nccc"},
		{"a here string is no here document", "cat <<<a\n# b", "........\nccc"},
		{"a shift is no here document", "echo $((1<<2))\n# b", "..............\nccc"},
		{"an ANSI string has escapes", `$'a\'b' # c`, `.ssssss.ccc`},
	})
}

func TestOtherLanguages(t *testing.T) {
	runCases(t, gate.LanguageGo, []lexCase{
		{"a raw string spans lines and knows no escapes", "a := `\\\n` // b", ".....ss\ns.cccc"},
		{"a rune may be a quote", `a('"')`, `..sss.`},
	})
	runCases(t, gate.LanguageDockerfile, []lexCase{
		{"a comment is first on its line", "# a\nRUN b # c", "ccc\n........."},
	})
	runCases(t, gate.LanguageYAML, []lexCase{
		{"an apostrophe is no string", "a: don't # b", ".........ccc"},
	})
	runCases(t, gate.LanguageMarkdown, []lexCase{
		{"an HTML comment", "a <!-- b\nc --> d", "..cccccc\nccccc.."},
	})
	runCases(t, gate.LanguageText, []lexCase{
		{"text has no classes", "# a \"b\"", "......."},
	})
}

func TestLogicalLinesStandOnOneLine(t *testing.T) {
	for _, c := range []struct {
		name string
		lang gate.Language
		src  string
		want string
	}{
		{"brackets in Python", gate.LanguagePython, "f(a, # x\n  b)\nc", "f(a,       b)\nc"},
		{"a backslash in Python", gate.LanguagePython, "a = \\\n  b", "a =     b"},
		{"a forgotten bracket in Python ends with the next definition", gate.LanguagePython, "f(a\nb\ndef g():\n c", "f(a b\ndef g():\n c"},
		{"a function body in JavaScript keeps its lines", gate.LanguageJavaScript, "f(function() {\n a\n})", "f(function() {\n a\n})"},
		{"arguments in JavaScript", gate.LanguageJavaScript, "f(\n a)", "f(  a)"},
		{"a backslash in shell", gate.LanguageShell, "curl a \\\n | sh", "curl a    | sh"},
		{"a pipe at the end of a line in shell", gate.LanguageShell, "curl a |\n sh", "curl a |  sh"},
		{"a backslash with CRLF", gate.LanguageShell, "a \\\r\nb", "a    b"},
		{"a backslash in a Dockerfile", gate.LanguageDockerfile, "RUN a \\\n b", "RUN a    b"},
		{"arguments in Go", gate.LanguageGo, "f(\na)\nb", "f( a)\nb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := []byte(c.src)
			if got := string(Scan(c.lang, src).View(src)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzScan holds what the package promises for any input.
func FuzzScan(f *testing.F) {
	languages := []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageShell, gate.LanguageGo,
		gate.LanguageTOML, gate.LanguageRuby, gate.LanguagePerl, gate.LanguagePowerShell, gate.LanguageDockerfile,
		gate.LanguageMarkdown, gate.LanguageMakefile, gate.LanguageINI}
	for i, seed := range []string{"f\"a{b('c')}\" # d", "`a${`b${c}`}d` /['\"]/", "\"a $(cat \"b\") c\" <<E\nx\nE\n",
		"'''\\", "a := `\\\n` // b", "<!-- \n=begin", "(((((\n[[[{{{", "\\\r\n", "<<-'A' <<B"} {
		f.Add(i, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, lang int, src []byte) {
		text := Scan(languages[uint(lang)%uint(len(languages))], src)
		end := 0
		for _, s := range text.Spans {
			if s.Start < end || s.End <= s.Start || s.End > len(src) || s.Class == Code {
				t.Fatalf("span %v behind %d in %d bytes", s, end, len(src))
			}
			end = s.End
		}
		last := -1
		for _, j := range text.Joins {
			if j <= last || j >= len(src) {
				t.Fatalf("join %d behind %d in %d bytes", j, last, len(src))
			}
			last = j
		}
		if got := text.View(src); len(got) != len(src) {
			t.Fatalf("the view has %d bytes, the text %d", len(got), len(src))
		}
	})
}
