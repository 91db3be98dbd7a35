package rulebook

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/gate/strict"
	"github.com/aigate/gate/gate/suppress"
)

// Book knows the rules of all layers.
type Book struct {
	builtin func() (*static.OwnRules, error)
}

// New returns the book with gate's own static rules, which builtin loads when they are
// needed: most commands never show a rule.
func New(builtin func() (*static.OwnRules, error)) Book { return Book{builtin} }

// Rules describes all rules, with those of a team's own, sorted by id.
func (b Book) Rules(own ...Source) ([]gate.Rule, error) {
	entries, err := b.Entries(own...)
	var out []gate.Rule
	for _, e := range entries {
		out = append(out, e.Rule)
	}
	return out, err
}

// Entries is [Book.Rules] with everything else that can be said about each rule.
func (b Book) Entries(own ...Source) (Entries, error) {
	builtin, err := b.builtin()
	if err != nil {
		return nil, exit.Failed(fmt.Errorf("gate's own rules: %w", err))
	}
	known := builtin.Rules()
	shipped := map[string]bool{}
	for _, r := range known {
		shipped[r.ID] = true
	}
	if len(own) > 0 {
		if known, err = with(builtin, own); err != nil {
			return nil, err
		}
	}
	var out Entries
	for _, r := range known {
		e := staticEntry(r)
		if !shipped[r.ID] {
			e.From = r.Source.String()
		}
		out = append(out, e)
	}
	for _, r := range slices.Concat(execute.Rules(), judge.Rules()) {
		out = append(out, Entry{Rule: r})
	}
	for _, r := range suppress.Rules() {
		out = append(out, Entry{Rule: r, Fixed: true})
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// with returns gate's own static rules and those of a team's folders, as the static
// layer loads them.
func with(builtin *static.OwnRules, own []Source) ([]*static.Rule, error) {
	p := gate.DefaultPolicy()
	for _, s := range own {
		p.Rules.Dirs = append(p.Rules.Dirs, s.Name)
	}
	s, err := static.New(static.Options{Policy: p, Rules: builtin, UserRules: own})
	if err != nil {
		return nil, exit.Usagef("%w", err)
	}
	return s.Rules(), nil
}

// Entries are rules, sorted by id.
type Entries []Entry

// Find returns the rule with an id. The error for one that doesn't exist says what was
// probably meant.
func (all Entries) Find(id string) (Entry, error) {
	var ids, near []string
	for _, e := range all {
		if e.ID == id {
			return e, nil
		}
		ids = append(ids, e.ID)
		if strings.Contains(e.ID, id) {
			near = append(near, e.ID)
		}
	}
	if len(near) == 0 {
		if closest := strict.Closest(id, ids); closest != "" {
			near = []string{closest}
		}
	}
	if len(near) > 0 {
		return Entry{}, exit.Usagef("there is no rule %q; did you mean %s?", id, strings.Join(near, ", "))
	}
	return Entry{}, exit.Usagef("there is no rule %q (see `gate rules list`)", id)
}

// WriteTable writes one line for each rule of a category, or of all when it is "".
func (all Entries) WriteTable(out io.Writer, category string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULE\tSEVERITY\tLAYER\tLANGUAGES\tTITLE")
	shown := 0
	for _, e := range all {
		if category != "" && e.Category() != category {
			continue
		}
		shown++
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.ID, e.Severity, e.Layer, e.languages(), e.Title)
	}
	if shown == 0 {
		return exit.Usagef("no rule has the category %q (see `gate rules list`)", category)
	}
	return w.Flush()
}
