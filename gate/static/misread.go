package static

import (
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/misread"
)

// The checks of what is read as code although it looks like a comment or a string.
const (
	checkCodeInComment = "code-in-comment"
	checkCodeInText    = "code-in-text"
)

// secondReading is the category of what counts in it: acts that no comment and no text has
// a reason to hold in the form of code.
var secondReading = map[string]bool{
	"credentials": true, "deletion": true, "download-execute": true, "dynamic-code": true, "exfiltration": true, "persistence": true, "reverse-shell": true,
}

// readAgain are the ids of the rules that count in it.
func readAgain(rules []*Rule) map[string]bool {
	out := map[string]bool{}
	for _, r := range rules {
		if secondReading[r.Category()] {
			out[r.ID] = true
		}
	}
	return out
}

// readTwice reports what would be dangerous in a text if what looks like a comment or a
// string were code, and was not found before.
func readTwice(f *file, content []byte, firstLine int, found []gate.Finding) []gate.Finding {
	if f.scanner.checks[checkCodeInComment] == nil && f.scanner.checks[checkCodeInText] == nil || f.rules != nil {
		return nil
	}
	known := map[int]bool{}
	for _, x := range found {
		if x.Severity >= gate.SeveritySuspicious {
			for n := x.Line; n <= max(x.Line, x.EndLine); n++ {
				known[n] = true
			}
		}
	}
	changed := func(n int) bool {
		n += firstLine - 1
		return !known[n] && f.target.Lines.Touches(n, n)
	}
	var out []gate.Finding
	pieces, full := misread.Find(f.view.Language, content, changed)
	if full {
		f.costs.unread.add(fmt.Sprintf("more of it looks like comments or texts that do something than is read as code: at most %d lines are", misread.MaxLines))
	}
	for _, p := range pieces {
		t := text{
			language: p.Language, role: f.view.Role, path: f.view.Path, content: p.Text, first: firstLine, depth: 1, least: gate.SeverityDangerous,
			costs: newCosts(int64(len(p.Text))), newHost: f.newHost, newPackage: f.newPackage, known: f.known,
		}
		t.costs.rules, t.costs.lines = f.scanner.twice, map[int]bool{}
		for n := range p.At {
			t.costs.lines[firstLine+n-1] = true
		}
		for _, n := range p.Lines {
			t.lines = append(t.lines, firstLine+n-1)
		}
		check := checkCodeInComment
		if p.Runs {
			check = checkCodeInText
		}
		for _, x := range f.scanner.texts.scan(t) {
			category, _, _ := strings.Cut(x.Rule, "/")
			if x.Severity < gate.SeverityDangerous || !secondReading[category] || known[x.Line] || !p.At[x.Line-firstLine+1] {
				continue
			}
			known[x.Line] = true
			if made, ok := findingOf(f, check, x.Line, x.Message, x.Evidence); ok {
				made.EndLine = x.EndLine
				out = append(out, made)
			}
		}
	}
	return out
}
