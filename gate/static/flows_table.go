package static

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/rule"
)

// tableLanguages are the languages in which values are followed, as columns.
func tableLanguages() []gate.Language {
	return []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageShell}
}

// languagePrefixes are what the names of rules begin with where each language has its own.
var languagePrefixes = []string{"python-", "js-", "go-", "shell-"}

// WriteFlows writes which flows are looked for in which language: a row for each pair of
// source and sink, a column for each language, and an empty cell where a language lacks
// what another one has. Rules that differ in their language only share a row.
func WriteFlows(w io.Writer, rules []*rule.Rule) error {
	rows := map[string]map[gate.Language]bool{}
	for _, r := range rules {
		if !follows(r.All) {
			continue
		}
		name := rowOf(r.ID)
		if rows[name] == nil {
			rows[name] = map[gate.Language]bool{}
		}
		for _, l := range r.Languages {
			rows[name][l] = true
		}
	}
	names := make([]string, 0, len(rows))
	for name := range rows {
		names = append(names, name)
	}
	slices.Sort(names)
	if _, err := fmt.Fprint(w, flowsHead); err != nil {
		return err
	}
	holes := map[gate.Language]int{}
	for _, name := range names {
		cells := make([]string, 0, len(tableLanguages()))
		for _, l := range tableLanguages() {
			cell := "yes"
			if !rows[name][l] {
				cell = ""
				holes[l]++
			}
			cells = append(cells, cell)
		}
		if _, err := fmt.Fprintf(w, "| `%s` | %s |\n", name, strings.Join(cells, " | ")); err != nil {
			return err
		}
	}
	counts := make([]string, 0, len(holes))
	for _, l := range tableLanguages() {
		counts = append(counts, fmt.Sprint(cmp.Or(holes[l], 0)))
	}
	_, err := fmt.Fprintf(w, "| **Empty** | %s |\n", strings.Join(counts, " | "))
	return err
}

const flowsHead = `# Flows, by language

<!-- written by go generate ./gate/static -->

A flow is a value that a rule follows from a source to a sink. Each row is a family of rules, without the
name of a language. *Yes* says that a rule looks for it there. An empty cell is a gap, or a flow that makes no
sense in the language. The [list of rules](rules.md) says what each rule finds.

| Rules | Python | JavaScript | TypeScript | Go | Shell |
|---|---|---|---|---|---|
`

// rowOf is the name of a rule without its language.
func rowOf(id string) string {
	category, name, _ := strings.Cut(id, "/")
	for _, p := range languagePrefixes {
		if rest, ok := strings.CutPrefix(name, p); ok {
			return category + "/" + rest
		}
	}
	return id
}

// follows reports whether a condition follows a value.
func follows(conditions []rule.Condition) bool {
	return slices.ContainsFunc(conditions, func(c rule.Condition) bool {
		return c.Within == rule.WithinFlow || c.Within == rule.WithinGuard || follows(c.Any)
	})
}
