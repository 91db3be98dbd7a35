package attribution

import (
	"context"
	"fmt"
	"slices"

	"github.com/aigate/gate/gate/change/git"
)

// readRecords reads what tools recorded about single lines: notes of git-ai,
// and Agent Trace records in notes and in files of the head. It returns which
// commits have a note; nil where the repository keeps none. What cannot be read
// is a doubt: a mark may have been in it.
func (a *attributor) readRecords(ctx context.Context) (noted map[git.OID]bool) {
	a.records = make([]map[string][]lines, len(a.History.Steps))
	a.loose = map[string][]lines{}
	index := map[git.OID]int{}
	for i, s := range a.History.Steps {
		index[s.OID] = i
	}
	for _, ref := range append([]string{GitAINotes, AgentTraceNotes}, a.Notes...) {
		notes, err := a.History.Notes(ctx, ref)
		if err != nil {
			a.doubts = append(a.doubts, fmt.Sprintf("%s could not be read: %s", ref, err))
		}
		if len(notes) > 0 && noted == nil {
			noted = map[git.OID]bool{}
		}
		for i, s := range a.History.Steps {
			if note, ok := notes[s.OID]; ok {
				noted[s.OID] = true
				a.readNote(i, ref, note, index)
			}
		}
	}
	a.readTraceFiles(ctx, index)
	return noted
}

// readNote reads a note in whichever of the two formats it is in.
func (a *attributor) readNote(i int, ref string, note git.OID, index map[git.OID]int) {
	data, err := a.History.Note(note)
	if err == nil {
		var found []lines
		if found, err = parseGitAI(data); err == nil {
			a.records[i] = byPath(a.records[i], found)
			return
		}
		traces, traceErr := parseTraces(data)
		if traceErr == nil && len(traces) > 0 {
			for j := range traces {
				if traces[j].revision == "" {
					traces[j].revision = a.History.Steps[i].OID
				}
			}
			a.file(traces, index)
			return
		}
	}
	a.doubts = append(a.doubts, fmt.Sprintf("the note of %s in %s could not be read: %s", short(a.History.Steps[i].OID), ref, err))
}

// readTraceFiles reads the Agent Trace records of the head commit.
func (a *attributor) readTraceFiles(ctx context.Context, index map[git.OID]int) {
	entries, err := a.History.Files(ctx, isTraceFile)
	if err != nil {
		a.doubts = append(a.doubts, fmt.Sprintf("agent trace files could not be listed: %s", err))
		return
	}
	slices.SortFunc(entries, func(x, y git.Entry) int { return compare(x.Path, y.Path) })
	total := 0
	for _, e := range entries {
		data, err := a.History.Blob(e.OID)
		if total += len(data); err == nil && total > maxTraceBytes {
			err = fmt.Errorf("the records have more than %d MiB", maxTraceBytes>>20)
		}
		if err != nil {
			a.doubts = append(a.doubts, fmt.Sprintf("%q could not be read: %s", e.Path, err))
			return
		}
		traces, err := parseTraces(data)
		if err != nil {
			a.doubts = append(a.doubts, fmt.Sprintf("%q: %s", e.Path, err))
		}
		a.file(traces, index)
	}
}

// file puts records where they belong: lines of a commit that is here belong to
// it. The numbers of others cannot be followed, and stand for the whole file.
func (a *attributor) file(traces []trace, index map[git.OID]int) {
	for _, t := range traces {
		if i, ok := index[t.revision]; ok {
			a.records[i] = byPath(a.records[i], t.lines)
			continue
		}
		for _, l := range t.lines {
			l.ranges = nil
			a.loose = byPath(a.loose, []lines{l})
		}
	}
}
