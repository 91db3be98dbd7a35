package arch

import (
	"strings"
	"testing"
)

func TestCheckLinks(t *testing.T) {
	const other = "# Other\n\n## How it's `done`, then\n\n## Twice\n\n## Twice\n\n<a id=\"by-hand\"></a>\n"
	tests := map[string]struct{ text, want string }{
		"a page":                           {"[a](other.md)", ""},
		"a page that is not there":         {"[a](gone.md)", "docs/page.md: link to gone.md: there is no docs/gone.md"},
		"a page above":                     {"[a](../README.md)", ""},
		"a folder":                         {"[a](../gate)", ""},
		"a picture that is not there":      {"![a](gone.png)", "link to gone.png"},
		"a heading":                        {"[a](other.md#how-its-done-then)", ""},
		"a heading that is not there":      {"[a](other.md#how-it-is-done)", "docs/other.md has no heading #how-it-is-done"},
		"the second of two headings":       {"[a](other.md#twice-1)", ""},
		"a third of two headings":          {"[a](other.md#twice-2)", "no heading #twice-2"},
		"an anchor made by hand":           {"[a](other.md#by-hand)", ""},
		"a heading of the same page":       {"# Here\n\n[a](#here)", ""},
		"none of the same page":            {"[a](#here)", "docs/page.md has no heading #here"},
		"a reference":                      {"[a][b]\n\n[b]: gone.md", "link to gone.md"},
		"in a table":                       {"| a |\n|---|\n| [a](gone.md) |\n", "link to gone.md"},
		"another site":                     {"[a](https://example.com/gone.md)", ""},
		"a path in a code span":            {"`gate/static`", ""},
		"one that is not there":            {"see `gate/scan/doc.go`", "`gate/scan/doc.go` is not in this repository"},
		"one in a table":                   {"| a |\n|---|\n| `tools/gone.sh` |\n", "`tools/gone.sh` is not"},
		"all packages below":               {"`go test ./gate/static/...`", ""},
		"all packages below nothing":       {"`go test ./gate/scan/...`", "`gate/scan` is not"},
		"a pattern":                        {"`gate/*.go` `docs/**`", ""},
		"what a reader fills in":           {"`fixtures/attacks/GROUP/ID/` `gate/<name>`", ""},
		"a rule's id":                      {"`gate/too-many-findings`", ""},
		"a path of another repository":     {"`src/a.py` `.github/workflows/gate.yml`", ""},
		"an example in a block":            {"    [a](gone.md) gate/scan\n", ""},
		"a link that does not parse":       {"[a](%zz)", "link to %zz"},
		"text that is no code":             {"gate/scan or not", ""},
		"two pages and both are looked at": {"[a](gone.md) and `gate/scan`", "`gate/scan` is not"},
	}
	there := map[string]bool{"README.md": true, "gate": true, "gate/static": true, "docs/other.md": true, "docs/page.md": true}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			pages := map[string]string{"docs/page.md": tc.text, "docs/other.md": other}
			expect(t, CheckLinks(pages, func(at string) bool { return there[at] }), tc.want)
		})
	}
}

func TestCheckPageNames(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"a page":                       {"// see docs/policy.md", ""},
		"one that is not there":        {"a\n// see docs/design.md.", "a.go:2: there is no docs/design.md"},
		"in quotes":                    {`x := "docs/design.md"`, "there is no docs/design.md"},
		"a page of another repository": {"https://example.com/x/docs/design.md", ""},
		"a page below another folder":  {"other/docs/design.md", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			expect(t, CheckPageNames("a.go", tc.text, func(at string) bool { return at == "docs/policy.md" }), tc.want)
		})
	}
}

func TestCheckCounts(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"the count":                   {"all 1666 rules", ""},
		"the count with a comma":      {"all 1,666 rules", ""},
		"another count":               {"a\nall 671 rules.", "a.md:2: says 671 rules, and there are 1666"},
		"another count, emphasised":   {"**671** rules", "says 671 rules"},
		"another count over two":      {"the 671\nrules", "a.md:1: says 671 rules"},
		"a thing of two words":        {"44 policy keys", "says 44 policy keys, and there are 45"},
		"a thing that no one counts":  {"12 monkeys", ""},
		"a word that starts alike":    {"671 rulesets", ""},
		"a number with a sign":        {"−5 rules, v2.671 rules", ""},
		"in words":                    {"three rules", ""},
		"what a program printed":      {"    1 rules, 2 samples\n\n```\n1 rules\n```\n", ""},
		"what a program wrote":        {"<!-- written by `make detection` -->\n671 rules\n<!-- end -->\n", ""},
		"behind what a program wrote": {"<!-- written by x -->\n671 rules\n<!-- end -->\n5 rules", "a.md:4: says 5 rules"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			expect(t, CheckCounts(map[string]string{"a.md": tc.text}, map[string]int{"rules": 1666, "policy keys": 45}), tc.want)
		})
	}
}

func TestCheckLayout(t *testing.T) {
	layout := []Place{{Path: "gate", For: "the vocabulary"}, {Path: "gate/engine", For: "the order of a run"}, {Path: "go.mod", Plain: true}}
	all := []string{"gate/run.go", "gate/engine/engine.go", "go.mod"}
	tests := map[string]struct {
		layout []Place
		files  []string
		want   string
	}{
		"all of it":                       {layout, all, ""},
		"a folder is missing":             {layout, []string{"gate/run.go", "go.mod"}, "gate/engine is missing: the order of a run"},
		"a file is missing":               {layout, []string{"gate/run.go", "gate/engine/engine.go"}, "go.mod is missing"},
		"a folder that only starts alike": {layout, []string{"gate/run.go", "gate/engines/a.go", "go.mod"}, "gate/engine is missing"},
		"a place that is not explained":   {append([]Place{{Path: "gate/run.go"}}, layout...), all, "gate/run.go: the layout does not say what it is for"},
		"something new at the top":        {layout, append([]string{"scripts/a.sh"}, all...), "scripts is at the top level"},
		"something new below":             {layout, append([]string{"gate/scripts/a.sh"}, all...), ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { expect(t, CheckLayout(tc.layout, tc.files), tc.want) })
	}
}

func TestCheckWhere(t *testing.T) {
	layout := []Place{{Path: "gate", For: "the vocabulary"}, {Path: "go.mod", Plain: true}, {Path: "cmd/gate", For: "the command"}}
	const good = "# A\n\n" + whereBegin + "\n    gate      the vocabulary\n    cmd/gate  the command\n\n" + whereEnd + "\nB\n"
	tests := map[string]struct{ page, want string }{
		"as it is":           {good, ""},
		"a line is missing":  {strings.Replace(good, "    gate      the vocabulary\n", "", 1), "does not show the layout"},
		"the marks are gone": {"# A\n", "has no place for the layout"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			wrong, page := CheckWhere(layout, tc.page)
			expect(t, wrong, tc.want)
			if page != "" && page != good {
				t.Errorf("the page becomes %q", page)
			}
		})
	}
}
