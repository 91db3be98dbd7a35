package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// patterns finds the problem matchers of a JSON document.
func patterns(v any) []map[string]any {
	var out []map[string]any
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["regexp"].(string); ok {
			out = append(out, v)
		}
		for _, m := range v {
			out = append(out, patterns(m)...)
		}
	case []any:
		for _, m := range v {
			out = append(out, patterns(m)...)
		}
	}
	return out
}

// matchers are the problem matchers that users get: those of the page, and that of the
// extension.
func matchers(t *testing.T) []map[string]any {
	t.Helper()
	page, err := os.ReadFile("../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile("../tools/vscode/package.json")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{string(manifest)}
	for i, part := range strings.Split(string(page), "```json\n") {
		if text, _, ok := strings.Cut(part, "\n```"); i > 0 && ok {
			texts = append(texts, text)
		}
	}
	var out []map[string]any
	for _, text := range texts {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		out = append(out, patterns(v)...)
	}
	if len(out) != 3 {
		t.Fatalf("%d matchers", len(out))
	}
	return out
}

func TestProblemMatchersReadTheLinesFormat(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.lines")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, m := range matchers(t) {
		text, _ := m["regexp"].(string)
		re := regexp.MustCompile(text)
		read := 0
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(data)) {
				line = strings.TrimSuffix(line, "\n")
				got := re.FindStringSubmatch(line)
				wanted := !strings.HasPrefix(line, "gate: ") && (strings.Contains(text, "note") || !strings.Contains(line, ":1: note: "))
				if (got != nil) != wanted {
					t.Errorf("%s: %q: %q", text, line, got)
				}
				if got != nil {
					read++
				}
			}
		}
		got := re.FindStringSubmatch("my dir/a:b.py:14:1: error: Sends [x]: y (lines 9 → 14) [exfiltration/file-post]")
		want := map[string]string{"file": "my dir/a:b.py", "line": "14", "column": "1", "severity": "error", "message": "Sends [x]: y (lines 9 → 14)", "code": "exfiltration/file-post"}
		for name, is := range want {
			group, _ := m[name].(float64)
			if got == nil || got[int(group)] != is {
				t.Errorf("%s: %s is %q, want %q", text, name, got, is)
			}
		}
		if read == 0 {
			t.Errorf("%s reads nothing", text)
		}
	}
}
