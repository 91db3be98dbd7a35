package change

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/source/stub"
)

// candidate is a file that may become a target.
type candidate struct {
	target gate.Target
	// before is what the head is compared with. Without an object there is
	// nothing to compare with, and every line is in the change.
	before git.Entry
	id     string // of the head content, where it is read from a remote
}

// builder makes a change of candidates.
type builder struct {
	change *gate.Change
	pick   selection
	limit  int
	before func(git.OID) ([]byte, error) // reads old contents
	// checkedOut says that the head is a work tree, where line ends may have
	// been converted.
	checkedOut bool
}

// gap records something that should have been looked at.
func (b *builder) gap(path string, format string, args ...any) {
	b.change.Incomplete = append(b.change.Incomplete,
		gate.Gap{Layer: gate.LayerStatic, Path: path, Reason: fmt.Sprintf(format, args...)})
}

func (b *builder) skip(path, reason string) {
	b.change.Skipped = append(b.change.Skipped, gate.Skip{Path: path, Reason: reason})
}

// unread is gap for the error of a walk.
func (b *builder) unread(path string, err error) { b.gap(path, "%s", err) }

// refused records the entries that a tree does not show.
func (b *builder) refused(entries []git.Refused) {
	for _, e := range entries {
		b.gap(e.Path, "%s", e.Err)
	}
}

// build makes targets of the candidates that are selected, those with the most
// risk first where there are more than the limit, and sorts everything.
func (b *builder) build(ctx context.Context, candidates []candidate) error {
	candidates = slices.DeleteFunc(candidates, func(c candidate) bool {
		why, byPolicy := b.pick.leftOut(c.target.Path)
		if why != "" {
			changed := c.target.Kind != gate.ChangeNone && c.target.Exists()
			b.change.Skipped = append(b.change.Skipped, gate.Skip{Path: c.target.Path, Reason: why, ByPolicy: byPolicy && changed})
		}
		return why != ""
	})
	for _, c := range b.withinLimit(candidates) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t := c.target
		b.describe(&t, c.before)
		b.change.Targets = append(b.change.Targets, &t)
	}
	slices.SortFunc(b.change.Targets, func(x, y *gate.Target) int { return cmp.Compare(x.Path, y.Path) })
	slices.SortFunc(b.change.Skipped, func(x, y gate.Skip) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Reason, y.Reason))
	})
	slices.SortFunc(b.change.Incomplete, func(x, y gate.Gap) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Reason, y.Reason))
	})
	slices.Sort(b.change.Files)
	b.change.Files = slices.Compact(b.change.Files)
	return nil
}

// maxListed is how many files beyond the limit are listed one by one.
const maxListed = 1000

// withinLimit returns the candidates with the most risk, and records the others.
func (b *builder) withinLimit(candidates []candidate) []candidate {
	limit := cmp.Or(b.limit, gate.DefaultPolicy().Limits.Files)
	if len(candidates) <= limit {
		return candidates
	}
	slices.SortStableFunc(candidates, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(rank(y.target), rank(x.target)), cmp.Compare(x.target.Path, y.target.Path))
	})
	beyond := candidates[limit:]
	for _, c := range beyond[:min(len(beyond), maxListed)] {
		b.gap(c.target.Path, "beyond the %d files that limits.files allows", limit)
	}
	if len(beyond) > maxListed {
		b.gap("", "%d more files are beyond limits.files (%d); raise it, or name fewer paths", len(beyond)-maxListed, limit)
	}
	return candidates[:limit]
}

// rank says how much harm a file can do, judged by its path.
func rank(t gate.Target) int {
	language, role := Classify(t.Path, t.Mode, nil)
	switch {
	case role == gate.RoleCI, role == gate.RoleManifest, role == gate.RoleInfra:
		return 5
	case isCode(language) && role != gate.RoleTest:
		return 4
	case isCode(language), !t.Mode.IsRegular():
		return 3
	case language == gate.LanguageUnknown:
		return 2
	case role == gate.RoleLock, language == gate.LanguageBinary:
		return 0
	default:
		return 1
	}
}

// describe fills in what takes a look at the content: language, role, lines.
func (b *builder) describe(t *gate.Target, before git.Entry) {
	if !t.Exists() {
		t.Language, t.Role = Classify(t.Path, t.Mode, nil)
		return
	}
	head := b.head(t)
	t.Language, t.Role = Classify(t.Path, t.Mode, head)
	b.stub(t, head)
	if !before.OID.Zero() && before.Mode.File() && t.Mode.IsRegular() {
		t.Lines = b.lines(t, before)
	}
}

// head returns the first bytes of a target, or nil where it cannot be read: the
// static layer will say so.
func (b *builder) head(t *gate.Target) []byte {
	f, err := b.change.Open(t)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, _, err := bounded.Head(f, HeadBytes)
	if err != nil {
		return nil
	}
	return data
}

// stub notes that a target only stands for a file, and that a program is missed.
func (b *builder) stub(t *gate.Target, head []byte) {
	tool, language, role := stub.Of(t.Path, head), t.Language, t.Role
	if t.Mode&fs.ModeSymlink != 0 {
		to, err := fs.ReadLink(b.change.Head, t.Path)
		if err != nil {
			return // the static layer says so
		}
		if tool = stub.OfLink(to); tool != "" {
			language, role = Classify(t.Path, 0, nil)
		}
	}
	t.Stub = string(tool)
	switch {
	case tool == "", tool == stub.DVC: // its own text is all that git has
	case isCode(language) || role != gate.RoleSource && role != gate.RoleTest && role != gate.RoleDocs:
		b.gap(t.Path, "only its %s pointer is here, not the content; run `%s` and scan the work tree", tool, tool.Fetch())
	default:
		b.skip(t.Path, fmt.Sprintf("the content is in %s; the pointer was looked at", tool))
	}
}

// sandboxable reports whether a file may enter a sandbox: git's own data and
// files with secrets never do.
func sandboxable(path string, mode fs.FileMode) bool {
	return (mode.IsRegular() || mode&fs.ModeSymlink != 0) && !isEnvFile(path) && git.CheckPath(path) == nil
}
