package replay

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
)

// SchemaVersion is that of a report.
const SchemaVersion = 1

// Report is the history of a repository as gate would have seen it.
type Report struct {
	SchemaVersion int       `json:"schema_version"`
	Tool          gate.Tool `json:"tool"`
	Layers        []string  `json:"layers"`
	Summary       Counts    `json:"summary"`
	// Months, Rules, Paths and Authors are the same figures by when, why, where and by whom.
	Months  []Group      `json:"months"`
	Rules   []Group      `json:"rules"`
	Paths   []Group      `json:"paths"`
	Authors []Group      `json:"authors"`
	Time    Durations    `json:"time"`
	Advice  []Suggestion `json:"suggestions"`
	Learned *Learned     `json:"learned,omitempty"` // where the user asked for it
	Changes []Row        `json:"changes"`           // oldest first
}

// Counts are numbers of changes.
type Counts struct {
	Changes    int `json:"changes"`
	Blocked    int `json:"blocked"`
	Incomplete int `json:"incomplete"`
	Flagged    int `json:"flagged"`
}

func (c *Counts) add(o outcome) {
	c.Changes++
	switch o {
	case blocked:
		c.Blocked++
	case incomplete:
		c.Incomplete++
	case flagged:
		c.Flagged++
	}
}

// Passed is how many changes nothing was said about.
func (c Counts) Passed() int { return c.Changes - c.Blocked - c.Incomplete - c.Flagged }

// stopped is how many changes would have needed a review.
func (c Counts) stopped() int { return c.Blocked + c.Incomplete + c.Flagged }

// Group is the counts of a part of the history.
type Group struct {
	Name string `json:"name"`
	Counts
}

// Durations say how long a change took, in milliseconds of the wall clock.
type Durations struct {
	Median  int64 `json:"median_ms"`
	Most95  int64 `json:"p95_ms"`
	Longest int64 `json:"max_ms"`
}

// Summarise makes a report of rows, in whatever order they are.
func Summarise(tool gate.Tool, layers []string, rows []Row) Report {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Or(a.Date.Compare(b.Date), cmp.Compare(a.Commit, b.Commit)) })
	r := Report{SchemaVersion: SchemaVersion, Tool: tool, Layers: layers, Changes: rows}
	months, rules, paths, authors := groups{}, groups{}, groups{}, groups{}
	for _, a := range Authors() {
		authors.of(string(a))
	}
	var took []int64
	for _, row := range rows {
		o := row.outcome()
		r.Summary.add(o)
		months.of(row.Date.UTC().Format(monthForm)).add(o)
		authors.of(string(row.Author)).add(o)
		took = append(took, row.Millis)
		if o == passed {
			continue
		}
		for _, name := range row.causes(func(x Reason) string { return x.name() }) {
			rules.of(name).add(o)
		}
		for _, name := range row.causes(func(x Reason) string { return folder(x.Path) }) {
			paths.of(name).add(o)
		}
	}
	months.fill()
	r.Months, r.Authors = months.byName(), authors.byName()
	r.Rules, r.Paths = rules.byCount(), paths.byCount()
	r.Time, r.Advice = durations(took), suggest(rows)
	return r
}

const monthForm = "2006-01"

// causes are the names of what makes a change what it is: of a blocked one only what is
// dangerous, and of an incomplete one only its gaps.
func (r Row) causes(name func(Reason) string) []string {
	if r.Failed != "" {
		return []string{name(Reason{Rule: "gate", Gap: r.Failed})}
	}
	worst := gate.SeverityUnknown
	for _, x := range r.Reasons {
		worst = max(worst, x.Severity)
	}
	gaps := r.outcome() == incomplete
	var out []string
	for _, x := range r.Reasons {
		if n := name(x); (x.Gap != "") == gaps && (gaps || x.Severity == worst) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// name is the rule of a reason, or what is lacking.
func (x Reason) name() string {
	if x.Gap == "" {
		return x.Rule
	}
	return x.Rule + ": " + kindOf(x.Gap)
}

// kindOf is the beginning of a gap's reason, which is the same for gaps of one kind.
func kindOf(gap string) string {
	if i := strings.IndexAny(gap, ":;("); i > 0 {
		gap = gap[:i]
	}
	digits := func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '#'
		}
		return r
	}
	return gate.Clip(strings.Map(digits, strings.TrimSpace(gap)), maxKind)
}

const maxKind = 80 // bytes

// folder is where a file lies, as far as it matters for a policy: two levels.
func folder(path string) string {
	parts := strings.Split(path, "/")
	switch {
	case path == "":
		return "(none)"
	case len(parts) == 1:
		return path
	case len(parts) == 2:
		return parts[0] + "/"
	}
	return parts[0] + "/" + parts[1] + "/"
}

// groups are counts by name.
type groups map[string]*Counts

func (g groups) of(name string) *Counts {
	if g[name] == nil {
		g[name] = &Counts{}
	}
	return g[name]
}

// fill adds the months in which nothing was merged, so that time runs evenly.
func (g groups) fill() {
	names := slices.Sorted(maps.Keys(g))
	if len(names) == 0 {
		return
	}
	at, err := time.Parse(monthForm, names[0])
	for n := 0; err == nil && n < maxMonths && at.Format(monthForm) < names[len(names)-1]; n++ {
		g.of(at.Format(monthForm))
		at = at.AddDate(0, 1, 0)
	}
}

// maxMonths bounds the months between the first and the last change.
const maxMonths = 600

func (g groups) list() []Group {
	out := make([]Group, 0, len(g))
	for name, c := range g {
		out = append(out, Group{name, *c})
	}
	return out
}

func (g groups) byName() []Group {
	return slices.SortedFunc(slices.Values(g.list()), func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
}

// byCount puts what stopped most changes first, what blocked before what flagged.
func (g groups) byCount() []Group {
	return slices.SortedFunc(slices.Values(g.list()), func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Blocked, a.Blocked), cmp.Compare(b.stopped(), a.stopped()), cmp.Compare(a.Name, b.Name))
	})
}

func durations(took []int64) Durations {
	if len(took) == 0 {
		return Durations{}
	}
	slices.Sort(took)
	at := func(percent int) int64 { return took[min(len(took)-1, len(took)*percent/100)] }
	return Durations{Median: at(50), Most95: at(95), Longest: took[len(took)-1]}
}
