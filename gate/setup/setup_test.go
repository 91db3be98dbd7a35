package setup

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

var update = flag.Bool("update", false, "take the workflows over from .github/workflows/examples")

func TestTheWorkflowsAreTheExamples(t *testing.T) {
	files, err := workflowTexts.ReadDir("workflows")
	if err != nil || len(files) != 2 {
		t.Fatalf("%d workflows: %v", len(files), err)
	}
	for _, f := range files {
		want, err := os.ReadFile(filepath.Join("../../.github/workflows/examples", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(filepath.Join("workflows", f.Name()), want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := workflowTexts.ReadFile("workflows/" + f.Name())
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not the example (go test ./gate/setup -update): %v", f.Name(), err)
		}
		if n := bytes.Count(got, []byte(unpinned)); n == 0 || n != bytes.Count(got, []byte("aigate/gate@")) {
			t.Errorf("%s has %d places to pin", f.Name(), n)
		}
	}
}

func TestMergeJSON(t *testing.T) {
	want := `{"hooks": {"Pre": [{"command": "gate"}]}, "version": 1}`
	for name, tt := range map[string]struct{ have, merged, err string }{
		"nothing is there":                   {`{}`, `{"hooks":{"Pre":[{"command":"gate"}]},"version":1}`, ""},
		"other members stay as they are":     {"{\n  \"a\": 1e2\n}\n", "{\n  \"a\": 1e2\n,\"hooks\":{\"Pre\":[{\"command\":\"gate\"}]},\"version\":1}\n", ""},
		"other elements stay":                {`{"version": 1, "hooks": {"Pre": [1]}}`, `{"version": 1, "hooks": {"Pre": [1,{"command":"gate"}]}}`, ""},
		"what is there is not added again":   {want, want, ""},
		"an element that is there":           {`{"version":1,"hooks":{"Pre":[0,{"command":"gate"}]}}`, `{"version":1,"hooks":{"Pre":[0,{"command":"gate"}]}}`, ""},
		"another value has the place":        {`{"version": 2}`, "", "it has version already, with another value"},
		"another kind of value has it":       {`{"hooks": [], "version": 1}`, "", "it has hooks already, with another value"},
		"a key that is there twice":          {`{"a": 1, "a": 2}`, "", `it has the key "a" twice`},
		"a comment":                          {"{} // mine", "", "something follows the JSON object"},
		"a list":                             {`[]`, "", "it is no JSON object"},
		"null":                               {`null`, "", "it is no JSON object"},
		"an empty file":                      {``, "", "it is no JSON (comments included): EOF"},
		"values that lie deep in each other": {`{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "", "its values lie more than 100 deep in each other"},
	} {
		t.Run(name, func(t *testing.T) {
			add, err := objectIn([]byte(want))
			if err != nil {
				t.Fatal(err)
			}
			m, err := mergeJSON([]byte(tt.have), add)
			if fmt.Sprint(err) != tt.err && (err != nil || tt.err != "") {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if err != nil {
				return
			}
			if string(m.text) != tt.merged {
				t.Errorf("%s\nwant %s", m.text, tt.merged)
			}
			rest, err := subtractJSON(m.text, m.added, m.pieces)
			if err != nil || string(rest) != tt.have {
				t.Errorf("taken back: %s, %v; want %s", rest, err, tt.have)
			}
			rest, err = subtractJSON(m.text, m.added, nil)
			if err != nil || !sameContent(rest, []byte(tt.have)) {
				t.Errorf("taken back by its content: %s, %v; want the sense of %s", rest, err, tt.have)
			}
		})
	}
}

func TestSubtractJSONKeepsWhatOthersWroteSince(t *testing.T) {
	added := map[string]any{"hooks": map[string]any{"Pre": []any{"ours", "ours too"}}, "version": json.Number("1")}
	for name, tt := range map[string]struct{ now, rest string }{
		"nothing changed":             {`{"hooks":{"Pre":["ours","ours too"]},"version":1}`, `{}`},
		"an element was added":        {`{"hooks":{"Pre":["ours","theirs","ours too"]},"version":1}`, `{"hooks":{"Pre":["theirs"]}}`},
		"a member was added":          {`{"hooks":{"Pre":["ours","ours too"],"Post":[]},"version":1}`, `{"hooks":{"Post":[]}}`},
		"a value was changed":         {`{"hooks":{"Pre":["ours","ours too"]},"version":2}`, `{"version":2}`},
		"it was taken out by others":  {`{"a":1}`, `{"a":1}`},
		"only a part of it is there":  {`{"hooks":{"Pre":["ours"]}}`, `{"hooks":{"Pre":[]}}`},
		"something else has its name": {`{"hooks":"none"}`, `{"hooks":"none"}`},
	} {
		t.Run(name, func(t *testing.T) {
			rest, err := subtractJSON([]byte(tt.now), added, nil)
			if err != nil || !sameContent(rest, []byte(tt.rest)) {
				t.Errorf("%s, %v; want %s", rest, err, tt.rest)
			}
		})
	}
}

func TestSetupMergedIntoAnyJSONCanBeTakenBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		have, want := object(r, 3), object(r, 3)
		text, err := json.Marshal(have)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := objectIn(mustJSON(t, want))
		if err != nil {
			t.Fatal(err)
		}
		m, err := mergeJSON(text, parsed)
		if err != nil {
			continue // another value has the place
		}
		if again, err := mergeJSON(m.text, parsed); err != nil || again.added != nil || !bytes.Equal(again.text, m.text) {
			t.Fatalf("a second time, with %s: %s became %s, %v, %v", mustJSON(t, want), m.text, again.text, again.added, err)
		}
		rest, err := subtractJSON(m.text, m.added, nil)
		if err != nil || !sameContent(rest, text) {
			t.Fatalf("%s with %s is %s, and without it %s, %v", text, mustJSON(t, want), m.text, rest, err)
		}
	}
}

// object makes a JSON object at random. Its keys have what paths of JSON give a meaning to.
func object(r *rand.Rand, depth int) map[string]any {
	out := map[string]any{}
	keys := []string{"a", "b.c", "*", "0", "-1", "a|b", "#", "@x", `\`, "é", ":1", "!"}
	for range r.IntN(4) {
		key := keys[r.IntN(len(keys))]
		switch n := r.IntN(4); {
		case n == 0 && depth > 0:
			out[key] = object(r, depth-1)
		case n == 1:
			out[key] = []any{r.IntN(3), "x"}
		case n == 2:
			out[key] = []any{map[string]any{"c": r.IntN(2)}}
		default:
			out[key] = r.IntN(2)
		}
	}
	return out
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAddRepo(t *testing.T) {
	entry := func(indent string) string { return indent + "- repo: https://github.com/aigate/gate\n" }
	const ours = "- repo: https://github.com/aigate/gate\n"
	for name, tt := range map[string]struct{ have, want, err string }{
		"at the end":                  {"repos:\n  - repo: a\n", "repos:\n  - repo: a\n  " + ours, ""},
		"without a last line end":     {"repos:\n  - repo: a", "repos:\n  - repo: a\n  " + ours, ""},
		"without an indentation":      {"repos:\n- repo: a\n  hooks:\n  - id: b\n", "repos:\n- repo: a\n  hooks:\n  - id: b\n" + ours, ""},
		"other keys follow":           {"repos:\n- repo: a\n\n# about b\nb: 1\n", "repos:\n- repo: a\n" + ours + "\n# about b\nb: 1\n", ""},
		"gate is there":               {"repos:\n- repo: https://github.com/aigate/gate\n  rev: x\n", "repos:\n- repo: https://github.com/aigate/gate\n  rev: x\n", ""},
		"a list on one line":          {"repos: [{repo: a}]\n", "", "it has no list of repositories that gate could add to"},
		"an empty list":               {"repos: []\n", "", "it has no list of repositories that gate could add to"},
		"no list":                     {"a: 1\n", "", "it has no list of repositories that gate could add to"},
		"no YAML":                     {"a: [\n", "", "it can't be read: "},
		"a text at the end that goes": {"repos:\n- repo: a\n  note: |\n    x\n", "repos:\n- repo: a\n  note: |\n    x\n" + ours, ""},
	} {
		t.Run(name, func(t *testing.T) {
			merged, block, err := addRepo([]byte(tt.have), entry)
			if err != nil {
				if tt.err == "" || !strings.HasPrefix(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if string(merged) != tt.want || tt.err != "" {
				t.Errorf("%q, want %q", merged, tt.want)
			}
			if rest, ok := cut(merged, block); ok && string(rest) != tt.have {
				t.Errorf("taken back: %q, want %q", rest, tt.have)
			}
		})
	}
}

func TestAddTable(t *testing.T) {
	const table = "[mcp_servers.gate]\ncommand = \"gate\"\n"
	for name, tt := range map[string]struct{ have, want, err string }{
		"an empty file":          {"", table, ""},
		"other tables":           {"model = \"x\"\n[mcp_servers.other]\ncommand = \"y\"\n", "model = \"x\"\n[mcp_servers.other]\ncommand = \"y\"\n\n" + table, ""},
		"without a line end":     {"model = \"x\"", "model = \"x\"\n\n" + table, ""},
		"it is there":            {"[mcp_servers.gate]\ncommand = \"other\"\n", "[mcp_servers.gate]\ncommand = \"other\"\n", ""},
		"an inline table":        {"mcp_servers = {other = {command = \"y\"}}\n", "", "it is written in a way that gate does not add to"},
		"something has the name": {"mcp_servers = 1\n", "", "it is written in a way that gate does not add to"},
		"no TOML":                {"[", "", "it can't be read: "},
	} {
		t.Run(name, func(t *testing.T) {
			merged, block, err := addTable([]byte(tt.have), []string{"mcp_servers", "gate"}, table)
			if err != nil {
				if tt.err == "" || !strings.HasPrefix(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if string(merged) != tt.want || tt.err != "" {
				t.Errorf("%q, want %q", merged, tt.want)
			}
			if rest, ok := cut(merged, block); ok && string(rest) != tt.have {
				t.Errorf("taken back: %q, want %q", rest, tt.have)
			}
		})
	}
}

func TestLook(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	tree := fstest.MapFS{
		".git/config": file("[remote \"origin\"]\n\turl = git@github.com:example/app.git\n"), "a.go": file("package a"), "b.go": file("package a"), "c.py": file(""),
		"node_modules/x/index.js": file(""), ".gitlab-ci.yml": file(""), "AGENTS.md": file(""), ".vscode/settings.json": file("{}"),
		".github/workflows/gpu.yaml": file("jobs:\n  a:\n    runs-on: [self-hosted, linux, gpu]\n"),
	}
	got := Look(tree, fstest.MapFS{".gemini/x": file("")})
	want := Project{
		Git: true, GitHub: true, SelfHosted: true, GPU: true, Workflows: []string{"gpu.yaml"}, OtherCI: []string{".gitlab-ci.yml"},
		Languages: []Count{{"go", 2}, {"python", 1}},
		Agents:    map[string]string{"codex": "AGENTS.md", "gemini": "~/.gemini"}, Editors: map[string]string{"VS Code": ".vscode"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := Look(fstest.MapFS{"c.py": file("")}, nil); got.Git || got.GitHub || len(got.Agents) > 0 {
		t.Errorf("a plain folder: %+v", got)
	}
}

func TestAProjectWithGPURunnersGetsTheirWorkflow(t *testing.T) {
	for _, tt := range []struct {
		project Project
		kind    string
		want    string
	}{
		{Project{GitHub: true}, "", "runs-on: ubuntu-latest"},
		{Project{GitHub: true, GPU: true, SelfHosted: true}, "", "runs-on: [self-hosted, linux, gpu]"},
		{Project{GitHub: true}, WorkflowGPU, "runs-on: [self-hosted, linux, gpu]"},
		{Project{}, WorkflowHosted, "runs-on: ubuntu-latest"},
		{Project{}, "", ""},
	} {
		pin := strings.Repeat("a1", 20)
		edits, err := Plan(tt.project, Folders{Project: fstest.MapFS{}}, Options{Only: []string{PartWorkflow}, Workflow: tt.kind, Pin: pin, Version: "v1.2.3"})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, e := range edits {
			text += string(e.After)
		}
		if !strings.Contains(text, tt.want) || tt.want == "" && text != "" || tt.want != "" && !strings.Contains(text, "uses: aigate/gate@"+pin+" # v1.2.3\n") {
			t.Errorf("%+v, %q: %s", tt.project, tt.kind, text)
		}
	}
}

func TestApplyWritesNothingThatHasChangedSince(t *testing.T) {
	for name, tt := range map[string]struct {
		was  string // "" for no file
		edit Edit
	}{
		"a file that appeared": {"theirs", Edit{In: InProject, Path: "a/b.txt", After: []byte("ours")}},
		"a file that changed":  {"newer", Edit{In: InProject, Path: "a/b.txt", Existed: true, Before: []byte("older"), After: []byte("ours")}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, r := t.TempDir(), &Record{file: filepath.Join(t.TempDir(), "state", "r.json")}
			if err := os.MkdirAll(filepath.Join(dir, "a"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "a/b.txt"), []byte(tt.was), 0o644); err != nil {
				t.Fatal(err)
			}
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			if err := r.Apply(Places{InProject: root}, []Edit{tt.edit}); err == nil || !strings.Contains(err.Error(), "has changed while it was shown") {
				t.Error(err)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "a/b.txt")); err != nil || string(got) != tt.was || len(r.Edits) > 0 {
				t.Errorf("%q, %v, %d edits recorded", got, err, len(r.Edits))
			}
		})
	}
}

func FuzzMergeJSON(f *testing.F) {
	f.Add(`{"a": {"b": [1]}, "c": "x"}`, `{"a": {"b": [2]}}`)
	f.Add(`{"a.b": {"*": 1}}`, `{"a.b": {"?": [null]}}`)
	f.Fuzz(func(t *testing.T, have, want string) {
		add, err := objectIn([]byte(want))
		if err != nil {
			return
		}
		m, err := mergeJSON([]byte(have), add)
		if err != nil {
			return
		}
		rest, err := subtractJSON(m.text, m.added, m.pieces)
		if err != nil || !sameContent(rest, []byte(have)) {
			t.Errorf("%q with %q is %q, and without it %q, %v", have, want, m.text, rest, err)
		}
	})
}

func FuzzAddRepo(f *testing.F) {
	f.Add("repos:\n  - repo: a\n")
	f.Add("repos:\n- repo: |\n   a\n- b\nc: &x [*x]\n")
	entry := func(indent string) string { return indent + "- repo: https://github.com/aigate/gate\n" }
	f.Fuzz(func(t *testing.T, text string) {
		merged, block, err := addRepo([]byte(text), entry)
		if err != nil || block == "" {
			return
		}
		if _, err := reposOf(merged); err != nil {
			t.Errorf("%q became %q: %v", text, merged, err)
		}
	})
}
