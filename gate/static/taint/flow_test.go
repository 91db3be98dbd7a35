package taint_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/static/taint"
)

// ask looks for a way from every "source" of a text to its first "sink", and
// returns the lines of the way.
func ask(t testing.TB, lang gate.Language, text string) ([]int, taint.Answer) {
	t.Helper()
	src := []byte(text)
	lexed := lex.Scan(lang, src)
	g, ok := taint.New(lang, lexed.View(src), lexed)
	if !ok {
		t.Fatalf("no graph for %s", lang)
	}
	var from []int
	for i := 0; ; i++ {
		n := strings.Index(text[i:], "source")
		if n < 0 {
			break
		}
		i += n
		from = append(from, i)
	}
	sink := strings.Index(text, "sink")
	if sink < 0 {
		return nil, taint.No
	}
	end := sink + len("sink(")
	if sink > 0 && text[sink-1] == '.' {
		sink--
	}
	budget := 8 << 20
	path, answer := g.Questions().Trace(from, g.Sink(taint.Span{Start: sink, End: min(end, len(text))}), &budget)
	var lines []int
	for _, at := range path {
		lines = append(lines, 1+bytes.Count(src[:at], []byte("\n")))
	}
	return slices.Compact(lines), answer
}

var cases = []struct {
	name string
	lang gate.Language
	text string
	want []int // lines of the way, nil for none
}{
	{"an argument of an element of a table", gate.LanguageJavaScript, "const tools = {\n  size: (f) => stat(f),\n  run: (line) => sink(line),\n};\napp.all((req) => tools[name]?.(source()));\n", []int{5, 3}},
	{"an argument of another table", gate.LanguageJavaScript, "const tools = {\n  run: (line) => sink(line),\n};\nconst others = {\n  size: (f) => stat(f),\n};\napp.all((req) => others[name](source()));\n", nil},
	{"an argument of an element of a table that a variable holds", gate.LanguageGo, "package a\nvar verbs = map[string]func(string){\n\t\"a\": plain,\n\t\"b\": extern,\n}\nfunc extern(f string) {\n\tsink(f)\n}\nfunc run(k string) {\n\tif v, ok := verbs[k]; ok {\n\t\tv(source())\n\t}\n}\n", []int{11, 7}},
	{"a method of the object of the method around it", gate.LanguageGo, "package a\nfunc (s *Server) at() string {\n\treturn source()\n}\nfunc (s *Server) run() {\n\tname := s.at()\n\tsink(name)\n}\n", []int{3, 6, 7}},
	{"a method of another object", gate.LanguageGo, "package a\nfunc (s *Server) at() string {\n\treturn source()\n}\nfunc (s *Server) run(o Other) {\n\tname := o.at()\n\tsink(name)\n}\n", nil},
	{"a method with a short name that few have", gate.LanguageGo, "package a\nfunc (s *Server) trash() string {\n\treturn source()\n}\nfunc run(s *Server) error { return sink(s.trash()) }\n", []int{3, 5}},
	{"a method with a short name that many have", gate.LanguagePython, "class A:\n    def read(self):\n        return source()\ndef run(f):\n    sink(f.read())\n", nil},
	{"what a property of the own object gives", gate.LanguagePython, "class A:\n    @property\n    def at(self):\n        return source()\n    def run(self):\n        sink(self.at)\n", []int{4, 6}},
	{"what a getter of the own object gives", gate.LanguageTypeScript, "class A {\n  get at() {\n    return source();\n  }\n  run() {\n    sink(this.at);\n  }\n}\n", []int{3, 6}},
	{"a function of a table of functions", gate.LanguageGo, "package a\nvar runners = map[string]func() string{\n\t\"a\": one,\n}\nfunc one() string { return source() }\nfunc run(n string) {\n\tsink(runners[n]())\n}\n", []int{5, 2, 7}},
	{"what a part of a parameter holds by default", gate.LanguageJavaScript, "const send = (a, { b = source() } = {}) =>\n  sink(b);\nsend(1);\n", []int{1, 2}},
	{"what the parts of a parameter are taken from by default", gate.LanguageJavaScript, "function send({ b, c } = source()) {\n  sink(c);\n}\n", []int{1, 2}},
	{"another part of a parameter", gate.LanguageJavaScript, "const send = (a, { b = source(), c = 1 }) =>\n  sink(c);\nsend(1, {});\n", nil},
	{"a named result", gate.LanguageGo, "package a\nfunc load() (c Config, err error) {\n\tr, err := source()\n\terr = decode(r).Decode(&c)\n\treturn\n}\nfunc run() {\n\tc, err := load()\n\tsink(c)\n}\n", []int{3, 4, 8, 9}},
	{"a result that is only a type", gate.LanguageGo, "package a\nfunc load() (Config, error) {\n\tConfig := source()\n\tuse(Config)\n\treturn\n}\nfunc run() {\n\tc, err := load()\n\tsink(c)\n}\n", nil},
	{"a named result that holds something else", gate.LanguageGo, "package a\nfunc load() (c Config, err error) {\n\td := source()\n\tuse(d)\n\tc = plain()\n\treturn\n}\nfunc run() {\n\tc, err := load()\n\tsink(c)\n}\n", nil},
	{"a name of another function in one declaration with others", gate.LanguageJavaScript, "function a(x){for(var n,r=x;r;)n=r.k,r=source();return n}\nfunction b(t){var r=1,n=[],k=2;n[0]=k;sink(n)}\n", nil},
	{"a name of one declaration with others", gate.LanguageJavaScript, "function b(t){var r=1,\n  n=source(),k;sink(n)}\n", []int{2}},
	{"a name that is taken apart in a declaration with others", gate.LanguageJavaScript, "function a(){let p,{n:m,q}=source();m=q}\nfunction b(m,q){sink(m,q)}\n", nil},
	{"the last parameter of a type", gate.LanguageTypeScript, "const env: Record<string, string | undefined> = source()\nsink(known ? urls.get(known) : undefined)\n", nil},
	{"a name with a type of several parameters", gate.LanguageTypeScript, "const n = 1, env: Map<string, Record<A, B>> = source()\nsink(env)\n", []int{1, 2}},
	{"an argument", gate.LanguagePython, "sink(source())\n", []int{1}},
	{"a variable", gate.LanguagePython, "a = source()\nsink(a)\n", []int{1, 2}},
	{"a chain of variables", gate.LanguagePython, "a = source()\nb = a.strip()\nc = f'{b}!'\nsink(x, data=c)\n", []int{1, 2, 3, 4}},
	{"a variable that gets another value", gate.LanguagePython, "a = source()\na = 1\nsink(a)\n", nil},
	{"another value on one branch only", gate.LanguagePython, "a = source()\nif x:\n    a = 1\nsink(a)\n", []int{1, 4}},
	{"a value added to another", gate.LanguagePython, "a = ''\na += source()\nsink(a)\n", []int{2, 3}},
	{"several targets", gate.LanguagePython, "a, b = source()\nsink(b)\n", []int{1, 2}},
	{"a list", gate.LanguagePython, "l = []\nl.append(source())\nsink(l)\n", []int{2, 3}},
	{"an element of a dictionary", gate.LanguagePython, "d = {}\nd['k'] = source()\nsink(d)\n", []int{2, 3}},
	{"a dictionary in one piece", gate.LanguagePython, "d = {\n  'k': source(),\n}\nsink(json=d)\n", []int{2, 1, 4}},
	{"a with statement", gate.LanguagePython, "with open(source) as f:\n    a = f.read()\nsink(a)\n", []int{1, 2, 3}},
	{"a loop", gate.LanguagePython, "for line in open(source):\n    sink(line)\n", []int{1, 2}},
	{"a comprehension", gate.LanguagePython, "a = [x for x in source()]\nsink(a)\n", []int{1, 2}},
	{"what a later line of a loop defines", gate.LanguagePython, "a = 0\nwhile x:\n    sink(a)\n    a = source()\n", []int{4, 3}},
	{"the result of a function", gate.LanguagePython, "def f():\n    return source()\nsink(f())\n", []int{2, 3}},
	{"the parameter of a function", gate.LanguagePython, "def f(a, b):\n    sink(b)\nf(1, source())\n", []int{3, 2}},
	{"a parameter by name", gate.LanguagePython, "def f(a, b):\n    sink(b)\nf(b=source())\n", []int{3, 2}},
	{"another parameter of a function", gate.LanguagePython, "def f(a, b):\n    sink(b)\nf(source(), 1)\n", nil},
	{"through a function and back", gate.LanguagePython, "def f(a):\n    return a\nx = f(source())\nsink(x)\n", []int{3, 4}},
	{"a field of the own object", gate.LanguagePython, "class A:\n    def a(self):\n        self.x = source()\n    def b(self):\n        sink(self.x)\n", []int{3, 5}},
	{"a field that the class gives its objects", gate.LanguagePython, "class A:\n    x = source()\n    def b(self):\n        sink(self.x)\n", []int{2, 4}},
	{"a method of the own object", gate.LanguagePython, "class A:\n    def a(self):\n        return source()\n    def b(self):\n        x = self.a()\n        sink(x)\n", []int{3, 5, 6}},
	{"a variable of the whole file", gate.LanguagePython, "K = source()\ndef f():\n    sink(K)\n", []int{1, 3}},
	{"a variable of another function", gate.LanguagePython, "def f():\n    a = source()\ndef g():\n    sink(a)\n", nil},
	{"a variable that a function calls global", gate.LanguagePython, "def f():\n    global a\n    a = source()\ndef g():\n    sink(a)\n", []int{3, 5}},
	{"the function of a thread", gate.LanguagePython, "def f(a):\n    sink(a)\nThread(target=f, args=(source(),)).start()\n", []int{3, 2}},
	{"an assignment in an expression", gate.LanguagePython, "if (a := source()):\n    sink(a)\n", []int{1, 2}},
	{"a length", gate.LanguagePython, "a = source()\nsink(len(a))\n", nil},
	{"a question about a value", gate.LanguagePython, "a = source()\nsink(a.startswith('x'))\n", nil},
	{"a name that is a key only", gate.LanguagePython, "data = source()\nsink(data=1)\n", nil},
	{"the object of a method", gate.LanguagePython, "Path(source).joinpath('a').sink('x')\n", []int{1}},
	{"a constant of the file in a with statement", gate.LanguagePython, "T = source\ndef f():\n    with sink(T, 'w') as f:\n        f.write('a')\n", []int{1, 3}},
	{"a list of the file that a function adds to", gate.LanguagePython, "L = []\ndef f():\n    L.append(source())\ndef g():\n    sink(L)\n", []int{3, 5}},
	{"two statements on a line", gate.LanguagePython, "a = source(); sink(a)\n", []int{1}},
	{"a file that was written", gate.LanguagePython, "with open(path, 'wb') as f:\n    f.write(source())\nsink(path)\n", []int{2, 3}},
	{"a path that was written", gate.LanguagePython, "p = Path(x)\np.write_text(source())\nsink(p)\n", []int{2, 3}},

	{"a constant", gate.LanguageJavaScript, "const a = source();\nsink(a);\n", []int{1, 2}},
	{"a destructured constant", gate.LanguageJavaScript, "const { a, b: c } = source();\nsink(c);\n", []int{1, 2}},
	{"the second of two constants", gate.LanguageJavaScript, "const a = 1, b = source();\nsink(b);\n", []int{1, 2}},
	{"the first of two constants", gate.LanguageJavaScript, "const a = 1, b = source();\nsink(a);\n", nil},
	{"a template", gate.LanguageJavaScript, "const a = source()\nsink(`x ${a}`)\n", []int{1, 2}},
	{"a property", gate.LanguageJavaScript, "const o = {}\no.body = source()\nsink(u, o)\n", []int{2, 3}},
	{"a shorthand", gate.LanguageJavaScript, "const body = source()\nsink(u, { method, body })\n", []int{1, 2}},
	{"a callback", gate.LanguageJavaScript, "fs.readFile(source, (err, d) => {\n  sink(d)\n})\n", []int{1, 2}},
	{"a promise", gate.LanguageJavaScript, "read(source)\n  .then((d) => d.toString())\n  .then(function (t) {\n    sink(t)\n  })\n", []int{1, 4}},
	{"what is awaited", gate.LanguageJavaScript, "async function f() {\n  const d = await read(source)\n  await sink(d)\n}\n", []int{2, 3}},
	{"an arrow function", gate.LanguageJavaScript, "const f = () => source()\nsink(f())\n", []int{1, 2}},
	{"an arrow function with a body", gate.LanguageTypeScript, "const f = (a: string): string => {\n  return a + source()\n}\nsink(f('x'))\n", []int{2, 4}},
	{"a promise that is made", gate.LanguageJavaScript, "function f() {\n  return new Promise((resolve) => {\n    read(source, (e, d) => resolve(d))\n  })\n}\nf().then((x) => sink(x))\n", []int{3, 2, 6}},
	{"data that comes in pieces", gate.LanguageJavaScript, "get(source, (res) => {\n  let body = ''\n  res.on('data', (c) => { body += c })\n  res.on('end', () => sink(body))\n})\n", []int{1, 3, 4}},
	{"another function's local", gate.LanguageJavaScript, "function f() { const a = source() }\nfunction g() { sink(a) }\n", nil},
	{"a method", gate.LanguageJavaScript, "class A {\n  load() {\n    return source()\n  }\n  run() {\n    sink(this.load())\n  }\n}\n", []int{3, 6}},
	{"a handler in the arguments of the sink", gate.LanguageJavaScript, "sink(u, (res) => {\n  const a = source()\n  use(a)\n})\n", nil},
	{"a loop over pairs", gate.LanguageJavaScript, "for (const [k, v] of pairs(source())) {\n  sink(v)\n}\n", []int{1, 2}},
	{"a loop over parts of objects", gate.LanguageTypeScript, "for (const { k, v } of source()) {\n  sink(k)\n}\n", []int{1, 2}},
	{"a loop over values", gate.LanguageJavaScript, "for (const k of source()) {\n  sink(k)\n}\n", []int{1, 2}},
	{"an array", gate.LanguageJavaScript, "const l = []\nl.push(source())\nsink(l.join())\n", []int{2, 3}},
	{"another branch", gate.LanguageJavaScript, "let a = source()\nif (x) {\n  a = 1\n}\nsink(a)\n", []int{1, 5}},
	{"another value", gate.LanguageJavaScript, "let a = source()\na = 1\nsink(a)\n", nil},

	{"a short definition", gate.LanguageGo, "func f() {\n\td, err := source()\n\tsink(d)\n}\n", []int{2, 3}},
	{"an error", gate.LanguageGo, "func f() {\n\td, err := source()\n\tuse(d)\n\tsink(err)\n}\n", nil},
	{"the head of an if", gate.LanguageGo, "func f() {\n\tif d, err := source(); err == nil {\n\t\tsink(d)\n\t}\n}\n", []int{2, 3}},
	{"a range", gate.LanguageGo, "func f() {\n\tfor _, v := range source() {\n\t\tsink(v)\n\t}\n}\n", []int{2, 3}},
	{"a buffer", gate.LanguageGo, "func f() {\n\tvar b bytes.Buffer\n\tb.Write(source())\n\tsink(&b)\n}\n", []int{3, 4}},
	{"what a decoder fills", gate.LanguageGo, "func f() {\n\tr, _ := source()\n\tvar v T\n\tjson.NewDecoder(r.Body).Decode(&v)\n\tsink(v.Name)\n}\n", []int{2, 4, 5}},
	{"an address", gate.LanguageGo, "func f() {\n\tvar v T\n\tjson.Unmarshal(source(), &v)\n\tsink(v.Name)\n}\n", []int{3, 4}},
	{"a function of Go", gate.LanguageGo, "func load(p string) ([]byte, error) {\n\treturn read(p)\n}\nfunc f() {\n\td, _ := load(source)\n\tsink(d)\n}\n", []int{5, 6}},
	{"a parameter of Go", gate.LanguageGo, "func send(u string, d []byte) {\n\tsink(u, d)\n}\nfunc f() {\n\tsend(x, source())\n}\n", []int{5, 2}},
	{"a literal of a structure", gate.LanguageGo, "func f() {\n\tr := T{Body: source()}\n\tsink(r)\n}\n", []int{2, 3}},
	{"a file of Go", gate.LanguageGo, "func f() {\n\tos.WriteFile(p, source(), 0o755)\n\tsink(p)\n}\n", []int{2, 3}},

	{"a pipe", gate.LanguageShell, "cat source | base64 | sink -d @-\n", []int{1}},
	{"another command", gate.LanguageShell, "cat source; sink -d @-\n", nil},
	{"a shell variable", gate.LanguageShell, "K=$(cat source)\nsink -d \"$K\"\n", []int{1, 2}},
	{"an exported variable", gate.LanguageShell, "export K=\"$(cat source)\"\nsink -d \"x=${K}\"\n", []int{1, 2}},
	{"single quotes", gate.LanguageShell, "K=$(cat source)\nsink -d '$K'\n", nil},
	{"what a shell list gets", gate.LanguageShell, "A=()\nA+=(\"$(cat source)\")\nfor a in \"${A[@]}\"; do\n  sink -d \"$a\"\ndone\n", []int{2, 3, 4}},
	{"another value of a shell variable", gate.LanguageShell, "K=$(cat source)\nK=1\nsink -d $K\n", nil},
	{"a substitution", gate.LanguageShell, "sink -d \"$(cat source)\"\n", []int{1}},
	{"a file between two commands", gate.LanguageShell, "tar czf /tmp/a.tgz source\nsink -F f=@/tmp/a.tgz\n", []int{1, 2}},
	{"a redirection between two commands", gate.LanguageShell, "cat source > /tmp/a\nsink -T /tmp/a\n", []int{1, 2}},
	{"a loop over files", gate.LanguageShell, "for f in source; do\n  sink -T \"$f\"\ndone\n", []int{1, 2}},
	{"what a loop reads", gate.LanguageShell, "cat source | while read -r l; do\n  sink -d \"$l\"\ndone\n", []int{1, 2}},
	{"an argument of a shell function", gate.LanguageShell, "up() {\n  sink -d \"$1\"\n}\nup \"$(cat source)\"\n", []int{4, 2}},
	{"the argument of another shell function", gate.LanguageShell, "get() {\n  echo \"$1\"\n}\nget \"$(cat source)\"\nput() {\n  sink -d \"$1\"\n}\nput x\n", nil},
	{"the argument of a script beside that of a function", gate.LanguageShell, "get() {\n  echo \"$1\"\n}\nget \"$(cat source)\"\nsink -d \"$1\"\n", nil},
	{"a substitution that ends with a word", gate.LanguageShell, "n=`date -u`\nk=`cat source`\nsink -d \"$n\"\n", nil},
	{"a substitution in backticks", gate.LanguageShell, "k=`cat source`\nsink -d \"$k\"\n", []int{1, 2}},
	{"what a shell function prints", gate.LanguageShell, "get() {\n  cat source\n}\nsink -d \"$(get)\"\n", []int{2, 4}},
}

func TestValuesAreFollowed(t *testing.T) {
	for _, c := range cases {
		t.Run(string(c.lang)+"/"+c.name, func(t *testing.T) {
			lines, answer := ask(t, c.lang, c.text)
			if c.want == nil {
				if answer != taint.No {
					t.Errorf("found a way over lines %v in\n%s", lines, c.text)
				}
				return
			}
			if answer != taint.Yes || !contains(lines, c.want) {
				t.Errorf("got %v, want Yes over lines %v, got %v in\n%s", answer, c.want, lines, c.text)
			}
		})
	}
}

// contains reports whether the lines begin and end as wanted and go over the
// others in that order.
func contains(got, want []int) bool {
	if len(got) == 0 || got[0] != want[0] || got[len(got)-1] != want[len(want)-1] {
		return false
	}
	for _, l := range want {
		i := slices.Index(got, l)
		if i < 0 {
			return false
		}
		got = got[i:]
	}
	return true
}

// Every question about these costs at most its budget; building their graphs
// takes time proportional to the text, which the test's own deadline checks.
func TestPathologicalTextsEnd(t *testing.T) {
	const n = 100_000
	for _, c := range []struct {
		name string
		lang gate.Language
		text string
	}{
		{"open brackets", gate.LanguagePython, strings.Repeat("(", n)},
		{"closing brackets", gate.LanguageJavaScript, strings.Repeat("([{", n/3) + strings.Repeat(")", n)},
		{"deep indentation", gate.LanguagePython, deep(300)},
		{"a name that is added to", gate.LanguagePython, strings.Repeat("a += a\n", n/7) + "sink(a)"},
		{"a name in a loop", gate.LanguagePython, "while 1:\n" + strings.Repeat(" a = a\n", n/7) + " sink(a)"},
		{"assignments on one line", gate.LanguageJavaScript, strings.Repeat("a=", n/2) + "1; sink(a)"},
		{"arrows", gate.LanguageJavaScript, strings.Repeat("a=>", n/3) + "sink(a)"},
		{"nested functions", gate.LanguageJavaScript, strings.Repeat("function f(a){", n/14) + "sink(a)"},
		{"calls of one function", gate.LanguageGo, "func f(a int) {\nsink(a)\n}\n" + strings.Repeat("func g() { f(1) }\n", n/18)},
		{"functions of one name", gate.LanguageJavaScript, strings.Repeat("function f(a){return f(a)}\n", n/27) + "sink(f(1))"},
		{"returns", gate.LanguageJavaScript, strings.Repeat("return return;", n/14)},
		{"callbacks", gate.LanguageJavaScript, strings.Repeat("f(a,(b)=>{", n/10) + "sink(b)"},
		{"substitutions", gate.LanguageShell, strings.Repeat("$(", n/2)},
		{"substitutions in quotes", gate.LanguageShell, strings.Repeat("\"$(", n/3)},
		{"backquotes", gate.LanguageShell, strings.Repeat("`", n)},
		{"pipes", gate.LanguageShell, strings.Repeat("a|", n/2) + "sink"},
		{"variables", gate.LanguageShell, strings.Repeat("A=$A\n", n/5) + "sink $A"},
		{"blocks of a script", gate.LanguageShell, strings.Repeat("{ ", n/2)},
		{"files", gate.LanguageShell, strings.Repeat("cp /tmp/a /tmp/a\n", n/17) + "sink /tmp/a"},
	} {
		t.Run(c.name, func(t *testing.T) { ask(t, c.lang, c.text) })
	}
}

// deep is a text in which every line is indented more than the one before.
func deep(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if a:\n")
	}
	return b.String()
}

func TestCodeThatRunsOnImport(t *testing.T) {
	for _, c := range []struct {
		name string
		lang gate.Language
		text string
		want bool // for the first "here"
	}{
		{"a statement of the file", gate.LanguagePython, "here()\n", true},
		{"a function", gate.LanguagePython, "def f():\n    here()\n", false},
		{"a function that the file calls", gate.LanguagePython, "def f():\n    here()\nf()\n", true},
		{"a function that is called by one that the file calls", gate.LanguagePython, "def f():\n    here()\ndef g():\n    f()\ng()\n", true},
		{"the main program", gate.LanguagePython, "if __name__ == '__main__':\n    here()\n", false},
		{"a function of the main program", gate.LanguagePython, "def f():\n    here()\nif __name__ == '__main__':\n    f()\n", false},
		{"the body of a class", gate.LanguagePython, "class A:\n    x = here()\n", true},
		{"a method", gate.LanguagePython, "class A:\n    def f(self):\n        here()\n", false},
		{"a module", gate.LanguageJavaScript, "here()\n", true},
		{"a function of a module", gate.LanguageJavaScript, "function f() {\n  here()\n}\nmodule.exports = f\n", false},
		{"an arrow function that is exported", gate.LanguageJavaScript, "export default (a = 1) => {\n  here()\n}\n", false},
		{"a function without a name that is exported", gate.LanguageJavaScript, "export default async function () {\n  here()\n}\n", false},
		{"an export that is called at once", gate.LanguageJavaScript, "export default (() => {\n  here()\n})()\n", true},
		{"a method that is private", gate.LanguageJavaScript, "class A {\n  async #run(a) {\n    here()\n  }\n}\n", false},
		{"a method with the type of its result", gate.LanguageTypeScript, "class A {\n  private async run(a: string): Promise<string> {\n    here()\n  }\n}\n", false},
		{"a function that is called at once", gate.LanguageJavaScript, "(function () {\n  here()\n})()\n", true},
		{"a callback of a module", gate.LanguageJavaScript, "get(u, (res) => {\n  here(res)\n})\n", true},
		{"init", gate.LanguageGo, "func init() {\n\there()\n}\n", true},
		{"a function that init calls", gate.LanguageGo, "func f() {\n\there()\n}\nfunc init() { f() }\n", true},
		{"main", gate.LanguageGo, "func main() {\n\there()\n}\n", false},
		{"a method that an interface names", gate.LanguageGo, "type i interface {\n\trun(a int) error\n}\nfunc (t *T) run(a int) error {\n\there()\n\treturn nil\n}\n", false},
		{"a function that an initialiser calls", gate.LanguageGo, "var x = f()\nfunc f() int {\n\there()\n\treturn 1\n}\n", true},
		{"an initialiser", gate.LanguageGo, "var x = here()\n", true},
	} {
		t.Run(string(c.lang)+"/"+c.name, func(t *testing.T) {
			src := []byte(c.text)
			lexed := lex.Scan(c.lang, src)
			g, _ := taint.New(c.lang, lexed.View(src), lexed)
			if got := g.OnImport(strings.Index(c.text, "here")); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestOtherLanguagesHaveNoGraph(t *testing.T) {
	if _, ok := taint.New(gate.LanguageMarkdown, nil, &lex.Text{}); ok {
		t.Error("a graph of Markdown")
	}
}

func FuzzAnyTextHasAGraph(f *testing.F) {
	for _, c := range cases {
		f.Add(string(c.lang), c.text)
	}
	f.Fuzz(func(t *testing.T, lang, text string) {
		switch l := gate.Language(lang); l {
		case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageShell:
			if !strings.Contains(text, "sink") {
				text += "\nsink(a)"
			}
			ask(t, l, text)
		}
	})
}
