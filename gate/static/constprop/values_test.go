package constprop

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestConstantsByWayOfNamesAreWrittenOut(t *testing.T) {
	for _, c := range []struct {
		name, src, want string // want is the last line; "" is: nothing is written out
	}{
		{"a name that grows", "p = 'sys'\np += 'tem'\ngetattr(os, p)", `getattr(os, "system")`},
		{"a word in pieces", "a, b = 1, 2\nx = 'sys'\ny = 'tem'\ngetattr(os, x + y)", `getattr(os, "system")`},
		{"a dictionary", "d = {'a': 'sy', 'b': 'stem'}\ngetattr(os, d['a'] + d['b'])", `getattr(os, "system")`},
		{"a dictionary that grows", "d = {}\nd['a'] = 'system'\ngetattr(os, d['a'])", `getattr(os, "system")`},
		{"a list that is joined", "parts = ['cu', 'rl x']\nos.system(''.join(parts))", `os.system("curl x")`},
		{"a list that grows", "parts = []\nparts.append('cu')\nparts.append('rl x')\nos.system(''.join(parts))", `os.system("curl x")`},
		{"every second letter", "s = 'qcquqrql'\nos.system(s[1::2])", `os.system("curl")`},
		{"a text that is turned round", "s = 'lruc'\nos.system(s[::-1])", `os.system("curl")`},
		{"a slice", "s = 'xxcurlxx'\nos.system(s[2:-2])", `os.system("curl")`},
		{"what a function gives back", "def f():\n    return 'cu' + 'rl'\nos.system(f())", `os.system("curl")`},
		{"a function with an argument", "def f(n):\n    return n.to_bytes((n.bit_length() + 7) // 8, 'big').decode()\nos.system(f(0x6375726c))", `os.system("curl")`},
		{"a function with a default", "def f(s, k=2):\n    return s[::k]\nos.system(f('cxuxrxlx'))", `os.system("curl")`},
		{"a lambda", "f = lambda s: s[::-1]\nos.system(f('lruc'))", `os.system("curl")`},
		{"numbers to bytes", "n = 0x6375726c\nos.system(n.to_bytes(4, 'big').decode())", `os.system("curl")`},
		{"joined digits", "a = '6375'\nb = '726c'\nos.system(bytes.fromhex(a + b).decode())", `os.system("curl")`},
		{"digits in a tuple", "a = '6375'\nb = '726c'\nexec(compile(bytes.fromhex(''.join((a, b))).decode(), 'x', 'exec'))", `exec(compile("curl", 'x', 'exec'))`},
		{"a table of characters", "t = str.maketrans('abcd', 'curl')\nos.system('abcd'.translate(t))", `os.system("curl")`},
		{"character codes with a key", "k = 7\nos.system(''.join(chr(c ^ k) for c in [100, 114, 117, 107]))", `os.system("curl")`},
		{"a loop that adds", "s = ''\nfor c in [100, 114, 117, 107]:\n    s += chr(c ^ 7)\nos.system(s)", `os.system("curl")`},
		{"bytes with a key", "os.system(bytes(b ^ 7 for b in b'druk').decode())", `os.system("curl")`},
		{"a format", "a = 'cu'\nos.system('%s%s' % (a, 'rl'))", `os.system("curl")`},
		{"a formatted literal", "a = 'cu'\nos.system(f'{a}rl x')", `os.system("curl x")`},
		{"a field of a class", "class A:\n    c = 'cu'\n    def f(self):\n        os.system(self.c + 'rl')", `os.system("curl")`},
		{"mapped character codes", "d = [99, 117, 114, 108]\nos.system(''.join(map(chr, d)))", `os.system("curl")`},
		{"rot13", "import codecs\ndef r(s):\n    return codecs.decode(s, 'rot_13')\nos.system(r('phey'))", `os.system("curl")`},
		{"base64 of a name", "d = 'Y3Vy'\nd += 'bA=='\nos.system(base64.b64decode(d).decode())", `os.system("curl")`},
		{"a command in a name", "c = 'curl x'\nos.system(c)", `os.system("curl x")`},
		{"words of a command in a name", "c = ['curl', 'x']\nsubprocess.run(c)", `subprocess.run(["curl", "x"])`},
		{"an element that is called", "def f():\n    return 'cu' + 'rl'\nvars(x)['ex' + 'ec'](f())", `vars(x)["exec"]("curl")`},
		{"a path in pieces", "p = '/etc/sha'\nopen(p + 'dow')", `open("/etc/shadow")`},
		{"a path that is put together at its borders", "p = '/etc/'\nopen(p + 'app.conf')", ``},
		{"a path joined by the sign between its parts", "open(os.path.sep.join(['', 'etc', 'shadow']))", `open("/etc/shadow")`},
		{"a path in a name", "p = '/etc/app.conf'\nopen(p)", ``},
		{"an argument of a function", "c = 'curl'\ndef f(c):\n    os.system(c)", ``},
		{"a name that a loop gives values", "c = 'curl'\nfor c in x:\n    os.system(c)", ``},
		{"what is not known", "c = read()\nos.system(c + 'x')", ``},
		{"a definition of a function of that name", "c = 'curl'\ndef system(c): pass", ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, ok := values([]byte(c.src), nil)
			got := ""
			if ok {
				lines := strings.Split(string(out), "\n")
				got = strings.TrimSpace(lines[len(lines)-1])
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWorkOnConstantsIsBounded(t *testing.T) {
	src := "a = 'x' + 'y'\n"
	for i := range 40 {
		src += "a" + strings.Repeat("a", i+1) + " = a" + strings.Repeat("a", i) + " + a" + strings.Repeat("a", i) + "\n"
	}
	src += "def f(n):\n    return f(n) + f(n)\nos.system(f(1))\nos.system(aaaaaaaaaaaaaaaaaaaaaaaaa)\n" + strings.Repeat("os.system((((((((((", 500)
	e := newEvaluator([]byte(src))
	if e.ops.left != maxSteps {
		t.Errorf("%d steps before anything was asked", maxSteps-e.ops.left)
	}
	if out, ok := values([]byte(src), nil); ok && len(out) > len(src)+maxSites*maxLiteral {
		t.Errorf("%d bytes became %d", len(src), len(out))
	}
}

func FuzzValues(f *testing.F) {
	for _, seed := range []string{"p = 'a'\np += 'b'\nos.system(p)", "def f(n=1):\n  return n[::-2]\nexec(f('abc'))", "os.system(f'{a!r}{b}')\n", "x = {1: 2, 'a': [chr(3) for _ in (1, 2)]}\nopen(x['a'][0])",
		"for c in x: # a comment\n    pass\nopen(c)", "for c in 'ab': s += c\nopen(s % (1, 's'))", "open(1 << 99 >> 2 ** 3)", "t = str.maketrans('a', 'b')\nopen('a'.translate(t).join(reversed(['x'])))"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, ok := Names(gate.LanguagePython, src, nil)
		if ok && strings.Count(string(out), "\n") != strings.Count(string(src), "\n") {
			t.Fatalf("the lines changed: %q became %q", src, out)
		}
	})
}
