package lsp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/glob"
)

// subject is one text that is looked at.
type subject struct {
	root *root
	full string // the file
	rel  string // its name in the work tree
	text text
	lost string // why the text is not known
	gen  int    // of the document
	try  int    // how many scans of it took too long

	version *int // as the client counts
}

// looked is what the static layer says of a text.
type looked struct {
	gen, try int // of the subject
	file     gate.FileResult
	findings []gate.Finding // of the text, and of what was decoded from it
	gaps     []string       // what could not be looked at
	ran      []ran          // what the sandbox saw of this text
	took     time.Duration
	late     bool // the scan was ended because it took too long
}

// look puts a text through the static layer. The error is that of ctx; everything else is a
// gap.
func (s *Server) look(ctx context.Context, x subject) (looked, error) {
	begin := time.Now()
	within := s.o.times[x.try]
	tooLong := fmt.Errorf("it took longer than %s", within)
	ctx, cancel := context.WithTimeoutCause(ctx, within, tooLong)
	defer cancel()
	l := looked{gen: x.gen, try: x.try}
	gap := func(format string, args ...any) (looked, error) {
		l.gaps = append(l.gaps, fmt.Sprintf(format, args...))
		l.took = time.Since(begin)
		return l, nil
	}
	switch {
	case x.lost != "":
		return gap("%s", x.lost)
	case x.root.failed != nil:
		return gap("%v", x.root.failed)
	case int64(len(x.text.data)) > x.root.settings.Policy.Limits.FileSize:
		return gap("it has more than the %d bytes of limits.file-size", x.root.settings.Policy.Limits.FileSize)
	case x.leftOut():
		return l, nil
	}
	before, err := x.before()
	if err != nil {
		return gap("what the base has of it can't be read: %v", err)
	}
	res, err := x.scan(ctx, before, x.text.data)
	switch {
	case errors.Is(context.Cause(ctx), tooLong):
		l.late = true
		return gap("%v", tooLong)
	case ctx.Err() != nil:
		return l, context.Cause(ctx)
	case err != nil:
		s.o.Log.Error("a scan failed", "file", x.rel, "error", err)
		return gap("gate failed: %v", err)
	}
	for _, g := range res.Incomplete {
		l.gaps = append(l.gaps, g.Reason)
	}
	for _, f := range res.Files {
		if f.Path == x.rel && f.Parent == "" {
			l.file = f
		}
		for _, found := range f.Findings {
			if f.Parent != "" { // its lines are those of a text that no file has
				found.Line = lineOfOrigin(f.Origin)
				found.EndLine, found.Flow = found.Line, nil
				if found.Origin == "" {
					found.Origin = f.Origin
				}
			}
			l.findings = append(l.findings, found)
		}
	}
	gate.SortFindings(l.findings)
	l.took = time.Since(begin)
	return l, nil
}

// scan is the change of one text to another, put through the static layer.
func (x subject) scan(ctx context.Context, before, after []byte) (gate.Result, error) {
	c, err := change.Edited(ctx, x.rel, x.mode(), before, after)
	if err != nil {
		return gate.Result{}, err
	}
	c.Files = nil // there are no other files to look for
	c.Memory = x.root.memory
	if len(c.Targets) == 0 && len(c.Incomplete) == 0 && before == nil {
		reason := "it is not looked at"
		if len(c.Skipped) > 0 {
			reason = c.Skipped[0].Reason
		}
		c.Incomplete = []gate.Gap{{Layer: gate.LayerStatic, Path: x.rel, Reason: reason}}
	}
	return x.root.layers.Run(ctx, engine.Job{
		Change: c, Policy: x.root.settings.Policy, Accepted: x.root.baseline,
		Suppress: engine.Suppressions{On: x.root.git, AgainstBase: true},
	})
}

// leftOut reports whether the policy leaves the file out, or it is one of git's own.
func (x subject) leftOut() bool {
	p := x.root.settings.Policy.Paths
	return x.rel == ".git" || strings.HasPrefix(x.rel, ".git/") ||
		len(p.Include) > 0 && !glob.Any(p.Include, x.rel) || glob.Any(p.Exclude, x.rel)
}

// before is what the base has of a file; nil is nothing.
func (x subject) before() ([]byte, error) {
	if x.root.base == nil {
		return nil, nil
	}
	data, err := bounded.ReadFile(x.root.base, x.rel, x.root.settings.Policy.Limits.FileSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && data == nil {
		data = []byte{}
	}
	return data, err
}

// mode is that of the file, if there is one.
func (x subject) mode() fs.FileMode {
	info, err := os.Stat(x.full)
	if err != nil || !info.Mode().IsRegular() {
		return 0o644
	}
	return info.Mode().Perm()
}

// lineOfOrigin is the line that a decoded text came from, 0 where that is not said.
func lineOfOrigin(origin string) int {
	_, after, ok := strings.Cut(origin, "on line ")
	if !ok {
		return 0
	}
	n := 0
	for _, c := range after {
		if c < '0' || c > '9' || n > 1<<30 {
			break
		}
		n = n*10 + int(c-'0')
	}
	return n
}
