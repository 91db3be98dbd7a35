package static

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/static/confusables"
	"github.com/aigate/gate/gate/static/constprop"
	"github.com/aigate/gate/gate/static/decode"
	"github.com/aigate/gate/gate/static/match"
	"github.com/aigate/gate/gate/static/precedent"
)

// How often text is unwrapped within this layer: code in a notebook cell, in
// which a string is decoded. What is small, as loaders are, is unwrapped further,
// because each layer may be read as several languages.
const (
	maxUnwrap      = 2
	maxUnwrapSmall = 4
	smallText      = 64 << 10 // bytes
)

// text is one text to run the rules over: a file, a chunk of one, or a piece of
// code found in either.
type text struct {
	language gate.Language
	role     gate.Role
	path     string
	content  []byte
	first    int    // line of the file on which content begins, 0 counts as 1
	lines    []int  // or the line of the file for each line of content
	origin   string // see gate.Finding
	depth    int
	// deobfuscated says that escapes were replaced by what they spell: anyone who reads
	// the file sees the escapes, so nothing of it is hidden.
	deobfuscated bool
	// odd are the lines of the file that are spelled otherwise, where only some of
	// them are; nil where that isn't known.
	odd map[int]bool
	// inCode says that it is in code, such as a command line in a call.
	inCode bool
	// guessed says that nothing says that the text is in its language: what is
	// suspicious in that language may mean nothing.
	guessed bool
	// expanded says that the variables of a script were replaced by what they hold.
	expanded bool
	// joined says that words were put together that a line end splits.
	joined bool
	// plainly says that what is spelled otherwise in it is already written plainly.
	plainly bool
	// least is the severity below which findings don't count.
	least gate.Severity
	// decoded says that it, or what it is in, was decoded.
	decoded bool
	costs   costs // of the file
	// newHost reports whether the base doesn't name a host; nil without a base.
	newHost func(string) bool
	// newPackage is the same for a package that few people know.
	newPackage func(string) bool
	known      precedent.Known // what the base does already
	// administers reports whether scripts beside it set up machines; nil where no one looked.
	administers func() bool
	// inHead reports whether the head has a file; nil where no one looked.
	inHead func(string) bool
}

// costs bound what is looked at of one file, with everything that is unwrapped
// from it.
type costs struct {
	match  *match.Budget
	decode *decode.Budget
	masked *bool // something was masked
	pieces *pieces
	unread *unread
	// written are the embedded texts that were looked at as they are written, by what is
	// in them: a reading of the file that leaves one as it is has nothing new there.
	written map[[sha256.Size]byte]bool
	// rules are the ids of those that are looked for, nil for all.
	rules map[string]bool
	// lines are those of the file on which a finding counts, nil for all.
	lines map[int]bool
}

// counts reports whether a finding counts on any line of a text.
func (t text) counts() bool {
	if t.costs.lines == nil {
		return true
	}
	for n := range t.costs.lines {
		if first := t.line(1); len(t.lines) == 0 && n >= first && n <= first+bytes.Count(t.content, []byte{'\n'}) || slices.Contains(t.lines, n) {
			return true
		}
	}
	return false
}

// starts are the stretches of a text in which a finding counts, nil for all of it.
func (t text) starts() []match.Stretch {
	if t.costs.lines == nil {
		return nil
	}
	out := []match.Stretch{}
	at := 0
	for n := 1; at <= len(t.content); n++ {
		end := len(t.content) + 1
		if i := bytes.IndexByte(t.content[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if t.costs.lines[t.line(n)] {
			out = append(out, match.Stretch{Start: at, End: end})
		}
		at = end
	}
	return out
}

// unread are the bounds that kept something from being read, in words for a report.
type unread []string

func (u *unread) add(reason string) {
	if !slices.Contains(*u, reason) {
		*u = append(*u, reason)
	}
}

func newCosts(size int64) costs {
	return costs{match: match.NewBudget(size), decode: decode.NewBudget(size), masked: new(bool), pieces: &pieces{}, unread: &unread{}, written: map[[sha256.Size]byte]bool{}}
}

// once reports whether an embedded text has to be looked at: all that are as written,
// and those of another reading that differ from them.
func (c costs) once(t text) bool {
	key := sha256.Sum256(fmt.Appendf(nil, "%s %d %d\n%s", t.language, t.line(1), len(t.lines), t.content))
	if t.plainly {
		return !c.written[key]
	}
	c.written[key] = true
	return true
}

// hiddenText is the category of what is not shown to the person who reads a file,
// promptInjection that of words to a model.
const (
	hiddenText      = "hidden-text"
	promptInjection = "prompt-injection"
)

// words are the findings that are about words alone. What a secret looks like
// without a disguise that it does not wear no one knows, so none is shown of a
// file that holds one.
func (t text) words(found []gate.Finding) []gate.Finding {
	found = slices.DeleteFunc(found, func(f gate.Finding) bool { return !strings.HasPrefix(f.Rule, promptInjection+"/") })
	for i := range found {
		if *t.costs.masked {
			found[i].Evidence, found[i].Flow = notShown, nil
		}
	}
	return found
}

// texts runs rules over texts.
type texts struct {
	engine *match.Engine
}

// scan returns what the rules find in a text and in everything that can be
// unwrapped from it.
func (x texts) scan(t text) []gate.Finding {
	if t.costs.match == nil {
		t.costs = newCosts(int64(len(t.content))) // a sample, not a file
	}
	if !t.counts() {
		return nil
	}
	out := x.asWritten(t)
	if t.plainly {
		return out
	}
	return onePerLine(append(out, x.deobfuscated(t)...))
}

// asWritten is scan without a look at what is spelled otherwise.
func (x texts) asWritten(t text) []gate.Finding {
	out := x.rules(t)
	if plain, ok := confusables.Letters(t.content); ok {
		read := t
		read.content, read.origin, read.deobfuscated = plain, because(t.origin, "letters read as what they look like"), true
		out = append(out, x.rules(read)...)
	}
	if plain, ok := confusables.Disguised(t.content); ok {
		read := t
		read.content, read.origin, read.deobfuscated = plain, because(t.origin, "words read without their disguise"), true
		out = append(out, read.words(x.rules(read))...)
	}
	if t.language == gate.LanguageShell && !t.joined {
		if joined, ok := constprop.Continued(t.content); ok {
			whole := t
			whole.content, whole.origin, whole.joined = joined, because(t.origin, "words put together that a line end splits"), true
			out = append(out, x.scan(whole)...)
		}
	}
	limits := &constprop.Bounds{}
	if folded, ok := constprop.Text(t.language, t.content, limits); ok {
		plain := t
		plain.odd = t.changedLines(folded)
		plain.content, plain.origin, plain.deobfuscated = folded, because(t.origin, "put together from constants"), true
		out = append(out, x.rules(plain)...)
		t.content, t.deobfuscated, t.odd = folded, true, plain.odd // what is embedded or encoded may be in pieces, too
	}
	var renamed []byte
	if resolved, ok := constprop.Names(t.language, t.content, limits); ok {
		renamed = resolved
		plain := t
		plain.content, plain.origin = resolved, because(t.origin, "names resolved")
		plain.expanded = t.language == gate.LanguageShell
		out = append(out, x.rules(plain)...)
	}
	for _, bound := range limits.Reached() {
		t.costs.unread.add("not all constants were followed: at most " + bound)
	}
	out = append(out, x.plainly(t, renamed, out)...)
	encoded := decode.Payloads(t.language, t.content, t.costs.decode)
	if t.depth >= maxUnwrap && (t.depth >= maxUnwrapSmall || len(t.content) > smallText) {
		if len(encoded) > 0 {
			t.costs.decode.Deeper()
		}
		return onePerLine(out)
	}
	for _, r := range t.regions(renamed) {
		if in := t.inner(r); t.costs.once(in) {
			out = append(out, x.scan(in)...)
		}
	}
	for _, r := range encoded {
		decoded := t.inner(r)
		decoded.deobfuscated, decoded.decoded = false, true
		found := x.scan(decoded)
		if !t.decoded { // what is encoded in it comes out of it once it is a target
			t.costs.pieces.add(decoded, found)
		}
		out = append(out, found...)
	}
	return onePerLine(out)
}

// regions are the pieces of code in the text, and those that are only seen when
// names are resolved: what is handed to r after "import run as r".
func (t text) regions(renamed []byte) []embedded.Code {
	out, unread := embedded.Read(t.language, t.path, t.content)
	for _, bound := range unread {
		t.costs.unread.add(bound)
	}
	if renamed == nil {
		return out
	}
	type key struct {
		language gate.Language
		text     string
	}
	known := map[key]bool{}
	for _, r := range out {
		known[key{r.Language, string(r.Text)}] = true
	}
	for _, r := range embedded.Extract(t.language, t.path, renamed) {
		if !known[key{r.Language, string(r.Text)}] {
			out = append(out, r)
		}
	}
	return out
}

// rules returns what the rules find in the text itself.
func (x texts) rules(t text) []gate.Finding {
	found := x.engine.Run(match.Text{Language: t.language, Role: t.role, Path: t.path, Content: t.content, Budget: t.costs.match, NewHost: t.newHost, NewPackage: t.newPackage, Least: t.least, Only: t.costs.rules, Starts: t.starts()})
	t.demoteLowConfidence(found)
	t.compare(found)
	if t.guessed {
		for i, m := range found {
			if m.Severity == gate.SeveritySuspicious {
				found[i].Severity, found[i].Because = gate.SeverityNote, "if its text is "+string(t.language)
			}
		}
	}
	return render(t, found)
}

// because joins two steps of unwrapping.
func because(outer, inner string) string {
	if outer == "" {
		return inner
	}
	return outer + ", " + inner
}

// inner is the text of a region, with its lines turned into lines of the file.
func (t text) inner(r embedded.Code) text {
	in := text{language: r.Language, role: t.role, path: t.path, content: r.Text, depth: t.depth + 1, deobfuscated: t.deobfuscated, odd: t.odd, inCode: t.inCode || precedent.Compares(t.language), guessed: t.guessed || r.Guessed, plainly: t.plainly, least: t.least, decoded: t.decoded, costs: t.costs, newHost: t.newHost, newPackage: t.newPackage, known: t.known}
	if r.Role != "" && t.role == gate.RoleSource || r.Role == gate.RoleSource && t.role == gate.RoleDocs {
		in.role = r.Role // what is executed is no prose
	}
	in.origin = t.origin
	if r.Origin != "" {
		in.origin = because(t.origin, r.Origin)
	}
	in.lines = make([]int, len(r.Lines))
	for i, l := range r.Lines {
		in.lines[i] = t.line(l)
	}
	return in
}

// line turns a line of the text, 1-based, into a line of the file.
func (t text) line(n int) int {
	switch {
	case len(t.lines) > 0:
		return t.lines[min(n, len(t.lines))-1]
	case t.first > 0:
		return t.first + n - 1
	default:
		return n
	}
}

// render makes findings of matches.
func render(t text, matches []match.Match) []gate.Finding {
	if len(matches) == 0 {
		return nil
	}
	starts := lineStarts(t.content)
	secrets := secretsOf(matches)
	*t.costs.masked = *t.costs.masked || len(secrets) > 0
	out := make([]gate.Finding, 0, len(matches))
	for _, m := range matches {
		if m.Severity == gate.SeverityUnknown {
			continue // a role switched the rule off; it only masks
		}
		if t.deobfuscated && m.Rule.Category() == hiddenText {
			continue
		}
		message := m.Rule.Message
		if m.Because != "" {
			message += ", " + m.Because
		}
		if m.Host != "" {
			message += ": " + gate.Clip(m.Host, maxHost)
		}
		shown := notShown
		var way []gate.Step
		if !t.costs.match.Unmasked() {
			shown, way = t.evidence(m.Start, m.End, secrets), steps(t, m, starts, secrets)
		}
		out = append(out, gate.Finding{
			Rule: m.Rule.ID, Layer: gate.LayerStatic, Severity: m.Severity,
			Line: t.line(lineOf(starts, m.Start)), EndLine: t.line(lineOf(starts, max(m.Start, m.End-1))),
			Message:  message,
			Evidence: shown,
			Origin:   t.origin,
			Flow:     way,
		})
	}
	return out
}

// maxHost is how much of a host's name is shown.
const maxHost = 100 // bytes

// notShown is the evidence where there are more secrets than are looked for.
const notShown = "(not shown: the file holds what looks like secrets)"

// steps are the lines on the way of a value to a match, one step a line.
func steps(t text, m match.Match, starts []int, secrets []span) []gate.Step {
	var out []gate.Step
	for _, offset := range m.Flow {
		line := t.line(lineOf(starts, offset))
		if n := len(out); n > 0 && out[n-1].Line == line {
			continue
		}
		out = append(out, gate.Step{Line: line, Text: t.evidence(offset, offset, secrets)})
	}
	return out
}

// onePerLine keeps the worst finding of each rule on each line, the first of
// equals, so that one long line doesn't fill the report and what was unwrapped
// doesn't repeat what is there openly.
func onePerLine(found []gate.Finding) []gate.Finding {
	type key struct {
		rule string
		line int
	}
	at := map[key]int{}
	out := found[:0]
	for _, f := range found {
		k := key{f.Rule, f.Line}
		i, seen := at[k]
		switch {
		case !seen:
			at[k] = len(out)
			out = append(out, f)
		case f.Severity > out[i].Severity:
			out[i] = f
		}
	}
	return out
}

// lineStarts returns the offset of each line. Lines end with a line feed, as
// diffs count them.
func lineStarts(content []byte) []int {
	starts := make([]int, 1, 1+bytes.Count(content, []byte{'\n'}))
	for i, c := range content {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func lineOf(starts []int, offset int) int {
	return sort.SearchInts(starts, offset+1)
}
