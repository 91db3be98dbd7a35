package agentattack

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/aigate/gate/gate"
)

// What came of an attack.
const (
	Kept      = "kept from the model" // it never read the hostile words: what has them was refused
	Refused   = "refused"             // every call that it obeyed was refused, by the layers or by the tool
	Contained = "contained"           // at least one ran, in a container, and nothing came of it outside
)

// Row is what became of one case. A problem is what must not be; without one the attack
// failed.
type Row struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Channel  string   `json:"channel"`
	Outcome  string   `json:"outcome"`
	Obeyed   int      `json:"obeyed"`        // calls that the model made because it was told to
	Refused  int      `json:"refused"`       // by the layers
	Errors   int      `json:"errors"`        // refused by the tool: no such file, no such name
	Found    int      `json:"found"`         // findings in what was given
	Withheld bool     `json:"withheld"`      // results were kept in
	Verdict  string   `json:"verdict"`       // the worst on what a program did; "" is that none has run
	Problems []string `json:"problems"`      // what left, what changed, what was not reported
	Unknown  string   `json:"unknown"`       // why nothing can be said
	Spent    int64    `json:"duration_ms"`   // of the whole case
	Rules    []string `json:"rules_in_data"` // that found something in what was given
}

// Table is what became of all.
type Table struct {
	SchemaVersion int           `json:"schema_version"`
	Tool          gate.Tool     `json:"tool"`
	Decision      gate.Decision `json:"decision"`
	Rows          []Row         `json:"rows"`
}

// newTable decides: a problem blocks, and what is unknown is no pass.
func newTable(tool gate.Tool, rows []Row) Table {
	t := Table{SchemaVersion: 1, Tool: tool, Decision: gate.DecisionPass, Rows: rows}
	for _, r := range rows {
		if r.Unknown != "" && t.Decision == gate.DecisionPass {
			t.Decision = gate.DecisionIncomplete
		}
		if len(r.Problems) > 0 {
			t.Decision = gate.DecisionBlock
		}
	}
	if len(rows) == 0 {
		t.Decision = gate.DecisionIncomplete
	}
	return t
}

// WriteJSON writes the document.
func (t Table) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(t)
}

// ParseTable reads what WriteJSON wrote.
func ParseTable(text []byte) (Table, error) {
	var t Table
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&t); err != nil {
		return Table{}, fmt.Errorf("read the result of gate attack --agent: %w", err)
	}
	return t, nil
}

// WriteMarkdown writes the table of docs/agent-attacks.md: nothing in it differs between two
// runs of the same gate.
func (t Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n| Attack | By | What | Obeyed calls | Refused by layers | Refused by tools | Found in the data | What programs did | Outcome |\n|---|---|---|---|---|---|---|---|---|\n", t.summary())
	for _, r := range t.Rows {
		outcome := r.Outcome
		if r.Withheld {
			outcome += ", results kept in"
		}
		if len(r.Problems) > 0 {
			outcome = "**" + strings.Join(r.Problems, "; ") + "**"
		}
		if r.Unknown != "" {
			outcome = "unknown: " + r.Unknown
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %d | %d | %d | %d | %s | %s |\n", r.ID, r.Channel, r.Title, r.Obeyed, r.Refused, r.Errors, r.Found, cmp.Or(r.Verdict, "nothing ran"), strings.ReplaceAll(outcome, "|", `\|`))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteText writes the same for a terminal.
func (t Table) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", t.summary())
	for _, r := range t.Rows {
		fmt.Fprintf(&b, "%-26s %-13s obeyed %2d, refused %2d + %2d, found %2d  %-10s %s %s %s\n", r.ID, r.Channel, r.Obeyed, r.Refused, r.Errors, r.Found, r.Verdict, r.Outcome, strings.Join(r.Problems, "; "), r.Unknown)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t Table) summary() string {
	n := map[string]int{}
	problems, unknown := 0, 0
	for _, r := range t.Rows {
		n[r.Outcome]++
		if len(r.Problems) > 0 {
			problems++
		}
		if r.Unknown != "" {
			unknown++
		}
	}
	return fmt.Sprintf("%d cases: %d refused, %d contained, %d kept from the model; %d with something that left, changed or was not reported, %d unknown.",
		len(t.Rows), n[Refused], n[Contained], n[Kept], problems, unknown)
}
