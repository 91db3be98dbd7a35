package static

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/source/stub"
	"github.com/aigate/gate/gate/static/active"
	"github.com/aigate/gate/gate/static/loads"
	"github.com/aigate/gate/gate/static/reach"
)

// Bounds of the search for what a change puts to use.
const (
	maxReached  = 400     // files that are scanned because the change reaches them
	maxIndexed  = 500_000 // files of the tree that a change can name
	maxReferrer = 3000    // targets whose references are looked at
)

// referrer is a target, and what its changed lines newly refer to.
type referrer struct {
	target *gate.Target
	names  reach.Names
	starts map[string]int           // files that it has run, each with the line
	orders map[string]int           // files that it makes instructions to an agent, each with the line
	as     map[string]gate.Language // what they are run as
	ran    map[string]ran           // data files of which it runs the values
	stages map[string]int           // stages of a Dockerfile that it has built, each with the line
}

// reacher finds what a change puts to use without touching it: a new call of an old
// function, a switch that is on now, an entry that names an old script. What is
// dangerous there is dangerous because of the line that reaches it.
type reacher struct {
	change    *gate.Change
	referrers []referrer
	files     map[string]bool // that a referrer may reach
	gaps      []gate.Gap
}

// gap notes that not all was looked at that a target puts to use.
func (r *reacher) gap(t *gate.Target, n int, of string) {
	g := gate.Gap{Layer: gate.LayerStatic, Path: t.Path, Reason: fmt.Sprintf("it puts more to use than is followed: at most %d %s are", n, of)}
	if !slices.Contains(r.gaps, g) {
		r.gaps = append(r.gaps, g)
	}
}

// unread notes what runs a file that can't be read.
func (r *reacher) unread(t *gate.Target, err error) {
	for _, f := range r.referrers {
		if f.starts[t.Path] > 0 || f.imports(t.Path) > 0 {
			r.gaps = append(r.gaps, gate.Gap{Layer: gate.LayerStatic, Path: f.target.Path, Reason: fmt.Sprintf("it runs %s, which can't be read: %v", gate.Clip(t.Path, maxShownName), err)})
		}
	}
}

// newReacher reads what the targets of a change refer to.
func newReacher(ctx context.Context, c *gate.Change) *reacher {
	r := &reacher{change: c, files: map[string]bool{}}
	if c.Base == nil || c.Head == nil {
		return r
	}
	index := loads.NewIndex(c.Files[:min(len(c.Files), maxIndexed)])
	for _, t := range c.Targets {
		if ctx.Err() != nil {
			break
		}
		names := embedded.RunByAgent(t.Path) || embedded.IsInstructions(t.Path) || isBuildDocument(t.Path) || t.Role != gate.RoleDocs && t.Role != gate.RoleLock && (namesFiles(t.Language) || isPage(t.Language))
		if !t.Exists() || !t.Mode.IsRegular() || t.Kind == gate.ChangeNone || !names || t.Size > maxNamer {
			continue
		}
		f, ok := r.referrer(t, index)
		if f.names.Full {
			r.gap(t, reach.MaxNames, "names")
		}
		if ok && len(c.Files) > maxIndexed {
			r.gap(t, maxIndexed, "files of the tree")
		}
		if ok && len(r.referrers) >= maxReferrer {
			r.gap(t, maxReferrer, "files that change")
		} else if ok {
			r.referrers = append(r.referrers, f)
		}
	}
	return r
}

// referrer reads one target; ok is false where it refers to nothing new.
func (r *reacher) referrer(t *gate.Target, index *loads.Index) (f referrer, ok bool) {
	content, err := r.change.Read(t, maxNamer)
	if err != nil {
		return f, false // the layer says so where it reads the file
	}
	older := []byte(nil)
	if t.Kind != gate.ChangeAdded {
		name := t.Path
		if t.OldPath != "" {
			name = t.OldPath
		}
		if older, err = bounded.ReadFile(r.change.Base, name, maxNamer); err != nil {
			older = nil
		}
	}
	f = referrer{target: t, starts: map[string]int{}, orders: map[string]int{}, as: map[string]gate.Language{}, ran: map[string]ran{}}
	if namesFiles(t.Language) { // prose calls nothing
		f.names = reach.Read(t.Language, t.Path, content, older, t.Lines)
	}
	before := sync.OnceValue(func() map[int]bool {
		out := map[int]bool{}
		for _, u := range loads.Find(t.Path, t.Language, older, index) {
			out[u.File] = true
		}
		return out
	})
	started := func(uses []loads.Use, line func(int) int) {
		for _, u := range uses {
			name, at := r.change.Files[u.File], line(u.Line)
			// Another file of the same name may have been named before.
			same := bytes.Contains(older, []byte(cmp.Or(u.Folder, path.Base(name))))
			if same && u.Folder == "" && namesByPath(t.Language) && !bytes.Contains(older, []byte(lastParts(name))) {
				same = before()[u.File]
			}
			if name != t.Path && t.Lines.Touches(at, at) && !same {
				f.starts[name], f.as[name] = at, u.Language
				r.files[name] = true
			}
		}
	}
	if embedded.IsInstructions(t.Path) {
		r.instructions(f, content, older)
	}
	f.stages = newStages(content, older, t.Lines)
	values := newlyRan{r, f, older, index}
	started(loads.Find(t.Path, t.Language, content, index), func(n int) int { return n })
	values.note(t.Language, content, func(n int) int { return n })
	for _, g := range embedded.Extract(t.Language, t.Path, content) {
		line := func(n int) int { return g.Lines[min(n, len(g.Lines))-1] }
		started(loads.Find(t.Path, g.Language, g.Text, index), line)
		values.note(g.Language, g.Text, line)
	}
	return f, len(f.starts) > 0 || len(f.stages) > 0 || !f.names.Empty()
}

// namesByPath reports whether files of a language name others in their own text, by a path.
func namesByPath(l gate.Language) bool {
	switch l {
	case gate.LanguageJSON, gate.LanguageTOML, gate.LanguageINI, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguagePython:
		return true
	}
	return false
}

// lastParts is the name of a file with that of its folder.
func lastParts(name string) string { return path.Join(path.Base(path.Dir(name)), path.Base(name)) }

// atPath matches the path of a file that agents read in place of the words @PATH, as Claude
// Code and Gemini CLI do in their instructions.
var atPath = regexp.MustCompile(`(?:^|[\s(])@(?:\./)?([\w./-]*\w)`)

// instructions notes the files that instructions newly import: they are orders as well. A path is
// one from the folder of the instructions or from the root.
func (r *reacher) instructions(f referrer, content, older []byte) {
	for i, text := range strings.Split(string(content), "\n") {
		if !f.target.Lines.Touches(i+1, i+1) {
			continue
		}
		for _, m := range atPath.FindAllStringSubmatch(text, maxAlso) {
			for _, name := range []string{path.Join(path.Dir(f.target.Path), m[1]), path.Clean(m[1])} {
				info, err := fs.Lstat(r.change.Head, name)
				if err != nil || !info.Mode().IsRegular() || name == f.target.Path || bytes.Contains(older, []byte("@"+m[1])) {
					continue
				}
				f.starts[name], f.orders[name], f.as[name] = i+1, i+1, gate.LanguageMarkdown
				r.files[name] = true
				break
			}
		}
	}
}

// ordered reports whether changed lines make a file instructions to an agent.
func (r *reacher) ordered(name string) bool {
	return slices.ContainsFunc(r.referrers, func(f referrer) bool { return f.orders[name] > 0 })
}

// consider looks whether a referrer may reach a file of the tree.
func (r *reacher) consider(name string, content []byte) {
	for _, f := range r.referrers {
		if name != f.target.Path && f.mayReach(name, content) {
			if len(r.files) >= maxReached && !r.files[name] {
				r.gap(f.target, maxReached, "files that it may reach")
				return
			}
			r.files[name] = true
			return
		}
	}
}

// mayReach reports whether the file is imported, or has in it what is called or
// switched.
func (f referrer) mayReach(name string, content []byte) bool {
	if f.imports(name) > 0 || f.builds(name, content) {
		return true
	}
	has := func(word string) bool { return hasWord(content, word) }
	return f.knows(name) && f.calls(name) && slices.ContainsFunc(slices.Collect(maps.Keys(f.names.Calls)), has) ||
		slices.ContainsFunc(slices.Collect(maps.Keys(f.switches(content))), has)
}

// hasWord reports whether a text has a name as a word of its own.
func hasWord(content []byte, name string) bool {
	isWord := func(at int) bool {
		return at >= 0 && at < len(content) && (content[at] == '_' || '0' <= content[at] && content[at] <= '9' || 'a' <= content[at]|0x20 && content[at]|0x20 <= 'z')
	}
	if name == "$" || name == "_" { // $( of a shell and _ of Go call nothing
		return slices.ContainsFunc([]string{"function ", "def ", "const ", "let ", "var "}, func(by string) bool { return bytes.Contains(content, []byte(by+name)) })
	}
	for from := 0; ; {
		at := bytes.Index(content[from:], []byte(name))
		if at < 0 {
			return false
		}
		if first := from + at; !isWord(first-1) && !isWord(first+len(name)) {
			return true
		}
		from += at + 1
	}
}

// switches are those settings of the referrer that a file with that content can see:
// it names the referrer, or they are named like variables of the environment.
func (f referrer) switches(content []byte) map[string]int {
	if len(f.names.Switches) > 0 && bytes.Contains(content, []byte(path.Base(reach.Stem(f.target.Path)))) {
		return f.names.Switches
	}
	out := map[string]int{}
	for name, line := range f.names.Switches {
		if strings.ToUpper(name) == name && strings.ContainsFunc(name, unicode.IsLetter) {
			out[name] = line
		}
	}
	return out
}

// imports returns the line that newly imports a file, 0 for none.
func (f referrer) imports(name string) int {
	stem := reach.Stem(name)
	for m, line := range f.names.Modules {
		if m != "" && (stem == m || strings.HasSuffix(stem, "/"+m) || path.Dir(name) == m || path.Ext(name) == ".go" && strings.HasSuffix(m, "/"+path.Dir(name))) {
			return line
		}
	}
	return 0
}

// knows reports whether the referrer has to do with a file: it lies beside it in a
// language whose files share their names, or its name is in the referrer.
func (f referrer) knows(name string) bool {
	stem := reach.Stem(name)
	same := path.Dir(name) == path.Dir(f.target.Path) && path.Ext(name) == path.Ext(f.target.Path)
	switch f.target.Language {
	case gate.LanguageGo, gate.LanguageJava, gate.LanguageC, gate.LanguageShell, gate.LanguageKotlin, gate.LanguageScala, gate.LanguageCSharp, gate.LanguageSwift:
		if same {
			return true
		}
	}
	return f.names.Words[path.Base(stem)] || path.Dir(name) != "." && f.names.Words[path.Base(path.Dir(name))]
}

// calls reports whether functions of a file can be called from the referrer by their names. Go
// calls those of Go, and of C and assembly that are built with it: words such as "ok" and "err" are
// in all of its programs, and are names of folders with samples as well.
func (f referrer) calls(name string) bool {
	if f.target.Language != gate.LanguageGo {
		return true
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".go", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".m", ".s", ".syso", ".swig":
		return true
	}
	return false
}

// reached reports what is dangerous in the files that the change reaches.
func (s *Scanner) reached(ctx context.Context, r *reacher, results []*file, found *gate.Findings, room *atomic.Int64) error {
	targets, unlisted := map[string]*gate.Target{}, map[string][]gate.Finding{}
	for i, t := range r.change.Targets {
		targets[t.Path] = t
		if results[i] != nil {
			unlisted[t.Path] = results[i].unlisted
		}
		if t.Exists() && t.Kind != gate.ChangeAdded {
			r.files[t.Path] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		if len(r.referrers) == 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		var old []gate.Finding
		t := targets[name]
		if t != nil {
			old = slices.DeleteFunc(append(found.Of(name), unlisted[name]...), func(x gate.Finding) bool { return x.InChange })
		} else {
			info, err := fs.Lstat(r.change.Head, name)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			t = &gate.Target{Path: name, Mode: info.Mode(), Size: info.Size(), Kind: gate.ChangeNone}
			t.Language, t.Role = s.classify(name, t.Mode, nil)
			if isIncluded(t) && r.runs(name) {
				t.Role = gate.RoleSource
			}
			if t.Size <= maxStub {
				r.stored(s, t, found)
			}
			if _, err := r.change.Read(t, 1); err != nil && !errors.Is(err, gate.ErrTooLarge) {
				r.unread(t, err)
				continue
			}
			then := &file{scanner: s, change: r.change, target: t, found: found, collected: &old, room: room, ran: r.ran(name), also: r.as(t)}
			if err := then.look(ctx); err != nil {
				return err
			}
		}
		old = slices.DeleteFunc(old, func(x gate.Finding) bool {
			return x.Severity < gate.SeverityDangerous || x.Suppressed != nil || isWords(x) && !r.ordered(name)
		})
		if len(old) > 0 {
			r.report(t, old, found)
		}
	}
	return ctx.Err()
}

// runs reports whether changed lines name a file as one that is run.
func (r *reacher) runs(name string) bool {
	return slices.ContainsFunc(r.referrers, func(f referrer) bool { return f.starts[name] > 0 })
}

// as returns what the changed lines run a file as, where its own name says something else.
func (r *reacher) as(t *gate.Target) []also {
	var out []also
	for _, f := range r.referrers {
		l := f.as[t.Path]
		if l == "" || l == gate.LanguageText || l == t.Language || !isData(t.Language) || len(out) >= maxAlso {
			continue
		}
		role := t.Role
		if role == gate.RoleDocs || role == gate.RoleLock || role == gate.RoleGenerated {
			role = gate.RoleSource
		}
		a := also{path: t.Path, language: l, role: role, origin: fmt.Sprintf("read as %s, as %s runs it", l, gate.Clip(f.target.Path, maxShownName))}
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// stored notes which lines newly run a file whose content is kept elsewhere.
func (r *reacher) stored(s *Scanner, t *gate.Target, found *gate.Findings) {
	head, err := r.change.Read(t, maxStub)
	tool := stub.Of(t.Path, head)
	rule := s.checks[checkStoredElsewhere]
	if err != nil || tool == "" || tool == stub.DVC || rule == nil {
		return
	}
	for _, f := range r.referrers {
		effect := rule.In(f.target.Role)
		if line := f.starts[t.Path]; line > 0 && !effect.Off {
			found.Add(f.target.Path, gate.Finding{Rule: rule.ID, Layer: gate.LayerStatic, Severity: effect.Severity, Line: line,
				Message: fmt.Sprintf("%s: this line runs %s, which is in %s", rule.Message, gate.Clip(t.Path, maxShownName), tool)})
		}
	}
}

// isWords reports whether a finding is about text for readers: nothing that is run makes
// it worse.
func isWords(x gate.Finding) bool {
	return strings.HasPrefix(x.Rule, promptInjection+"/") || strings.HasPrefix(x.Rule, hiddenText+"/")
}

// report notes which of the dangerous findings in a file the changed lines reach.
func (r *reacher) report(t *gate.Target, old []gate.Finding, found *gate.Findings) {
	content, err := r.change.Read(t, maxNamer)
	if err != nil {
		return
	}
	outline := reach.NewOutline(r.runAs(t), content)
	for _, f := range r.referrers {
		if f.target.Path == t.Path {
			continue // its own lines are compared with the base's
		}
		if outline.Full && f.mayReach(t.Path, content) {
			r.gap(f.target, reach.MaxDefinitions, "functions of "+gate.Clip(t.Path, maxShownName))
		}
		for _, x := range old {
			for _, at := range outcomes(t.Language, outline, x.Line, content) {
				if line := f.reaches(t.Path, content, outline, at); line > 0 {
					found.Add(f.target.Path, f.finding(t.Path, line, x))
					break
				}
			}
		}
	}
}

// outcomes are the lines that have to run for a finding to matter: its own, or those that use
// the constant that its line declares.
func outcomes(l gate.Language, o *reach.Outline, line int, content []byte) []int {
	if lines := bytes.Split(content, []byte{'\n'}); l == gate.LanguageGo && line > 0 && line <= len(lines) {
		if uses := o.UsesOfConstant(line, string(lines[line-1])); len(uses) > 0 {
			return uses
		}
	}
	return []int{line}
}

// runAs is the language of a file, or what a referrer runs it as where its name says only that it
// is data: that decides where it begins.
func (r *reacher) runAs(t *gate.Target) gate.Language {
	for _, f := range r.referrers {
		if l := f.as[t.Path]; isData(t.Language) && !isData(l) {
			return l
		}
	}
	return t.Language
}

// reaches returns the line of the referrer that has a line of a file run, 0 for none.
func (f referrer) reaches(name string, content []byte, o *reach.Outline, line int) int {
	for _, stage := range slices.Sorted(maps.Keys(f.stages)) {
		if off, ok := active.Built(content, stage); ok && isDockerfile(name) && !off.Off(line) {
			return f.stages[stage]
		}
	}
	if o.AtTop(line) {
		if at := f.starts[name]; at > 0 {
			return at
		}
		if at := f.imports(name); at > 0 {
			return at
		}
	}
	if f.knows(name) && f.calls(name) {
		if at, ok := o.In(line, f.names.Calls); ok {
			return at
		}
	}
	at, _ := o.Switched(line, f.switches(content))
	return at
}

// finding is what is found in another file as a finding of the line that reaches it.
func (f referrer) finding(name string, line int, x gate.Finding) gate.Finding {
	x.Message = fmt.Sprintf("%s, in %s on line %d, which this line has run", x.Message, gate.Clip(name, maxShownName), x.Line)
	x.Line, x.EndLine, x.Flow, x.Origin = line, line, nil, "of "+gate.Clip(name, maxShownName)
	if f.target.Role == gate.RoleTest {
		x.Severity = gate.SeveritySuspicious // tests may replace what it calls
	}
	return x
}
