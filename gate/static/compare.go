package static

import (
	"bytes"
	"maps"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/match"
	"github.com/aigate/gate/gate/static/precedent"
)

// withPrecedents are the categories whose findings are about an operation and its target.
// Not among them are secrets, what reads them, what hides, what sends data away, and what
// no project does for a good reason.
var withPrecedents = []string{
	"cloud-metadata", "container-escape", "deletion", "download-execute", "file-access", "file-write", "network",
	"package-install", "persistence", "privilege", "process", "reconnaissance", "shell-out", "supply-chain",
}

// compare makes notes of what is suspicious and done by the base already. What is
// dangerous stays so, and so do what other lines made worse, values that flow, and
// what was encoded or put together, and what a call is given beside other things.
func (t text) compare(found []match.Match) {
	t.owned(found)
	t.clients(found)
	for i, m := range found {
		if m.Severity == gate.SeveritySuspicious && m.Because == "" && machineRules[m.Rule.ID] && t.administers != nil && t.administers() {
			found[i].Severity, found[i].Because = gate.SeverityNote, "as scripts beside it set up machines"
		}
	}
	if !t.known.Any() || t.decoded || t.guessed || t.inCode || t.deobfuscated && t.odd == nil {
		return
	}
	var code precedent.Text
	var starts []int
	for i, m := range found {
		if m.Severity != gate.SeveritySuspicious || m.Apart || len(m.Flow) > 0 || m.Host != "" || m.SecretEnd > m.SecretStart ||
			!slices.Contains(withPrecedents, m.Rule.Category()) {
			continue
		}
		if starts == nil {
			code, starts = precedent.Read(t.language, t.content), lineStarts(t.content)
		}
		s, ok := code.At(m.Start)
		if !ok || t.oddly(lineOf(starts, s.Start), lineOf(starts, s.End-1)) {
			continue
		}
		if where := t.known.Where(t.language, t.role, s); where != "" {
			found[i].Severity, found[i].Because = gate.SeverityNote, "and the base does this already: "+gate.Clip(where, maxWhere)
		}
	}
}

// oddly reports whether any of the lines is spelled otherwise in the file.
func (t text) oddly(first, last int) bool {
	for n := first; n <= last; n++ {
		if t.odd[t.line(n)] {
			return true
		}
	}
	return false
}

// changedLines are the lines of the file on which a text with its constants put together differs
// from it, or from what it was before; nil where that isn't known.
func (t text) changedLines(folded []byte) map[int]bool {
	was, is := bytes.Split(t.content, []byte{'\n'}), bytes.Split(folded, []byte{'\n'})
	if len(was) != len(is) || t.deobfuscated && t.odd == nil {
		return nil
	}
	out := map[int]bool{}
	maps.Copy(out, t.odd)
	for i := range was {
		if !bytes.Equal(was[i], is[i]) {
			out[t.line(i+1)] = true
		}
	}
	return out
}

// maxWhere is how much of a place in the base is shown.
const maxWhere = 200 // bytes
