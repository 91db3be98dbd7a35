package tokens

import (
	"bytes"
	"go/format"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
)

// sum is that of all statements of a text.
func sum(t *testing.T, l gate.Language, src string) string {
	t.Helper()
	text, ok := Read(l, []byte(src))
	if !ok {
		t.Fatalf("%q can't be read", src)
	}
	all := make([]int, len(text.Statements))
	for i := range all {
		all[i] = i
	}
	return text.Sum("test", all...)
}

// pair is two texts of one language.
type pair struct {
	name     string
	language gate.Language
	a, b     string
}

func TestAnotherFormatIsTheSame(t *testing.T) {
	const (
		py = gate.LanguagePython
		js = gate.LanguageJavaScript
		ts = gate.LanguageTypeScript
		sh = gate.LanguageShell
		gl = gate.LanguageGo
	)
	for _, tt := range []pair{
		{"black splits a call", py, "run(cmd, shell=True)\n", "run(\n    cmd,\n    shell=True,\n)\n"},
		{"black splits a list", py, "run(['a', b])\n", "run(\n    [\n        \"a\",\n        b,\n    ]\n)\n"},
		{"black adds a comma to a tuple of two", py, "x = (a, b)\n", "x = (\n    a,\n    b,\n)\n"},
		{"black changes quotes", py, "f('a', r'b', f'{x} c')\n", "f(\"a\", r\"b\", f\"{x} c\")\n"},
		{"blanks around operators", py, "x=a+ -b\n", "x = a + -b\n"},
		{"a backslash", py, "x = a + \\\n    b\n", "x = a + b\n"},
		{"a comment behind the line", py, "f(a)  # noqa\n", "f(a)\n"},
		{"comments within a call", py, "f(  # one\n    a,  # two\n    # three\n)\n", "f(a)\n"},
		{"another indentation", py, "if x:\n  f(a)\n", "if x:\n    f(a)\n"},
		{"empty lines", py, "f(a)\n\n\ng(b)\n", "f(a)\ng(b)\n"},
		{"prettier splits a call", js, "exec(a, { shell: true })\n", "exec(\n  a,\n  {\n    shell: true,\n  },\n)\n"},
		{"prettier splits a chain", js, "get(u).then(f).then(eval)\n", "get(u)\n  .then(f)\n  .then(eval)\n"},
		{"prettier splits an assignment", js, "const x = await get('u')\n", "const x =\n  await get(\"u\")\n"},
		{"prettier splits a condition", ts, "const x = a ? b : c\n", "const x = a\n  ? b\n  : c\n"},
		{"prettier writes blanks", js, "f({a:1})\n", "f({ a: 1 })\n"},
		{"code in a template", js, "f(`a ${b+c} d`)\n", "f(`a ${b + c} d`)\n"},
		{"a callback keeps its lines", js, "f(function(){\n  g(1)\n})\n", "f(function () {\n    g(1)\n})\n"},
		{"gofmt writes blanks", gl, "x:=f(a,b)\n", "x := f(a, b)\n"},
		{"gofmt keeps a split call", gl, "f(a, b)\n", "f(\n\ta,\n\tb,\n)\n"},
		{"a composite value", gl, "x := T{a, b}\n", "x := T{\n\ta,\n\tb,\n}\n"},
		{"a composite value in a call", gl, "f(T{A: a})\n", "f(T{\n\tA: a,\n})\n"},
		{"shell with continued lines", sh, "curl -s \"$u\" | bash -s -- a\n", "curl -s \\\n  \"$u\" |\n  bash \\\n    -s -- a\n"},
		{"shell without blanks", sh, "a|b&&c;d\n", "a | b && c ; d\n"},
		{"shell with other quotes", sh, "f 'a b' x\n", "f \"a b\"   x # why\n"},
		{"a word over two lines", sh, "cu\\\nrl x\n", "cu\\\nrl   x\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if a, b := sum(t, tt.language, tt.a), sum(t, tt.language, tt.b); a != b {
				x, _ := Read(tt.language, []byte(tt.a))
				y, _ := Read(tt.language, []byte(tt.b))
				t.Errorf("%q\n%q", x.Statements, y.Statements)
			}
		})
	}
}

func TestAnotherTextIsAnother(t *testing.T) {
	const (
		py = gate.LanguagePython
		js = gate.LanguageJavaScript
		sh = gate.LanguageShell
		gl = gate.LanguageGo
	)
	for _, tt := range []pair{
		{"another name", py, "f(a)\n", "f(b)\n"},
		{"another value", py, "f('a')\n", "f('b')\n"},
		{"another argument", py, "f(a)\n", "f(a, b)\n"},
		{"a tuple of one", py, "f((a,))\n", "f((a))\n"},
		{"a tuple of one behind return", py, "return (a,)\n", "return (a)\n"},
		{"a tuple as an index", py, "x[a,]\n", "x[a]\n"},
		{"a function in brackets", py, "x = (lambda a, b: c,)\n", "x = (lambda a, b: c)\n"},
		{"blanks in a string", py, "f('a b')\n", "f('a  b')\n"},
		{"blanks in a field", py, "f(f'{x:>9}')\n", "f(f'{x: >9}')\n"},
		{"a prefix", py, "f('a')\n", "f(b'a')\n"},
		{"quotes with quotes in them", py, "f('a\"')\n", "f(\"a'\")\n"},
		{"another operator", py, "x = a ** b\n", "x = a * b\n"},
		{"two statements", py, "f(a)\ng(b)\n", "f(a), g(b)\n"},
		{"a sign that moves", js, "x = a + ++b\n", "x = a++ + b\n"},
		{"a return on its own line", js, "return x\n", "return\nx\n"},
		{"a return in a block", js, "case 1: {\n  return x\n}\n", "case 1: {\n  return\n  x\n}\n"},
		{"an element that is left out", js, "f([a,,])\n", "f([a,])\n"},
		{"code that looks like a comment", js, "if (x) /a//evil()\n", "if (x) /a/\n"},
		{"code behind a regular expression", js, "x = b++ / 1; s = \"a/ //\"; evil()\n", "x = b++ / 1; s = \"a/\n"},
		{"code in markup", js, "y = <a>http://x {evil()}</a>\n", "y = <a>http:\n"},
		{"text of a template", js, "f(`a b`)\n", "f(`a  b`)\n"},
		{"a regular expression", js, "f(/a b/)\n", "f(/a  b/)\n"},
		{"a raw string", gl, "f(`a`)\n", "f(\"a\")\n"},
		{"a rune", gl, "f('a')\n", "f(\"a\")\n"},
		{"two words", sh, "rm -rf /tmp/x\n", "rm -rf / tmp/x\n"},
		{"a redirection with a number", sh, "a 2>x\n", "a 2 >x\n"},
		{"blanks in an expansion", sh, "a ${x/;/y}\n", "a ${x/ ;/y}\n"},
		{"an expanded string", sh, "a '$x'\n", "a \"$x\"\n"},
		{"an escaped blank", sh, "rm a\\ b\n", "rm a b\n"},
		{"the body of a here document", sh, "bash <<E\na\nE\n", "bash <<E\nb\nE\n"},
		{"an assignment", sh, "A=b c\n", "A= b c\n"},
		{"a comment that is none", sh, "a x#b\n", "a x\n"},
		{"a command on a line of its own", sh, "a\nb\n", "a b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if sum(t, tt.language, tt.a) == sum(t, tt.language, tt.b) {
				x, _ := Read(tt.language, []byte(tt.a))
				t.Errorf("the same: %q", x.Statements)
			}
		})
	}
}

func TestAStatementIsFoundByEachOfItsLines(t *testing.T) {
	src := "a()\n\nf(\n  b,\n  # c\n)\n# d\ng()\n"
	text, _ := Read(gate.LanguagePython, []byte(src))
	for line, want := range map[int][]int{1: {0}, 2: nil, 3: {1}, 4: {1}, 5: {1}, 6: {1}, 7: nil, 8: {2}, 9: nil} {
		if got := text.Of(line, line); !slices.Equal(got, want) {
			t.Errorf("line %d: %v, want %v", line, got, want)
		}
	}
	if got := text.Of(1, 8); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("%v", got)
	}
	plain, lines := text.Plain()
	if string(plain) != "a()\nf(b)\ng()\n" || !slices.Equal(lines, []int{1, 2, 3}) {
		t.Errorf("%q %v", plain, lines)
	}
}

func TestABlockOfGoBehindATypeIsReadLineByLine(t *testing.T) {
	for head, want := range map[string]int{
		"func f(key interface{}) error {":                        3,
		"func f(seen map[string]struct{}) map[string]struct{} {": 3,
		"func f(c interface{ Close() error }, n int) error {":    3,
		"var x interface{} = T{":                                 1,
		"var x = map[string]interface{}{":                        1,
	} {
		body := "\ta()\n\tb()\n"
		if want == 1 {
			body = "\tA: a,\n\tB: b,\n"
		}
		text, _ := Read(gate.LanguageGo, []byte(head+"\n"+body+"}\n"))
		got := len(text.Statements)
		if want == 3 {
			got-- // the closing brace
		}
		if got != want {
			t.Errorf("%s: %d statements, want %d: %q", head, got, want, text.Statements)
		}
	}
}

func TestUnreadableTextsAreReported(t *testing.T) {
	for _, tt := range []pair{
		{"another language", gate.LanguageYAML, "a: b\n", ""},
		{"lone carriage returns", gate.LanguagePython, "a\rb\n", ""},
		{"line ends that are not seen", gate.LanguageJavaScript, "a\u2028b\n", ""},
	} {
		if _, ok := Read(tt.language, []byte(tt.a)); ok {
			t.Errorf("%s: it is read", tt.name)
		}
	}
}

// TestGofmtChangesNoTokens formats our own code, badly spaced, and compares.
func TestGofmtChangesNoTokens(t *testing.T) {
	src := "package p\nimport \"os/exec\"\nfunc f(a string,b []string)error{\nx:=map[string]int{\"a\":1,\n\"b\":2}\nif len(a)>0&&x[\"a\"]==1{\nreturn exec.Command(a,\nb...,).Run() // why\n}\nreturn g(func()error{\nreturn nil\n},T{A:1,\nB:2,})\n}\n"
	formatted, err := format.Source([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := sum(t, gate.LanguageGo, src), sum(t, gate.LanguageGo, string(formatted)); a != b {
		x, _ := Read(gate.LanguageGo, []byte(src))
		y, _ := Read(gate.LanguageGo, formatted)
		t.Errorf("%q\n%q", x.Statements, y.Statements)
	}
}

// FuzzTextsWithTheSameSumHaveTheSameTokens compares with the scanner of Go, which knows
// nothing of ours.
func FuzzTextsWithTheSameSumHaveTheSameTokens(f *testing.F) {
	f.Add("x := f(a, b)\n", "x:=f(\na,\nb,\n)\n")
	f.Add("f(T{a: 1})\n", "f(T{\n a: 1,\n})\n")
	f.Add("a := b + +c\n", "a := b ++ c\n")
	f.Add("return\nx\n", "return x\n")
	f.Add("x = `a`\n", "x = \"a\"\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, okA := Read(gate.LanguageGo, []byte(a))
		y, okB := Read(gate.LanguageGo, []byte(b))
		if !okA || !okB || len(x.Statements) != len(y.Statements) || sum(t, gate.LanguageGo, a) != sum(t, gate.LanguageGo, b) {
			return
		}
		va, wrongA := goTokens(a)
		vb, wrongB := goTokens(b)
		if !wrongA && !wrongB && !slices.Equal(va, vb) {
			t.Errorf("%q and %q:\n%q\n%q", a, b, va, vb)
		}
	})
}

// goTokens are the tokens of Go, without the semicolons and commas that formatting adds.
func goTokens(src string) (out []string, wrong bool) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(src)), []byte(src), func(token.Position, string) { wrong = true }, 0)
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return out, wrong
		}
		n := len(out)
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		if n > 0 && out[n-1] == "," && (tok == token.RPAREN || tok == token.RBRACE || tok == token.RBRACK) {
			out = out[:n-1]
		}
		if lit == "" {
			lit = tok.String()
		}
		out = append(out, lit)
	}
}

// FuzzNothingIsLeftOut adds a letter or a sign to any text: where that isn't in a
// comment, the sum is another.
func FuzzNothingIsLeftOut(f *testing.F) {
	for i, l := range []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageGo, gate.LanguageShell} {
		_ = l
		for _, src := range []string{"f(a, 'b', c,) # d\n", "x = {a: [b, `c ${d}`]} // e\n", "a | b <<E\n$x\nE\n", "f'{x:>3}' \"\"\"q\nr\"\"\"\n", "if (x) /a//b\n"} {
			f.Add(uint8(i), src, uint16(3), byte('x'))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, src string, at uint16, c byte) {
		l := []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageGo, gate.LanguageShell}[which%4]
		if len(src) > 4096 || len(src) == 0 || strings.IndexByte(" \t\r\n,'\"\\#/*", c) >= 0 || c >= 0x80 {
			return
		}
		i := int(at) % len(src)
		more := src[:i] + string(c) + src[i:]
		if _, ok := Read(l, []byte(src)); !ok {
			return
		}
		if _, ok := Read(l, []byte(more)); !ok {
			return
		}
		if lex.Scan(l, []byte(more)).At(i) == lex.Comment || strings.ContainsAny(src, "#\"'`/\\<") {
			// A comment may begin or end by it, or what is quoted; see the other tests.
			return
		}
		if sum(t, l, src) == sum(t, l, more) {
			t.Errorf("%s: %q and %q", l, src, more)
		}
	})
}

// FuzzRead takes any input, and looks at every line in order.
func FuzzRead(f *testing.F) {
	f.Add(uint8(0), []byte("f(\n a,\n)\n"))
	f.Add(uint8(1), []byte("f({\n a,\n})\n`${a}`"))
	f.Add(uint8(3), []byte("a <<E\nb\nE\n"))
	f.Fuzz(func(t *testing.T, which uint8, src []byte) {
		l := []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageGo, gate.LanguageShell}[which%4]
		text, ok := Read(l, src)
		if !ok {
			return
		}
		last := 0
		lines := bytes.Count(src, []byte{'\n'}) + 1
		for _, s := range text.Statements {
			if s.First < max(last, 1) || s.Last < s.First || s.Last > lines || len(s.Tokens) == 0 {
				t.Fatalf("%d..%d of %d behind %d: %q", s.First, s.Last, lines, last, s.Tokens)
			}
			last = s.Last
		}
		plain, at := text.Plain()
		if len(at) != len(text.Statements) || bytes.Count(plain, []byte{'\n'}) < len(at) {
			t.Fatalf("%q: %v", plain, at)
		}
	})
}
