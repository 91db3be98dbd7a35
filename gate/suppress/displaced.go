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
		slices.ContainsFunc(f.Flow, func(step gate.Step) bool { return step.Path == "" && c.Displaced(step.Line, step.Line) })
}

// compared is a target, compared with the base's version.
type compared struct {
	*versions.Comparison
	err error // why it can't be
}

func (s *Set) context(path string) compared {
	before, old, head, err := s.versions(path)
	if err != nil {
		return compared{err: err}
	}
	l := s.targets[path].Language
	return compared{Comparison: versions.Compare(versions.Text{Language: l, Path: before, Content: old},
		versions.Text{Language: l, Path: path, Content: versions.AsCheckedIn(l, head, old)})}
}

// versions reads the base's version of a target and the head's, and says where the base
// has it.
func (s *Set) versions(path string) (before string, old, head []byte, err error) {
	t := s.targets[path]
	if s.opts.Change.Base == nil {
		return "", nil, nil, fs.ErrNotExist
	}
	before = path
	if t.Kind == gate.ChangeRenamed {
		before = t.OldPath
	}
	if old, err = bounded.ReadFile(s.opts.Change.Base, before, MaxFile); err != nil {
		return "", nil, nil, err
	}
	head, err = bounded.ReadFile(s.opts.Change.Head, path, MaxFile)
	return before, old, head, err
}
