package static

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/archive"
	"github.com/aigate/gate/gate/static/javaclass"
	"github.com/aigate/gate/gate/static/pickle"
	"github.com/aigate/gate/gate/static/pyc"
	"github.com/aigate/gate/gate/static/reading"
)

// Classify says what a file is written in and what it is for, from its path, its
// mode and its first bytes.
type Classify func(name string, mode fs.FileMode, head []byte) (gate.Language, gate.Role)

// unclassified is for a scanner that was given no [Classify]: the rules for every
// text look at what is in an archive.
func unclassified(_ string, _ fs.FileMode, head []byte) (gate.Language, gate.Role) {
	if slices.Contains(head, 0) {
		return gate.LanguageBinary, gate.RoleSource
	}
	return gate.LanguageUnknown, gate.RoleSource
}

// isNew reports whether the target came with the change. What was there before is
// shown and is no reason to doubt the change.
func (u unpacker) isNew() bool { return u.file.target.Kind != gate.ChangeNone }

// sniffed is how much of a file, or of a member of one, decides what it is.
const sniffed = 8 << 10 // bytes

// maxUnpacked is how much of all archives of a change together is kept.
const maxUnpacked = 256 << 20 // bytes

// unpacker opens one file of the change.
type unpacker struct{ file *file }

// unpack opens what a file is, or has in it, besides text: every member of an
// archive becomes a target, and a pickle is read for what it calls.
func (u unpacker) unpack(ctx context.Context, c *content) error {
	u.decoded()
	if err := u.patched(ctx, c); err != nil {
		return err
	}
	head, e := c.stats.Head[:min(len(c.stats.Head), sniffed)], &c.ends
	if kind := compiled(u.file.target.Path, head); kind != "" && reading.ReadMagic(head, e.size).Format == "" && u.isNew() {
		u.file.report(checkExecutableBinary, 0, kind, "")
	}
	format := archive.Format(head)
	zipped := archive.EndsWithZip(e.tail)
	pickled := pickle.Looks(head, e.size)
	compiled := pyc.Looks(head)
	inside := !pickled && u.mayHoldPickle(e.size)
	if format == "" && !zipped && !pickled && !compiled && !inside && !pyc.LooksBare(head) && e.behind == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	if e.size > archive.MaxArchive {
		u.file.gap("larger than the %d MiB in which archives are opened: %d bytes", archive.MaxArchive>>20, e.size)
		return nil
	}
	data, err := u.all(c)
	if err != nil {
		u.file.unreadable(err)
		return ctx.Err()
	}
	switch {
	case format != "":
		u.members(archive.Open(u.file.target.Path, data, u.wanted), format.String())
		if zipped && !strings.HasPrefix(format.String(), "zip") {
			u.members(archive.OpenZip(u.file.target.Path, data, u.wanted), "zip archive behind something else")
		}
	case zipped:
		u.members(archive.OpenZip(u.file.target.Path, data, u.wanted), "zip archive behind something else")
	case e.behind > 0 && e.behind < int64(len(data)) && (e.image || !slices.Contains(data[:min(e.behind, sniffed)], 0)):
		u.members(archive.Open(u.file.target.Path, data[e.behind:], u.wanted), "archive behind something else")
	}
	switch {
	case pickled:
		u.pickle(pickle.Read(data))
	case inside:
		u.pickle(pickle.Inside(data))
	}
	switch {
	case compiled:
		u.module(pyc.Read(data))
	case pyc.LooksBare(head):
		u.module(pyc.Bare(data))
	}
	return ctx.Err()
}

// members makes targets of what is in an archive, and says what could not be read.
func (u unpacker) members(a *archive.Archive, what string) {
	if a == nil {
		return
	}
	for _, reason := range a.Bounded {
		u.file.gap("%s: %s", what, reason)
	}
	if u.isNew() {
		for _, reason := range a.Problems {
			u.file.report(checkArchiveUnreadable, 0, reason, "")
		}
	}
	before := u.before()
	var programs []string
	for _, m := range a.Members {
		if old, ok := before[m.Name]; ok && string(old) == string(m.Data) {
			continue // as the base has it
		}
		head := m.Data[:min(len(m.Data), sniffed)]
		magic := reading.ReadMagic(head, int64(len(m.Data)))
		if kind := cmp.Or(magic.Format, compiled(m.Name, head)); kind != "" && kind != pythonBytecode && archive.Format(head) == "" {
			if magic.Format == javaClass && u.computes(m.Data) {
				continue
			}
			programs = append(programs, m.Name+" ("+kind+")")
			if magic.WellFormed && !isPolyglot(m.Data) {
				continue
			}
		}
		u.child(m.Name, m.Mode, m.Data)
	}
	if len(programs) > 0 && u.isNew() {
		u.file.report(checkArchiveProgram, 0, few(programs), "")
	}
	u.file.report(checkArchive, 0, fmt.Sprintf("%s: %d files in it were looked at, %d are data", what, len(a.Members), a.Others), "")
}

// javaClass is what package reading calls a compiled class of Java.
const javaClass = "Java class"

// computes reports whether a compiled class reaches nothing but memory. The texts in it
// are looked at all the same.
func (u unpacker) computes(data []byte) bool {
	class, err := javaclass.Read(data)
	if err != nil || !class.Computes() {
		return false
	}
	u.scan(gate.LanguageShell, "texts of a class", strings.Join(class.Texts, "\n")+"\n")
	return true
}

// isPolyglot reports whether a compiled program is an archive as well.
func isPolyglot(data []byte) bool {
	return archive.EndsWithZip(data[max(0, len(data)-archive.Tail):])
}

// few names some of many.
func few(names []string) string {
	const most = 3
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}

// wanted reports whether a member of an archive is more than data.
func (u unpacker) wanted(name string, mode fs.FileMode, head []byte, size int64) bool {
	if len(head) == 0 {
		return false
	}
	lang, _ := u.file.scanner.classify(u.inside(name), mode, head)
	return lang != gate.LanguageBinary || strings.HasPrefix(string(head), "#!") || reading.ReadMagic(head, max(size, int64(len(head)))).Format != "" || compiled(name, head) != "" ||
		archive.Format(head) != "" || pickle.Looks(head, size)
}

// inside is the path of a member.
func (u unpacker) inside(name string) string { return u.file.target.Path + "!/" + name }

// all is the whole file.
func (u unpacker) all(c *content) ([]byte, error) {
	if c.data != nil {
		return c.data, nil
	}
	return u.file.change.Read(u.file.target, archive.MaxArchive)
}

// child makes a target of a member.
func (u unpacker) child(name string, mode fs.FileMode, data []byte) {
	u.extract(name, "member of the archive", mode, data)
}

// extract makes a target of a file that is in another one.
func (u unpacker) extract(name, origin string, mode fs.FileMode, data []byte) {
	if u.file.room.Add(-int64(len(data))) < 0 {
		u.file.gap("what is in the archives of the change is larger than the %d MiB that are looked at: %s was not", maxUnpacked>>20, name)
		return
	}
	lang, role := u.file.scanner.classify(u.inside(name), mode, data[:min(len(data), sniffed)])
	u.file.derived = append(u.file.derived, gate.Derived{Content: data, Target: &gate.Target{
		Path: u.inside(name), Parent: u.file.target.Path, Origin: origin, Language: lang, Role: role, Mode: mode, Kind: u.file.target.Kind,
		Attribution: u.file.target.Attribution, StaticOnly: u.file.target.StaticOnly,
	}})
}

// before returns the members that the archive has in the base, by name. A member
// that the change leaves as it was is no more part of it than a file would be.
func (u unpacker) before() map[string][]byte {
	data, ok := u.base(archive.MaxArchive)
	if !ok {
		return nil
	}
	name := u.file.target.Path
	a := archive.Open(name, data, u.wanted)
	if a == nil {
		a = archive.OpenZip(name, data, u.wanted)
	}
	if a == nil {
		return nil
	}
	out := map[string][]byte{}
	for _, m := range a.Members {
		out[m.Name] = m.Data
	}
	return out
}

// mayHoldPickle reports whether a pickle is looked for behind the beginning of the
// file: it is data, and no larger than an archive that is opened.
func (u unpacker) mayHoldPickle(size int64) bool {
	return (u.file.binary || isData(u.file.target.Language)) && size <= archive.MaxArchive && u.file.target.Role != gate.RoleDocs
}

// pickle reports what loading a pickle calls.
func (u unpacker) pickle(r *pickle.Report) {
	if r == nil {
		return
	}
	var names [pickle.Dangerous + 1][]string
	for _, g := range r.Globals {
		names[g.Threat] = append(names[g.Threat], g.String())
	}
	if r.Computed {
		names[pickle.Dangerous] = append(names[pickle.Dangerous], "a name that is put together while loading")
	}
	if len(names[pickle.Dangerous]) > 0 {
		u.file.report(checkPickleDangerous, 0, few(names[pickle.Dangerous]), gate.Clip(r.Calls, gate.MaxEvidence))
	}
	if u.isNew() {
		if len(names[pickle.Unknown]) > 0 {
			u.file.report(checkPickleUnknown, 0, few(names[pickle.Unknown]), gate.Clip(r.Calls, gate.MaxEvidence))
		}
		if r.Err != nil {
			u.file.report(checkPickleUnreadable, 0, r.Err.Error(), "")
		}
	}
	if r.Bounded {
		u.file.gap("it is a pickle that calls more than is looked at")
	}
	if r.Calls == "" {
		return
	}
	u.extracted("calls.py", gate.LanguagePython, "calls of the pickle", r.Calls)
}

// module runs the rules over the names and texts of a compiled module of Python. It
// stays as suspicious as every compiled program: its bytecode was not read.
func (u unpacker) module(m *pyc.Module) {
	if m == nil {
		return
	}
	if m.Err != nil && u.isNew() {
		u.file.report(checkExecutableBinary, 0, pythonBytecode+" that can't be read to its end: "+m.Err.Error(), "")
	}
	u.scan(gate.LanguageShell, "texts of the bytecode", m.Texts)
	u.extracted("names.py", gate.LanguagePython, "names and texts of the bytecode", m.Listing)
}

// extracted runs the rules over a text that was read out of data, and makes a
// target of it, so that the other layers see it.
func (u unpacker) extracted(name string, lang gate.Language, origin, content string) {
	u.scan(lang, origin, content)
	u.file.derived = append(u.file.derived, gate.Derived{Content: []byte(content), Target: &gate.Target{
		Path: u.file.target.Path + "!" + name, Parent: u.file.target.Path, Origin: origin, Language: lang, Role: u.file.target.Role, Kind: u.file.target.Kind,
		Attribution: u.file.target.Attribution, StaticOnly: u.file.target.StaticOnly,
	}})
}

// scan runs the rules over a text that was read out of data.
func (u unpacker) scan(lang gate.Language, origin, content string) {
	if u.file.costs.match == nil {
		u.file.costs = newCosts(int64(len(content)))
	}
	found := u.file.scanner.texts.scan(text{
		language: lang, role: u.file.target.Role, path: u.file.target.Path, content: []byte(content), lines: []int{1}, origin: origin, costs: u.file.costs, depth: 1,
	})
	u.file.add(found...)
}
