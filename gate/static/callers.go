package static

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/static/precedent"
	"github.com/aigate/gate/gate/static/runners"
)

// Bounds of the search for what calls changed functions.
const (
	maxCallers  = 300     // files whose calls are looked at
	maxGiven    = 1000    // texts of all of them
	maxRunnerIn = 1 << 20 // bytes of a file
)

// callers finds functions that a change makes run the text that they are given, and the harmful
// texts that other code of the tree gives them.
type callers struct {
	scanner *Scanner
	known   precedent.Known
	newHost func(string) bool
	targets map[string]*gate.Target
	makes   []made
	names   map[string]bool
	files   int
	given   []handing
	gaps    []gate.Gap
}

// made is a function that newly runs what it is given.
type made struct {
	runners.Runner
	target *gate.Target
}

// handing is a text that a file gives such a function.
type handing struct {
	runners.Text
	by   string
	made made
}

// newCallers reads which functions of the targets newly run a text.
func newCallers(ctx context.Context, s *Scanner, c *gate.Change, newHost func(string) bool, known precedent.Known) *callers {
	out := &callers{scanner: s, known: known, newHost: newHost, targets: map[string]*gate.Target{}, names: map[string]bool{}}
	if c.Head == nil {
		return nil
	}
	for _, t := range c.Targets {
		if ctx.Err() != nil {
			break
		}
		if !t.Exists() || !t.Mode.IsRegular() || t.Parent != "" || t.Kind == gate.ChangeNone || t.Size > maxRunnerIn || !runners.Knows(t.Language) || t.Role == gate.RoleDocs {
			continue
		}
		content, err := c.Read(t, maxRunnerIn)
		if err != nil {
			continue // the layer says so where it reads the file
		}
		out.targets[t.Path] = t
		now, full := runners.In(t.Language, content)
		if full {
			out.gaps = append(out.gaps, gate.Gap{Layer: gate.LayerStatic, Path: t.Path, Reason: "not all of its functions were looked at for what they run: there are more than are read"})
		}
		if len(now) == 0 {
			continue
		}
		var before []runners.Runner
		var older []byte
		if c.Base != nil && t.Kind != gate.ChangeAdded {
			if older, err = bounded.ReadFile(c.Base, olderPath(t), maxRunnerIn); err == nil {
				before = runnersBefore(c.Memory, t.Language, older)
			}
		}
		for _, r := range now {
			if r.Bare && !runners.Prints(older, r.Name) {
				continue // it says nothing about what follows
			}
			if !slices.ContainsFunc(before, func(o runners.Runner) bool { return o.Name == r.Name && o.Evaluates == r.Evaluates }) {
				out.makes = append(out.makes, made{r, t})
				out.names[r.Name] = true
			}
		}
	}
	return out
}

// runnersBefore are the functions of the base's version that run a text.
func runnersBefore(m *gate.Memory, lang gate.Language, content []byte) []runners.Runner {
	type runnersKey struct {
		language gate.Language
		digest   [sha256.Size]byte
	}
	return gate.Recall(m, runnersKey{lang, sha256.Sum256(content)}, len(content), func() ([]runners.Runner, bool) {
		out, _ := runners.In(lang, content)
		return out, true
	})
}

// consider notes the texts that a file gives the functions.
func (c *callers) consider(name string, lang gate.Language, content []byte) {
	if c == nil || !runners.Knows(lang) || len(content) > maxRunnerIn {
		return
	}
	names := map[string]bool{}
	for _, m := range c.makes {
		if bytes.Contains(content, []byte(strings.TrimPrefix(m.Name, "$"))) && m.mayCall(name, lang, content) {
			names[m.Name] = true
		}
	}
	if len(names) == 0 {
		return
	}
	if c.files++; c.files > maxCallers {
		c.gap("more than %d files call what it changes to run texts: not all of them were looked at", maxCallers)
		return
	}
	texts, full := runners.Given(lang, content, names)
	if full {
		c.gap("a file calls what it changes to run texts more often than %d times: not all of it was looked at", runners.MaxTexts)
	}
	for _, g := range texts {
		for _, m := range c.makes {
			if m.Name != g.Name || !m.mayCall(name, lang, content) || name == m.target.Path && m.First <= g.Line && g.Line <= m.Last {
				continue
			}
			if len(c.given) >= maxGiven {
				c.gap("more than %d texts are given to what it changes to run texts: not all of them were looked at", maxGiven)
				return
			}
			c.given = append(c.given, handing{g, name, m})
		}
	}
}

func (c *callers) gap(format string, n int) {
	for _, m := range c.makes {
		g := gate.Gap{Layer: gate.LayerStatic, Path: m.target.Path, Reason: fmt.Sprintf(format, n)}
		if !slices.Contains(c.gaps, g) {
			c.gaps = append(c.gaps, g)
		}
	}
}

// mayCall reports whether a file may call the function: it is in the file, in the same package of
// Go, or the file names the module.
func (m made) mayCall(name string, lang gate.Language, content []byte) bool {
	switch {
	case name == m.target.Path:
		return true
	case sameFamily(lang) != sameFamily(m.target.Language):
		return false
	case lang == gate.LanguageGo && path.Dir(name) == path.Dir(m.target.Path):
		return true
	}
	folder := path.Base(path.Dir(m.target.Path))
	return containsWord(content[:min(len(content), maxImporting)], []byte(cmp.Or(stemOf(m.target.Path), strings.Trim(path.Base(m.target.Path), ".")))) ||
		folder != "." && folder != "/" && containsWord(content[:min(len(content), maxImporting)], []byte(folder))
}

// maxImporting is how much of a file is searched for what it imports, in bytes.
const maxImporting = 64 << 10

// sameFamily is the language whose modules can import one another.
func sameFamily(l gate.Language) gate.Language {
	switch l {
	case gate.LanguageTypeScript:
		return gate.LanguageJavaScript
	case gate.LanguageMakefile, gate.LanguageINI, gate.LanguageUnknown: // of which scripts and recipes take variables
		return gate.LanguageShell
	}
	return l
}

// report adds a finding for each function that is given what does harm.
func (c *callers) report(ctx context.Context, found *gate.Findings) error {
	if c == nil {
		return nil
	}
	for _, g := range c.given {
		if err := ctx.Err(); err != nil {
			return err
		}
		lang := gate.LanguageShell
		if g.made.Evaluates {
			lang = g.made.target.Language
		}
		content := []byte(g.Text.Text + "\n")
		for _, x := range c.scanner.texts.scan(text{
			language: lang, role: gate.RoleSource, path: g.by, content: content, costs: newCosts(int64(len(content))), newHost: c.newHost, known: c.known,
		}) {
			if x.Severity == gate.SeverityDangerous || strings.HasPrefix(x.Rule, downloadExecute+"/") && x.Severity >= gate.SeveritySuspicious {
				c.place(g, x, found)
			}
		}
	}
	return nil
}

// place reports what a text does on the line that makes it run.
func (c *callers) place(g handing, x gate.Finding, found *gate.Findings) {
	t := g.made.target
	line := g.made.At
	for n := g.made.First; n <= g.made.Last && !t.Lines.Touches(line, line); n++ {
		if t.Lines.Touches(n, n) {
			line = n
		}
	}
	for _, known := range found.Of(t.Path) {
		if known.Rule == x.Rule && known.Line == line && known.InChange {
			return
		}
	}
	if t.Role == gate.RoleTest {
		x.Severity = min(x.Severity, gate.SeveritySuspicious) // tests may replace what it calls
	}
	x.Line, x.EndLine, x.Flow = line, line, nil
	x.Message = fmt.Sprintf("%s, in a text that %s gives to %s on line %d, which this line makes run", x.Message, gate.Clip(g.by, maxShownName), gate.Clip(g.Name, maxShownName), g.Line)
	x.Origin = "of " + gate.Clip(g.by, maxShownName)
	found.AddNew(t.Path, x)
}

// unfollowed says which bounds were reached, as [across.unfollowed] does.
func (c *callers) unfollowed(found *gate.Findings) []gate.Gap {
	if c == nil {
		return nil
	}
	return c.scanner.unfollowed(c.gaps, c.targets, found)
}
