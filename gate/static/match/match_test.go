package match

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/rule"
)

// engine makes an engine of rules, of which the text gives what matters.
func engine(t testing.TB, rules string) *Engine {
	t.Helper()
	var yaml strings.Builder
	id := 0
	for line := range strings.SplitSeq(rules, "\n") {
		if strings.HasPrefix(line, "  - ") {
			id++
			fmt.Fprintf(&yaml, "  - id: a/r%d\n    severity: suspicious\n    title: t\n    why: w\n    instead: i\n    %s\n", id, line[4:])
			continue
		}
		yaml.WriteString(line + "\n")
	}
	set, err := rule.Load(rule.Source{Name: "test", FS: fstest.MapFS{"rules.yaml": {Data: []byte(yaml.String())}}})
	if err != nil {
		t.Fatal(err)
	}
	return New(set.Rules)
}

// found is "id:line severity" of each match.
func shown(e *Engine, lang gate.Language, src string, budget ...*Budget) []string {
	var out []string
	text := Text{Language: lang, Role: gate.RoleSource, Path: "dir/name", Content: []byte(src)}
	if len(budget) > 0 {
		text.Budget = budget[0]
	}
	for _, m := range e.Run(text) {
		line := 1 + strings.Count(src[:m.Start], "\n")
		out = append(out, fmt.Sprintf("%s:%d %s", strings.TrimPrefix(m.Rule.ID, "a/"), line, m.Severity))
	}
	return out
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules string
		lang  gate.Language
		src   string
		want  []string
	}{
		{"a pattern matches on its line", "rules:\n  - patterns: [danger]", gate.LanguageText, "x\ndanger\n", []string{"r1:2 suspicious"}},
		{"keywords ignore case and patterns don't", "rules:\n  - patterns: [danger]\n  - patterns: ['(?i)danger']", gate.LanguageText, "DANGER", []string{"r2:1 suspicious"}},
		{"a named keyword must be on the lines of the match", "rules:\n  - patterns: ['[a-z]+!']\n    keywords: [key]", gate.LanguageText, "abc!\nkey abc!", []string{"r1:2 suspicious"}},
		{"a rule of another language is silent", "rules:\n  - patterns: [danger]\n    languages: [go]", gate.LanguagePython, "danger", nil},
		{"code is neither string nor comment", "rules:\n  - patterns: [danger]\n    in: code", gate.LanguagePython, "'danger'\n# danger\ndanger\n", []string{"r1:3 suspicious"}},
		{"a string", "rules:\n  - patterns: [danger]\n    in: string", gate.LanguagePython, "x('danger')\n# danger\ndanger\n", []string{"r1:1 suspicious"}},
		{"a comment", "rules:\n  - patterns: [danger]\n    in: comment", gate.LanguagePython, "x('danger')\n# danger\ndanger\n", []string{"r1:2 suspicious"}},
		{"by default all but comments", "rules:\n  - patterns: [danger]", gate.LanguagePython, "x('danger')\n# danger\ndanger\n", []string{"r1:1 suspicious", "r1:3 suspicious"}},
		{"comments are blank for code", "rules:\n  - patterns: ['danger[^\\n]*high']\n    in: code", gate.LanguagePython, "danger # high\n", nil},
		{"a call over several lines is one line", "rules:\n  - patterns: ['danger\\([^\\n]*high']\n    in: code", gate.LanguagePython, "danger(\n  1,\n  high)\n", []string{"r1:1 suspicious"}},
		{"a match may span lines where the rule says so", "rules:\n  - patterns: ['danger\\nhigh']\n    lines: 2", gate.LanguageText, "danger\nhigh", []string{"r1:1 suspicious"}},
		{"and only there", "rules:\n  - patterns: ['danger\\s*\\n?high']", gate.LanguageText, "danger\nhigh", nil},
		{"the finding is at the group", "rules:\n  - patterns: ['danger\\n(?P<at>high)']\n    lines: 2", gate.LanguageText, "danger\nhigh", []string{"r1:2 suspicious"}},
		{"borders of lines", "rules:\n  - patterns: ['^danger$']", gate.LanguageText, "x danger\ndanger\n", []string{"r1:2 suspicious"}},
		{"a word in a word", "rules:\n  - patterns: ['\\bnc\\s']", gate.LanguageText, "func x\nnc x", []string{"r1:2 suspicious"}},
		{"a path", "rules:\n  - patterns: [danger]\n    paths: ['dir/*']\n  - patterns: [danger]\n    paths: ['other/**']", gate.LanguageText, "danger", []string{"r1:1 suspicious"}},
		{"a role that is off", "rules:\n  - patterns: [danger]\n    roles: {source: off}", gate.LanguageText, "danger", nil},
		{"a role with another severity", "rules:\n  - patterns: [danger]\n    roles: {source: note}", gate.LanguageText, "danger", []string{"r1:1 note"}},
		{"a second thing in the file", "rules:\n  - patterns: [danger]\n    all: [{patterns: [second]}]", gate.LanguageText, "danger\n\n\nsecond", []string{"r1:1 suspicious"}},
		{"no second thing", "rules:\n  - patterns: [danger]\n    all: [{patterns: [second]}]", gate.LanguageText, "danger", nil},
		{"a second thing too far away", "rules:\n  - patterns: [danger]\n    all: [{patterns: [second], within: 1}]", gate.LanguageText, "danger\n\nsecond", nil},
		{"a second thing near enough", "rules:\n  - patterns: [danger]\n    all: [{patterns: [second], within: 2}]", gate.LanguageText, "danger\n\nsecond", []string{"r1:1 suspicious"}},
		{"an excuse on the line", "rules:\n  - patterns: [danger]\n    unless: [{patterns: [safe]}]", gate.LanguageText, "danger safe\ndanger\nsafe", []string{"r1:2 suspicious"}},
		{"an excuse in the file", "rules:\n  - patterns: [danger]\n    unless: [{patterns: [safe], within: file}]", gate.LanguageText, "danger\nsafe", nil},
		{"a second thing raises the severity", "rules:\n  - patterns: [danger]\n    raise: [{because: x, all: [{patterns: [second]}]}]", gate.LanguageText, "danger\nsecond", []string{"r1:1 dangerous"}},
		{"whatever the role", "rules:\n  - patterns: [danger]\n    roles: {source: note}\n    raise: [{because: x, all: [{patterns: [second]}]}]", gate.LanguageText, "danger\nsecond", []string{"r1:1 dangerous"}},
		{"a signal", "signals:\n  s: {patterns: [second]}\nrules:\n  - patterns: [danger]\n    all: [{signal: s}]", gate.LanguageText, "danger\nsecond", []string{"r1:1 suspicious"}},
		{"a signal of another language holds never", "signals:\n  s: {patterns: [second], languages: [go]}\nrules:\n  - patterns: [danger]\n    all: [{signal: s}]", gate.LanguageText, "danger\nsecond", nil},
		{"a signal as what to look for", "signals:\n  s: {patterns: [second]}\nrules:\n  - signal: s", gate.LanguageText, "second", []string{"r1:1 suspicious"}},
		{"a variable is followed", "rules:\n  - patterns: ['run\\((\\w+)\\)']\n    all: [{patterns: ['{{1}} = bad']}]", gate.LanguageText, "a = bad\nb = good\nrun(a)\nrun(b)", []string{"r1:3 suspicious"}},
		{"an empty group is never followed", "rules:\n  - patterns: ['run\\((\\w*)\\)']\n    all: [{patterns: ['{{1}} = bad']}]", gate.LanguageText, " = bad\nrun()", nil},
		{"a group is quoted", "rules:\n  - patterns: ['run\\((.+)\\)']\n    all: [{patterns: ['{{1}} = bad']}]", gate.LanguageText, "ab = bad\nrun(a.)", nil},
		{"entropy", "rules:\n  - patterns: ['key=(\\w+)']\n    entropy: 3", gate.LanguageText, "key=aaaaaaaaaaaa\nkey=q7Zp3vN8sT1x", []string{"r1:2 suspicious"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(engine(t, c.rules), c.lang, c.src); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTooManyVariablesMakeMoreFindingsNotFewer(t *testing.T) {
	e := engine(t, "rules:\n  - patterns: ['run\\((\\w+)\\)']\n    all: [{patterns: ['{{1}} = bad']}]\n  - patterns: ['run\\((\\w+)\\)']\n    unless: [{patterns: ['{{1}} = good'], within: file}]")
	var src strings.Builder
	src.WriteString("x = bad\n") // else no condition could hold
	for i := range maxDynamic + 10 {
		fmt.Fprintf(&src, "run(v%d)\n", i)
	}
	budget := NewBudget(0)
	budget.spare = 500
	got := shown(e, gate.LanguageText, src.String(), budget)
	ones := slices.DeleteFunc(slices.Clone(got), func(s string) bool { return !strings.HasPrefix(s, "r1:") })
	if len(ones) != 10 || len(got)-len(ones) != maxMatches+500 {
		t.Errorf("%d and %d matches", len(ones), len(got)-len(ones))
	}
	if got := budget.Reached(); !slices.Equal(got, []string{"a/r2"}) {
		t.Errorf("%q have not looked at everything", got)
	}
}

func TestASecretIsMarkedAlsoWhereItsRuleIsOff(t *testing.T) {
	e := engine(t, "rules:\n  - patterns: ['key=(\\w+)']\n    redact: true\n    roles: {source: off}")
	got := e.Run(Text{Language: gate.LanguageText, Role: gate.RoleSource, Content: []byte("key=abcdef")})
	if len(got) != 1 || got[0].Severity != gate.SeverityUnknown || got[0].SecretStart != 4 || got[0].SecretEnd != 10 {
		t.Errorf("%+v", got)
	}
}

func TestALongLineIsSearchedToItsEnd(t *testing.T) {
	e := engine(t, "rules:\n  - patterns: ['danger\\w*!']")
	src := strings.Repeat("danger ", 20_000) + "dangerous!"
	if got := shown(e, gate.LanguageText, src); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestAutomaton(t *testing.T) {
	words := []string{"he", "she", "his", "hers", "a b", "\u202e"}
	a := newAutomaton(words)
	var got []string
	for _, h := range hits(a, []byte("uSHErs A B \u202ehis")) {
		got = append(got, fmt.Sprintf("%s@%d", words[h.word], h.end))
	}
	if want := []string{"she@4", "he@4", "hers@6", "a b@10", "\u202e@14", "his@17"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func hits(a *automaton, text []byte) []hit {
	var out []hit
	a.find(text, func(h hit) { out = append(out, h) })
	return out
}

// FuzzAutomaton compares with a search for each word by itself.
func FuzzAutomaton(f *testing.F) {
	f.Add([]byte("he she his hers"), []byte("ushers"))
	f.Add([]byte("a aa aaa"), []byte("aaaa"))
	f.Fuzz(func(t *testing.T, list, text []byte) {
		var words []string
		for w := range bytes.FieldsSeq(bytes.ToLower(list)) {
			if len(w) < 20 && !slices.Contains(words, string(w)) && bytes.IndexFunc(w, func(r rune) bool { return r >= 0x80 }) < 0 {
				words = append(words, string(w))
			}
		}
		counts := make([]int, len(words))
		for _, h := range hits(newAutomaton(words), text) {
			counts[h.word]++
		}
		for i, w := range words {
			n := 0
			for at := range text {
				if at+len(w) <= len(text) && bytes.EqualFold(text[at:at+len(w)], []byte(w)) {
					n++
				}
			}
			if n != counts[i] {
				t.Fatalf("%q occurs %d times in %q, found %d", w, n, text, counts[i])
			}
		}
	})
}

func BenchmarkAutomaton(b *testing.B) {
	var words []string
	for i := range 1000 {
		words = append(words, fmt.Sprintf("word%dx%d", i*7919%1000, i))
	}
	a := newAutomaton(words)
	text := bytes.Repeat([]byte("the quick brown fox jumps over the lazy word919x1 dog; import os\n"), 2000)
	b.SetBytes(int64(len(text)))
	n := 0
	for b.Loop() {
		a.find(text, func(hit) { n++ })
	}
	if n == 0 {
		b.Fatal("no word was found")
	}
}

func TestTooManyMatchesOnOneLineMakeAFinding(t *testing.T) {
	e := engine(t, "rules:\n  - patterns: [danger]\n    unless: [{patterns: [safe]}]")
	if got := shown(e, gate.LanguageText, strings.Repeat("danger safe ", 100)); len(got) != 0 {
		t.Errorf("%q", got)
	}
	if got := shown(e, gate.LanguageText, strings.Repeat("danger safe ", maxTries+1)); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestTheTrieOfAnAutomatonSharesBeginnings(t *testing.T) {
	for name, tt := range map[string]struct {
		words []string
		want  int
	}{
		"no words":            {nil, 1},
		"one word":            {[]string{"abc"}, 4},
		"a common beginning":  {[]string{"abd", "abc"}, 5},
		"a beginning as word": {[]string{"abc", "ab", "a"}, 4},
		"the same word twice": {[]string{"ab", "ab"}, 3},
		"nothing in common":   {[]string{"ab", "cd"}, 5},
		"an empty word":       {[]string{"", "a"}, 2},
		"more than letters":   {[]string{"é", "è"}, 4},
	} {
		a := newAutomaton(tt.words)
		if got := len(a.child); got != tt.want {
			t.Errorf("%s: %d nodes, want %d", name, got, tt.want)
		}
	}
}

func TestAStateIsMadeWhenATextComesToIt(t *testing.T) {
	a := newAutomaton([]string{"abc", "xyz"})
	if a.made != first {
		t.Error("states are made before there is a text")
	}
	hits(a, []byte("ab"))
	if got := a.made - first; got != 2 {
		t.Errorf("%d states below the start after one text, want 2", got)
	}
}

func TestATableThatIsFullGivesWayToALargerOne(t *testing.T) {
	long := strings.Repeat("ab", 3*firstStates)
	a := newAutomaton([]string{long, "b"})
	if got := len(hits(a, []byte(long+long))); got != 3*firstStates+1+6*firstStates {
		t.Errorf("%d words", got)
	}
	if len(a.now.Load().states) <= firstStates+1 {
		t.Error("it was never full")
	}
}

// Texts are searched side by side.
func TestAnAutomatonIsSharedByManyTexts(t *testing.T) {
	words := []string{"he", "she", "his", "hers", "ush", "s"}
	want := fmt.Sprint(hits(newAutomaton(words), []byte("ushers his she")))
	a := newAutomaton(words)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := fmt.Sprint(hits(a, []byte("ushers his she"))); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	all.Wait()
}

func TestWhatOneTextLeavesInTheBudgetOfAFileChangesNothingForTheNext(t *testing.T) {
	e := engine(t, "rules:\n  - patterns: ['(\\w+) = danger']\n    all:\n      - patterns: ['run {{1}}']\n        within: file\n  - patterns: [danger]")
	texts := []string{"a = danger\nrun a\n", "a = danger\n", "nothing\n", "b = danger\nrun a\n", "a = danger\nrun a\n"}
	shared, other := NewBudget(0), []gate.Language{gate.LanguageText, gate.LanguagePython}
	for i, src := range texts {
		lang := other[i%len(other)]
		if got, want := shown(e, lang, src, shared), shown(e, lang, src); !slices.Equal(got, want) {
			t.Errorf("text %d: %q, want %q", i, got, want)
		}
	}
	if len(shown(e, gate.LanguageText, texts[0])) != 2 {
		t.Error("the rules find nothing")
	}
}
