package rule

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

// good is a rule that lacks nothing.
const good = `rules:
  - id: a/b
    severity: note
    title: t
    why: w
    instead: i
    patterns: [abcdef]
`

func load(yaml string) (*Set, error) {
	return Load(Source{Name: "mine", FS: fstest.MapFS{"x/rules.yaml": {Data: []byte(yaml)}}})
}

func TestAMistakeNamesFileLineColumnAndWhatIsAllowed(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"an unknown key", strings.Replace(good, "patterns", "pattern", 1),
			`mine/x/rules.yaml:7:5: unknown key "pattern" in a rule; did you mean "patterns"? (allowed: patterns, signal,`},
		{"an unknown severity", strings.Replace(good, "note", "bad", 1), `mine/x/rules.yaml:3:15: unknown severity "bad" (allowed: dangerous, suspicious, note)`},
		{"an unknown language", good + "    languages: [pyton]\n", `8:17: unknown language "pyton"; did you mean "python"?`},
		{"an unknown role", good + "    roles: {tests: note}\n", `8:13: unknown role "tests"; did you mean "test"?`},
		{"an unknown place", good + "    in: strings\n", `8:9: unknown place "strings"; did you mean "string"? (allowed: source, code, string, comment, any)`},
		{"an expression that RE2 doesn't know", strings.Replace(good, "abcdef", "'(?=a)'", 1), "7:16: error parsing regexp: invalid or unsupported Perl syntax"},
		{"an expression that matches nothing at all", strings.Replace(good, "abcdef", "'a*'", 1), `matches the empty text`},
		{"an expression without a literal", strings.Replace(good, "abcdef", "'[a-z]+x'", 1), `no literal of 3 bytes or more is part of every match of "[a-z]+x": name some under "keywords"`},
		{"an expression that is too long", strings.Replace(good, "abcdef", strings.Repeat("a", 5000), 1), "at most 4096 are allowed"},
		{"a condition without keywords on the whole file", good + "    all: [{patterns: ['[a-z]+x']}]\n", `8:11: no literal of 3 bytes`},
		{"a keyword that is everywhere", good + "    keywords: [a]\n", `keyword "a" is shorter than 2 bytes`},
		{"an unknown signal", good + "    all: [{signal: nope}]\n", `8:20: unknown signal "nope"`},
		{"a signal and patterns", good + "    signal: nope\n", "give either a signal or patterns"},
		{"nothing to match", strings.Replace(good, "    patterns: [abcdef]\n", "", 1), `the rule "a/b" lacks "patterns"`},
		{"no explanation", strings.Replace(good, "    why: w\n", "", 1), `the rule "a/b" lacks "why"`},
		{"a bad id", strings.Replace(good, "a/b", "A b", 1), "is not of the form category/name"},
		{"an id that is given twice", good + strings.TrimPrefix(good, "rules:\n"), `the rule "a/b" is defined already at mine/x/rules.yaml:2:5`},
		{"a key that is given twice", good + "    why: again\n", `8:5: key "why" is given twice in a rule`},
		{"a raise without conditions", good + "    raise: [{because: x}]\n", `raise needs conditions`},
		{"a group in the rule's own pattern", strings.Replace(good, "abcdef", "'abcdef{{1}}'", 1), "refers to a group in its own pattern"},
		{"a bad entropy", good + "    entropy: 9\n", "entropy must be a number of bits above 0 and up to 8"},
		{"a bad distance", good + "    unless: [{patterns: [x], within: far}]\n", `within must be "file", "flow", "guard" or a number of lines`},
		{"an alias", "x: &x 1\n" + good, `unknown key "x" in a rule file`},
		{"an alias as a value", strings.Replace(good, "title: t", "title: &t t", 1) + "    check: *t\n", "aliases are not allowed"},
		{"no YAML", "rules: [", "mine/x/rules.yaml:1:1: not valid YAML"},
		{"a list instead of a rule", "rules: [[]]", "a rule must be a mapping of keys to values, not a list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(c.yaml)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestMistakesAreAllReportedAtOnce(t *testing.T) {
	_, err := load("rules:\n  - {id: x, severity: y, foo: z}\n")
	if n := strings.Count(err.Error(), "\n") + 1; n < 6 {
		t.Errorf("%d mistakes:\n%v", n, err)
	}
}

func TestAFolderWithoutRulesIsAMistake(t *testing.T) {
	if _, err := Load(Source{Name: "mine", FS: fstest.MapFS{"a/b/rules.yaml": {Data: []byte(good)}}}); err == nil {
		t.Error("no error")
	}
}

func TestARuleInTheRootOfAFolderIsRead(t *testing.T) {
	set, err := Load(Source{Name: "mine", FS: fstest.MapFS{"rules.yaml": {Data: []byte(good)}}})
	if err != nil || len(set.Rules) != 1 || set.Rules[0].Family != "mine" || set.Rules[0].Pack != "mine" {
		t.Errorf("%+v, %v", set, err)
	}
}

func TestTheRoleDecidesAboutTheSeverity(t *testing.T) {
	set, err := load(good + "    roles: {test: suspicious, docs: off}\n")
	if err != nil {
		t.Fatal(err)
	}
	r := set.Rules[0]
	for role, want := range map[gate.Role]Effect{
		gate.RoleSource: {Severity: gate.SeverityNote},
		gate.RoleTest:   {Severity: gate.SeveritySuspicious},
		gate.RoleDocs:   {Off: true},
	} {
		if got := r.In(role); got != want {
			t.Errorf("%s: %v, want %v", role, got, want)
		}
	}
	if r.Category() != "a" {
		t.Error(r.Category())
	}
}

func TestSamples(t *testing.T) {
	set, err := load(good + "    languages: [shell]\n")
	if err != nil {
		t.Fatal(err)
	}
	read := func(yaml string) ([]Sample, error) {
		return set.LoadSamples(Source{Name: "mine", FS: fstest.MapFS{"x/samples.yaml": {Data: []byte(yaml)}}})
	}
	got, err := read("a/b:\n  match: [{text: x}]\n  quiet: [{text: y, language: python, role: test}]\n")
	if err != nil || len(got) != 2 || got[0].Line != 1 || !got[0].Match || got[0].Language != gate.LanguageShell ||
		got[1].Language != gate.LanguagePython || got[1].Role != gate.RoleTest {
		t.Errorf("%+v, %v", got, err)
	}
	for _, c := range []struct{ name, yaml, want string }{
		{"an unknown rule", "a/c: {}", `samples of an unknown rule "a/c"`},
		{"a line for what must stay quiet", "a/b: {quiet: [{text: x, line: 2}]}", `unknown key "line" in a sample`},
		{"no text", "a/b: {match: [{line: 2}]}", `a sample needs "text"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := read(c.yaml); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// FuzzLoad holds that no rule file makes the loader panic, and that what loads
// is complete.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("signals: {s: {patterns: [abc]}}\nrules: [{signal: s, all: [{signal: s, within: 3}]}]"))
	f.Add([]byte("rules: [[{}, &a {a: *a}]]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := load(string(data))
		if err != nil {
			return
		}
		for _, r := range set.Rules {
			if r.ID == "" || r.Title == "" || r.Severity == gate.SeverityUnknown || r.Match == nil && r.Check == "" {
				t.Fatalf("%+v", r)
			}
		}
	})
}

func TestASetWithMoreRulesLeavesTheFirstAsItIs(t *testing.T) {
	source := func(name, yaml string) Source {
		return Source{Name: name, FS: fstest.MapFS{"x/rules.yaml": {Data: []byte(yaml)}}}
	}
	own, err := Load(source("own", "signals:\n  net: {what: w, patterns: [connect]}\n"+good))
	if err != nil {
		t.Fatal(err)
	}
	first := *own.Rules[0]
	mine := strings.Replace(good, "a/b", "a/a", 1) + "    all: [{signal: net}]\n"
	both, err := own.With(source("mine", mine))
	if err != nil {
		t.Fatal(err)
	}
	if len(both.Rules) != 2 || both.Rules[0].ID != "a/a" || both.Rules[1] != own.Rules[0] {
		t.Errorf("rules %v: want mine and the very same of the first set, sorted", both.Rules)
	}
	if both.Rules[0].All[0].Matcher != own.Signals["net"] {
		t.Error("the signal of the first set is not known to mine")
	}
	if len(own.Rules) != 1 || len(own.Signals) != 1 || !reflect.DeepEqual(*own.Rules[0], first) {
		t.Errorf("the first set has changed: %v", own.Rules)
	}
	for name, yaml := range map[string]string{
		`the rule "a/b" is defined already at own/x/rules.yaml:4:5`: good,
		`the signal "net" is defined already at own`:                "signals:\n  net: {what: w, patterns: [other]}\n" + mine,
		`unknown signal "nope"`:                                     strings.Replace(mine, "signal: net", "signal: nope", 1),
	} {
		if _, err := own.With(source("mine", yaml)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}
