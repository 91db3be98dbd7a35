package suppress

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/source/versions"
)

// displaced reports whether the base has the lines of a finding in another context:
// what was accepted there was another thing. It is called with the lock held.
func (s *Set) displaced(path string, f gate.Finding) bool {
	c, known := s.contexts[path]
	if !known {
		c = s.context(path)
		s.contexts[path] = c
	}
	if c.err != nil {
		return !errors.Is(c.err, fs.ErrNotExist) // of a new file, there is no other meaning
	}
	return c.Displaced(f.Line, f.EndLine) ||
		slices.ContainsFunc(f.Flow, func(step gate.Step) bool { return c.Displaced(step.Line, step.Line) })
}

// compared is a target, compared with the base's version.
type compared struct {
	*versions.Comparison
	err error // why it can't be
}

func (s *Set) context(path string) compared {
	t := s.targets[path]
	if s.opts.Change.Base == nil {
		return compared{err: fs.ErrNotExist}
	}
	before := path
	if t.Kind == gate.ChangeRenamed {
		before = t.OldPath
	}
	old, err := bounded.ReadFile(s.opts.Change.Base, before, MaxFile)
	if err != nil {
		return compared{err: err}
	}
	head, err := bounded.ReadFile(s.opts.Change.Head, path, MaxFile)
	if err != nil {
		return compared{err: err}
	}
	return compared{Comparison: versions.Compare(versions.Text{Language: t.Language, Path: before, Content: old},
		versions.Text{Language: t.Language, Path: path, Content: versions.AsCheckedIn(t.Language, head, old)})}
}
