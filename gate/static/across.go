package static

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/match"
	"github.com/aigate/gate/gate/static/modules"
	"github.com/aigate/gate/gate/static/precedent"
)

// Bounds of the search for what is spread over several modules.
const (
	maxImporters   = 300 // files that the change leaves alone and that import what it changes
	maxImportLines = 300 // lines of one that are searched for a name
	maxImportLevel = 4   // files that hand on a name from one to the next
)

// across finds what the rules would find if modules were one text: a value that one
// reads and another one gives away, a constant of one that another one runs.
type across struct {
	scanner    *Scanner
	change     *gate.Change
	newHost    func(string) bool
	known      precedent.Known
	targets    map[string]*gate.Target
	head       *modules.Program
	older      *modules.Program
	carried    modules.Names   // what changed statements give other modules
	by         map[string]bool // targets that carry something
	rules      map[string]bool // of which the changed lines have a side
	importers  []importer      // files outside of the change
	halves     map[pieceKey]match.Halves
	isConstant map[pieceKey]bool
	near       map[string]map[string]bool // the same of the changed lines of a target with what they use
	constants  map[string]bool            // targets whose changed lines have to do with constants
	gaps       []gate.Gap
	brings     match.Halves    // what the changed lines have of flows
	wanted     map[string]bool // the rules that matter, nil for all
	typed      bool            // the change has TypeScript
	fresh      modules.Names   // that depend on a constant that the change touches
	lines      []byte          // of the change
}

// importer is a file that imports something, with the lines that say what.
type importer struct{ name, lines string }

// crossing is a finding that two modules make together.
type crossing struct {
	gate.Finding
	others []string // the files that are read together
	at     spot     // of the finding
	ends   spot
	steps  []spot // of its flow
}

// spot is a line of a file.
type spot struct {
	path string
	line int
}

// newAcross reads what the targets of a change give other modules; nil where no target is
// a module.
func newAcross(ctx context.Context, s *Scanner, c *gate.Change, newHost func(string) bool, known precedent.Known) *across {
	a := &across{scanner: s, change: c, newHost: newHost, known: known, targets: map[string]*gate.Target{}, carried: modules.Names{}, by: map[string]bool{}, rules: map[string]bool{}, halves: map[pieceKey]match.Halves{}, isConstant: map[pieceKey]bool{}, brings: match.Halves{}, fresh: modules.Names{}, constants: map[string]bool{}, near: map[string]map[string]bool{}}
	for _, t := range c.Targets {
		if isModule(t) {
			a.targets[t.Path] = t
			a.typed = a.typed || t.Language == gate.LanguageTypeScript
		}
	}
	if len(a.targets) == 0 || c.Head == nil {
		return nil
	}
	files := slices.Clone(c.Files[:min(len(c.Files), maxIndexed)])
	for p := range a.targets {
		files = append(files, p)
	}
	cache := modules.NewCache()
	language := func(name string) gate.Language {
		lang, _ := s.classify(name, 0, nil)
		return lang
	}
	a.head = modules.New(c.Head, files, language, cache)
	if c.Base == nil {
		return a // every file is a target
	}
	for _, t := range c.Targets {
		if t.OldPath != "" {
			files = append(files, t.OldPath)
		}
		if t.Kind == gate.ChangeDeleted {
			files = append(files, t.Path)
		}
	}
	a.older = modules.New(c.Base, files, language, cache)
	for _, t := range c.Targets {
		if ctx.Err() != nil || a.targets[t.Path] == nil {
			continue
		}
		a.changed(t)
	}
	a.wanted = maps.Clone(a.rules)
	for _, ids := range a.near {
		maps.Copy(a.wanted, ids)
	}
	return a
}

// changed notes what the changed lines of a target have to do with other modules. A flow or a
// constant that the change brings about leads over one of them, or over what one of them uses.
func (a *across) changed(t *gate.Target) {
	changed := a.head.Changed(t.Path, t.Lines, a.constant)
	if a.head.Full() {
		a.gap(t.Path, unjoined)
	}
	a.lines = append(a.lines, changed.Lines...)
	all := match.Halves{}
	all.Join(a.scanner.texts.engine.Halves(match.Text{Language: t.Language, Role: gate.RoleSource, Content: changed.Lines, NewHost: a.hostOf(nil)}))
	for _, id := range all.Rules() {
		a.rules[id], a.by[t.Path] = true, true
	}
	a.brings.Join(all)
	for _, piece := range changed.Near {
		all.Join(a.sides(a.head, t.Language, gate.RoleSource, piece))
		a.constants[t.Path] = a.constants[t.Path] || piece.Path != t.Path && a.constant(piece)
	}
	a.near[t.Path] = map[string]bool{}
	if all.CountsIn(t.Role) {
		for _, id := range all.Rules() {
			a.near[t.Path][id] = true
		}
	}
	switch {
	case a.by[t.Path]:
		maps.Copy(a.carried, changed.Names)
	case len(changed.Constants) > 0:
		a.by[t.Path] = true
		maps.Copy(a.carried, changed.Constants)
	}
	a.constants[t.Path] = a.constants[t.Path] || len(changed.Constants) > 0
	maps.Copy(a.fresh, changed.Constants)
}

// isModule reports whether a target is a module whose statements are followed.
func isModule(t *gate.Target) bool {
	return t.Exists() && t.Mode.IsRegular() && t.Parent == "" && modules.Knows(t.Language) && t.Kind != gate.ChangeNone &&
		t.Role != gate.RoleDocs && t.Role != gate.RoleLock
}

// consider notes a file that the change leaves alone, if it imports anything.
func (a *across) consider(name string, lang gate.Language, content []byte) {
	if a == nil || len(a.carried) == 0 || !modules.Knows(lang) {
		return
	}
	if lang == gate.LanguageGo {
		a.importers = append(a.importers, importer{name, ""})
		return
	}
	if !modules.Imports(lang, content) {
		return
	}
	var lines strings.Builder
	n := 0
	for text := range bytes.Lines(content) {
		if modules.Imports(lang, text) && n < maxImportLines {
			n++
			lines.Write(text[:min(len(text), 400)])
		}
	}
	if n >= maxImportLines {
		lines.Reset()
		lines.WriteString("*")
	}
	a.importers = append(a.importers, importer{name, lines.String()})
}

// asks reports whether programs of a language may use what the change gives other modules.
func (a *across) asks(lang gate.Language) bool {
	return a != nil && len(a.carried) > 0 && modules.Knows(lang)
}

// mayImport reports whether an importer may name one of some modules.
func (i importer) mayImport(of map[string]bool) bool {
	for name := range of {
		switch {
		case path.Ext(name) == ".go" || path.Ext(i.name) == ".go":
			if path.Ext(name) == path.Ext(i.name) {
				return true
			}
		case i.lines == "*" || strings.Contains(i.lines, stemOf(name)):
			return true
		case path.Dir(i.name) == path.Dir(name) && strings.Contains(i.lines, `"."`), strings.Contains(i.lines, `'.'`), strings.Contains(i.lines, "from ."):
			return true
		}
	}
	return false
}

// stemOf is the word by which a file is imported.
func stemOf(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if base == "index" || base == "__init__" {
		return path.Base(path.Dir(name))
	}
	return base
}

// report finds what is spread over modules, and reports what the base has not.
func (a *across) report(ctx context.Context, found *gate.Findings) error {
	if a == nil {
		return nil
	}
	for _, t := range a.change.Targets {
		if a.targets[t.Path] == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		a.file(t.Path, t, found)
	}
	visited, fresh := map[string]bool{}, a.by
	for level := 0; level < maxImportLevel && len(fresh) > 0; level++ {
		next := map[string]bool{}
		for _, i := range a.importers {
			if visited[i.name] || !i.mayImport(fresh) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if _, role := a.role(i.name); len(a.fresh) == 0 && !a.brings.CountsIn(role) {
				continue
			}
			names, handsOn := a.head.Affected(i.name, a.carried)
			if !handsOn {
				continue
			}
			if visited[i.name] = true; len(visited) > maxImporters {
				for p := range a.by {
					a.gap(p, "more files than %d import what it changes: not all of them were looked at together with it", maxImporters)
				}
				return nil
			}
			next[i.name] = true
			if a.mayCross(i.name) {
				a.file(i.name, nil, found)
			}
			for n := range names {
				a.carried[n] = true
			}
		}
		fresh = next
	}
	return nil
}

// mayCross reports whether a file that the change leaves alone may make something with it: it has
// the other side of a flow near to what it uses, or the change touches a constant.
func (a *across) mayCross(name string) bool {
	if len(a.fresh) > 0 && len(a.head.Near(name, a.fresh)) > 0 {
		return true
	}
	lang, role := a.role(name)
	if !a.brings.CountsIn(role) {
		return false
	}
	near := match.Halves{}
	for _, p := range a.head.Near(name, a.carried) {
		if near.Join(a.sides(a.head, lang, role, p)); match.Complement(a.brings, near, role) {
			return true
		}
	}
	return false
}

// unjoined is why a file is not looked at together with others.
const unjoined = "what it does with other modules was not followed: there are more of them than are joined, or larger ones"

// unfollowed says what was not looked at together: as gaps where the profile is strict, else as
// one note for each file. Each file by itself was read to its end all the same.
func (a *across) unfollowed(found *gate.Findings) []gate.Gap {
	if a == nil {
		return nil
	}
	return a.scanner.unfollowed(a.gaps, a.targets, found)
}

// unfollowed turns the bounds that joining files reached into gaps or notes.
func (s *Scanner) unfollowed(gaps []gate.Gap, targets map[string]*gate.Target, found *gate.Findings) []gate.Gap {
	if s.policy.Profile == gate.ProfileStrict {
		return gaps
	}
	r, ok := s.checks[checkUnfollowed]
	if !ok {
		return nil
	}
	noted := map[string]bool{}
	for _, g := range gaps {
		if t := targets[g.Path]; t != nil && !noted[g.Path] && !r.In(t.Role).Off {
			noted[g.Path] = true
			found.Add(g.Path, gate.Finding{Rule: r.ID, Layer: gate.LayerStatic, Severity: r.In(t.Role).Severity, Message: r.Message + ": " + g.Reason})
		}
	}
	return nil
}

func (a *across) gap(path, format string, args ...any) {
	g := gate.Gap{Layer: gate.LayerStatic, Path: path, Reason: fmt.Sprintf(format, args...)}
	if !slices.Contains(a.gaps, g) {
		a.gaps = append(a.gaps, g)
	}
}

// file reports what one file makes with others. t is nil for one that the change leaves alone.
func (a *across) file(name string, t *gate.Target, found *gate.Findings) {
	lines := gate.OnlyLines()
	if t != nil {
		lines = t.Lines
	}
	crossings := a.crossings(a.head, name, lines, a.carried)
	if a.head.Full() {
		for p := range a.by {
			if t == nil {
				a.gap(p, "what %s does with it was not followed: it would take more modules than are joined", gate.Clip(name, maxShownName))
			}
		}
		if t != nil {
			a.gap(name, unjoined)
		}
	}
	if len(crossings) == 0 {
		return
	}
	old := map[string]gate.Severity{}
	if a.older != nil {
		was := name
		if t != nil && t.OldPath != "" && t.Kind == gate.ChangeRenamed {
			was = t.OldPath
		}
		for _, x := range a.crossings(a.older, was, gate.LineSet{}, nil) {
			old[x.key()] = max(old[x.key()], x.Severity)
		}
	}
	for _, x := range crossings {
		if old[x.key()] < x.Severity {
			a.place(name, x, found)
		}
	}
}

// key says what a crossing is, wherever its lines are.
func (x crossing) key() string {
	key := []string{x.Rule, squeezed(x.Evidence)}
	for _, s := range x.Flow {
		key = append(key, squeezed(s.Text))
	}
	return strings.Join(key, "\x00")
}

// place reports a crossing where the change made it: on the first changed line from the
// place where the value is used back to where it comes from.
func (a *across) place(root string, x crossing, found *gate.Findings) {
	at, changed := spot{}, false
	for _, s := range append([]spot{x.at}, backwards(x.steps)...) {
		t := a.targets[s.path]
		if t != nil && t.Lines.Touches(s.line, s.line) {
			at, changed = s, true
			break
		}
		if t != nil && at.path == "" {
			at = s
		}
	}
	if t := a.targets[root]; !changed && t != nil { // a new import makes it, or something that is gone
		at = spot{root, 0}
		if x.at.path == root {
			at.line = x.at.line
		}
		for _, r := range t.Lines.Ranges() {
			if x.at.path != root {
				at.line = r[0]
				break
			}
		}
	}
	if at.path == "" {
		for p := range a.by {
			if at.path == "" || p < at.path {
				at = spot{p, 0}
			}
		}
	}
	if at.path == "" {
		return
	}
	f := x.Finding
	if at != x.at {
		f.Line, f.EndLine = at.line, at.line
	}
	var others []string
	for i, s := range x.steps {
		if s.path != at.path {
			f.Flow[i].Path = s.path
			if !slices.Contains(others, s.path) {
				others = append(others, s.path)
			}
		}
	}
	if x.at.path != at.path {
		f.Message += fmt.Sprintf(", in %s on line %d, by way of this line", gate.Clip(x.at.path, maxShownName), x.at.line)
	} else if len(others) > 0 {
		f.Message += ", together with " + gate.Clip(strings.Join(others[:min(len(others), maxOthers)], " and "), maxShownName)
	}
	for _, known := range found.Of(at.path) {
		if known.Rule == f.Rule && known.Line == f.Line && known.Severity >= f.Severity && known.InChange {
			return
		}
	}
	found.AddNew(at.path, f)
}

// maxOthers is how many other files a message names.
const maxOthers = 3

func backwards(s []spot) []spot {
	out := slices.Clone(s)
	slices.Reverse(out)
	return out
}

// role is that of a file, whether the change has it or not.
func (a *across) role(name string) (gate.Language, gate.Role) {
	if t := a.targets[name]; t != nil {
		return t.Language, t.Role
	}
	lang, role := a.scanner.classify(name, 0, nil)
	if lang == gate.LanguageTypeScript && !a.typed {
		lang = gate.LanguageJavaScript // its rules are the same, and were prepared for the change
	}
	return lang, role
}

func (a *across) program(p *modules.Program) fs.FS {
	if p == a.older {
		return a.change.Base
	}
	return a.change.Head
}

// crossings are what is found in a file together with what it needs of other modules.
func (a *across) crossings(p *modules.Program, name string, lines gate.LineSet, by modules.Names) []crossing {
	target := a.targets[name] != nil
	if a.older != nil && target && len(a.near[name]) == 0 && !a.constants[name] {
		return nil
	}
	joined, ok := p.Link(name, lines, by)
	if !ok {
		return nil
	}
	lang, role := a.role(name)
	j := &joint{across: a, lang: lang, role: role, path: name, own: joined.Own, tree: a.program(p), lines: lines}
	var constants []modules.Piece
	for _, piece := range joined.Before {
		if a.constant(piece) {
			constants = append(constants, piece)
			t := a.targets[piece.Path]
			j.fresh = j.fresh || t != nil && t.Lines.Touches(piece.Line, piece.Line+bytes.Count(piece.Text, []byte{'\n'}))
		}
	}
	var out []crossing
	j.rules = a.meet(p, name, lang, role, joined)
	if len(j.rules) > 0 {
		out = j.flows(joined.Before)
	}
	if len(constants) > 0 && (j.fresh || target && (a.older == nil || a.constants[name])) && uses(joinTexts(joined.Own)) {
		out = append(out, j.constantly(constants)...)
	}
	slices.SortStableFunc(out, func(x, y crossing) int {
		return cmp.Or(strings.Compare(x.at.path, y.at.path), cmp.Compare(x.at.line, y.at.line), strings.Compare(x.Rule, y.Rule), cmp.Compare(y.Severity, x.Severity))
	})
	return slices.CompactFunc(out, func(x, y crossing) bool { return x.Rule == y.Rule && x.at == y.at })
}
