package static

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/glob"
)

// file is the work on one target.
type file struct {
	*Scanner
	change *gate.Change
	target *gate.Target
	found  *gate.Findings

	costs  costs
	gaps   []string
	digest string
	// What was reported once is not reported again for the next chunk.
	invalid  int // line of the first byte that is not UTF-8
	longLine bool
	mixed    bool
	loneCR   bool
}

func (f *file) gap(format string, args ...any) {
	f.gaps = append(f.gaps, fmt.Sprintf(format, args...))
}

// look decides what the target is and looks at it accordingly. It returns an
// error only when ctx ends.
func (f *file) look(ctx context.Context) error {
	t := f.target
	f.protected()
	if !t.Exists() {
		return nil
	}
	if t.Mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 && !t.Mode.IsDir() {
		f.report(checkSetuid, 0, "", t.Mode.String())
	}
	switch kind := t.Mode.Type(); {
	case kind == 0:
		return f.regular(ctx)
	case kind&fs.ModeSymlink != 0:
		f.symlink()
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
		if name != "" && glob.Any(f.policy.Protect, name) {
			f.report(checkProtectedFile, 0, fmt.Sprintf("%s (%s)", name, t.Kind), "")
			return
		}
	}
}

// submodule reports what nobody looks into: that it is there, or that the change
// makes it point to other code, which comes in unseen.
func (f *file) submodule() {
	if f.target.Kind == gate.ChangeNone {
		f.report(checkSubmodule, 0, "", "")
		return
	}
	f.report(checkSubmoduleChanged, 0, string(f.target.Kind), "")
}

// symlink looks at where a link leads, without following it.
func (f *file) symlink() {
	to, err := fs.ReadLink(f.change.Head, f.target.Path)
	if err != nil {
		f.gap("the target of the link can't be read: %v", err)
		return
	}
	slashed := strings.ReplaceAll(to, `\`, "/")
	resolved := path.Join(path.Dir(f.target.Path), slashed)
	outside := path.IsAbs(slashed) || resolved == ".." || strings.HasPrefix(resolved, "../") ||
		len(slashed) > 1 && slashed[1] == ':'
	if outside {
		f.report(checkSymlinkOutside, 0, "", to)
		return
	}
	f.report(checkSymlink, 0, "", to)
}

// regular reads a file once, from beginning to end: for its digest, and chunk
// by chunk for the rules.
func (f *file) regular(ctx context.Context) error {
	opened, err := f.change.Open(f.target)
	if err != nil {
		f.unreadable(err)
		return ctx.Err()
	}
	defer opened.Close()

	sum := sha256.New()
	raw := &counter{r: io.TeeReader(opened, sum)}
	head := bufio.NewReaderSize(raw, sniffed)
	first, err := head.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		f.unreadable(err)
		return ctx.Err()
	}
	if err := f.content(ctx, head, first); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f.unreadable(err)
		return nil
	}
	if _, err := io.Copy(io.Discard, raw); err != nil { // what was not decoded still counts for the digest
		f.unreadable(err)
		return ctx.Err()
	}
	f.digest = hex.EncodeToString(sum.Sum(nil))
	f.size(raw.n)
	return ctx.Err()
}

// unreadable records that the content, or the rest of it, was not looked at.
func (f *file) unreadable(err error) {
	if errors.Is(err, fs.ErrNotExist) {
		f.gap("it disappeared before it could be read")
		return
	}
	f.gap("it can't be read: %v", err)
}

// size compares what was read with the limit.
func (f *file) size(n int64) {
	limit := f.policy.Limits.FileSize
	if n <= limit || f.target.Language == gate.LanguageBinary {
		return
	}
	f.report(checkTooLarge, 0, fmt.Sprintf("%d bytes, the limit is %d", n, limit), "")
	if f.target.Role != gate.RoleLock {
		f.gap("larger than the size limit: %d bytes of at most %d; only the streaming rules looked at all of it", n, limit)
	}
}

// counter counts the bytes that it passes on.
type counter struct {
	r io.Reader
	n int64
}

// Read implements [io.Reader].
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
