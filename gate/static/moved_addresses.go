package static

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/static/modules"
	"github.com/aigate/gate/gate/static/moved"
	"github.com/aigate/gate/gate/static/precedent"
)

// Bounds of the search for code that reads an address of the change.
const (
	maxMovedUsers = 300     // programs
	maxMovedUser  = 1 << 20 // bytes of one
)

// movedTo finds what code does with addresses that a change writes into settings: the change
// names the host, and a program that it need not touch sends to it, or runs what is there.
type movedTo struct {
	scanner  *Scanner
	change   *gate.Change
	newHost  func(string) bool
	settings []settingsFile
	targets  map[string]*gate.Target
	gaps     []gate.Gap
	users    []user
}

// settingsFile is a target with addresses of hosts that the base never names.
type settingsFile struct {
	target *gate.Target
	reader *moved.Reader
}

// user is a program that may read one of the addresses.
type user struct {
	name    string
	lang    gate.Language
	role    gate.Role
	setting settingsFile
}

func newMovedTo(ctx context.Context, s *Scanner, c *gate.Change, newHost func(string) bool) *movedTo {
	m := &movedTo{scanner: s, change: c, newHost: newHost, targets: map[string]*gate.Target{}}
	if c.Base == nil || c.Head == nil || newHost == nil {
		return nil
	}
	for _, t := range c.Targets {
		if ctx.Err() != nil || !holdsSettings(t) {
			continue
		}
		content, err := c.Read(t, maxMovedUser)
		if err != nil {
			continue // the layer says so where it reads the file
		}
		values := slices.DeleteFunc(moved.Values(content, t.Lines), func(v moved.Value) bool { return !newHost(v.Host) })
		if len(values) > 0 {
			m.targets[t.Path] = t
			m.settings = append(m.settings, settingsFile{t, moved.NewReader(values)})
		}
	}
	if len(m.settings) == 0 {
		return nil
	}
	return m
}

// holdsSettings reports whether programs may read values of a target by their keys. What
// modules give each other is followed by [across].
func holdsSettings(t *gate.Target) bool {
	return t.Exists() && t.Mode.IsRegular() && t.Parent == "" && t.Kind != gate.ChangeNone && t.Size <= maxMovedUser && !modules.Knows(t.Language) &&
		t.Language != gate.LanguageBinary && t.Role != gate.RoleDocs && t.Role != gate.RoleLock && t.Role != gate.RoleTest
}

// consider notes a program that may read one of the addresses.
func (m *movedTo) consider(name string, lang gate.Language, content []byte) {
	if m == nil || len(content) > maxMovedUser {
		return
	}
	_, role := m.scanner.classify(name, 0, nil)
	if role == gate.RoleDocs || role == gate.RoleLock || role == gate.RoleTest {
		return
	}
	for _, s := range m.settings {
		if s.target.Path == name || !s.reader.Mentions(content) {
			continue
		}
		if len(m.users) >= maxMovedUsers {
			g := gate.Gap{Layer: gate.LayerStatic, Path: s.target.Path, Reason: fmt.Sprintf("not all programs that may read its addresses were looked at: at most %d are", maxMovedUsers)}
			if !slices.Contains(m.gaps, g) {
				m.gaps = append(m.gaps, g)
			}
			return
		}
		m.users = append(m.users, user{name, lang, role, s})
	}
}

func (m *movedTo) unfollowed(found *gate.Findings) []gate.Gap {
	if m == nil {
		return nil
	}
	return m.scanner.unfollowed(m.gaps, m.targets, found)
}

// report says what programs do with the addresses.
func (m *movedTo) report(ctx context.Context, found *gate.Findings) error {
	if m == nil {
		return nil
	}
	for _, u := range m.users {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.use(u, found)
	}
	return ctx.Err()
}

// use reports what one program does with them: what is found only with the address in the
// place of what reads it, and what the program fetches and runs, or sends, on such a line.
func (m *movedTo) use(u user, found *gate.Findings) {
	content, err := bounded.ReadFile(m.change.Head, u.name, maxMovedUser)
	if err != nil {
		return
	}
	base := path.Base(u.setting.target.Path)
	names := bytes.Contains(content, []byte(base)) || namesStem(content, base)
	filled, ok := u.setting.reader.Fill(moved.Text{Language: u.lang, Content: content, Names: names})
	if !ok {
		return
	}
	before := map[string]gate.Severity{}
	for _, x := range m.found(u, content) {
		key := fmt.Sprint(x.Rule, x.Line)
		before[key] = max(before[key], x.Severity)
	}
	for _, x := range m.found(u, filled.Content) {
		v, reads := readBy(filled, x)
		if !reads && before[fmt.Sprint(x.Rule, x.Line)] >= x.Severity {
			continue
		}
		out := gate.Finding{
			Rule: x.Rule, Layer: gate.LayerStatic, Severity: gate.SeveritySuspicious, Line: v.Line,
			Message: fmt.Sprintf("%s: %s reads this address on line %d", x.Message, gate.Clip(u.name, maxShownName), x.Line),
			Origin:  "where " + gate.Clip(u.name, maxShownName) + " uses it",
		}
		if !slices.ContainsFunc(found.Of(u.setting.target.Path), func(o gate.Finding) bool { return o.Rule == out.Rule && o.Line == out.Line }) {
			found.AddNew(u.setting.target.Path, out)
		}
	}
}

// readBy returns the value that a finding has to do with, and whether it is on a line that
// reads one.
func readBy(f moved.Filled, x gate.Finding) (moved.Value, bool) {
	for line := x.Line; line <= max(x.Line, x.EndLine); line++ {
		if v, ok := f.Values[line]; ok {
			return v, true
		}
	}
	for _, step := range x.Flow {
		if v, ok := f.Values[step.Line]; ok {
			return v, true
		}
	}
	first := 0
	for line := range f.Values {
		if first == 0 || line < first {
			first = line
		}
	}
	return f.Values[first], false
}

// found is what rules about addresses find in a text of a program.
func (m *movedTo) found(u user, content []byte) []gate.Finding {
	t := text{language: u.lang, role: u.role, path: u.name, content: content, costs: newCosts(int64(len(content))), newHost: m.newHost, known: precedent.Known{}}
	findings := m.scanner.texts.scan(t)
	for _, r := range embedded.Scripts(u.lang, u.role, u.name, content) {
		findings = append(findings, m.scanner.texts.scan(t.inner(r))...)
	}
	return slices.DeleteFunc(onePerLine(findings), func(x gate.Finding) bool {
		category, _, _ := strings.Cut(x.Rule, "/")
		return x.Severity < gate.SeveritySuspicious || !goesToAddress[category]
	})
}

// goesToAddress are the categories of what a program does with an address.
var goesToAddress = map[string]bool{"download-execute": true, "exfiltration": true, "dynamic-code": true, "deserialization": true, "shell-out": true, "dependencies": true}

// namesStem reports whether a program names a file of settings without its extension, as a word.
func namesStem(content []byte, base string) bool {
	stem := strings.TrimLeft(strings.TrimSuffix(base, path.Ext(base)), ".")
	const shortest = 4
	return len(stem) >= shortest && bytes.Contains(content, []byte(stem))
}
