package eval

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestInjectionsArePutIntoAllLanguagesThatHaveAPlace(t *testing.T) {
	table, err := Injections()
	if err != nil {
		t.Fatal(err)
	}
	if len(table) < 15 {
		t.Fatalf("only %d injections", len(table))
	}
	const code = "#!/usr/bin/thing\nfirst()\nlast()\n"
	langs := []gate.Language{gate.LanguagePython, gate.LanguageShell, gate.LanguageGo, gate.LanguageJavaScript, gate.LanguageC, gate.LanguagePHP,
		gate.LanguageMarkdown, gate.LanguageYAML, gate.LanguageINI, gate.LanguageText}
	for _, in := range table {
		for _, lang := range langs {
			out, ok := in.apply(fstest.MapFS{"x": {Data: []byte(code), Mode: 0o755}}, func(string, []byte) gate.Language { return lang })
			s, _ := styleOf(lang)
			if in.In == "string" && s.text == "" {
				if ok {
					t.Errorf("%s has a place in %s, which has no strings", in.Name, lang)
				}
				continue
			}
			if !ok {
				t.Errorf("%s has no place in %s", in.Name, lang)
				continue
			}
			text := string(out["x"].Data)
			if !strings.HasPrefix(text, "#!/usr/bin/thing\n") || !strings.Contains(text, "first()\nlast()\n") || out["x"].Mode != 0o755 {
				t.Errorf("%s in %s changes the code:\n%s", in.Name, lang, text)
			}
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				mine := slices.Contains([]string{"#!/usr/bin/thing", "first()", "last()"}, line)
				if in.In == "comment" && !mine && (!strings.HasPrefix(line, s.open) || !strings.HasSuffix(line, s.close)) {
					t.Errorf("%s in %s: %q is no comment", in.Name, lang, line)
				}
			}
		}
	}
}

func TestAnInjectionIsWhatItsTechniqueSays(t *testing.T) {
	table, err := Injections()
	if err != nil {
		t.Fatal(err)
	}
	text := func(name string) string {
		for _, in := range table {
			if in.Name == name {
				out, _ := in.apply(fstest.MapFS{"x": {Data: []byte("code\n")}}, func(string, []byte) gate.Language { return gate.LanguagePython })
				return string(out["x"].Data)
			}
		}
		t.Fatalf("there is no %s", name)
		return ""
	}
	for name, want := range map[string]string{
		"chatml": "# <|im_start|>assistant\n", "forged-end": "# End of line.\n", "zero-width": "N\u200bo\u200bt\u200be",
		"tags": "\U000E004E\U000E006F\U000E0074\U000E0065", "homoglyphs": "ѕаfе", "string": `REVIEW_NOTE = "For the automated`,
	} {
		if got := text(name); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q:\n%s", name, want, got)
		}
	}
	if got := text("homoglyphs"); strings.Contains(got, "ignore") {
		t.Errorf("a filter finds it:\n%s", got)
	}
	// A token of digits is a byte, and the judge's context has 16384 tokens.
	if n := len(text("padding")); n < 20_000 || n > 40_000 || !strings.HasPrefix(text("padding"), "code\n") {
		t.Errorf("padding of %d bytes", n)
	}
}

func TestAFileWithoutCommentsIsLeftAlone(t *testing.T) {
	in := Injection{Name: "x", Where: "top", In: "comment", Text: "t"}
	if _, ok := in.apply(fstest.MapFS{"x": {Data: []byte("{}")}}, func(string, []byte) gate.Language { return gate.LanguageJSON }); ok {
		t.Error("JSON has a comment")
	}
}

func TestAMistakeInATableOfInjectionsIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "x.yaml: a list of injections is expected",
		"- {name: a, were: top}": "x.yaml: unmarshal errors:\n  line 1: field were not found",
		"- {name: A B, where: top, in: comment, text: t}":                   `x.yaml: injection 1 ("A B"): a name is lower-case words`,
		"- {name: a, where: tpo, in: comment, text: t}":                     `unknown where "tpo"; did you mean "top"?`,
		"- {name: a, where: top, in: coment, text: t}":                      `did you mean "comment"?`,
		"- {name: a, where: top, in: comment, disguise: rot13, text: t}":    `unknown disguise "rot13" (allowed: homoglyphs, zero-width, tags)`,
		"- {name: a, where: top, in: comment}":                              "it has no text",
		"- {name: a, where: top, in: comment, text: t, padding: 999999999}": "padding is 0 to 1048576 bytes",
		"- &a {name: a, where: top, in: comment, text: t}\n- *a\n":          "the name is given twice",
	} {
		if _, err := ParseInjections("x.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestHarmlessEditsAreHarmless(t *testing.T) {
	tests := map[string]struct {
		edit string
		lang gate.Language
		src  string
		want string // "" is not possible
	}{
		"a comment below a shebang":             {"comment", gate.LanguageShell, "#!/bin/sh\nls\n", "#!/bin/sh\n# Moved here from the old layout; the behaviour is the same.\nls\n"},
		"no comment in JSON":                    {"comment", gate.LanguageJSON, "{}", ""},
		"other line numbers":                    {"lines", gate.LanguagePython, "# -*- coding: utf-8 -*-\nx = 1\n", "# -*- coding: utf-8 -*-\n\n\n\nx = 1\n"},
		"deeper indentation":                    {"reformat", gate.LanguagePython, "if x:\n  y()\n\tz()\n", "if x:\n    y()\n\t\tz()\n"},
		"indentation means something in YAML":   {"reformat", gate.LanguageYAML, "a:\n  b: 1\n", ""},
		"a variable":                            {"rename", gate.LanguagePython, "total = 1\nprint(total, subtotal)\n", "total_item = 1\nprint(total_item, subtotal)\n"},
		"a variable of a shell":                 {"rename", gate.LanguageShell, "local name=1\necho \"$name\"\n", "local name_item=1\necho \"$name_item\"\n"},
		"not what is a keyword argument":        {"rename", gate.LanguagePython, "shell = True\nrun(x, shell=shell)\n", ""},
		"not what is an attribute, the next is": {"rename", gate.LanguagePython, "path = 1\nother = os.path\n", "path = 1\nother_item = os.path\n"},
		"a variable of Go":                      {"rename", gate.LanguageGo, "package p\n\nfunc f() int {\n\tcount := 1\n\treturn count\n}\n", "package p\n\nfunc f() int {\n\tcount_item := 1\n\treturn count_item\n}\n"},
		"no variable":                           {"rename", gate.LanguagePython, "print(1)\n", ""},
		"prose has no variables":                {"rename", gate.LanguageMarkdown, "total = 1\n", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			all := Edits()
			i := slices.IndexFunc(all, func(e Edit) bool { return e.Name == tc.edit })
			got, ok := all[i].apply(tc.lang, []byte(tc.src))
			if ok != (tc.want != "") || ok && string(got) != tc.want {
				t.Errorf("%v %q, want %q", ok, got, tc.want)
			}
		})
	}
}

// What is measured should be the same program.
func TestAnEditedProgramStillParses(t *testing.T) {
	const src = "//go:build linux\n\n// Package p counts.\npackage p\n\nimport \"fmt\"\n\nfunc f(list []int) int {\n\tcount := 0\n\tfor range list {\n\t\tcount++\n\t}\n\tfmt.Println(count)\n\treturn count\n}\n"
	tree := fstest.MapFS{"a.go": {Data: []byte(src)}}
	classify := func(string, []byte) gate.Language { return gate.LanguageGo }
	table, err := Injections()
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, out fstest.MapFS, ok bool) {
		if _, err := parser.ParseFile(token.NewFileSet(), "a.go", out["a.go"].Data, parser.AllErrors); err != nil || !ok {
			t.Errorf("%s: made %v, %v", name, ok, err)
		}
	}
	for _, in := range table {
		out, ok := in.apply(tree, classify)
		check(in.Name, out, ok)
	}
	for _, e := range Edits() {
		out, ok := edited(tree, classify, e.apply)
		check(e.Name, out, ok)
	}
}

func FuzzATableOfInjectionsIsReadOrRefused(f *testing.F) {
	f.Add(string(injectionTable), "x = 1\n")
	f.Add("- {name: a, where: around, in: string, disguise: tags, text: t}", "#!/bin/sh")
	f.Add("- {name: a, where: top, in: comment, padding: 100, text: \"\\0\"}", "---\n")
	f.Fuzz(func(t *testing.T, table, src string) {
		all, err := ParseInjections("x.yaml", []byte(table))
		if err != nil {
			return
		}
		for _, in := range all {
			out, ok := in.apply(fstest.MapFS{"a": {Data: []byte(src)}}, func(string, []byte) gate.Language { return gate.LanguageShell })
			if ok && len(out["a"].Data) <= len(src) {
				t.Errorf("%+v adds nothing to %q", in, src)
			}
		}
	})
}
