package story

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
)

// Kind says where a part of a sentence comes from.
type Kind uint8

const (
	// Words are gate's own.
	Words Kind = iota
	// Message is what a finding says: a sentence of a rule, hostile in a result from elsewhere.
	Message
	// Code names something of the change, such as a host, with letters, digits and a few signs.
	Code
)

// Piece is a part of a sentence.
type Piece struct {
	Text string
	Kind Kind
}

// Sentence says what a harm or a file does, for somebody who has ten seconds.
type Sentence []Piece

// Shown returns the sentence with what findings say, and what names something of the
// change, as a format shows it.
func (s Sentence) Shown(message, code func(string) string) string {
	var b strings.Builder
	for _, p := range s {
		switch p.Kind {
		case Words:
			b.WriteString(p.Text)
		case Message:
			b.WriteString(message(p.Text))
		default:
			b.WriteString(code(p.Text))
		}
	}
	return b.String()
}

// String returns the sentence as plain text.
func (s Sentence) String() string {
	same := func(t string) string { return t }
	return s.Shown(same, same)
}

// maxMessage bounds what a short sentence takes from the message of a rule, in bytes.
const maxMessage = 160

// template is a sentence for harms of one kind. Slots in braces are filled with what the
// findings of the harm say; a template with a slot that nothing fills is not used.
type template struct {
	rule string // a pattern, as of [path.Match], that the rule of the lead matches
	with string // the same for the rule of one of the others; "" is any
	flow bool   // the lead has to be a flow, so that what it says of source and sink is known
	text string
}

// templates returns the sentences, the most telling first. What none of them fits is told
// in the words of the rule.
func templates() []template {
	return []template{
		{rule: "exfiltration/*", flow: true, text: "reads {source} and sends it to {host}"},
		{rule: "exfiltration/*", flow: true, text: "reads {source} and sends it over the network"},
		{rule: "credentials/*", with: "exfiltration/*", flow: true, text: "reads {source} and sends it to {host}"},
		{rule: "credentials/*", with: "exfiltration/*", flow: true, text: "reads {source} and sends it over the network"},
		{rule: "exfiltration/*", text: "sends {source} to {host}"},
		{rule: "exfiltration/*", text: "{message}: {host}"},
		{rule: "supply-chain/*install*", with: "download-execute/*", text: "downloads code from {host} and runs it when the package is installed"},
		{rule: "download-execute/*", with: "supply-chain/*install*", text: "downloads code from {host} and runs it when the package is installed"},
		{rule: "download-execute/*", with: "dynamic-code/*decoded*", text: "decodes text and runs it, which downloads code from {host} and runs that"},
		{rule: "dynamic-code/*decoded*", with: "download-execute/*", text: "decodes text and runs it, which downloads code from {host} and runs that"},
		{rule: "dynamic-code/*decoded*", text: "{message}, and that text {decoded}"},
		{rule: "obfuscation/*decode*", text: "{message}, and that text {decoded}"},
		{rule: "download-execute/docs-*", text: "{message}: {host}"},
		{rule: "download-execute/*", text: "downloads code from {host} and runs it"},
		{rule: "reverse-shell/*", text: "{message}: {host}"},
		{rule: "crypto-miner/*", text: "{message}: {host}"},
		{rule: "credentials/*", text: "{message}: {source}"},
	}
}

// Tell returns the sentence of a harm among the findings of its file, for a place that
// says nothing else of it. It begins with a capital letter, ends with where it happens, and
// is never empty.
func Tell(findings []gate.Finding, h Harm) Sentence { return capital(located(findings, h)) }

// Says is Tell for a place that shows the leading finding with its lines: it is as long as
// the message, and says where only where the lines are those of a flow.
func Says(findings []gate.Finding, h Harm) Sentence {
	s := capital(tell(findings, h, gate.MaxEvidence))
	if lead := findings[h.Lead]; flows(lead) && !isDecoded(lead) {
		s = append(s, Piece{Text: " ("}, at(lead), Piece{Text: ")"})
	}
	return s
}

func capital(s Sentence) Sentence {
	if r, n := utf8.DecodeRuneInString(s[0].Text); s[0].Kind != Code && n > 0 && r != utf8.RuneError {
		s[0].Text = string(unicode.ToUpper(r)) + s[0].Text[n:]
	}
	return s
}

func located(findings []gate.Finding, h Harm) Sentence {
	s := tell(findings, h, maxMessage)
	if where := at(findings[h.Lead]); where.Text != "" {
		s = append(s, Piece{Text: " ("}, where, Piece{Text: ")"})
	}
	return s
}

func tell(findings []gate.Finding, h Harm, most int) Sentence {
	lead := findings[h.Lead]
	var others []string
	for _, i := range h.Also {
		others = append(others, findings[i].Rule)
	}
	slots := fill(findings, h, most)
	for _, t := range templates() {
		if matches(t.rule, lead.Rule) && (!t.flow || flows(lead)) &&
			(t.with == "" || slices.ContainsFunc(others, func(rule string) bool { return matches(t.with, rule) })) {
			if s := t.fill(slots); s != nil {
				return s
			}
		}
	}
	if m := message(lead, most); m != "" {
		return Sentence{{m, Message}}
	}
	return Sentence{{Text: "has a finding without a description"}}
}

func matches(pattern, rule string) bool {
	ok, err := path.Match(pattern, rule)
	return err == nil && ok
}

// fill returns the sentence with the slots filled, or nil if one has nothing to fill it.
func (t template) fill(slots map[string]Sentence) Sentence {
	var s Sentence
	rest := t.text
	for rest != "" {
		before, after, found := strings.Cut(rest, "{")
		if before != "" {
			s = append(s, Piece{Text: before})
		}
		if !found {
			break
		}
		var name string
		name, rest, _ = strings.Cut(after, "}")
		if len(slots[name]) == 0 {
			return nil
		}
		s = append(s, slots[name]...)
	}
	return s
}

// fill finds what the slots of templates stand for.
func fill(findings []gate.Finding, h Harm, most int) map[string]Sentence {
	lead := findings[h.Lead]
	slots := map[string]Sentence{}
	if m := message(lead, most); m != "" {
		slots["message"] = Sentence{{m, Message}}
	}
	var from []string
	for _, s := range lead.Flow[:min(len(lead.Flow), 2)] {
		from = append(from, s.Text)
	}
	if !flows(lead) {
		from = []string{lead.Evidence}
	}
	slots["source"] = sources(from)
	slots["host"] = hosts(texts(findings, h))
	for _, i := range h.Also {
		if f := findings[i]; isDecoded(f) && f.Severity != gate.SeverityNote && message(f, most) != "" {
			slots["decoded"] = Sentence{{message(f, most), Message}}
			break
		}
	}
	return slots
}

// maxTexts bounds how much of a harm is searched for hosts.
const maxTexts = 100

// texts returns the code of a harm, that of the lead first, from the sink to the source.
func texts(findings []gate.Finding, h Harm) []string {
	var out []string
	for _, i := range h.All() {
		if len(out) > maxTexts {
			break
		}
		f := findings[i]
		out = append(out, f.Evidence)
		for _, s := range slices.Backward(f.Flow) {
			out = append(out, s.Text)
		}
	}
	return out
}

func message(f gate.Finding, most int) string {
	return strings.TrimRight(gate.Clip(f.Message, most), ". ")
}

// at says where a finding is: "lines 13 → 20" from source to sink, "line 8", or "".
func at(f gate.Finding) Piece {
	own := func(format string, lines ...any) Piece { return Piece{Text: fmt.Sprintf(format, lines...)} }
	switch {
	case f.Line == 0:
		return Piece{}
	case isDecoded(f):
		return Piece{gate.Clip(f.Origin, maxMessage), Message}
	case flows(f) && f.Flow[0].Line > 0 && f.Flow[0].Line != f.Line:
		return own("lines %d → %d", f.Flow[0].Line, f.Line)
	case f.EndLine > f.Line:
		return own("lines %d-%d", f.Line, f.EndLine)
	default:
		return own("line %d", f.Line)
	}
}
