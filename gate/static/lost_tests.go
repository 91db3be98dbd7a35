package static

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/static/untested"
)

// Bounds of the look at what a change does to tests.
const (
	maxLostShown = 20      // findings of one file
	maxAsked     = 600     // unchanged files of tests that are searched for a name
	maxAskedSize = 8 << 20 // bytes of them together
)

// lostTests reports the tests that the change switches off: suspicious where it also edits what they
// tested, else a note.
func (s *Scanner) lostTests(ctx context.Context, c *gate.Change, results []*file, found *gate.Findings) error {
	r, ok := s.checks[checkTestLost]
	if !ok || c.Base == nil || c.Head == nil {
		return nil
	}
	at := map[string]*file{}
	var files []untested.File
	for i, t := range c.Targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.Kind == gate.ChangeNone || t.Parent != "" || !untested.Knows(t.Language) || results[i] == nil || built.MatchString(t.Path) {
			continue
		}
		f := untested.File{Path: t.Path, Language: t.Language}
		if t.Kind != gate.ChangeAdded {
			f.OldPath = olderPath(t)
			f.Base, _ = bounded.ReadFile(c.Base, f.OldPath, maxCompared) // without it nothing was tested
		}
		if t.Exists() && t.Mode.IsRegular() {
			f.Head, _ = c.Read(t, maxCompared) // the layer says so where it reads the file
		}
		at[t.Path] = results[i]
		files = append(files, f)
	}
	shown := map[string]int{}
	for _, l := range untested.Compare(files, &untouched{change: c}) {
		f := at[l.Path]
		if f == nil || shown[l.Path] >= maxLostShown {
			continue
		}
		shown[l.Path]++
		effect := r.In(f.target.Role)
		if effect.Off {
			continue
		}
		severity, message := effect.Severity, fmt.Sprintf("%s: %s %s", r.Message, gate.Clip(l.Name, maxShownName), l.How)
		if l.Edits == "" || illustration.MatchString(olderPath(f.target)) {
			severity = min(severity, gate.SeverityNote)
		} else {
			message += ", and the change edits what it tested: " + gate.Clip(l.Edits, maxShownName)
		}
		found.AddNew(l.Path, gate.Finding{Rule: r.ID, Layer: gate.LayerStatic, Severity: severity, Line: l.Line, EndLine: l.Line, Message: message})
	}
	return ctx.Err()
}

// untouched answers questions about the tests that a change leaves alone.
type untouched struct {
	change *gate.Change
	read   bool
	texts  map[gate.Language][]byte
	runs   []byte // what runs tests
}

func (u *untouched) load() {
	if u.read {
		return
	}
	u.read, u.texts = true, map[gate.Language][]byte{}
	changed := map[string]bool{}
	for _, t := range u.change.Targets {
		changed[t.Path] = changed[t.Path] || t.Kind != gate.ChangeNone
	}
	number, size := 0, 0
	for _, name := range u.change.Files {
		l := testLanguage(name)
		runs := runsTests(name)
		if l == "" && !runs || changed[name] && !runs || number >= maxAsked || size >= maxAskedSize {
			continue
		}
		text, err := bounded.ReadFile(u.change.Head, name, maxNamer)
		if err != nil {
			continue // it tests nothing that we know of
		}
		number, size = number+1, size+len(text)
		if runs {
			u.runs = append(append(u.runs, text...), '\n')
			continue
		}
		u.texts[l] = append(append(u.texts[l], text...), '\n')
	}
}

// runsTests reports whether a file says how tests are run.
func runsTests(name string) bool {
	switch strings.ToLower(path.Base(name)) {
	case "makefile", "gnumakefile", "taskfile.yml", "justfile", ".gitlab-ci.yml", "magefile.go", "jenkinsfile", "contributing.md":
		return true
	}
	return strings.HasPrefix(name, ".github/workflows/") || strings.HasSuffix(name, ".mk")
}

// testLanguage is the language of a file of tests by its name, empty for another file.
func testLanguage(name string) gate.Language {
	l := map[string]gate.Language{
		".py": gate.LanguagePython, ".go": gate.LanguageGo, ".js": gate.LanguageJavaScript, ".jsx": gate.LanguageJavaScript, ".mjs": gate.LanguageJavaScript, ".cjs": gate.LanguageJavaScript,
		".ts": gate.LanguageTypeScript, ".tsx": gate.LanguageTypeScript, ".java": gate.LanguageJava, ".kt": gate.LanguageKotlin, ".cs": gate.LanguageCSharp,
		".rs": gate.LanguageRust, ".php": gate.LanguagePHP, ".rb": gate.LanguageRuby,
	}[path.Ext(name)]
	if l == "" || !untested.RunsIn(l, name) {
		return ""
	}
	return l
}

// Calls implements [untested.Asker].
func (u *untouched) Calls(l gate.Language, name string) bool {
	u.load()
	if hasWord(u.texts[l], name) {
		return true
	}
	switch l {
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		return hasWord(u.texts[gate.LanguageJavaScript], name) || hasWord(u.texts[gate.LanguageTypeScript], name)
	}
	return false
}

// Builds implements [untested.Asker].
func (u *untouched) Builds(tag string) bool {
	u.load()
	for line := range bytes.Lines(u.runs) {
		if bytes.Contains(line, []byte("-tags")) && hasWord(line, tag) {
			return true
		}
	}
	return false
}

var _ untested.Asker = (*untouched)(nil)
