package static

import (
	"bytes"
	"context"
	"io/fs"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/static/parts"
	"github.com/aigate/gate/gate/static/precedent"
)

// Bounds of joining what tools read as one text.
const (
	maxWholes     = 200     // files that are read together with their parts
	maxJoinedPart = 1 << 20 // bytes of one file with its parts
	maxPartDepth  = 4       // parts within parts
)

// partly reads files together with those that a tool reads as a part of them: a command whose
// words are in a header, in the values of a chart or in what a Makefile includes is seen as
// the tool comes to it.
type partly struct {
	scanner *Scanner
	change  *gate.Change
	newHost func(string) bool
	known   precedent.Known
	tree    *parts.Tree
	before  *parts.Tree
	targets map[string]*gate.Target
	wholes  []whole
	gaps    []gate.Gap
}

// whole is a file with parts, of which one or it itself is a target.
type whole struct {
	name string
	lang gate.Language
	role gate.Role
}

func newPartly(s *Scanner, c *gate.Change, newHost func(string) bool, known precedent.Known) *partly {
	p := &partly{scanner: s, change: c, newHost: newHost, known: known, targets: map[string]*gate.Target{}}
	files := slices.Clone(c.Files[:min(len(c.Files), maxIndexed)])
	for _, t := range c.Targets {
		if t.Exists() && t.Mode.IsRegular() {
			p.targets[t.Path] = t
			files = append(files, t.Path)
		}
	}
	if c.Head == nil || len(p.targets) == 0 {
		return nil
	}
	p.tree = parts.NewTree(files)
	for _, t := range c.Targets {
		if t.OldPath != "" {
			files = append(files, t.OldPath)
		}
		if t.Kind == gate.ChangeDeleted {
			files = append(files, t.Path)
		}
	}
	p.before = parts.NewTree(files)
	return p
}

// consider notes a file that has parts, where the change has to do with it.
func (p *partly) consider(name string, lang gate.Language, content []byte) {
	if p == nil {
		return
	}
	has := p.tree.Of(name, lang, content)
	if len(has) == 0 || p.targets[name] == nil && !slices.ContainsFunc(has, func(x parts.Part) bool { return p.targets[x.Path] != nil }) {
		return
	}
	_, role := p.scanner.classify(name, 0, nil)
	if t := p.targets[name]; t != nil {
		role = t.Role
	}
	if len(p.wholes) >= maxWholes {
		p.gap(name)
		return
	}
	p.wholes = append(p.wholes, whole{name, lang, role})
}

// gap notes that a file was not read together with its parts, on the targets that are concerned.
func (p *partly) gap(name string) {
	g := gate.Gap{Layer: gate.LayerStatic, Path: name, Reason: "it was not read together with what a tool reads as a part of it: there are more such files than are joined, or larger ones"}
	if p.targets[name] != nil && !slices.Contains(p.gaps, g) {
		p.gaps = append(p.gaps, g)
	}
}

// unfollowed says what was not read together, as [across.unfollowed] does.
func (p *partly) unfollowed(found *gate.Findings) []gate.Gap {
	if p == nil {
		return nil
	}
	return p.scanner.unfollowed(p.gaps, p.targets, found)
}

// report adds what is found only where files are read together, and was not in the base.
func (p *partly) report(ctx context.Context, found *gate.Findings) error {
	if p == nil {
		return nil
	}
	for _, w := range p.wholes {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		old := map[string]gate.Severity{}
		if p.change.Base != nil {
			was := w
			if t := p.targets[w.name]; t != nil && t.OldPath != "" {
				was.name = t.OldPath
			}
			for _, x := range p.found(p.change.Base, p.before, was) {
				old[x.key()] = max(old[x.key()], x.Severity)
			}
		}
		for _, x := range p.found(p.change.Head, p.tree, w) {
			if old[x.key()] < x.Severity {
				p.place(w, x, found)
			}
		}
	}
	return ctx.Err()
}

// found is what the rules find in a file that is read together with its parts.
func (p *partly) found(tree fs.FS, index *parts.Tree, w whole) []crossing {
	j := joining{tree: tree, index: index, whole: w}
	j.add(w.name, nil, 0)
	if j.over {
		p.gap(w.name)
		return nil
	}
	content := j.text.Bytes()
	if len(j.parts) == 0 || !parts.Runs(w.name, w.lang, content) {
		return nil
	}
	t := text{language: w.lang, role: w.role, path: w.name, content: content, costs: newCosts(int64(len(content))), newHost: p.newHost, known: p.known}
	var out []crossing
	findings := p.scanner.texts.scan(t)
	for _, r := range embedded.Scripts(w.lang, w.role, w.name, content) {
		findings = append(findings, p.scanner.texts.scan(t.inner(r))...)
	}
	for _, f := range onePerLine(findings) {
		if f.Severity < gate.SeveritySuspicious || isWords(f) || strings.HasPrefix(f.Rule, "secrets/") || f.Line < 1 || f.Line > len(j.spots) {
			continue
		}
		x := crossing{Finding: f, at: j.spots[f.Line-1], ends: j.spots[min(max(f.EndLine, 1), len(j.spots))-1]}
		for _, s := range f.Flow {
			x.steps = append(x.steps, j.spots[min(max(s.Line, 1), len(j.spots))-1])
		}
		x.others = j.parts
		out = append(out, x)
	}
	return out
}

// place reports a finding on its own line where that is in the change, and else
// on the first changed line of the file, or of the part, that is.
func (p *partly) place(w whole, x crossing, found *gate.Findings) {
	f := x.Finding
	at := x.at
	if t := p.targets[at.path]; t == nil || !t.Lines.Touches(at.line, at.line) {
		for _, name := range append([]string{w.name}, x.others...) {
			t := p.targets[name]
			if t == nil {
				continue
			}
			first := 1
			if r := t.Lines.Ranges(); len(r) > 0 {
				first = r[0][0]
			}
			if at = (spot{name, first}); name != x.at.path {
				f.Message += ", in " + gate.Clip(x.at.path, maxShownName)
			}
			break
		}
	}
	if p.targets[at.path] == nil {
		return
	}
	for _, known := range append(found.Of(x.at.path), found.Of(at.path)...) {
		if known.Rule == f.Rule && known.Severity >= f.Severity && (known.Line == x.at.line || known.Line == at.line) {
			return // it is seen without what else is read with it
		}
	}
	f.Line, f.EndLine, f.Flow = at.line, at.line, nil
	f.Origin = because(f.Origin, "read together with "+gate.Clip(strings.Join(x.others[:min(len(x.others), maxOthers)], " and "), maxShownName))
	found.AddNew(at.path, f)
}

// joining puts a file and its parts together.
type joining struct {
	tree  fs.FS
	index *parts.Tree
	whole whole
	text  bytes.Buffer
	spots []spot
	parts []string
	over  bool
}

// add appends a file with its parts in the place of their statements. within are the files
// around it.
func (j *joining) add(name string, within []string, depth int) {
	content, err := bounded.ReadFile(j.tree, name, maxJoinedPart)
	if err != nil || j.text.Len()+len(content) > maxJoinedPart {
		j.over = j.over || depth == 0 || err == nil
		return
	}
	above := 0
	if depth > 0 {
		content, above = parts.Fit(j.whole.name, j.whole.lang, name, content)
		j.parts = append(j.parts, name)
	}
	within = append(slices.Clone(within), name)
	line, done := 1-above, 0
	write := func(text []byte) {
		j.text.Write(text)
		j.text.WriteByte('\n')
		for range 1 + bytes.Count(text, []byte{'\n'}) {
			j.spots = append(j.spots, spot{name, max(line, 1)})
			line++
		}
	}
	var has []parts.Part
	if depth < maxPartDepth {
		has = j.index.Of(name, j.whole.lang, content)
	}
	for _, part := range has {
		if slices.Contains(within, part.Path) || slices.Contains(j.parts, part.Path) && depth > 0 || part.Start < done && part.End > 0 {
			continue
		}
		if part.End > 0 {
			if before := content[done:part.Start]; len(before) > 0 {
				text := bytes.TrimSuffix(before, []byte{'\n'})
				write(text)
				if len(text) == len(before) {
					line-- // the statement is on the same line
				}
			}
			line += bytes.Count(content[part.Start:part.End], []byte{'\n'})
			done = part.End
		}
		j.add(part.Path, within, depth+1)
	}
	write(content[done:])
}
