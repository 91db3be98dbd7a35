package judge

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// job is one file to be judged.
type job struct {
	target *gate.Target
	src    []byte
	worst  gate.Severity // of the findings that decide; the worst is judged first
	// scanner is the worst finding anywhere in the file.
	scanner gate.Severity
	facts   []fact
	large   bool // above the limit: only what changed is judged
}

// selectJobs reads the targets that a language model can say something about.
// What is left out for good reason is skipped, what cannot be read is a gap.
func selectJobs(c *gate.Change, found *gate.Findings, limit int64) (jobs []job, out gate.Outcome) {
	for _, t := range c.Targets {
		if reason := notText(t); reason != "" {
			out.Skipped = append(out.Skipped, gate.Skip{Path: t.Path, Reason: "not judged: " + reason})
			continue
		}
		src, err := c.Read(t, limit)
		large := false
		if err != nil {
			src, err = readChanged(c, t, err)
			large = true
		}
		switch {
		case err != nil:
			reason := "cannot be read: " + err.Error()
			if errors.Is(err, gate.ErrTooLarge) {
				reason = fmt.Sprintf("larger than %d bytes, and so not judged", limit)
			}
			out.Incomplete = append(out.Incomplete, gate.Gap{Layer: gate.LayerJudge, Path: t.Path, Reason: reason})
		case len(bytes.Trim(src, " \t\r\n")) == 0:
			out.Skipped = append(out.Skipped, gate.Skip{Path: t.Path, Reason: "not judged: empty"})
		default:
			findings := found.Of(t.Path)
			j := job{target: t, src: stripNUL(src), large: large, worst: found.Worst(t.Path), facts: factsOf(findings)}
			for _, f := range findings {
				j.scanner = max(j.scanner, f.Severity)
			}
			jobs = append(jobs, j)
		}
	}
	return jobs, out
}

// stripNUL is a file without its NUL bytes where it has many of them, as UTF-16 does. It is
// not decoded, because a shell that runs such a file leaves them out as well, and what
// is half in UTF-16 would look like Chinese. A few stay, to be seen.
func stripNUL(src []byte) []byte {
	if bytes.Count(src, []byte{0}) <= len(src)/8 {
		return src
	}
	return bytes.ReplaceAll(src, []byte{0}, nil)
}

// notText says why a target is not for a language model; "" when it is.
func notText(t *gate.Target) string {
	switch {
	case !t.Exists():
		return "deleted"
	case !t.Mode.IsRegular():
		return "not a regular file"
	case t.Language == gate.LanguageBinary, t.Language == gate.LanguageWasm:
		return "binary"
	case t.Role == gate.RoleLock:
		return "a lock file"
	}
	return ""
}

// categoryForm is what a category of a rule looks like. A rule of the user's own
// that is named otherwise is not shown to the model.
var categoryForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// factsOf turns what the scanner found into hints. They consist of numbers and
// words of the rules, never of text from the change.
func factsOf(findings []gate.Finding) []fact {
	var facts []fact
	for _, f := range findings {
		hint := fact{f.Line, f.Category}
		if f.Layer == gate.LayerStatic && f.Severity >= gate.SeveritySuspicious && f.Line > 0 &&
			categoryForm.MatchString(f.Category) && !slices.Contains(facts, hint) {
			facts = append(facts, hint)
		}
	}
	return facts
}
