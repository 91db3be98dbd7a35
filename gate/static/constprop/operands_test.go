package constprop

import (
	"bytes"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestConstantsBesideLiteralsAreWrittenOut(t *testing.T) {
	const golang, js = gate.LanguageGo, gate.LanguageJavaScript
	for _, c := range []struct {
		name       string
		lang       gate.Language
		text, want string // want is the last line; "" is: nothing is written out
	}{
		{"a field of an object", js, "const S = { bash: 'bashrc', n: f() };\nx('.' + S.bash);", `x('.' + "bashrc");`},
		{"a field in a template", js, "const S = { bash: 'bashrc' };\nx(`.${S.bash}`);", "x(`.${\"bashrc\"}`);"},
		{"an element by its number", js, "const S = ['a', 'b'];\nx('c' + S[1]);", `x('c' + "b");`},
		{"an element by its key", js, "const S = { 'k-l': 'b' };\nx('c' + S['k-l']);", `x('c' + "b");`},
		{"a joined list of names", js, "const A = 'x.example.org';\nx('https://' + ['a', A].join('.'));", `x('https://' + ['a', "x.example.org"].join('.'));`},
		{"a list before a comma", js, "const A = 'b';\nx(A, 'c');", `x("b", 'c');`},
		{"what a function gives back", js, "const f = (n) => 'b' + n;\nx('c' + f('d'));", `x('c' + "bd");`},
		{"what a function with a body gives back", js, "function f(n) { return n; }\nx('c' + f('d'));", `x('c' + "d");`},
		{"both sides of a literal", js, "const A = 'b';\nx(A + '/' + A);", `x("b" + '/' + "b");`},
		{"a variable with two values", js, "let A = 'b';\nA = 'c';\nx(A + '/');", ``},
		{"a field that is no constant", js, "const S = { n: f() };\nx('.' + S.n);", ``},
		{"a field of what is not known", js, "const S = f();\nx('.' + S.n);", ``},
		{"a method of a constant", js, "const A = 'b';\nx('.' + A.slice(1));", ``},
		{"a name in a text", js, "const A = 'b';\nx('A + ' , 1);", ``},
		{"an element of a list", golang, "var order = []string{\"conf\", \"preload\"}\nx(\"/etc/ld.so.\" + order[1])", `x("/etc/ld.so." + "preload")`},
		{"a function that picks an element", golang, "func stage(n int) string { return [...]string{\"preload\", \"load\"}[n] }\nx(\"/etc/ld.so.\"+stage(0))", `x("/etc/ld.so."+"preload")`},
		{"a function that goes round a list", golang, "var o = []string{\"a\", \"b\"}\nfunc stage(n int) string { return o[n%len(o)] }\nx(\"c\" + stage(3))", `x("c" + "b")`},
		{"an element of a map", golang, "var m = map[string]string{\"a\": \"b\"}\nx(\"c\" + m[\"a\"])", `x("c" + "b")`},
		{"an argument beside a literal", golang, "const dir = \"/etc\"\nx(dir, \"ld.so.preload\")", `x("/etc", "ld.so.preload")`},
		{"an index that is too large", golang, "var o = []string{\"a\"}\nx(\"c\" + o[7])", ``},
		{"a parameter", golang, "func f(dir string) {\nx(\"c\" + dir)", ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, ok := operands(c.lang, []byte(c.text), nil)
			got := ""
			if ok {
				got = string(out[bytes.LastIndexByte(out, '\n')+1:])
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzOperandsKeepTheLines(f *testing.F) {
	for _, seed := range []string{"const S = { a: 'b' };\nx('.' + S.a)", "var o = []string{\"a\"}\nx(\"c\" + o[0])", "f = (n) => n + f(n)\n'a' + f('b')", "`${a.b}` + a['c'].join('')", "a = a + 'b'\n'c' + a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, lang := range []gate.Language{gate.LanguageGo, gate.LanguageTypeScript} {
			if out, ok := operands(lang, []byte(text), nil); ok && bytes.Count(out, []byte{'\n'}) != bytes.Count([]byte(text), []byte{'\n'}) {
				t.Errorf("%q became %q", text, out)
			}
		}
	})
}
