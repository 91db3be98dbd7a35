package constprop

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/aigate/gate/gate"
)

var blanks = regexp.MustCompile(`[ \t]+`)

func TestConstantsArePutTogether(t *testing.T) {
	for _, c := range []struct {
		name string
		lang gate.Language
		src  string
		want string // with blanks squeezed; "" is: nothing to fold
	}{
		{"added literals", gate.LanguagePython, `f("sys" + "tem", x)`, `f("system" , x)`},
		{"three of them", gate.LanguagePython, `p = "." + 's' + "sh"`, `p = ".ssh" `},
		{"literals side by side in Python", gate.LanguagePython, `p = "a" "b"`, `p = "ab" `},
		{"literals side by side mean nothing in JavaScript", gate.LanguageJavaScript, `p = "a" "b"`, ``},
		{"hexadecimal escapes", gate.LanguagePython, `x = "\x6f\x73"`, `x = "os" `},
		{"unicode escapes", gate.LanguageJavaScript, `x = "\u0065val" + "\u{65}"`, `x = "evale" `},
		{"octal escapes", gate.LanguageJavaScript, `x = "\145val"`, `x = "eval" `},
		{"raw strings have none", gate.LanguagePython, `x = r"\x6f\x73"`, ``},
		{"character codes", gate.LanguagePython, `x = chr(111) + chr(0x73)`, `x = "os" `},
		{"character codes in JavaScript", gate.LanguageJavaScript, `x = String.fromCharCode(101, 118)`, `x = "ev" `},
		{"a joined list", gate.LanguagePython, `x = "".join(["o", "s"])`, `x = "os" `},
		{"a list that joins", gate.LanguageJavaScript, `x = ["o", "s"].join("")`, `x = "os" `},
		{"joined character codes", gate.LanguagePython, `x = "".join(map(chr, [111, 115]))`, `x = "os" `},
		{"joined character codes in a loop", gate.LanguagePython, `x = ''.join(chr(c) for c in [111, 115])`, `x = "os" `},
		{"reversed text", gate.LanguagePython, `x = "metsys"[::-1]`, `x = "system" `},
		{"reversed text in JavaScript", gate.LanguageJavaScript, `x = "lave".split("").reverse().join("")`, `x = "eval" `},
		{"replaced text", gate.LanguagePython, `x = "oXs".replace("X", "")`, `x = "os" `},
		{"percent encoding", gate.LanguagePython, `x = unquote("%2Fetc%2fshadow")`, `x = "/etc/shadow" `},
		{"percent encoding that is none", gate.LanguagePython, `x = unquote("100%")`, ``},
		{"split and joined text", gate.LanguageJavaScript, `x = "oXs".split("X").join("")`, `x = "os" `},
		{"text replaced by an expression", gate.LanguageJavaScript, `x = "oXs".replace(/X/g, "")`, `x = "os" `},
		{"text in another case", gate.LanguagePython, `x = "OS".lower() + "OS".swapcase()`, `x = "osos" `},
		{"a format", gate.LanguagePython, `x = "{}y{}".format("s", "stem")`, `x = "system" `},
		{"a format with numbers", gate.LanguagePython, `x = "{1}{0}".format("s", "o")`, `x = "os" `},
		{"a format that lacks a value", gate.LanguagePython, `x = "{}{7}".format("o", "s")`, ``},
		{"a format with names", gate.LanguagePython, `x = "{}{a}".format("o", "s")`, ``},
		{"reversed and joined text", gate.LanguagePython, `x = "".join(reversed("so"))`, `x = "os" `},
		{"base64", gate.LanguagePython, `x = base64.b64decode("L2V0Yy9zaGFkb3c=").decode()`, `x = "/etc/shadow" `},
		{"base64 of parts", gate.LanguagePython, `x = b64decode("L2V0Yy9z" + "aGFkb3c=")`, `x = "/etc/shadow" `},
		{"base64 in JavaScript", gate.LanguageJavaScript, `x = atob("Y2hpbGRfcHJvY2Vzcw==")`, `x = "child_process" `},
		{"a buffer in JavaScript", gate.LanguageJavaScript, `x = Buffer.from("6f73", "hex").toString()`, `x = "os" `},
		{"hexadecimal digits", gate.LanguagePython, `x = bytes.fromhex("6f73").decode("utf-8")`, `x = "os" `},
		{"rot13", gate.LanguagePython, `x = codecs.decode("bf", "rot13")`, `x = "os" `},
		{"concat", gate.LanguageJavaScript, `x = "".concat("o", "s")`, `x = "os" `},
		{"concat of a value", gate.LanguageJavaScript, `x = "a".concat(b, "c")`, ``},
		{"a constant in a template", gate.LanguageJavaScript, "x = `cu${'rl'} ${\"-s\"} ${url}`", "x = `curl -s ${ url}`"},
		{"a constant in a template that is put together", gate.LanguageTypeScript, "x = `chi${['ld', 'pro'].join('_')}cess`", "x = `child_process` "},
		{"a template of values", gate.LanguageJavaScript, "x = `${a}${b}`", ``},
		{"a constant that would end the template", gate.LanguageJavaScript, "x = `${'`'}`", ``},
		{"a member in brackets", gate.LanguageJavaScript, `cp["ex" + "ec"](x)`, `cp.exec (x)`},
		{"a list of one text is no member", gate.LanguageJavaScript, `f(["exec"])`, ``},
		{"a function that turns text round", gate.LanguageJavaScript, "const r = (s) => s.split('').reverse().join('');\nx = r('lave')", "const r = (s) => s.split('').reverse().join('');\nx = \"eval\" "},
		{"a function that decodes", gate.LanguageTypeScript, "function d(s: string) { return atob(s); }\nx = d('ZXZhbA==')", "function d(s: string) { return atob(s); }\nx = \"eval\" "},
		{"parts of a path", gate.LanguagePython, `p = home() / ".config" / 'systemd' / "user"`, `p = home() / ".config/systemd/user" `},
		{"parts of a path in a call", gate.LanguagePython, `p = os.path.join(home, ".config", "autostart", n)`, `p = os.path.join(home, ".config/autostart" , n)`},
		{"parts of a path in Go", gate.LanguageGo, `p := filepath.Join(home(a, "b"), ".ssh", "x")`, `p := filepath.Join(home(a, "b"), ".ssh/x" )`},
		{"a format of Go with what is not known", gate.LanguageGo, `p := fmt.Sprintf("%s/.%s/%s_keys", home(a, ")"), "ssh", "authorized")`, `p := "%s/.ssh/authorized_keys" `},
		{"a format of Go in which nothing is known", gate.LanguageGo, `p := fmt.Sprintf("%s/%s", a, b)`, ``},
		{"a format of Go that lacks a value", gate.LanguageGo, `p := fmt.Sprintf("%s/%s", "a")`, ``},
		{"arguments are no parts of a path", gate.LanguagePython, `f(".config", "x") + join([".a", "b"])`, ``},
		{"a program of an environment", gate.LanguagePython, `run([PREFIX / "bin" / "pip", "install"])`, ``},
		{"an absolute path is no part of another", gate.LanguagePython, `p = os.path.join("a", "/etc")`, ``},
		{"nothing", gate.LanguagePython, `x = "a" % b`, ``},
		{"what holds line ends is left alone", gate.LanguagePython, `x = "a\n" + "b"`, ``},
		{"empty quotes in a word", gate.LanguageShell, `c""url -s x`, `curl -s x`},
		{"quotes around letters", gate.LanguageShell, `'c'ur"l" x`, `curl x`},
		{"backslashes in a word", gate.LanguageShell, `r\m -rf x`, `rm -rf x`},
		{"a quoted word is left alone", gate.LanguageShell, `echo "a b" 'c d'`, ``},
		{"a command that prints nothing", gate.LanguageShell, "cu$(:)rl x | s`true`h", "curl x | sh "},
		{"arguments that are not there", gate.LanguageShell, "c$@ur$*l x", "curl x"},
		{"a field separator", gate.LanguageShell, `cat${IFS}/etc/hosts`, `cat /etc/hosts `},
		{"an ANSI string", gate.LanguageShell, "$'\\x63url' x", "curl x"},
		{"a comment", gate.LanguageShell, `# c""url`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, ok := Text(c.lang, []byte(c.src), nil)
			got := blanks.ReplaceAllString(string(out), " ")
			if !ok {
				got = ""
			}
			if got != c.want && got != c.want+" " {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAConstantOverSeveralLinesKeepsThem(t *testing.T) {
	src := []byte("f(\"/etc\" +\n  \"/shadow\" + \"    \")")
	out, ok := Text(gate.LanguagePython, src, nil)
	if want := "f(        \n\"/etc/shadow    \"   )"; !ok || string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

// FuzzText holds what the package promises for any input.
func FuzzText(f *testing.F) {
	languages := []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageGo, gate.LanguageShell}
	for i, seed := range []string{`"a" + "b" "c"[::-1]`, `["a", "b"].join("") + String.fromCharCode(1,2)`, "`a` + \"\\x41\"",
		`c""u'r'l ${IFS} $'\x41'`, `"".join(map(chr, [1,2]))`, `b64decode("QQ==").decode()`, `"a".replace("a","")`} {
		f.Add(i, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, lang int, src []byte) {
		out, ok := Text(languages[uint(lang)%uint(len(languages))], src, nil)
		if !ok {
			return
		}
		if len(out) != len(src) {
			t.Fatalf("%d bytes became %d", len(src), len(out))
		}
		for i := range src {
			if (src[i] == '\n') != (out[i] == '\n') {
				t.Fatalf("the line end at %d changed: %q became %q", i, src, out)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	src := bytes.Repeat([]byte("x = f(\"a\" + 'b', \"\\x41\")\ny = 1\n"), 1000)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Text(gate.LanguagePython, src, nil)
	}
}
