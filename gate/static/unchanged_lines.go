package static

import (
	"cmp"
	"context"
	"crypto/sha256"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/source/versions"
	"github.com/aigate/gate/gate/static/active"
)

// add reports findings. Where the file has an older version, those on lines that the
// change left alone wait for [settle], and a standing permission does.
func (f *file) add(found ...gate.Finding) {
	if f.object {
		found = slices.DeleteFunc(found, isOfReaders)
	}
	if f.collected != nil {
		*f.collected = append(*f.collected, found...)
		return
	}
	if f.owner != "" || !hasOlder(f) {
		f.found.Add(cmp.Or(f.owner, f.target.Path), found...)
		return
	}
	for _, x := range found {
		if x.Rule != publicIdentity && f.found.Touches(f.target.Path, x) {
			f.found.Add(f.target.Path, x)
		} else {
			f.held = append(f.held, x)
		}
	}
}

// isOfReaders reports whether a finding says nothing of object code: bytes that a terminal
// would obey, and statements of a database that a library has in its strings.
func isOfReaders(x gate.Finding) bool {
	return x.Rule == droppedTables || strings.HasPrefix(x.Rule, hiddenText+"/")
}

// droppedTables is the rule about statements that empty a database.
const droppedTables = "deletion/every-table-dropped"

// publicIdentity is the rule about a permission of a workflow that has a trigger. It is none the
// newer for an edit of a step beside it: what the base permits as well waits for [settle] too.
const publicIdentity = "workflow/oidc-untrusted"

// hasOlder reports whether the base has a version of the file of which some lines
// are unchanged.
func hasOlder(f *file) bool {
	t := f.target
	return f.change.Base != nil && t.Parent == "" && t.Kind != gate.ChangeNone && t.Kind != gate.ChangeAdded &&
		t.Exists() && t.Mode.IsRegular() && !t.Lines.All()
}

// settle reports the findings on lines that the change left alone. A line can come to
// be one of a finding by what the change does elsewhere: an import that makes a call
// dangerous, a second sign that makes a weak one count, a job that is switched on. So a
// finding decides here, too, unless the same rules find the same in the base's version,
// where it was as much in use and led to the same hosts. Where that can't be read, all of them decide.
func settle(ctx context.Context, f *file) error {
	if len(f.held) == 0 {
		return nil
	}
	base, err := known(ctx, f)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var old []gate.Finding
	for _, x := range f.held {
		if err == nil && base.take(x) && !base.switchedOn(x.Line) && !base.moved.near(x) {
			if x.Rule == publicIdentity {
				x.Severity = gate.SeverityNote
			}
			old = append(old, x)
		} else {
			f.found.AddNew(f.target.Path, x)
		}
	}
	f.unlisted, f.held = f.found.AddOld(f.target.Path, old...), nil
	return nil
}

// maxOlder is the largest version that is compared line by line, in bytes.
const maxOlder = 16 << 20

// known is what the rules find in the base's version.
func known(ctx context.Context, f *file) (*standing, error) {
	older := *f.target
	if older.OldPath != "" && older.Kind == gate.ChangeRenamed {
		older.Path = older.OldPath
	}
	head, err := bounded.ReadFile(f.change.Head, f.target.Path, maxOlder)
	if err != nil {
		return nil, err
	}
	base, err := bounded.ReadFile(f.change.Base, older.Path, maxOlder)
	if err != nil {
		return nil, err
	}
	older.Kind, older.Size, older.Lines, older.OldPath = gate.ChangeNone, int64(len(base)), gate.OnlyLines(), ""
	found, gaps, err := foundBefore(ctx, f, &older, base)
	if err != nil {
		return nil, err
	}
	if gaps > len(f.gaps) {
		return nil, &fs.PathError{Op: "look at all of", Path: older.Path, Err: fs.ErrInvalid}
	}
	s := &standing{found: map[place][]gate.Finding{}, moved: movedHosts(base, head, f.target.Lines, f.newHost), now: active.Read(f.target.Language, f.target.Path, head), then: active.Read(f.target.Language, older.Path, base), lines: versions.Align(
		versions.Text{Language: f.target.Language, Path: older.Path, Content: base},
		versions.Text{Language: f.target.Language, Path: f.target.Path, Content: versions.AsCheckedIn(f.target.Language, head, base)})}
	for _, x := range found {
		at := place{x.Rule, x.Line}
		s.found[at] = append(s.found[at], x)
	}
	return s, nil
}

// olderKey stands for the base's version of a file in a [gate.Memory].
type olderKey struct {
	digest                  [sha256.Size]byte
	path, stub, rules, head string // rules are the ids, "*" for all; head is the path in the head
	language                gate.Language
	role                    gate.Role
	mode                    fs.FileMode
}

// olderFound is what the rules find there.
type olderFound struct {
	found []gate.Finding
	gaps  int
	err   error
}

// foundBefore is what the rules that are asked about find in the base's version, and how many
// gaps there are.
func foundBefore(ctx context.Context, f *file, older *gate.Target, base []byte) ([]gate.Finding, int, error) {
	memory, ids := f.change.Memory, "*"
	rules := asked(f)
	if rules != nil {
		ids = strings.Join(slices.Sorted(maps.Keys(rules)), " ")
	}
	if len(f.change.Targets) != 1 || len(f.change.Files) > 0 || len(f.also)+len(f.ran) > 0 || f.binary {
		memory = nil // more than the text decides
	}
	key := olderKey{sha256.Sum256(base), older.Path, older.Stub, ids, f.target.Path, older.Language, older.Role, older.Mode}
	was := gate.Recall(memory, key, len(base), func() (out olderFound, keep bool) {
		then := &file{
			scanner: f.scanner, target: older, found: f.found, collected: &out.found, also: f.also, ran: f.ran, newHost: f.newHost, newPackage: f.newPackage, room: f.room, rules: rules,
			change: &gate.Change{Head: f.change.Base, Files: f.change.Files},
		}
		out.err = then.look(ctx)
		out.gaps = len(then.gaps)
		return out, out.err == nil && ctx.Err() == nil
	})
	return was.found, was.gaps, was.err
}

// asked are the ids of the rules whose findings are held, which are the ones that the
// base is asked about. How severe a weak sign is depends on what other rules find, so
// where one is held that counts, all of them are: nil.
func asked(f *file) map[string]bool {
	ids := map[string]bool{}
	for _, x := range f.held {
		if x.Severity >= gate.SeveritySuspicious && slices.ContainsFunc(f.scanner.all, func(r *Rule) bool { return r.ID == x.Rule && r.CanBeLowConfidence() }) {
			return nil
		}
		ids[x.Rule] = true
	}
	return ids
}

// standing is what is in the base's version of a file.
type standing struct {
	lines     *versions.Comparison
	found     map[place][]gate.Finding
	now, then active.Lines // what is switched off
	moved     redirected
}

// switchedOn reports whether a line was switched off in the base and is on now.
func (s *standing) switchedOn(line int) bool {
	before, ok := s.lines.Before(line)
	return ok && s.then.Off(before) && !s.now.Off(line)
}

// take reports whether the base has the finding, on the same line and with the same
// text and flow, and at least as severe. It has each only once.
func (s *standing) take(x gate.Finding) bool {
	line, ok := s.lines.Before(x.Line)
	if !ok {
		return false
	}
	at := place{x.Rule, line}
	i := slices.IndexFunc(s.found[at], func(o gate.Finding) bool {
		return o.Severity >= x.Severity && o.EndLine-o.Line == x.EndLine-x.Line && squeezed(o.Evidence) == squeezed(x.Evidence) &&
			slices.EqualFunc(o.Flow, x.Flow, func(a, b gate.Step) bool { return squeezed(a.Text) == squeezed(b.Text) })
	})
	if i < 0 {
		return false
	}
	s.found[at] = slices.Delete(s.found[at], i, i+1)
	return true
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), " ") }
