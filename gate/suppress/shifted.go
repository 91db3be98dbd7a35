package suppress

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/tokens"
	"github.com/aigate/gate/gate/source/versions"
)

// plainForms are the plain forms of the statements of a target, compared with those of
// the base's version: a statement that is only formatted anew is the same line in both.
type plainForms struct {
	compared
	lines []int // on which each statement begins, and where the text ends
	known bool  // the statements could be read in both
}

// shifted is [Set.displaced] for statements, whatever their format. It is called with the
// lock held.
func (s *Set) shifted(path string, f gate.Finding) bool {
	p, done := s.forms[path]
	if !done {
		p = s.compareForms(path)
		s.forms[path] = p
	}
	if p.err != nil {
		return !errors.Is(p.err, fs.ErrNotExist) // of a new file, there is no other meaning
	}
	var all []int
	if doc := s.document(path); doc != nil {
		all, _ = doc.path(s.targets[path].Language, f)
	}
	if !p.known || len(all) == 0 {
		return s.displaced(path, f)
	}
	return slices.ContainsFunc(all, func(i int) bool {
		return i+1 >= len(p.lines) || p.Displaced(p.lines[i], p.lines[i+1]-1)
	})
}

func (s *Set) compareForms(path string) plainForms {
	before, old, head, err := s.versions(path)
	if err != nil {
		return plainForms{compared: compared{err: err}}
	}
	l := s.targets[path].Language
	then, now := newDocument(old).tokens(l), newDocument(head).tokens(l)
	if then == nil || now == nil {
		return plainForms{}
	}
	return compareTokens(l, before, path, then, now)
}

func compareTokens(l gate.Language, before, path string, then, now *tokens.Text) plainForms {
	older, _ := then.Plain()
	newer, lines := now.Plain()
	end := 1
	for _, c := range newer {
		if c == '\n' {
			end++
		}
	}
	return plainForms{known: true, lines: append(lines, end), compared: compared{Comparison: versions.Compare(
		versions.Text{Language: l, Path: before, Content: older}, versions.Text{Language: l, Path: path, Content: newer})}}
}
