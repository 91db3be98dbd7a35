package behaviour

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// Known is what rules say of runs that are not in question, such as those of the base. The
// zero value knows nothing.
type Known map[knownHit]bool

// knownHit is what a rule says of an event, in the same words and with the same data.
type knownHit struct {
	rule, text     string
	event          key
	data           [sha256.Size]byte
	canaries, kind string
}

// Learn adds what follows from a run.
func (k Known) Learn(r Run) {
	s := newTrace(r)
	for _, check := range checks {
		for _, h := range check(s) {
			k[knownOf(r.Kind, h)] = true
		}
	}
}

func knownOf(kind Kind, h hit) knownHit {
	return knownHit{
		rule: h.rule.ID, text: h.text, event: keyOf(h.event), data: sha256.Sum256(h.event.Data),
		canaries: strings.Join(slices.Sorted(slices.Values(h.event.Canaries)), "\x00"), kind: string(kind),
	}
}

// Before is what a unit did on the base. The zero value knows nothing.
type Before struct {
	Known Known
	// SameData says that no data that the change brings had a part in the run. Where it
	// had, an event in the same words may be another deed: another line in a start file,
	// another script down the same pipe.
	SameData bool
}

// comparedHit is a hit with what the base says of it.
type comparedHit struct {
	hit
	before bool // it does the same, so that this is a note
}

// compare makes a note of a hit that the base has too.
func (b Before) compare(kind Kind, h hit) comparedHit {
	before := h.severity > gate.SeverityNote && (b.SameData || complete(h)) && b.Known[knownOf(kind, h)]
	if before {
		h.severity = gate.SeverityNote
	}
	return comparedHit{h, before}
}

var (
	// fromElsewhere are commands that take what they do from a pipe or a file.
	fromElsewhere = regexp.MustCompile(`\b(?:crontab|at|batch|systemctl|systemd-run|launchctl|ssh-copy-id|visudo|chpasswd)\b|\$|` + "`")
	// named is a download whose address is in the line.
	named = regexp.MustCompile(`\bhttps?://[\w.-]+`)
)

// complete reports whether the words of an event say all of what it does, so that the same
// words are the same deed whatever data lies beside it.
func complete(h hit) bool {
	switch {
	case len(h.event.Data) >= headOfData:
		return false // only its head is known
	case len(h.event.Data) > 0:
		return true // traffic
	case h.event.Action == sandbox.ActionLink && len(h.event.Args) > 0 && strings.HasPrefix(h.event.Args[0], sandbox.Workspace+"/"):
		return true // to a file of the repository, which is looked at itself
	case h.event.Action != sandbox.ActionExec || fromElsewhere.MatchString(h.text):
		return false
	}
	switch h.rule.ID {
	case rulePersistCommand.ID, ruleInstall.ID, ruleElevate.ID, ruleProtection.ID, ruleKill.ID, ruleDestroy.ID:
		return true
	case ruleDownloadRun.ID:
		return named.MatchString(h.text)
	}
	return false
}

// headOfData is how many bytes of what is sent an event has, in the shortest recorder.
const headOfData = 512
