package static

import (
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/match"
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
// what was encoded or put together.
func (t text) compare(found []match.Match) {
	if t.decoded || t.spelled || t.guessed {
		return
	}
	for i, m := range found {
		if m.Severity != gate.SeveritySuspicious || m.Apart || len(m.Flow) > 0 || m.Host != "" || m.SecretEnd > m.SecretStart ||
			!slices.Contains(withPrecedents, m.Rule.Category()) {
			continue
		}
		if where := t.known.Where(t.language, t.role, t.content, m.Start); where != "" {
			found[i].Severity, found[i].Because = gate.SeverityNote, "and the base does this already: "+gate.Clip(where, maxWhere)
		}
	}
}

// maxWhere is how much of a place in the base is shown.
const maxWhere = 200 // bytes
