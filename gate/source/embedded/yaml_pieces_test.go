package embedded

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

// What a large YAML file runs is found wherever it is, at its line.
func TestCommandsOfALargeYAMLFileAreFoundBehindItsFirstPiece(t *testing.T) {
	testenv.WithoutRace(t, "megabytes of YAML")
	pad := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < maxYAML+maxYAML/4; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, before, last, want string
	}{
		{"a member", pad("k%d:\n  name: a value\n  list:\n    - one\n"), "job:\n  script: make all\n", "make all"},
		{"an element", pad("- name: n%d\n  text: a value\n"), "- script: make all\n", "make all"},
		{"a document", pad("---\nname: n%d\n"), "---\nscript: make all\n", "make all"},
		{"an element of the key above", "script:\n" + pad("- echo %d\n"), "- make all\n", "make all"},
		{"a variable of the first piece", "variables:\n  WHAT: all\n" + pad("k%d:\n  name: a value\n"), "job:\n  script: make ${WHAT}\n", "make all"},
		{"words beside each other", "command: make\n" + pad("k%d:\n  name: a value\n"), "args: [all]\n", "make all"},
		{"a member of a member", "jobs:\n" + pad("  k%d:\n    name: a value\n"), "  job:\n    script: make all\n", "make all"},
		{"an element of a list within", "jobs:\n  all:\n    script:\n" + pad("      - echo %d\n"), "      - make all\n", "make all"},
		{"words beside each other in a member", "job:\n  command: make\n" + pad("  k%d:\n    name: a value\n"), "  args: [all]\n", "make all"},
		{"an alias", pad("k%d:\n  name: a value\n") + "x: &x make all\n", "job:\n  script: *x\n", "make all"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			content := tt.before + tt.last
			var unread string
			line := strings.Count(content, "\n")
			for _, r := range yamlCommands(gate.LanguageYAML, []byte(content)) {
				if i := strings.Index(string(r.Text), tt.want); i >= 0 {
					if got := r.Lines[strings.Count(string(r.Text[:i]), "\n")]; got != line && !strings.HasPrefix(tt.name, "words") && tt.name != "an alias" {
						t.Errorf("%q is at line %d, not %d", tt.want, got, line)
					}
					return
				}
				unread += r.unread
			}
			if unread == "" {
				t.Errorf("%q is not found, and nothing is said to be unread", tt.want)
			} else {
				t.Errorf("%q is not found: %s", tt.want, unread)
			}
		})
	}
}

func TestAYAMLFileThatCannotBeDividedIsAGap(t *testing.T) {
	testenv.WithoutRace(t, "megabytes of YAML")
	for name, content := range map[string]string{
		"one key":                   "job: {script: a,\n" + strings.Repeat("  name: a value,\n", maxYAML/10) + "}\n",
		"an anchor of before":       "x: &x make all\n" + strings.Repeat("name: a value\n", maxYAML/10) + "script: *x\n",
		"a text with outer lines":   "script: \"\n" + strings.Repeat("name: a value\n", maxYAML/10) + "\"\n",
		"more values than are read": "script: a\n" + strings.Repeat("a: [0,0,0,0,0,0,0,0,0,0,0]\n", maxValues/10),
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range yamlCommands(gate.LanguageYAML, []byte(content)) {
				if r.unread != "" {
					return
				}
			}
			t.Error("nothing is said to be unread")
		})
	}
}

// Pieces put together are the file, and each begins at its line.
func FuzzYAMLPieces(f *testing.F) {
	f.Add("a: 1\n- b\n", 40000)
	f.Add("---\n\n", 400000)
	f.Add("- x: |\n    y\n", 200000)
	f.Add("a:\n  b:\n    - c\n", 200000)
	f.Fuzz(func(t *testing.T, unit string, n int) {
		if unit == "" || n < 0 {
			return
		}
		content := "x:\n" + strings.Repeat(unit, min(n, 3*maxYAML/len(unit)))
		pieces, uncut := yamlPieces([]byte(content))
		line, text := 1, ""
		for _, p := range append(pieces, uncut) {
			if p.line == 0 { // nothing is uncut
				continue
			}
			for range p.keys {
				_, after, _ := strings.Cut(string(p.text), "\n")
				p.text, p.line = []byte(after), p.line+1
			}
			if len(p.text) > maxYAML && p.line != uncut.line+uncut.keys {
				t.Errorf("a piece has %d bytes", len(p.text))
			}
			if p.line != line {
				t.Errorf("a piece begins at line %d, not %d", p.line, line)
			}
			text, line = text+string(p.text), line+strings.Count(string(p.text), "\n")
		}
		if text != content {
			t.Error("the pieces are not the file")
		}
	})
}

func TestATagOfYAMLIsComparedWithoutEscapes(t *testing.T) {
	for tag, want := range map[string]string{
		"tag:yaml.org,2002:python/object/%61pply:os.system": "tag:yaml.org,2002:python/object/apply:os.system",
		"!reference": "!reference",
		"!50%":       "!50%", // no escape
	} {
		if got := plainTag(tag); got != want {
			t.Errorf("%q: got %q, want %q", tag, got, want)
		}
	}
}
