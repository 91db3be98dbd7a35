package suppress

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"github.com/aigate/gate/gate"
)

// Stage returns the static layer with the comments of the change: it reads them
// before the layer runs, and reports what is wrong with suppressions behind it.
func (s *Set) Stage(static gate.Stage) gate.Stage { return &stage{Stage: static, set: s} }

type stage struct {
	gate.Stage
	set  *Set
	done bool // the first round is over; what was decoded has no suppressions
}

// Run implements [gate.Stage].
func (l *stage) Run(ctx context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	if l.done {
		return l.Stage.Run(ctx, c, found)
	}
	l.done = true
	l.set.read(ctx)
	if l.set.opts.AgainstBase {
		l.set.compare(ctx, l.Stage)
	}
	out, err := l.Stage.Run(ctx, c, found)
	l.set.report(found)
	return out, err
}

// read collects the comments of the head. A file that can't be read has none; the
// static layer says that it can't be read.
func (s *Set) read(ctx context.Context) {
	targets := make([]*gate.Target, 0, len(s.targets))
	for _, t := range s.opts.Change.Targets {
		if s.targets[t.Path] == t && t.Exists() && t.Mode.IsRegular() {
			targets = append(targets, t)
		}
	}
	read := make([]*file, len(targets))
	// What the end of ctx leaves unread suppresses nothing.
	_ = gate.ForEach(ctx, runtime.GOMAXPROCS(0), len(targets), func(_ context.Context, i int) error {
		t := targets[i]
		doc, err := load(s.opts.Change.Head, t.Path)
		if err != nil {
			return nil //nolint:nilerr // see above: no content, no suppression
		}
		var f file
		if f.markers, f.wrong = s.valid(doc.markers(t.Language, t.Path)); len(f.markers)+len(f.wrong) > 0 {
			read[i] = &f
		}
		return nil
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range read {
		if f != nil {
			s.files[targets[i].Path] = f
		}
	}
}

// same identifies a comment across two versions of a file.
type same struct {
	rule, reason, hash string
	expires            Day
}

// compare finds out which comments the base commit has for the same code, and
// what they suppressed there, by running the static layer over that version: so
// a comment that was there for something harmless does not cover what the
// change makes of it.
func (s *Set) compare(ctx context.Context, static gate.Stage) {
	base := map[string]*document{}
	before := map[string][]*used{}
	var again []*gate.Target
	for _, t := range s.opts.Change.Targets {
		f := s.files[t.Path]
		if f == nil || len(f.markers) == 0 || ctx.Err() != nil {
			continue
		}
		old, err := load(s.opts.Change.Base, t.Path)
		if err != nil {
			continue // a new file: nothing in it is known
		}
		head, err := load(s.opts.Change.Head, t.Path)
		if err != nil {
			continue
		}
		markers, _ := s.valid(old.markers(t.Language, t.Path))
		if !f.recognise(head, old, markers) {
			continue
		}
		base[t.Path], before[t.Path] = old, markers
		again = append(again, &gate.Target{
			Path: t.Path, Language: t.Language, Role: t.Role, Kind: gate.ChangeNone, Mode: t.Mode, Size: int64(len(old.text)),
		})
	}
	if len(again) == 0 {
		return
	}
	found := gate.NewFindings(again, nil)
	then := &gate.Change{Head: s.opts.Change.Base, Targets: again, Files: s.opts.Change.Files}
	if _, err := static.Run(ctx, then, found); err != nil {
		return // what the base commit had is not known, so nothing counts
	}
	for path, old := range base {
		s.files[path].applied = appliedIn(old, before[path], found.Of(path))
	}
}

// recognise marks the comments that the base commit has for the same content as
// known. A comment that is there more often than before could be either.
func (f *file) recognise(head, base *document, before []*used) (any bool) {
	count := func(d *document, markers []*used) map[same]int {
		n := map[same]int{}
		for _, m := range markers {
			for _, k := range m.keys(d) {
				n[k]++
			}
		}
		return n
	}
	now, then := count(head, f.markers), count(base, before)
	for _, m := range f.markers {
		for _, k := range m.keys(head) {
			if now[k] <= then[k] {
				m.known[k.rule] = true
				any = true
			}
		}
	}
	return any
}

// keys are what a comment suppresses, one for each rule.
func (m *used) keys(d *document) []same {
	line, ok := d.block(m.target, m.target)
	if !ok {
		return nil
	}
	var out []same
	for _, rule := range m.rules {
		out = append(out, same{rule, m.reason, lineHash(line), m.expires})
	}
	return out
}

// appliedIn returns which of the findings the comments suppress.
func appliedIn(d *document, markers []*used, found []gate.Finding) map[finding]gate.Severity {
	out := map[finding]gate.Severity{}
	for _, f := range found {
		covers := func(m *used) bool { return m.target == f.Line && slices.Contains(m.rules, f.Rule) }
		if f.Line == 0 || !slices.ContainsFunc(markers, covers) {
			continue
		}
		if hash, _, ok := d.evidence(f); ok {
			k := finding{f.Rule, hash}
			out[k] = max(out[k], f.Severity)
		}
	}
	return out
}

// report adds the findings about suppressions themselves.
func (s *Set) report(found *gate.Findings) {
	for _, path := range s.paths() {
		found.Add(path, s.about(path)...)
	}
}

// paths are the targets about which there may be something to say, in order.
func (s *Set) paths() []string {
	var out []string
	for path := range s.targets {
		if s.files[path] != nil || len(s.entries[path]) > 0 || path == BaselineFile {
			out = append(out, path)
		}
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}
