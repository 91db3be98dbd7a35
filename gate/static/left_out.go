package static

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/glob"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/static/loads"
	"github.com/aigate/gate/gate/static/reach"
)

// Bounds of the search for what runs files that the policy leaves out.
const (
	maxLeftOut      = 5000 // files that are left out
	maxLeftOutSteps = 5    // files on the way to one, each run by the one before
)

// leftOut says of files that change and that the policy leaves out what runs them: then no one
// looked at code that runs. Under profile strict that is incomplete.
func (s *Scanner) leftOut(ctx context.Context, c *gate.Change) (skipped []gate.Skip, gaps []gate.Gap) {
	l := leftOuts{change: c, out: map[string]bool{}, by: map[string]string{}, modules: map[string][]string{}}
	for _, skip := range c.Skipped {
		if skip.ByPolicy && len(l.skips) < maxLeftOut {
			l.skips, l.paths, l.out[skip.Path] = append(l.skips, skip), append(l.paths, skip.Path), true
		}
	}
	if len(l.skips) == 0 || c.Head == nil {
		return nil, nil
	}
	for _, p := range c.Files[:min(len(c.Files), maxIndexed)] {
		if !l.out[p] && (glob.Any(s.policy.Paths.Exclude, p) || len(s.policy.Paths.Include) > 0 && !glob.Any(s.policy.Paths.Include, p)) {
			l.paths, l.out[p] = append(l.paths, p), true // it may run one of them, and counts where it is run itself
		}
	}
	for _, p := range l.paths {
		l.name(p)
	}
	l.find(ctx, s.classify)
	for _, skip := range l.skips {
		by := l.by[skip.Path]
		if by == "" {
			continue
		}
		skip.Reason += ", and nothing looked at it although " + by
		skipped = append(skipped, skip)
		if s.policy.Profile == gate.ProfileStrict {
			gaps = append(gaps, gate.Gap{Layer: gate.LayerStatic, Path: skip.Path, Reason: skip.Reason})
		}
	}
	return skipped, gaps
}

// leftOuts are the files that the policy leaves out, and what runs them.
type leftOuts struct {
	change  *gate.Change
	skips   []gate.Skip         // those that change
	paths   []string            // all of them
	out     map[string]bool     // by the path
	by      map[string]string   // "NAME runs it on line 3", by the path
	modules map[string][]string // paths by what an import calls them
	full    bool
}

// find reads the programs of the tree that are not left out, then those left out that one of them runs.
func (l *leftOuts) find(ctx context.Context, classify Classify) {
	index, left, files := loads.NewIndex(l.paths), int64(maxNaming), 0
	look := func(name string) {
		lang, _ := classify(name, 0, nil)
		if !namesFiles(lang) && !isPage(lang) && !embedded.RunByAgent(name) && !isBuildDocument(name) || isIgnoreList(name) {
			return
		}
		info, err := fs.Lstat(l.change.Head, name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxNamer {
			return
		}
		if files++; files > maxNamers || info.Size() > left {
			l.full = true
			return
		}
		left -= info.Size()
		content, err := bounded.ReadFile(l.change.Head, name, maxNamer)
		if err != nil {
			return // the layer says so where it reads the file
		}
		l.read(name, lang, content, index)
	}
	names := slices.Clone(l.change.Files)
	for _, t := range l.change.Targets {
		if t.Exists() && t.Parent == "" {
			names = append(names, t.Path)
		}
	}
	slices.Sort(names)
	var done map[string]bool
	for range maxLeftOutSteps {
		before := len(l.by)
		if done == nil {
			done = map[string]bool{}
			for _, name := range slices.Compact(names) {
				if !l.out[name] && ctx.Err() == nil {
					look(name)
				}
			}
		}
		for _, name := range l.paths {
			if l.by[name] != "" && !done[name] && ctx.Err() == nil {
				done[name] = true
				look(name)
			}
		}
		if len(l.by) == before {
			break
		}
	}
	if !l.full && ctx.Err() == nil {
		return
	}
	for _, k := range l.skips {
		p := k.Path
		l.by[p] = cmp.Or(l.by[p], fmt.Sprintf("it is not known whether something runs it: only %d programs with %d MiB were searched for that", maxNamers, maxNaming>>20))
	}
}

// read notes what one program runs or imports of what is left out.
func (l *leftOuts) read(name string, lang gate.Language, content []byte, index *loads.Index) {
	note := func(p, how string, line int) {
		if p != name && l.by[p] == "" {
			l.by[p] = fmt.Sprintf("%s %s it on line %d", gate.Clip(name, maxShownName), how, line)
		}
	}
	runs := func(lang gate.Language, text []byte, line func(int) int) {
		for _, u := range loads.Find(name, lang, text, index) {
			note(l.paths[u.File], "runs", line(u.Line))
		}
	}
	runs(lang, content, func(n int) int { return n })
	for _, g := range embedded.Extract(lang, name, content) {
		runs(g.Language, g.Text, func(n int) int { return g.Lines[min(max(n, 1), len(g.Lines))-1] })
	}
	if isPage(lang) || !namesFiles(lang) {
		return
	}
	for m, line := range reach.Read(lang, name, content, nil, gate.LineSet{}).Modules {
		for _, p := range l.modules[m] {
			note(p, "imports", line)
		}
		for rest, ok := m, lang == gate.LanguageGo; ok; { // behind the name of the module
			if _, rest, ok = strings.Cut(rest, "/"); ok {
				for _, p := range l.modules[rest] {
					note(p, "imports", line)
				}
			}
		}
	}
}

// maxEnds is how many folders of a path an import may leave out in front, and how many files are kept
// for one name.
const (
	maxEnds      = 12
	maxNamesakes = 200
)

// name notes the names by which a file may be imported: the ends of its path, and its folder.
func (l *leftOuts) name(p string) {
	add := func(m string) {
		if len(l.modules[m]) < maxNamesakes {
			l.modules[m] = append(l.modules[m], p)
		}
	}
	stem := reach.Stem(p)
	add(path.Dir(p))
	for range maxEnds {
		add(stem)
		_, rest, ok := strings.Cut(stem, "/")
		if !ok {
			break
		}
		stem = rest
	}
}
