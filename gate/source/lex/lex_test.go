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
		{"a field of an f-string goes on over lines", "f\"{\na\n}\" + b", ".ss\n.\nss...."},
		{"a backslash escapes no brace of an f-string", `rf"\{"#"}" + b`, "..ssssssss...."},
		{"a quote in the specification of a field is text", `f'{n:"}'; b`, ".ss.ssss..."},
		{"a specification may hold a field", `f"{n:{w}x}" + b`, ".ss.ss.ssss...."},
		{"a colon in brackets begins no specification", `f"{d[1:"x"]}" + b`, ".ss....sss.ss...."},
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

// What looks like a comment in a string of many lines, and what a template engine runs in one, is code.
func TestNoCommentHidesWhatRuns(t *testing.T) {
	const run = "run()"
	for _, tt := range []struct {
		name string
		lang gate.Language
		src  string
	}{
		{"PHP in a comment of a script", gate.LanguagePHP, "<script>/* <?php run() ?> */</script>"},
		{"PHP in an attribute", gate.LanguagePHP, "<a title=\"<?php run() ?>\">"},
		{"PHP behind an apostrophe of the page", gate.LanguagePHP, "<p>don't /*</p><?= run() ?>"},
		{"a here document of PHP", gate.LanguagePHP, "<?php $x = <<<A\n# {$s} ; run()\nA;\n"},
		{"a string of PHP over lines", gate.LanguagePHP, "<?php $x = \"\n/*\"; run(); $y = \"*/\n\";"},
		{"a directive of Blade", gate.LanguagePHP, "<script>/* @php run() @endphp */</script>"},
		{"ERB in a comment of YAML", gate.LanguageYAML, "a: 1 # <% run() %>\n"},
		{"ERB in a comment of a shell script", gate.LanguageShell, "# <%= run() %>\n"},
		{"Jinja in a comment of an INI file", gate.LanguageINI, "; {{ run() }}\n"},
		{"JSP in a comment of a script", gate.LanguageJavaScript, "/* <% run() %> */"},
		{"a here document of Ruby", gate.LanguageRuby, "x = <<~A\n# #{1}; run()\nA\n"},
		{"documentation in a here document of Ruby", gate.LanguageRuby, "x = <<A\n=begin\nA\nrun()\n<<B\n=end\nB\n"},
		{"a string of Ruby over lines", gate.LanguageRuby, "x = '\n# '; run()\n"},
		{"a quoted text of Ruby", gate.LanguageRuby, "x = %q(\n=begin\n)\nrun()\n"},
		{"documentation in a here document of Perl", gate.LanguagePerl, "print <<A;\n=head1 x\nA\nrun();\n"},
		{"documentation in a quoted text of Perl", gate.LanguagePerl, "my $x = q{ {}\n=pod\n};\nrun();\n"},
		{"a here string of PowerShell", gate.LanguagePowerShell, "$x = @\"\n# \"@; run()\n"},
		{"a string of PowerShell over lines", gate.LanguagePowerShell, "$x = \"\n<#\"; run(); $y = \"#>\n\""},
		{"a string of fish over lines", gate.LanguageShell, "echo ${x:=\n# $(run())\n}"},
		{"a string of Kotlin over lines", gate.LanguageKotlin, "val x = \"\n// \"; run()\n"},
		{"a comment sign in the text of an element", gate.LanguageJavaScript, "const a = () => <p>/*</p>;\nrun();\nconst b = () => <p>*/</p>;"},
		{"a sign of one line there", gate.LanguageTypeScript, "const a = () => <p>// x</p>; run();"},
		{"code in the text of an element", gate.LanguageJavaScript, "x = (\n<p>\n // {run()}\n</p>)"},
		{"a quote in the text of an element", gate.LanguageJavaScript, "x = <p>don't</p>; run(); y = <>`</>"},
		{"behind nested elements", gate.LanguageJavaScript, "return <A b={<B c='/*'/>} d>{x}/*<br/></A>, run()"},
		{"behind a comment in a tag", gate.LanguageJavaScript, "return <A /* ' */ b=\"x\">'</A>, run()"},
		{"a fragment", gate.LanguageJavaScript, "return <>//</>, run()"},
		{"a raw string of C++", gate.LanguageC, "auto x = R\"(\")\"; run(); auto y = R\"(\")\";"},
		{"a raw string of C++ with a comment sign", gate.LanguageC, "auto x = R\"d()\"/*)d\"; run();"},
		{"a number with quotes in C++", gate.LanguageC, "int x = 1'000; run();"},
		{"a raw string of Rust", gate.LanguageRust, "let x = r\"\\\"; run(); let y = r#\"\"\"#;"},
		{"a character of Rust", gate.LanguageRust, "let x = '\"'; run(); let y = '\"';"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at := strings.Index(tt.src, run)
			if class := Scan(tt.lang, []byte(tt.src)).At(at); class != Code {
				t.Errorf("class %d of what runs in %q", class, tt.src)
			}
		})
	}
}

func TestCommentsStayComments(t *testing.T) {
	for _, tt := range []struct {
		name string
		lang gate.Language
		src  string
	}{
		{"a comment of PHP", gate.LanguagePHP, "<?php\n/* note() */\n"},
		{"PHP without a tag", gate.LanguagePHP, "// note()\n"},
		{"a comment of Ruby behind a string", gate.LanguageRuby, "x = 'a'\n# note()\n"},
		{"a comment of Ruby behind a here document", gate.LanguageRuby, "x = <<A\n'\nA\n# note()\n"},
		{"an addition to a list of Ruby", gate.LanguageRuby, "x <<A\n# note()\n"},
		{"documentation of Perl", gate.LanguagePerl, "run();\n\n=head1 note()\n\n=cut\n"},
		{"a comment of Perl behind a replacement", gate.LanguagePerl, "s/a/b/;\n# note()\n"},
		{"a comment of PowerShell", gate.LanguagePowerShell, "$x = \"a\"\n<# note() #>\n"},
		{"a comment of a template", gate.LanguageYAML, "# <%# note() %>\n"},
		{"a placeholder", gate.LanguageYAML, "# note() {{ name }}\n"},
		{"a comment of C behind a character", gate.LanguageC, "char c = '\"'; // note()\n"},
		{"a comment in the code of an element", gate.LanguageJavaScript, "return <p>{/* note() */}</p>"},
		{"a comment in a tag", gate.LanguageJavaScript, "return <p a /* note() */ b>x</p>"},
		{"a comment behind an element", gate.LanguageJavaScript, "x = <p a={b}>{c}</p> // note()"},
		{"a comment behind a comparison", gate.LanguageJavaScript, "if (a < b) { c } // note() </b"},
		{"a comment behind a type", gate.LanguageTypeScript, "const f = <T>(x: T) => x // note()"},
		{"a comment behind a path in PowerShell", gate.LanguagePowerShell, "$x = \"C:\\a\\\"\n# note()\n"},
		{"a comment of Rust behind a lifetime", gate.LanguageRust, "fn f<'a>(x: &'a str) {} // note()\n"},
		{"a comment of a shell script behind an expansion", gate.LanguageShell, "echo ${x:-1} # note()\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if class := Scan(tt.lang, []byte(tt.src)).At(strings.Index(tt.src, "note()")); class != Comment {
				t.Errorf("class %d of the comment in %q", class, tt.src)
			}
		})
	}
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
		{"a member on the next line", gate.LanguageJavaScript, "x = http\n  .get(a)\n  .on(b)", "x =    http.get(a)\n  .on(b)"},
		{"members of members", gate.LanguageTypeScript, "a\n.b\n.c()", "  a.b.c()"},
		{"a comment before a member", gate.LanguageJavaScript, "http // x\n.get()", "      http.get()"},
		{"a dot at the end of a line in Go", gate.LanguageGo, "exec.\n\tCommand(a)", "  exec.Command(a)"},
		{"blanks around a dot in Python", gate.LanguagePython, "os . system(a)", "  os.system(a)"},
		{"a member in brackets in Python", gate.LanguagePython, "(requests\n .post(a))", "(  requests.post(a))"},
		{"a relative import is no member", gate.LanguagePython, "from . import a\nfrom .b import c", "from . import a\nfrom .b import c"},
		{"a spread is no member", gate.LanguageJavaScript, "f(...a)\nx = b\n...c", "f(...a)\nx = b\n...c"},
		{"a number is no member", gate.LanguageJavaScript, "x = a ? .5 : 1. \nb", "x = a ? .5 : 1. \nb"},
		{"a sentence in a string stays", gate.LanguagePython, "x = 'The end. Of it .all'", "x = 'The end. Of it .all'"},
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
