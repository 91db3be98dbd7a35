package embedded

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestCommandsThatAnAgentRunsWhileItReadsAreCode(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
	}{
		{".claude/commands/fix.md", "Context: !`git status`\n", "git status\n"},
		{".claude/skills/lint/SKILL.md", "---\nname: x\n---\nRun !`sh a.txt` first.\n", "sh a.txt\n"},
		{"skills/lint/SKILL.md", "!`sh a.txt`\n", "sh a.txt\n"},
		{".claude/agents/x.md", "- !`id` and !`whoami`\n", "id\nwhoami\n"},
		{".gemini/commands/x.toml", "prompt = \"look at !{git diff}\"\n", "git diff\n"},
		{"docs/commands/fix.md", "Context: !`git status`\n", ""},
		{".claude/commands/fix.md", "Run `git status`. Really!`\n", ""},
		{"README.md", "!`git status`\n", ""},
	} {
		lang := gate.LanguageMarkdown
		if tt.name == ".gemini/commands/x.toml" {
			lang = gate.LanguageTOML
		}
		got := ""
		for _, c := range Extract(lang, tt.name, []byte(tt.text)) {
			if c.Language == gate.LanguageShell && c.Role == executed {
				got += string(c.Text)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q is %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}
