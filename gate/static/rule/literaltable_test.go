package rule

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate/static/rules"
)

// ownRules are those that gate ships.
func ownRules(t *testing.T) *Set {
	t.Helper()
	set, err := Load(Source{Name: "rules", FS: rules.FS, Checked: true})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func equalSets(a, b [][]string) bool { return slices.EqualFunc(a, b, slices.Equal) }

func TestTheTableHasTheLiteralsOfEveryRuleThatGateShips(t *testing.T) {
	set := ownRules(t)
	var b strings.Builder
	if err := WriteLiteralTable(&b, set); err != nil {
		t.Fatal(err)
	}
	table := NewLiteralTable(b.String())
	for p := range set.patterns() {
		if got, want := table.Of(p), Literals(Unfilled(p)); !equalSets(got, want) {
			t.Errorf("%s: the table has %q, its literals are %q", p, got, want)
		}
		if !table.Knows(p) {
			t.Errorf("%s: is computed, not looked up", p)
		}
	}
}

func TestLiteralsAreLookedUpAndComputedWhereTheTableLacksThem(t *testing.T) {
	const pattern = `os\.system\s*\(`
	for _, c := range []struct {
		name  string
		table *LiteralTable
		want  [][]string
	}{
		{"no table", nil, [][]string{{"os.system"}}},
		{"empty", NewLiteralTable(""), [][]string{{"os.system"}}},
		{"another pattern", NewLiteralTable("0000000000000001 x\n"), [][]string{{"os.system"}}},
		{"no number", NewLiteralTable("os.system is no number\nshort\n\n"), [][]string{{"os.system"}}},
		{"known", NewLiteralTable("0000000000000001 x\n10669dceedaca08d ␈other␉␟two ␞three"), [][]string{{"\bother\t", "two "}, {"three"}}},
		{"known to have none", NewLiteralTable("10669dceedaca08d\n"), nil},
	} {
		if got := c.table.Of(pattern); !equalSets(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMatchersUseTheTableOfTheirSource(t *testing.T) {
	const family = `rules:
  - id: test/one
    severity: note
    title: One
    why: why
    instead: instead
    patterns: ['os\.system\s*\(']
`
	fsys := fstest.MapFS{"a/rules.yaml": {Data: []byte(family)}}
	set, err := Load(Source{Name: "x", FS: fsys, Checked: true, Literals: NewLiteralTable("10669dceedaca08d other\n")})
	if err != nil {
		t.Fatal(err)
	}
	if got := set.Rules[0].Match.Literals(); len(got) != 1 || !equalSets(got[0], [][]string{{"other"}}) {
		t.Errorf("got %q, want what the table has", got)
	}
}
