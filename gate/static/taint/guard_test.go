package taint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/static/taint"
)

// guarded looks for a way from every "source" of a text into what decides about its first
// "sink(".
func guarded(lang gate.Language, text string, budget int) taint.Answer {
	src := []byte(text)
	lexed := lex.Scan(lang, src)
	g, ok := taint.New(lang, lexed.View(src), lexed)
	if !ok {
		return taint.No
	}
	var from []int
	for i := 0; ; {
		n := strings.Index(text[i:], "source")
		if n < 0 {
			break
		}
		from = append(from, i+n)
		i += n + 1
	}
	slices.Sort(from)
	at := strings.Index(text, "sink(")
	if at < 0 {
		return taint.No
	}
	_, answer := g.Questions().Guarded(from, taint.Span{Start: at, End: at + len("sink(")}, &budget)
	return answer
}

func TestWhatDecidesAboutAMatchIsAskedForItsSources(t *testing.T) {
	const js, golang, py = gate.LanguageJavaScript, gate.LanguageGo, gate.LanguagePython
	for _, tt := range []struct {
		name string
		lang gate.Language
		text string
		want taint.Answer
	}{
		{"the head of a block", js, "if (source() > 3) {\n  sink(x);\n}\n", taint.Yes},
		{"the head of a block around it", js, "if (source() > 3) {\n  for (const x of y) {\n    sink(x);\n  }\n}\n", taint.Yes},
		{"a condition without a block", js, "if (source() > 3) sink(x);\n", taint.Yes},
		{"a condition before an and", js, "const a = 1;\nsource() > 3 && sink(x);\n", taint.Yes},
		{"a block beside it", js, "if (source() > 3) {\n  other(x);\n}\nsink(x);\n", taint.No},
		{"a condition that comes later", js, "sink(x);\nif (source() > 3) return;\n", taint.No},
		{"the alternative to a block", js, "if (source() > 3) {\n  other(x);\n} else {\n  sink(x);\n}\n", taint.Yes},
		{"a block that is left before", js, "function f() {\n  if (source().includes(a)) return;\n  sink(x);\n}\n", taint.Yes},
		{"a block before that is not left", js, "function f() {\n  if (source().includes(a)) { count(); }\n  sink(x);\n}\n", taint.No},
		{"a call of the function around it", js, "function wipe(x) {\n  sink(x);\n}\nfunction f() {\n  if (source() > 3) wipe(x);\n}\n", taint.Yes},
		{"a condition in a variable", js, "const due = source() > 3;\nif (due) {\n  sink(x);\n}\n", taint.Yes},
		{"a condition in a function", js, "const due = () => source() > 3;\nif (due()) {\n  sink(x);\n}\n", taint.Yes},
		{"what is asked about a value", js, "const host = source();\nif (host.endsWith(a)) {\n  sink(x);\n}\n", taint.Yes},
		{"a value that is one of two", js, "const root = source() ? a : b;\nsink(root);\n", taint.Yes},
		{"a value that is given alone", js, "const root = source();\nsink(root);\n", taint.No},
		{"the head of a block of Go", golang, "package a\nfunc f() {\n\tif source() > 3 {\n\t\tsink(x)\n\t}\n}\n", taint.Yes},
		{"a definition under a condition of Go", golang, "package a\nfunc f() {\n\thost := source()\n\twhere := b\n\tif strings.HasSuffix(host, c) {\n\t\twhere = d\n\t}\n\tsink(where)\n}\n", taint.Yes},
		{"a function of Go that is left before", golang, "package a\nfunc f() {\n\tif u := source(); u == b {\n\t\treturn\n\t}\n\tsink(x)\n}\n", taint.Yes},
		{"another function of Go", golang, "package a\nfunc g() bool {\n\treturn source() > 3\n}\nfunc f() {\n\tsink(x)\n}\n", taint.No},
		{"the head of a block of Python", py, "def f():\n    if source() > 3:\n        sink(x)\n", taint.Yes},
		{"a loop in a block of Python", py, "if source() == 5:\n    for p in parts:\n        sink(p)\n", taint.Yes},
		{"a condition in a function of Python", py, "def due(s):\n    return s.source() == 5\n\ndef f(s):\n    if due(s):\n        sink(s)\n", taint.Yes},
		{"the other branch of Python", py, "if source():\n    other()\nelif a:\n    b()\nelse:\n    sink(x)\n", taint.Yes},
		{"a block of Python beside it", py, "if source():\n    other()\nsink(x)\n", taint.No},
		{"a function of Python that is left before", py, "def f():\n    if source() not in DAYS:\n        return\n    sink(x)\n", taint.Yes},
		{"a block of Python that is left inside of a loop only", py, "def f():\n    for x in y:\n        if source():\n            continue\n    sink(x)\n", taint.No},
		{"a call of a function of Python", py, "def wipe(x):\n    sink(x)\n\nif source() > 3:\n    wipe(1)\n", taint.Yes},
		{"a value of Python that is one of two", py, "root = a if source() else b\nsink(root)\n", taint.Yes},
		{"a condition of Python before an and", py, "source() > 3 and sink(x)\n", taint.Yes},
		{"another function of Python", py, "def g():\n    return source() > 3\n\ndef f():\n    sink(x)\n", taint.No},
		{"a definition under a condition of Python", py, "where = b\nif source() == c:\n    where = d\nsink(where)\n", taint.Yes},
		{"shell has no such conditions", gate.LanguageShell, "if source; then\n  sink(\nfi\n", taint.No},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := guarded(tt.lang, tt.text, 8<<20); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestWithoutABudgetWhatDecidesIsUnknown(t *testing.T) {
	if got := guarded(gate.LanguageJavaScript, "if (source() > 3) {\n  sink(x);\n}\n", 0); got != taint.Unknown {
		t.Errorf("got %d, want Unknown", got)
	}
}

func FuzzWhatDecidesIsFoundInAnyText(f *testing.F) {
	for _, text := range []string{"if (source()) { sink(x) } else { }", "} else { if ( sink( ) source", "a ? sink(b ? c : source", "func f() { if source(); sink( {", "if source():\n  a\nelif b:\n else:\n  sink(c if source else"} {
		for lang := range byte(3) {
			f.Add(text, lang)
		}
	}
	f.Fuzz(func(t *testing.T, text string, which byte) {
		lang := []gate.Language{gate.LanguageJavaScript, gate.LanguageGo, gate.LanguagePython}[which%3]
		const budget = 1 << 20
		if first, again := guarded(lang, text, budget), guarded(lang, text, budget); first != again {
			t.Errorf("%d, then %d", first, again)
		}
	})
}
