package hook

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/aigate/gate/gate/hook/guard"
)

// ContractTable says in Markdown what each tool does with a hook that doesn't answer.
func ContractTable() string {
	var b strings.Builder
	b.WriteString("| Tool | Hook is missing | Hook is killed | Hook hangs | Setting that refuses then | Settings are in | Source |\n|---|---|---|---|---|---|---|\n")
	for _, t := range Tools() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", t.Title, t.Missing, t.Killed, t.Hung, cmp.Or(t.Closed, "none"), t.File, t.Source)
	}
	fmt.Fprintf(&b, "| git | the commit or push goes through | it is refused (every exit code but 0) | git waits; gate ends by itself and refuses | – | `.git/hooks` | githooks(5) |\n")
	fmt.Fprintf(&b, "\nCompared on %s.\n", Verified)
	return b.String()
}

// SettingsPage shows in Markdown what goes into the settings of each tool.
func SettingsPage(program string) string {
	var b strings.Builder
	for i, t := range Tools() {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "### %s\n\n`gate hook settings %s` prints this for %s:\n\n```json\n%s```\n", t.Title, t.Name, t.File, t.Settings(program))
	}
	return b.String()
}

// RefusalTable says in Markdown what an agent must not do to gate.
func RefusalTable() string {
	var b strings.Builder
	b.WriteString("| Rule | Refuses a command or an edit that | What the agent is told to do |\n|---|---|---|\n")
	for _, r := range guard.Rules() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.ID, r.What, r.Instead)
	}
	return b.String()
}
