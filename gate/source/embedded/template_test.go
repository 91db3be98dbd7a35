package embedded_test

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
)

func TestTheRowsOfADataFileGoIntoACommand(t *testing.T) {
	text := func(s string) embedded.Part { return embedded.Part{Text: s} }
	row := embedded.Part{Value: true}
	key := func(k string) embedded.Part { return embedded.Part{Value: true, Key: k} }
	for name, c := range map[string]struct {
		lang     gate.Language
		content  string
		template embedded.Template
		want     string
	}{
		"lines of a text":           {gate.LanguageText, "a\n# b\n\nc d\n", embedded.Template{text("get "), row}, "get a\nget c d\n"},
		"words for a shell":         {gate.LanguageText, "a\nb | sh\n", embedded.Template{text("get "), {Value: true, Word: true}}, "get a\n"},
		"columns of a table":        {gate.LanguageText, "name,cmd\na,\"x; y\"\n", embedded.Template{key("cmd")}, "cmd\nx; y\n"},
		"attributes of an element":  {gate.LanguageText, "<t>\n<r exe=\"a\" arg=\"b\"/></t>\n", embedded.Template{key("exe"), text(" "), key("arg")}, "a b\n"},
		"elements of an element":    {gate.LanguageText, "<t><r><exe>a</exe>\n<arg>b</arg></r></t>\n", embedded.Template{key("exe"), text(" "), key("arg")}, "a b\n"},
		"members of an object":      {gate.LanguageYAML, "- a: 1x\n  b: 2x\n- b: 3x\n", embedded.Template{key("a"), text("-"), key("b")}, "1x-2x\n"},
		"items of a list":           {gate.LanguageJSON, `[["a b", "c"]]`, embedded.Template{{Value: true, Joins: true, Text: " | "}}, "a b | c\n"},
		"code of a Markdown table":  {gate.LanguageMarkdown, "| a | `x y` |\n", embedded.Template{text("run "), row}, "run x y\n"},
		"a document without values": {gate.LanguageJSON, `{`, embedded.Template{row}, ""},
	} {
		var got strings.Builder
		for _, code := range embedded.Filled(c.lang, []byte(c.content), c.template) {
			got.Write(code.Text)
			for _, l := range code.Lines {
				if l < 1 || l > 1+strings.Count(c.content, "\n") {
					t.Errorf("%s: line %d", name, l)
				}
			}
		}
		if !strings.Contains(got.String(), c.want) || c.want == "" && got.Len() > 0 || strings.Contains(got.String(), "sh\n") {
			t.Errorf("%s: %q, want %q", name, got.String(), c.want)
		}
	}
}

func TestACommandWithoutARowHasANeutralValue(t *testing.T) {
	if got := (embedded.Template{{Text: "curl "}, {Value: true}, {Text: " | sh"}}).Neutral(); got != "curl x | sh" {
		t.Errorf("%q", got)
	}
}

func FuzzFilled(f *testing.F) {
	for _, s := range []string{"a,b\nc,d\n", "<a b='c'>d</a>", "| `x` | y |\n", "a\tb\n", "\"a;b"} {
		f.Add(s)
	}
	template := embedded.Template{{Text: "x "}, {Value: true}}
	f.Fuzz(func(t *testing.T, s string) {
		for _, lang := range []gate.Language{gate.LanguageText, gate.LanguageMarkdown} {
			for _, code := range append(embedded.Filled(lang, []byte(s), template), embedded.Texts(lang, []byte(s), embedded.Run{Shell: true, Pipes: true})...) {
				for _, l := range code.Lines {
					if l < 1 || l > 1+strings.Count(s, "\n") {
						t.Errorf("%q: line %d", s, l)
					}
				}
			}
		}
	})
}
