package suppress

import (
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
)

// Accept says how findings are accepted.
type Accept struct {
	Reason  string
	Expires Day
	From    gate.Severity // findings below it are left out
}

// Entries returns the entries that cover the findings of a result about a change,
// and what can't be covered. That there is a reason is for the caller to check:
// without one, an update can only keep and drop.
func Entries(c *gate.Change, res gate.Result, a Accept) (entries []Entry, left []string) {
	for _, f := range res.Files {
		var doc *document
		for _, finding := range f.Findings {
			dismissed := finding.Suppressed != nil && finding.Suppressed.Dismissal != nil
			if finding.Suppressed != nil && !dismissed || finding.Severity < a.From && !dismissed || !suppressible(finding.Rule) {
				continue
			}
			if f.Parent != "" {
				left = append(left, fmt.Sprintf("%s: %s is in text that came out of %s", f.Path, finding.Rule, f.Parent))
				continue
			}
			if doc == nil {
				var err error
				if doc, err = load(c.Head, f.Path); err != nil {
					left = append(left, fmt.Sprintf("%s: %v", f.Path, err))
					break
				}
			}
			if dismissed {
				if e, ok := doc.dismissed(f.Path, f.Language, finding); ok {
					e.By, e.Reason, e.Expires = finding.Suppressed.Dismissal.Account, finding.Suppressed.Reason, Day(finding.Suppressed.Dismissal.Expires)
					entries = append(entries, e)
				}
				continue
			}
			hash, lines, ok := doc.evidence(finding)
			e := Entry{Path: f.Path, Layer: finding.Layer, Rule: finding.Rule, Severity: finding.Severity, Hash: hash, Reason: a.Reason, Expires: a.Expires}
			if lines != nil {
				e.Count = doc.occurrences(lines)
			}
			if !ok {
				left = append(left, fmt.Sprintf("%s:%d: %s is not in lines of the file", f.Path, finding.Line, finding.Rule))
				continue
			}
			if err := e.checkFinding(); err != nil {
				left = append(left, fmt.Sprintf("%s:%d: %v", f.Path, finding.Line, err))
				continue
			}
			entries = append(entries, e)
		}
	}
	return merged(entries), left
}

// merged joins the entries for the same content, such as lines that are in a
// file twice, and sorts them.
func merged(entries []Entry) []Entry {
	slices.SortStableFunc(entries, Entry.compare)
	var out []Entry
	for _, e := range entries {
		if n := len(out); n > 0 && out[n-1].compare(e) == 0 {
			out[n-1].Severity = max(out[n-1].Severity, e.Severity)
			continue
		}
		out = append(out, e)
	}
	return out
}

// Difference is how an update changed a baseline.
type Difference struct {
	Added, Removed []Entry
}

// Update returns what the baseline becomes: what was accepted and is still found
// keeps its reason and its date, what is found anew is added, and what was looked
// at and is not found any more is dropped. An entry that has expired, or whose
// finding has become more severe or more frequent, counts as not found: a reviewer
// has to accept it again.
func (b Baseline) Update(now []Entry, today Day, lookedAt func(path string, l gate.Layer) bool) (Baseline, Difference) {
	var next Baseline
	var d Difference
	found := map[string]Entry{}
	key := func(e Entry) string { return fmt.Sprintf("%q %s %s %s", e.Path, e.Layer, e.Rule, e.Hash) }
	for _, e := range now {
		found[key(e)] = e
	}
	for _, e := range b.Entries {
		n, still := found[key(e)]
		switch {
		case still && !e.Expires.before(today) && n.Severity <= e.Severity && n.Count <= e.Count:
			delete(found, key(e))
			n.Reason, n.Expires, n.By = e.Reason, e.Expires, e.By
			next.Entries = append(next.Entries, n)
		case !lookedAt(e.Path, e.Layer):
			next.Entries = append(next.Entries, e)
		default:
			d.Removed = append(d.Removed, e)
		}
	}
	for _, e := range now {
		if _, isNew := found[key(e)]; isNew {
			d.Added = append(d.Added, e)
			next.Entries = append(next.Entries, e)
		}
	}
	slices.SortFunc(next.Entries, Entry.compare)
	return next, d
}
