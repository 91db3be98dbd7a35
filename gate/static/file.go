package static

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync/atomic"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/glob"
	"github.com/aigate/gate/gate/source/attributes"
	"github.com/aigate/gate/gate/static/precedent"
)

// file is the work on one target.
type file struct {
	scanner *Scanner
	change  *gate.Change
	target  *gate.Target
	found   *gate.Findings
	newHost func(string) bool // see text
	// newPackage reports whether the base doesn't name a package that few people know.
	newPackage func(string) bool
	// namedOwner reports whether the base names an owner of repositories or images.
	namedOwner func(string) bool
	twins      *twins
	shadowing  *shadowing
	known      precedent.Known // see text
	// workflows are those of the base, as far as they are asked for.
	workflows  workflows
	checksGone bool // a check of the base is gone, which is reported
	governance *governance
	attributes *attributes.Tree // of the head

	// held are findings on lines that the change left alone, until it is known whether
	// the base has them.
	held []gate.Finding
	// unlisted are those that the base has and that no report has room for.
	unlisted []gate.Finding
	// collected, where it is set, takes all findings: of the base's version, which are
	// not reported.
	collected *[]gate.Finding
	// rules are the ids of those that are looked for in its text, nil for all.
	rules map[string]bool
	// view is what the file is read as at the moment: the target, or a copy with
	// another language, role or path. Findings are the target's.
	view *gate.Target

	costs  costs
	gaps   []string
	digest string
	binary bool // it is no text
	object bool // a program or a library in machine code
	// account says as what its bytes were read.
	account gate.Account
	union   union
	// owner is the path that findings are reported for, where it is not the target's.
	owner string
	// also are the things that it is read as besides what its name says.
	also []also
	ran  []ran // what runs its values
	// stubs are the targets whose content is kept elsewhere, with what has them run.
	stubs *stubs
	// What was reported once is not reported again for the next chunk.
	invalid  int // line of the first byte that is not UTF-8
	longLine bool
	mixed    bool
	loneCR   bool
	derived  []gate.Derived
	room     *atomic.Int64 // bytes of members that may still be kept, of all files
}

func (f *file) gap(format string, args ...any) {
	f.gaps = append(f.gaps, fmt.Sprintf(format, args...))
}

// look decides what the target is and looks at it accordingly. It returns an
// error only when ctx ends.
func (f *file) look(ctx context.Context) error {
	t := f.target
	f.view = t
	f.protected()
	workflowNews(f)
	guardNews(f)
	governanceNews(f)
	checkedOutOtherwise(f)
	swappedReferences(f)
	relockedEntries(f)
	f.twins.report(f)
	f.shadowing.report(f)
	if !t.Exists() {
		return nil
	}
	if t.Mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 && !t.Mode.IsDir() {
		f.report(checkSetuid, 0, "", t.Mode.String())
	}
	f.stubs.report(f)
	readNames(f)
	switch kind := t.Mode.Type(); {
	case kind == 0:
		return f.regular(ctx)
	case kind&fs.ModeSymlink != 0:
		return f.symlink(ctx)
	case kind&fs.ModeDir != 0:
		f.submodule()
	case kind&fs.ModeIrregular != 0:
		f.gap("not a kind of file that can be looked at (%s)", kind)
	default:
		f.report(checkSpecial, 0, kind.String(), "")
	}
	return ctx.Err()
}

// protected reports a change of a file that the policy protects.
func (f *file) protected() {
	t := f.target
	if t.Kind == gate.ChangeNone || t.Parent != "" {
		return
	}
	for _, name := range []string{t.Path, t.OldPath} {
		if name != "" && glob.Any(f.scanner.policy.Protect, name) {
			f.report(checkProtectedFile, 0, fmt.Sprintf("%s (%s)", name, t.Kind), "")
			return
		}
	}
}

// submodule reports what no one looks into: that it is there, or that the change
// makes it point to other code, which comes in unseen.
func (f *file) submodule() {
	if f.target.Kind == gate.ChangeNone {
		f.report(checkSubmodule, 0, "", "")
		return
	}
	f.report(checkSubmoduleChanged, 0, string(f.target.Kind), "")
}

// symlink looks at where a link leads, and reads what is there by the name of the
// link.
func (f *file) symlink(ctx context.Context) error {
	to, err := fs.ReadLink(f.change.Head, f.target.Path)
	if err != nil {
		f.gap("the target of the link can't be read: %v", err)
		return ctx.Err()
	}
	readName(f, to, "what the link leads to, read as a command")
	slashed := strings.ReplaceAll(to, `\`, "/")
	resolved := path.Join(path.Dir(f.target.Path), slashed)
	outside := path.IsAbs(slashed) || resolved == ".." || strings.HasPrefix(resolved, "../") ||
		len(slashed) > 1 && slashed[1] == ':'
	if outside {
		f.report(checkSymlinkOutside, 0, "", to)
		return nil
	}
	f.report(checkSymlink, 0, "", to)
	return readLinked(ctx, f)
}

// regular reads a file: once for its digest and for what its bytes look like, then
// chunk by chunk for the rules, once for each reading.
func (f *file) regular(ctx context.Context) error {
	content, err := f.take(ctx)
	if err != nil {
		f.unreadable(err)
		return ctx.Err()
	}
	f.account.Size = content.stats.Size
	if err := f.content(ctx, content); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f.unread(err.Error())
		f.unreadable(err)
		return nil
	}
	f.digest = content.stats.SHA256
	f.size(content.stats.Size)
	return unpacker{f}.unpack(ctx, content)
}

// unreadable records that the content, or the rest of it, was not looked at.
func (f *file) unreadable(err error) {
	if errors.Is(err, fs.ErrNotExist) {
		f.gap("it disappeared before it could be read")
		return
	}
	f.gap("it can't be read: %v", err)
}

// size compares what was read with the limits.
func (f *file) size(n int64) {
	limit := f.scanner.policy.Limits.FileSize
	switch {
	case f.binary:
	case n > limit:
		f.report(checkTooLarge, 0, fmt.Sprintf("%d bytes, the limit is %d", n, limit), "")
		if !isBulk(f.target) {
			f.gap("larger than the size limit: %d bytes of at most %d; it was read in pieces, so what depends on two of them was not seen", n, limit)
		}
	case n > gate.LargeSource && f.target.Kind == gate.ChangeAdded && f.target.Role == gate.RoleSource && !isBulk(f.target):
		f.report(checkLargeSource, 0, fmt.Sprintf("%d bytes", n), "")
		if f.scanner.policy.On.LargeSource == gate.LeniencyIncomplete {
			f.gap("a new program of %d bytes, which no reviewer reads, and the policy's on.large-source asks for that", n)
		}
	}
}

// isBulk reports whether a file is data, or made by a program: of what is read in
// pieces, nothing is lost there.
func isBulk(t *gate.Target) bool {
	switch t.Role {
	case gate.RoleLock, gate.RoleGenerated:
		return true
	}
	switch t.Language {
	case gate.LanguageJSON, gate.LanguageText:
		return true
	}
	switch strings.ToLower(path.Ext(t.Path)) {
	case ".csv", ".tsv", ".jsonl", ".ndjson", ".svg", ".map", ".sql", ".geojson":
		return true
	}
	return strings.Contains(path.Base(t.Path), ".min.")
}
