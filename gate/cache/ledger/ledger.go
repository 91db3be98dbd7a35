// Package ledger says why the runs of the last scan were reused or not.
//
// The sandbox layer writes down one [Scan] for each scan that may write to the cache;
// [Show] reads the last one for a user. It promises that every text is escaped for a
// terminal and that a record is read within bounds. It does not decide anything: a
// forged record explains wrongly, and no run is reused because of it.
package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/printable"
)

// Space is the part of the cache in which the sandbox layer keeps runs and records.
const Space = "sandbox"

// Help is what a user reads about [Show].
const Help = `explain shows the last scan that ran programs with this cache: each run, whether
it was reused, and why. A run is reused where nothing has changed that it looked at;
docs/cache.md says what that is. For example:

  last scan  2026-03-02 09:14:07 UTC, 3 runs: 1 reused, 2 run
  files      43 in the tree that programs find
  reused     script a.py: nothing that it looked at has changed (41 files read, 2 changed elsewhere)
  run again  script b.py: it read src/a.py, which changed
  run again  script c.sh: its last run was not kept: the recorder lost events`

// Bounds of a record.
const (
	MaxRuns    = 2000
	maxTargets = 20 // of one run; a run of tests can have hundreds
	maxText    = 1000
)

// Scan is what was decided about the runs of one scan.
type Scan struct {
	At    time.Time `json:"at"`
	Files int       `json:"files"` // that the programs find
	// Fresh is why no run was reused, whatever is known; "" is that runs were looked up.
	Fresh string `json:"fresh,omitempty"`
	Runs  []Run  `json:"runs"`
	// LeftOut is how many runs are not listed.
	LeftOut int `json:"left_out,omitempty"`
}

// Run is one run of a program, and why it was reused or not.
type Run struct {
	Kind    string   `json:"kind"`
	Targets []string `json:"targets"`
	More    int      `json:"more_targets,omitempty"` // that are not listed
	As      string   `json:"as,omitempty"`           // how it ran, where that is not as planned
	Outcome Outcome  `json:"outcome"`
	Why     string   `json:"why"`
	// AllFiles is why a change of any file starts it again; "" is that only those count
	// at which it looked.
	AllFiles string `json:"all_files,omitempty"`
	// NotKept is why the run is not known from now on; "" is that it is.
	NotKept string `json:"not_kept,omitempty"`
}

// Outcome is what was decided.
type Outcome string

// The outcomes. The zero value is none of them and is refused.
const (
	Reused   Outcome = "reused"
	RunAgain Outcome = "run again"
	RunFirst Outcome = "run" // nothing was known of it
)

// key is the place of the last record.
func key() string { return cache.Key("the last scan") }

// Keep writes a record down, in place of the last one.
func Keep(k cache.Keeper, s Scan) {
	if over := len(s.Runs) - MaxRuns; over > 0 {
		s.Runs, s.LeftOut = s.Runs[:MaxRuns], s.LeftOut+over
	}
	for i := range s.Runs {
		s.Runs[i].bound()
	}
	if data, err := json.Marshal(s); err == nil {
		cache.Keep(k, key(), data)
	}
}

// bound cuts what is longer than a record may have.
func (r *Run) bound() {
	if over := len(r.Targets) - maxTargets; over > 0 {
		r.Targets, r.More = r.Targets[:maxTargets:maxTargets], r.More+over
	}
	r.Targets = slices.Clone(r.Targets)
	for i := range r.Targets {
		r.Targets[i] = short(r.Targets[i])
	}
	for _, text := range []*string{&r.Kind, &r.As, &r.Why, &r.AllFiles, &r.NotKept} {
		*text = short(*text)
	}
}

func short(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText-len("…")], "") + "…"
}

// Decode reads a record that may be anything.
func Decode(data []byte) (Scan, error) {
	var s Scan
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Scan{}, fmt.Errorf("read what the last scan decided: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Scan{}, errors.New("read what the last scan decided: something follows it")
	}
	if len(s.Runs) > MaxRuns || s.LeftOut < 0 || s.Files < 0 || s.At.IsZero() || len(s.Fresh) > maxText {
		return Scan{}, errors.New("read what the last scan decided: it is no record")
	}
	for _, r := range s.Runs {
		known := r.Outcome == Reused || r.Outcome == RunAgain || r.Outcome == RunFirst
		long := func(text string) bool { return len(text) > maxText }
		if !known || r.More < 0 || len(r.Targets) > maxTargets || slices.ContainsFunc(slices.Concat(r.Targets, []string{r.Kind, r.As, r.Why, r.AllFiles, r.NotKept}), long) {
			return Scan{}, fmt.Errorf("read what the last scan decided: its run %.40q is none", r.Kind)
		}
	}
	return s, nil
}

// Formats returns what [Show] can write.
func Formats() []string { return []string{"text", "json"} }

// Show writes why the runs of the last scan were reused or not.
func Show(dir, format string, w io.Writer) error {
	if !slices.Contains(Formats(), format) {
		return exit.Usagef("--format is text or json, not %q", format)
	}
	store, err := cache.Open(cache.Options{Dir: dir, ReadOnly: true})
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer store.Close() // nothing was written
	s, ok := cache.Recall(store.Space(Space), key(), Decode)
	if !ok {
		return exit.Usagef("no scan has run programs with the cache in %s (a scan with --no-cache, or of a fork's pull request, leaves no record)", printable.ASCII(store.Dir()))
	}
	if format == "json" {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(s)
	}
	text(s, w)
	return nil
}

func text(s Scan, w io.Writer) {
	row := func(name, text string) { fmt.Fprintf(w, "%-10s %s\n", name, printable.ASCII(text)) }
	reused := 0
	for _, r := range s.Runs {
		if r.Outcome == Reused {
			reused++
		}
	}
	row("last scan", fmt.Sprintf("%s, %s: %d reused, %d run", s.At.UTC().Format("2006-01-02 15:04:05 UTC"), Count(len(s.Runs), "run"), reused, len(s.Runs)-reused))
	row("files", fmt.Sprintf("%d in the tree that programs find", s.Files))
	if s.Fresh != "" {
		row("fresh", "nothing was reused: "+s.Fresh)
	}
	for _, r := range s.Runs {
		row(string(r.Outcome), r.says())
	}
	if s.LeftOut > 0 {
		row("left out", Count(s.LeftOut, "more run"))
	}
}

// says is a run in one line.
func (r Run) says() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(r.Kind + " " + strings.Join(r.Targets, " ")))
	if r.More > 0 {
		fmt.Fprintf(&b, " and %d more", r.More)
	}
	if r.As != "" {
		b.WriteString(", " + r.As)
	}
	b.WriteString(": " + r.Why)
	if r.AllFiles != "" {
		b.WriteString("; any changed file starts it again: " + r.AllFiles)
	}
	if r.NotKept != "" {
		b.WriteString("; not kept: " + r.NotKept)
	}
	return b.String()
}

// Count is a number of things.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
