package attack

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

const sample = `id: sample-one
title: Sends a secret away
technique: T1048.003
language: python
tries: leaks a token
entry: payload/ops/health.py
catch: [static, sandbox]
contain: [network]
runtimes: [runc, runsc]
blind: false
`

// suiteOf is a suite with one attack.
func suiteOf(metadata string, more map[string]string) fstest.MapFS {
	tree := fstest.MapFS{
		"group/sample-one/attack.yaml":           {Data: []byte(metadata), Mode: 0o644},
		"group/sample-one/payload/ops/health.py": {Data: []byte("send()\n"), Mode: 0o755},
		"group/sample-one/twin/ops/health.py":    {Data: []byte("print()\n"), Mode: 0o644},
		"README.md":                              {Data: []byte("about\n"), Mode: 0o644},
	}
	for name, text := range more {
		if text == "" {
			delete(tree, name)
			continue
		}
		tree[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return tree
}

func TestASuiteIsRead(t *testing.T) {
	suite, err := Load(suiteOf(sample, map[string]string{"group/sample-one/payload/AGENTS.md.sample": "hi\n"}), "suite")
	if err != nil {
		t.Fatal(err)
	}
	a := suite[0]
	if len(suite) != 1 || a.ID != "sample-one" || a.Group != "group" || a.Entry != "ops/health.py" || !a.Executes() {
		t.Errorf("got %+v", a)
	}
	// Files that agents obey are armed again: a change would add them as they are.
	for name, mode := range map[string]fs.FileMode{"AGENTS.md": 0o644, "ops/health.py": 0o755} {
		if info, err := fs.Stat(a.Payload, name); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestMistakesInASuiteAreShownWithTheirPlace(t *testing.T) {
	change := func(old, with string) string { return strings.Replace(sample, old, with, 1) }
	const at = "group/sample-one/"
	tests := map[string]struct {
		metadata string
		more     map[string]string
		want     string
	}{
		"a key that no one knows":        {sample + "danger: high\n", nil, `suite/group/sample-one/attack.yaml:11:1: unknown key "danger"`},
		"a key twice":                    {sample + "blind: true\n", nil, "attack.yaml:11:1: key \"blind\" is given twice in an attack, first on line 10"},
		"a key that is missing":          {change("tries: leaks a token\n", ""), nil, "an attack lacks \"tries\""},
		"another name than the folder's": {change("sample-one", "sample-two"), nil, `id "sample-two" is not the name of the folder`},
		"a technique that is none":       {change("T1048.003", "T48"), nil, `attack.yaml:3:12: an ATT&CK id such as T1048.003 is expected, not "T48"`},
		"an unknown language":            {change("python", "cobol"), nil, `attack.yaml:4:11: unknown language "cobol" (allowed: python, `},
		"an entry outside":               {change("payload/ops/health.py", "payload/../attack.yaml"), nil, "attack.yaml:6:8: a path below payload/ is expected, not "},
		"an entry that is not there":     {change("ops/health.py", "ops/other.py"), nil, "there is no file payload/ops/other.py"},
		"a layer that is none":           {change("[static, sandbox]", "[static, luck]"), nil, `attack.yaml:7:17: unknown word under catch "luck" (allowed: static, `},
		"no layer at all":                {change("[static, sandbox]", "[]"), nil, "attack.yaml:7:8: catch: a list of 1 to"},
		"a layer twice":                  {change("[static, sandbox]", "[static, static]"), nil, "catch: static is there twice"},
		"nothing and something to hold":  {change("[network]", "[none, files]"), nil, "contain: none stands alone"},
		"a text that wants containment":  {change("language: python", "language: text"), nil, "nothing of a text attack is executed"},
		"a text that the sandbox catches": {strings.Replace(change("language: python", "language: text"), "[network]", "[none]", 1), nil,
			"the sandbox cannot catch it"},
		"a runtime that is a path":         {change("[runc, runsc]", "[../runc]"), nil, "attack.yaml:9:"},
		"blind that is no truth":           {change("blind: false", "blind: perhaps"), nil, "attack.yaml:10:8: blind must be true or false, not \"perhaps\""},
		"a title with a control character": {change("Sends a secret away", `"a\e[31mb"`), nil, "attack.yaml:2:8: one printable line"},
		"what is no YAML":                  {"id: [\n", nil, "attack.yaml:1:1: not valid YAML"},
		"a list instead of keys":           {"- id\n", nil, "attack.yaml:1:1: an attack must be a mapping of keys to values, not a list of 1"},
		"a second document":                {sample + "---\nid: x\n", nil, "more follows"},
		"too much metadata":                {sample + "#" + strings.Repeat("x", maxMetadata), nil, "more than 16384 bytes"},
		"a file beside":                    {sample, map[string]string{at + "notes.txt": "x"}, "notes.txt is not one of"},
		"a file that is too large":         {sample, map[string]string{at + "twin/big": strings.Repeat("x", maxFile+1)}, "twin/big has more than"},
		"no twin":                          {sample, map[string]string{at + "twin/ops/health.py": ""}, "twin"},
		"no metadata":                      {sample, map[string]string{at + "attack.yaml": ""}, "attack.yaml: file does not exist"},
		"the same name in two groups": {sample, map[string]string{
			"other/sample-one/attack.yaml": sample, "other/sample-one/payload/ops/health.py": "x", "other/sample-one/twin/a.py": "x",
		}, "suite/other/sample-one: another attack is called that: group/sample-one"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Load(suiteOf(tt.metadata, tt.more), "suite")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := Load(fstest.MapFS{}, "suite"); err == nil {
		t.Error("an empty folder is a suite")
	}
}

func TestALinkInASampleIsRefused(t *testing.T) {
	tree := suiteOf(sample, nil)
	tree["group/sample-one/payload/link"] = &fstest.MapFile{Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink | 0o777}
	if _, err := Load(tree, "suite"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}

// The samples of the project are what is attacked with every night.
func TestTheProjectsSamplesAreWellFormed(t *testing.T) {
	suite, err := Load(os.DirFS("../../../fixtures/attacks"), "fixtures/attacks")
	if err != nil {
		t.Fatal(err)
	}
	blind, runs := 0, 0
	for _, a := range suite {
		if a.Blind {
			blind++
		}
		if a.Executes() {
			runs++
		}
	}
	if len(suite) < 120 || blind*3 < len(suite) || runs < 120 {
		t.Errorf("%d attacks, %d of them blind, %d that run", len(suite), blind, runs)
	}
}

func TestAFilterSelectsByNameTechniqueAndLanguage(t *testing.T) {
	suite := Suite{
		{ID: "dns-one", Group: "exfiltration", Technique: "T1048.003", Language: "go"},
		{ID: "dns-two", Group: "blind-exfiltration", Technique: "T1048", Language: "python", Blind: true},
		{ID: "shell-one", Group: "shells", Technique: "T1059", Language: "python"},
	}
	tests := map[string]struct {
		filter Filter
		want   string
	}{
		"nothing":            {Filter{}, "dns-one dns-two shell-one"},
		"a glob on ids":      {Filter{Only: []string{"dns-*"}}, "dns-one dns-two"},
		"a group":            {Filter{Only: []string{"shells"}}, "shell-one"},
		"a group with an id": {Filter{Only: []string{"*/dns-one"}}, "dns-one"},
		"a technique":        {Filter{Techniques: []string{"T1048"}}, "dns-one dns-two"},
		"a part of one":      {Filter{Techniques: []string{"T1048.003"}}, "dns-one"},
		"a language":         {Filter{Languages: []string{"python"}}, "dns-two shell-one"},
		"all of them":        {Filter{Only: []string{"dns-*"}, Languages: []string{"python"}, Blind: true}, "dns-two"},
		"what no attack is":  {Filter{Only: []string{"dsn-*"}}, ""},
		"a glob that is bad": {Filter{Only: []string{"["}}, ""},
		"a bad language":     {Filter{Languages: []string{"pyhton"}}, ""},
	}
	for name, tt := range tests {
		got, err := suite.Select(tt.filter)
		var ids []string
		for _, a := range got {
			ids = append(ids, a.ID)
		}
		if strings.Join(ids, " ") != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %q, %v; want %q", name, ids, err, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("id: &a [*a]\n"))
	f.Add([]byte("<<: {id: x}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := parse("attack.yaml", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "attack.yaml:") {
				t.Fatalf("no place in %q", err)
			}
			return
		}
		if len(a.Catch) == 0 || len(a.Contain) == 0 || len(a.Runtimes) == 0 || a.Entry == "" || !fs.ValidPath("payload/"+a.Entry) {
			t.Fatalf("accepted %+v", a)
		}
		for _, l := range a.Catch {
			if l != gate.LayerStatic && l != gate.LayerJudge && l != gate.LayerSandbox {
				t.Fatalf("layer %q", l)
			}
		}
	})
}
