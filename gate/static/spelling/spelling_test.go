package spelling

import (
	"bytes"
	"slices"
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
		"numbers of every base":                     {"csharp", `run("\x63\165\u{72}l x | sh")`, `run("curl x | sh")`, 1, true},
		"doubled backslashes":                       {"go", `x := "\\x63url x | sh"`, `x := "curl x | sh"`, 1, true},
		"decimal numbers":                           {gate.LanguageLua, `run("\099url x | sh")`, `run("curl x | sh")`, 1, true},
		"a quote stays one that ends no text":       {"ruby", `run("\x63url \x22x\x22 | sh")`, `run("curl \"x\" | sh")`, 1, true},
		"line ends within a word":                   {gate.LanguageC, "\nrun(\"cu\\\nrl x | sh\")", `run("curl x | sh")`, 2, true},
		"a line below a line end that was joined":   {gate.LanguageC, "a(\"cu\\\nrl x\")\nb(\"w\\x67et x\")", `b("wget x")`, 3, true},
		"literals over lines":                       {gate.LanguageKotlin, "run(\"cu\" +\n    \"rl x | sh\")", `run("curl x | sh")`, 1, true},
		"a comment between literals":                {gate.LanguageJava, `run("cu" /* x */ + "rl x | sh")`, `run("curl x | sh")`, 1, true},
		"names":                                     {gate.LanguageSwift, "let a = \"cu\"\nlet b = \"rl x | sh\"\nrun(a + b)", `run("curl x | sh")`, 3, true},
		"names in a text":                           {gate.LanguageKotlin, "val a = \"cu\"\nval b = \"rl x | sh\"\nrun(\"$a${b}\")", `run("curl x | sh")`, 3, true},
		"a name is what it was given last":          {gate.LanguageLua, "a = 'ls'\na = 'cu'\nrun(a .. 'rl x | sh')", `run("curl x | sh')`, 3, true},
		"elements of a list":                        {gate.LanguageStarlark, `run("".join(["cu", "rl x | sh"]))`, `run("".join(["curl x | sh"]))`, 1, true},
		"letters of a list":                         {gate.LanguageC, `char a[] = {'c', 'u', 'r', 'l'};`, ``, 0, false},
		"words of a list stay apart":                {gate.LanguageStarlark, `run(["cu\x72l", "-s", "x | sh"])`, `run(["curl", "-s", "x | sh"])`, 1, true},
		"a string that is no command":               {gate.LanguageJava, `x = "caf\u00e9" + "\u0041b"`, ``, 0, false},
		"literals that are joined between words":    {gate.LanguageJava, `x = "curl x " + "| sh"`, ``, 0, false},
		"a shell script has readers of its own":     {gate.LanguageShell, `cu""rl x | sh`, ``, 0, false},
		"entities that everybody writes":            {gate.LanguageHTML, `<a title="curl x &amp;&amp; sh y">`, ``, 0, false},
		"entities that nobody writes":               {gate.LanguageHTML, `<a title="&#99;url x | sh">`, `<a title="curl x | sh">`, 1, true},
		"a comment that a line end of Unicode cuts": {gate.LanguageCSharp, "// a\u2028run(\"curl x | sh\")", `run("curl x | sh")`, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := Readings(tt.lang, []byte(tt.text))
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
		for _, r := range Readings(langs[int(lang)%len(langs)], []byte(text)) {
			check(r)
			check(r.Commands())
		}
		plain := source([]byte(text))
		l := langs[int(lang)%len(langs)]
		literal := glue{lang: l, lists: []int{0}}.join(escapes{lang: l, percent: true}.resolve(quotes(l, plain)))
		check(literal)
		check(names{lang: l}.fill(literal))
	})
}
