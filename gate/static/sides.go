package static

import (
	"bytes"
	"maps"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/match"
	"github.com/aigate/gate/gate/static/modules"
)

// hostOf reports whether a host is new. Asking the base means to read all of it, so what is in
// a text but on no changed line is known to be old. The text is the one that was put together, nil
// for the statements of files.
func (a *across) hostOf(text []byte) func(string) bool {
	if a.newHost == nil {
		return nil
	}
	return func(host string) bool {
		if !bytes.Contains(a.lines, []byte(host)) && (text == nil || bytes.Contains(text, []byte(host))) {
			return false
		}
		return a.newHost(host)
	}
}

// pieceKey says which statement of which side of the change is meant.
type pieceKey struct {
	of   *modules.Program
	role gate.Role
	path string
	line int
}

// sides are what a statement has of what rules about flows need. Other names don't matter.
func (a *across) sides(of *modules.Program, lang gate.Language, role gate.Role, p modules.Piece) match.Halves {
	key := pieceKey{of, role, p.Path, p.Line}
	h, ok := a.halves[key]
	if !ok {
		h = a.scanner.texts.engine.Halves(match.Text{Language: lang, Role: role, Content: p.Text, NewHost: a.hostOf(nil), Only: a.wanted})
		a.halves[key] = h
	}
	return h
}

// constant reports whether a statement is one, see [constant].
func (a *across) constant(p modules.Piece) bool {
	key := pieceKey{path: p.Path, line: p.Line}
	is, ok := a.isConstant[key]
	if !ok {
		is = constant(p.Text)
		a.isConstant[key] = is
	}
	return is
}

// meet are the rules by which a value may flow from one of the files into another one, as far as
// what changes has to do with them.
func (a *across) meet(p *modules.Program, of string, lang gate.Language, role gate.Role, joined *modules.Joined) map[string]bool {
	allowed, target := a.near[of]
	if !target {
		allowed = a.rules
	}
	if a.older != nil && len(allowed) == 0 {
		return nil
	}
	byFile := map[string]match.Halves{}
	for _, piece := range slices.Concat(joined.Before, joined.Own) {
		if byFile[piece.Path] == nil {
			byFile[piece.Path] = match.Halves{}
		}
		byFile[piece.Path].Join(a.sides(p, lang, role, piece))
	}
	ids := match.Meet(slices.Collect(maps.Values(byFile)))
	maps.DeleteFunc(ids, func(id string, _ bool) bool { return a.older != nil && !allowed[id] })
	return ids
}
