package rulebook

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/static"
)

// own is a folder with one rule that a team wrote itself.
func own(id, language string) Source {
	tree := fstest.MapFS{}
	for _, f := range template(id, language) {
		tree[f.name] = &fstest.MapFile{Data: []byte(f.text)}
	}
	return Source{Name: "rules", FS: tree}
}

// load loads gate's own rules once for all tests.
var load = sync.OnceValues(static.LoadRules)

func entries(t *testing.T, own ...Source) Entries {
	t.Helper()
	all, err := New(load).Entries(own...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEntries(t *testing.T) {
	all := entries(t, own("house/legacy-client", "go"))
	if !slices.IsSortedFunc(all, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the rules are not sorted by id")
	}
	layers := map[gate.Layer]int{}
	for i, e := range all {
		layers[e.Layer]++
		if i > 0 && e.ID == all[i-1].ID {
			t.Errorf("%s is described twice", e.ID)
		}
		if e.Title == "" || e.Why == "" || e.Instead == "" || e.Severity == gate.SeverityUnknown || !strings.Contains(e.ID, "/") {
			t.Errorf("%s is described in part only: %+v", e.ID, e.Rule)
		}
		if want := e.ID == "house/legacy-client"; (e.From != "") != want {
			t.Errorf("%s comes from %q", e.ID, e.From)
		}
	}
	for _, l := range gate.Layers() {
		if layers[l] == 0 {
			t.Errorf("no rule of layer %s", l)
		}
	}
	if len(layers) != len(gate.Layers()) {
		t.Errorf("rules by layer: %v", layers)
	}
}

// titleShape is a noun phrase in sentence case: one that begins with a name of a file, a
// function or a tool keeps its letters.
var titleShape = regexp.MustCompile(`^(\p{Lu}|\.env|exec,)[^\n]{3,79}[^.\s]$`)

// predicate is the third person of a verb with which messages begin.
var predicate = regexp.MustCompile(`^(?i)(runs|reads|writes|sends|takes|makes|puts|holds|names|starts|deletes|calls|loads|opens|gives|lets|has|asks|tells|installs|changes|hides|collects|downloads|decodes|connects|replaces|switches|accepts) `)

func TestTitlesAreNounPhrasesAndMessagesSayWhatHappens(t *testing.T) {
	for _, e := range entries(t) {
		if !titleShape.MatchString(e.Title) || predicate.MatchString(e.Title) {
			t.Errorf("%s: the title %q is no noun phrase in sentence case of at most 80 letters", e.ID, e.Title)
		}
		if e.Message == "" {
			t.Errorf("%s has no message", e.ID)
		}
	}
}

func TestRulesAreThoseOfTheEntries(t *testing.T) {
	src := own("house/legacy-client", "go")
	rules, err := New(load).Rules(src)
	if err != nil {
		t.Fatal(err)
	}
	var want []gate.Rule
	for _, e := range entries(t, src) {
		want = append(want, e.Rule)
	}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Error(diff)
	}
}

func TestEntriesFail(t *testing.T) {
	broken := errors.New("rules.yaml:3:1: broken")
	_, err := New(func() (*static.OwnRules, error) { return nil, broken }).Entries()
	if coded, ok := errors.AsType[*exit.Error](err); !ok || coded.Code != exit.Incomplete || !errors.Is(err, broken) {
		t.Errorf("gate's own rules do not load: got %v", err)
	}
	_, err = New(load).Entries(own("house/legacy-client", "cobol"))
	if coded, ok := errors.AsType[*exit.Error](err); !ok || coded.Code != exit.Usage {
		t.Errorf("a team's rules do not load: got %v", err)
	}
}

func TestExplain(t *testing.T) {
	whole := Entry{
		Rule: gate.Rule{
			ID: "own/client", Severity: gate.SeveritySuspicious, Layer: gate.LayerStatic, Title: "calls connect",
			Why: "It is not encrypted.", Instead: "Call secure_connect.",
			Languages: []gate.Language{gate.LanguageGo, gate.LanguagePython}, Refs: []string{"CWE-319", "T1071"}, From: "rules/rules.yaml:2:5",
		},
		Details: []string{"dangerous where the file reads a key", "off in test files"},
	}
	const want = `own/client: calls connect

Layer:      static
Severity:   suspicious
            dangerous where the file reads a key
            off in test files
Languages:  go, python
From:       rules/rules.yaml:2:5
References: CWE-319, T1071

Why it is dangerous
  It is not encrypted.

What to do instead
  Call secure_connect.

To switch it off, in .gate.yml:
  rules: {disable: [own/client]}
`
	if diff := cmp.Diff(want, whole.Explain()); diff != "" {
		t.Error(diff)
	}
	for name, tt := range map[string]struct {
		entry       Entry
		has, hasNot []string
	}{
		"a rule of the sandbox":         {Entry{Rule: gate.Rule{ID: "a/b", Layer: gate.LayerSandbox}}, []string{"any that runs"}, []string{"switch it off", "From:", "References:"}},
		"a rule of the judge":           {Entry{Rule: gate.Rule{ID: "a/b", Layer: gate.LayerJudge}}, []string{"any text"}, []string{"switch it off"}},
		"a rule that policies can't do": {Entry{Rule: gate.Rule{ID: "a/b", Layer: gate.LayerStatic}, Fixed: true}, []string{"any text"}, []string{"switch it off"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := tt.entry.Explain()
			for _, part := range tt.has {
				if !strings.Contains(text, part) {
					t.Errorf("%q is missing in\n%s", part, text)
				}
			}
			for _, part := range tt.hasNot {
				if strings.Contains(text, part) {
					t.Errorf("%q is in\n%s", part, text)
				}
			}
		})
	}
}

func TestExplainSaysWhatChangesTheSeverity(t *testing.T) {
	e, err := entries(t).Find("credentials/python-ssh-key")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"suspicious\n", "dangerous where ", "note in test files", "python", "T1552.004", e.Why, e.Instead} {
		if text := e.Explain(); !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestFind(t *testing.T) {
	all := Entries{{Rule: gate.Rule{ID: "exec/eval"}}, {Rule: gate.Rule{ID: "exec/shell"}}, {Rule: gate.Rule{ID: "network/listen"}}}
	for id, want := range map[string]string{
		"exec/eval":     "",
		"exec/evil":     "did you mean exec/eval?",
		"exec":          "did you mean exec/eval, exec/shell?",
		"something/far": "see `gate rules list`",
	} {
		e, err := all.Find(id)
		if want == "" {
			if err != nil || e.ID != id {
				t.Errorf("%s: got %q, %v", id, e.ID, err)
			}
			continue
		}
		if coded, ok := errors.AsType[*exit.Error](err); !ok || coded.Code != exit.Usage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", id, err, want)
		}
	}
}

func TestWriteTable(t *testing.T) {
	all := Entries{
		{Rule: gate.Rule{ID: "exec/eval", Severity: gate.SeverityNote, Layer: gate.LayerStatic, Title: "evaluates text"}},
		{Rule: gate.Rule{ID: "execution/other", Severity: gate.SeverityNote, Layer: gate.LayerJudge, Title: "other"}},
	}
	var b strings.Builder
	if err := all.WriteTable(&b, "exec"); err != nil {
		t.Fatal(err)
	}
	const want = "RULE       SEVERITY  LAYER   LANGUAGES  TITLE\nexec/eval  note      static  any text   evaluates text\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	if err := all.WriteTable(&b, ""); err != nil || strings.Count(b.String(), "\n") != 3 {
		t.Errorf("got %q, %v", b.String(), err)
	}
	if err := all.WriteTable(&b, "exe"); err == nil {
		t.Error("a category that no rule has is not an error")
	}
}

func TestSources(t *testing.T) {
	tree := fstest.MapFS{".gate/rules/rules.yaml": {Data: []byte("rules: []\n")}, "file": {}}
	got, err := Sources(tree, []string{".gate/rules/"})
	if err != nil || len(got) != 1 || got[0].Name != ".gate/rules/" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if _, err := got[0].FS.Open("rules.yaml"); err != nil {
		t.Error(err)
	}
	if got, err := Sources(nil, nil); err != nil || got != nil {
		t.Errorf("a policy that names no folder: got %v, %v", got, err)
	}
	if _, err := Sources(tree, []string{"missing"}); err == nil {
		t.Error("a folder that is missing is not an error")
	}
	if _, err := Sources(nil, []string{".gate/rules"}); err == nil || !strings.Contains(err.Error(), "no base commit") {
		t.Errorf("no tree: got %v", err)
	}
}

func TestSourcesHere(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if got, err := SourcesHere(t.Context(), nil); err != nil || got != nil {
		t.Errorf("without a policy: got %v, %v", got, err)
	}
	if _, err := Scaffold("mine", "own/client", "python"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(".gate.yml", []byte("rules: {dirs: [mine]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dirs := range map[string][]string{"named by the policy": nil, "named by the caller": {"mine"}} {
		got, err := SourcesHere(t.Context(), dirs)
		if err != nil || len(got) != 1 || got[0].Name != "mine" {
			t.Fatalf("%s: got %v, %v", name, got, err)
		}
		if report, err := Test(got[0]); err != nil || report.Rules != 1 || report.Samples != 2 {
			t.Errorf("%s: got %+v, %v", name, report, err)
		}
	}
	for name, policy := range map[string]string{"an unknown key": "ruels: {}\n", "too large": "#" + strings.Repeat("x", 1<<20)} {
		if err := os.WriteFile(".gate.yml", []byte(policy), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := SourcesHere(t.Context(), nil)
		if coded, ok := errors.AsType[*exit.Error](err); !ok || coded.Code != exit.Usage {
			t.Errorf("a policy with %s: got %v", name, err)
		}
	}
	if _, err := SourcesHere(t.Context(), []string{".gate.yml"}); err == nil {
		t.Error("a file was taken for a folder")
	}
}

func TestScaffold(t *testing.T) {
	for _, language := range []string{"python", "javascript", "typescript", "shell", "go", "dockerfile", "yaml"} {
		t.Run("a new rule for "+language+" passes its samples", func(t *testing.T) {
			dir := t.TempDir()
			written, err := Scaffold(dir, "own/client", language)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{filepath.Join(dir, "own-client", "rules.yaml"), filepath.Join(dir, "own-client", "samples.yaml")}
			if diff := cmp.Diff(want, written); diff != "" {
				t.Error(diff)
			}
			if report, err := Test(Source{Name: dir, FS: os.DirFS(dir)}); err != nil || report.Rules != 1 || report.Samples != 2 {
				t.Errorf("got %+v, %v", report, err)
			}
			if _, err := Scaffold(dir, "own/client", language); err == nil || !strings.Contains(err.Error(), "exists already") {
				t.Errorf("the same rule once more: got %v", err)
			}
		})
	}
	for _, id := range []string{"", "client", "../x/y", "own/a/b", "own/Client", "own/a b", "own/a'b", `own\a/b`, "/own/a"} {
		dir := t.TempDir()
		if written, err := Scaffold(dir, id, "python"); err == nil || len(written) > 0 {
			t.Errorf("%q: got %v, %v", id, written, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%q left %v", id, left)
		}
	}
}
