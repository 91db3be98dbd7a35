package attribution

import (
	"fmt"
	"strings"
)

// Reference returns the table of marks as Markdown, for docs/attribution.md.
func Reference() string {
	var b strings.Builder
	b.WriteString("| Agent | Where | Tier | Confidence | What | Example |\n|---|---|---|---|---|---|\n")
	for _, s := range Signals() {
		agent := s.Agent
		if agent == "" {
			agent = "any"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.2f | %s | %s |\n", agent, s.Place, s.Tier, s.Tier.confidence(), s.what(), code(s.Example))
	}
	return b.String()
}

// NotAI returns the automation that is known to write no code by a model, for
// docs/attribution.md.
func NotAI() []string { return append(notAI(), notAIEmails()...) }

// what says how a row matches.
func (s Signal) what() string {
	switch {
	case s.Email != "":
		return "address " + code(s.Email)
	case s.Login != "":
		return "account " + code(s.Login)
	case s.Key != "" && s.Pattern != "":
		return "key " + code(s.Key) + ", and the value names a model or an agent"
	case s.Key != "":
		return "key " + code(s.Key) + ", unless the value says no"
	case s.Place == PlacePerson:
		return "name of that form"
	case s.Place == PlaceRecord:
		return "lines that the record gives to anybody but people"
	default:
		return "text of that form"
	}
}

// code writes a text as a code span in a table.
func code(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" }
