package static

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/static/loads"
	"github.com/aigate/gate/gate/static/parts"
)

// also is something that a file is read as besides what its own name says.
type also struct {
	path     string // what the file is called there
	language gate.Language
	role     gate.Role
	origin   string // of what is found
}

// Bounds of the search for what has files run.
const (
	maxLinks  = 20_000 // links of the tree
	maxPages  = 2000   // pages that are not in the change and are searched for scripts; beyond are folders of generated pages
	maxNamers = 50_000 // files that are not in the change and are searched for commands
	// maxRemoteNamers is the same where each costs a request.
	maxRemoteNamers = 100
	maxNamer        = 10<<20 + 1 // bytes of one
	maxNaming       = 256 << 20  // bytes of all of them together
	maxAlso         = 16         // readings of one file besides its own
	maxLinkSteps    = 40         // links on the way to a file
)

// otherReadings finds what the targets of a change are read as besides what their own
// names say: by way of links, and by commands in any file of the tree.
type otherReadings struct {
	change   *gate.Change
	classify Classify
	paths    []string // of the targets, as the index has them
	targets  map[string]*gate.Target
	also     map[string][]also
	ran      map[string][]ran
	readers
	gaps []gate.Gap
}

// readers look at every program of the tree for what it has to do with the change.
type readers struct {
	reacher   *reacher
	across    *across
	partly    *partly
	addresses *movedTo
	callers   *callers
}

// gap notes that it is not known as what else a target is read.
func (e *otherReadings) gap(t *gate.Target, n int, of string) {
	g := gate.Gap{Layer: gate.LayerStatic, Path: t.Path, Reason: fmt.Sprintf("it may be run as something else than its name says: at most %d %s are looked at", n, of)}
	if !slices.Contains(e.gaps, g) {
		e.gaps = append(e.gaps, g)
	}
}

// full notes a bound that kept files from being searched for what has the targets run.
// Data are what that matters for: what is no data is read as what it is.
func (e *otherReadings) full(n int, of string) {
	for _, p := range e.paths {
		if t := e.targets[p]; isData(t.Language) {
			e.gap(t, n, of)
		}
	}
}

func (s *Scanner) elsewhere(ctx context.Context, c *gate.Change, r readers) *otherReadings {
	e := &otherReadings{change: c, readers: r, classify: s.classify, targets: map[string]*gate.Target{}, also: map[string][]also{}, ran: map[string][]ran{}}
	for _, t := range c.Targets {
		if t.Exists() && (t.Mode.IsRegular() || t.Mode&fs.ModeSymlink != 0) { // a script runs a link as well
			e.targets[t.Path] = t
			e.paths = append(e.paths, t.Path)
		}
	}
	if c.Head == nil || len(e.paths) == 0 {
		return e
	}
	e.links(ctx)
	e.commands(ctx, loads.NewIndex(e.paths))
	return e
}

func (e *otherReadings) add(t *gate.Target, a also) {
	same := a.language == t.Language && a.role == t.Role
	known := slices.ContainsFunc(e.also[t.Path], func(b also) bool {
		return a.language == b.language && a.role == b.role && path.Base(a.path) == path.Base(b.path)
	})
	if same || known || a.language == gate.LanguageUnknown || a.language == gate.LanguageBinary {
		return
	}
	if len(e.also[t.Path]) >= maxAlso {
		e.gap(t, maxAlso, "of its readings")
		return
	}
	e.also[t.Path] = append(e.also[t.Path], a)
}

// links looks for links of the tree that lead to targets, or to folders of them.
func (e *otherReadings) links(ctx context.Context) {
	names := slices.Clone(e.change.Files)
	for _, t := range e.change.Targets {
		names = append(names, t.Path)
	}
	seen := 0
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if ctx.Err() != nil {
			return
		}
		if seen >= maxLinks {
			e.full(maxLinks, "links of the tree")
			return
		}
		if info, err := fs.Lstat(e.change.Head, name); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		seen++
		to, ok := resolve(e.change.Head, name)
		if !ok {
			continue
		}
		if t := e.targets[to]; t != nil {
			e.link(t, name)
			continue
		}
		for p, t := range e.targets {
			if rest, below := strings.CutPrefix(p, to+"/"); below {
				e.link(t, path.Join(name, rest))
			}
		}
	}
}

// link notes that a target has another name.
func (e *otherReadings) link(t *gate.Target, name string) {
	language, role := e.classify(name, t.Mode, nil)
	e.add(t, also{path: name, language: language, role: role, origin: fmt.Sprintf("read as %s, which links to it", gate.Clip(name, maxShownName))})
}

// maxShownName is how much of a name an origin shows.
const maxShownName = 120 // bytes

// commands looks for what has targets run: in the targets themselves, then in the
// other files of the tree that are programs.
func (e *otherReadings) commands(ctx context.Context, files *loads.Index) {
	left := int64(maxNaming)
	search := func(name string, lang gate.Language, mode fs.FileMode, size int64) {
		if size > maxNamer || size > left {
			if size > left || e.targets[name] == nil && !isBulk(&gate.Target{Path: name, Language: lang}) { // what is too large in the change has a gap of its own
				e.full(maxNaming>>20, fmt.Sprintf("MiB of programs, and %d MiB of one,", maxNamer>>20))
			}
			return
		}
		content, err := e.change.Read(&gate.Target{Path: name, Mode: mode, Kind: gate.ChangeNone}, maxNamer)
		if err != nil {
			return // the layer says so where it reads the file
		}
		left -= int64(len(content))
		e.partly.consider(name, lang, content)
		e.addresses.consider(name, lang, content)
		e.callers.consider(name, lang, content)
		e.lists(name, lang, content)
		within := func() {
			for _, r := range embedded.Extract(lang, name, content) {
				e.found(name, loads.Find(name, r.Language, r.Text, files))
				e.values(name, r.Language, r.Text, files)
			}
		}
		if isBuildDocument(name) {
			e.found(name, loads.Find(name, lang, content, files))
			within()
			return
		}
		if isPage(lang) {
			if files.Quick(content) {
				e.found(name, loads.Find(name, lang, content, files))
			}
			return
		}
		if !namesFiles(lang) {
			if embedded.RunByAgent(name) {
				within()
			}
			return
		}
		if e.targets[name] == nil {
			e.reacher.consider(name, content)
			e.across.consider(name, lang, content)
			if !files.Quick(content) {
				return // the change did not write it, so it hides no name
			}
			if (lang == gate.LanguageYAML || lang == gate.LanguageWorkflow) && !files.Listed(content) {
				e.found(name, loads.Find(name, gate.LanguageShell, withoutKeys.ReplaceAll(content, nil), files))
				return // nor does it put one together
			}
		}
		e.found(name, loads.Find(name, lang, content, files))
		e.values(name, lang, content, files)
		within()
	}
	for _, t := range e.change.Targets {
		if ctx.Err() != nil {
			return
		}
		if t.Exists() && t.Mode.IsRegular() && (namesFiles(t.Language) || isPage(t.Language) || embedded.RunByAgent(t.Path) || isBuildDocument(t.Path) || parts.Known(t.Path) || isPipList(t.Path)) && !isIgnoreList(t.Path) {
			search(t.Path, t.Language, t.Mode, t.Size)
		}
	}
	others, pages := 0, 0
	for _, name := range e.change.Files {
		if ctx.Err() != nil || e.change.Remote && others >= maxRemoteNamers {
			return
		}
		if others >= maxNamers {
			e.full(maxNamers, "programs of the tree")
			return
		}
		lang, _ := e.classify(name, 0, nil)
		if e.change.Remote && !e.across.asks(lang) {
			continue
		}
		if isPage(lang) {
			if pages++; pages > maxPages {
				continue
			}
		}
		if e.targets[name] != nil || !namesFiles(lang) && !isPage(lang) && !embedded.RunByAgent(name) && !isBuildDocument(name) && !parts.Known(name) && !isPipList(name) || isIgnoreList(name) {
			continue
		}
		info, err := fs.Lstat(e.change.Head, name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		others++
		search(name, lang, info.Mode(), info.Size())
	}
}

// withoutKeys matches what is in front of a value on a line of YAML.
var withoutKeys = regexp.MustCompile(`(?m)^[ \t]*(?:-[ \t]+)*(?:[\w.-]+:[ \t]+)?`)

// found notes what a file has run.
func (e *otherReadings) found(by string, uses []loads.Use) {
	for _, u := range uses {
		t := e.targets[e.paths[u.File]]
		if t.Path == by || u.As == "" && u.Language == t.Language && !isIncluded(t) || u.Started && !isData(t.Language) {
			continue
		}
		if u.As != "" {
			e.placed(t, by, u)
			continue
		}
		role := t.Role
		if role == gate.RoleDocs || role == gate.RoleLock || role == gate.RoleGenerated {
			role = gate.RoleSource // as change classifies what is run
		}
		e.add(t, also{path: t.Path, language: u.Language, role: role,
			origin: fmt.Sprintf("read as %s, as %s runs it", u.Language, gate.Clip(by, maxShownName))})
	}
}

// isIncluded reports whether a document that others include may be taken for prose by its folder.
func isIncluded(t *gate.Target) bool {
	return t.Language == gate.LanguageYAML && t.Role == gate.RoleDocs
}

// placed notes that a target is put where the path says what it is.
func (e *otherReadings) placed(t *gate.Target, by string, u loads.Use) {
	if !isData(t.Language) {
		return
	}
	_, role := e.classify(u.As, t.Mode, nil)
	a := also{path: u.As, language: gate.LanguageText, role: role, origin: fmt.Sprintf("read as %s, where %s puts it", gate.Clip(u.As, maxShownName), gate.Clip(by, maxShownName))}
	if len(e.also[t.Path]) < maxAlso && !slices.ContainsFunc(e.also[t.Path], func(b also) bool { return b.path == a.path }) {
		e.also[t.Path] = append(e.also[t.Path], a)
	}
}

// isIgnoreList reports whether the lines of a file are globs of files that a tool leaves
// out. Read as a script, each of them would be a command that runs these files.
func isIgnoreList(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, ".") && strings.HasSuffix(base, "ignore")
}

// isBuildDocument reports whether a file is a document that a build tool reads: it is text that
// names files and folders all the same.
func isBuildDocument(name string) bool {
	switch path.Ext(name) {
	case ".csproj", ".fsproj", ".vbproj", ".proj", ".targets", ".props":
		return true
	case ".mod", ".work":
		return path.Base(name) == "go.mod" || path.Base(name) == "go.work"
	case ".xml":
		base := path.Base(name)
		return strings.HasPrefix(base, "build") || strings.HasPrefix(base, "pom") || base == "ivy.xml"
	}
	return false
}

// namesFiles reports whether files of that language have others run.
func namesFiles(l gate.Language) bool {
	switch l {
	case gate.LanguageBinary, gate.LanguageText, gate.LanguageMarkdown, gate.LanguageHTML, gate.LanguageWasm:
		return false
	}
	return true
}

// isPage reports whether files of that language only name scripts that a browser loads. Prose in
// them names commands that nothing runs.
func isPage(l gate.Language) bool { return l == gate.LanguageHTML }

// resolve follows a link within the tree, also where folders on the way are links.
func resolve(tree fs.FS, name string) (string, bool) {
	rest, at, steps := strings.Split(name, "/"), "", 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if at == "" {
				return "", false
			}
			if at = path.Dir(at); at == "." {
				at = ""
			}
			continue
		}
		next := path.Join(at, part)
		info, err := fs.Lstat(tree, next)
		switch {
		case err != nil:
			return "", false
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		}
		to, err := fs.ReadLink(tree, next)
		steps++
		if err != nil || steps > maxLinkSteps || path.IsAbs(to) {
			return "", false
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return at, at != ""
}
