package judge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// The rules of this layer.
const (
	// RuleMalicious is dangerous: the model calls a line malicious, and what it
	// quotes is there.
	RuleMalicious = "judge/malicious"
	// RuleSuspicious is suspicious: the model's own word for "likely".
	RuleSuspicious = "judge/suspicious"
	// RuleInconsistent is suspicious: the model contradicts itself or the file.
	RuleInconsistent = "judge/inconsistent"
	// RuleDisagreement is suspicious: without its comments the file is judged
	// worse, so the comments talked the model round.
	RuleDisagreement = "judge/disagreement"
)

// reading is the result of one or several checked answers.
type reading struct {
	verdict  gate.Verdict // Unknown until something was judged
	reason   string       // of the worst answer
	lines    []int        // sorted, each once
	findings []gate.Finding
	gaps     []string // why a part was not judged
	skip     string   // what was left out on purpose

	asked  bool          // the model was, for some of it
	tokens int           // that the model wrote
	took   time.Duration // for writing them
}

// check compares an answer with the lines that were shown and says what
// follows from it. It is pure.
func check(a answer, shown []line) reading {
	r := reading{verdict: a.verdict, reason: redact(a.reason), lines: a.lines}
	held := map[int]string{} // by line, the first quote that holds
	for _, e := range a.evidence {
		if _, have := held[e.line]; !have && holds(e, shown) {
			held[e.line] = e.quote
		}
	}
	quoted := func(rule string, severity gate.Severity, message string) {
		for _, n := range slices.Sorted(maps.Keys(held)) {
			r.findings = append(r.findings, finding(rule, severity, n, message, held[n]))
		}
	}
	switch {
	case a.verdict == gate.Dangerous && len(held) > 0:
		quoted(RuleMalicious, gate.SeverityDangerous, "the judge calls this line malicious")
	case a.verdict == gate.Dangerous:
		r.verdict = gate.Suspicious
		r.suspect(RuleInconsistent, "the judge calls the file malicious, but what it quotes is not on the lines it names")
	case a.verdict == gate.Safe && (len(a.evidence) > 0 || len(a.lines) > 0):
		r.verdict = gate.Suspicious
		r.suspect(RuleInconsistent, "the judge calls the file safe and names dangerous lines all the same")
	case a.verdict == gate.Suspicious && len(held) > 0:
		quoted(RuleSuspicious, gate.SeveritySuspicious, "the judge calls this line suspicious")
	case a.verdict == gate.Suspicious:
		r.suspect(RuleSuspicious, "the judge calls this suspicious, without a quote that holds")
	}
	return r
}

// maxSuspected bounds how many lines one answer without evidence can point at.
const maxSuspected = 8

// suspect files a suspicious finding on each line that the answer names, so that
// another layer can corroborate it there, or on the file as a whole.
func (r *reading) suspect(rule, message string) {
	lines := slices.Compact(slices.Sorted(slices.Values(r.lines)))
	if len(lines) == 0 {
		lines = []int{0}
	}
	for _, n := range lines[:min(len(lines), maxSuspected)] {
		r.findings = append(r.findings, finding(rule, gate.SeveritySuspicious, n, message, ""))
	}
}

func finding(rule string, severity gate.Severity, n int, message, quote string) gate.Finding {
	return gate.Finding{Rule: rule, Layer: gate.LayerJudge, Severity: severity, Line: n, EndLine: n,
		Message: message, Evidence: redact(quote)}
}

// minQuote is how many bytes a quote needs to say anything, unless it is the
// whole line.
const minQuote = 4

// holds reports whether the quote is verbatim on the line that is
// named, as it was shown.
func holds(e evidence, shown []line) bool {
	quote := strings.TrimSpace(e.quote)
	// Copying the mark along is no lie.
	if tag := fmt.Sprintf(":%d| ", e.line); len(quote) > codeWordLen && strings.HasPrefix(quote[codeWordLen:], tag) {
		quote = strings.TrimSpace(quote[codeWordLen+len(tag):])
	}
	for _, l := range shown {
		if l.number != e.line || quote == "" || !strings.Contains(l.text, quote) {
			continue
		}
		if len(quote) >= minQuote || quote == strings.TrimSpace(l.text) {
			return true
		}
	}
	return false
}

// merge adds the answer about another part, or another reading, of the file. The
// worse one counts; nothing is taken back.
func (r *reading) merge(o reading) {
	if o.verdict > r.verdict {
		r.verdict, r.reason = o.verdict, o.reason
	}
	r.lines = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.lines, o.lines))))
	r.gaps = append(r.gaps, o.gaps...)
	r.asked, r.skip = r.asked || o.asked, cmp.Or(r.skip, o.skip)
	r.tokens, r.took = r.tokens+o.tokens, r.took+o.took
	for _, f := range o.findings {
		same := func(have gate.Finding) bool { return have.Rule == f.Rule && have.Line == f.Line }
		if !slices.ContainsFunc(r.findings, same) {
			r.findings = append(r.findings, f)
		}
	}
}

// token matches runs that may be keys or tokens.
var token = regexp.MustCompile(`[A-Za-z0-9+_=-]{20,}`)

// redact shortens what looks like a key, because quotes and reasons end up in
// public comments.
func redact(s string) string {
	return token.ReplaceAllStringFunc(s, func(run string) string {
		if !strings.ContainsAny(run, "0123456789") || !strings.ContainsAny(run, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
			return run
		}
		return run[:4] + "…"
	})
}
