package story

import (
	"fmt"
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

// Sentence says what a harm or a file does, for a reader who has ten seconds.
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

// rules are those of a category whose name holds a word; "" is any word.
type rules struct{ category, word string }

func (r rules) has(rule string) bool {
	category, name, _ := strings.Cut(rule, "/")
	return category == r.category && strings.Contains(name, r.word)
}

// template is a sentence for harms of one kind. Slots in braces are filled with what the
// findings of the harm say; a template with a slot that nothing fills is not used.
type template struct {
	lead rules
	with rules // of one of the others; without a category it is any harm
	flow bool  // the lead has to be a flow, so that what it says of source and sink is known
	sure bool  // the lead has to be dangerous: the sentence says more than a suspicion does
	text string
}

// templates returns the sentences, the most telling first. What none of them fits is told
// in the words of the rule.
func templates() []template {
	return []template{
		{lead: rules{"exfiltration", ""}, flow: true, text: "reads {source} and sends it to {host}"},
		{lead: rules{"exfiltration", ""}, flow: true, text: "reads {source} and sends it over the network"},
		{lead: rules{"credentials", ""}, with: rules{"exfiltration", ""}, flow: true, text: "reads {source} and sends it to {host}"},
		{lead: rules{"credentials", ""}, with: rules{"exfiltration", ""}, flow: true, text: "reads {source} and sends it over the network"},
		{lead: rules{"exfiltration", ""}, sure: true, text: "sends {source} to {lead host}"},
		{lead: rules{"exfiltration", ""}, text: "{message}: {host}"},
		{lead: rules{"supply-chain", "install"}, with: rules{"download-execute", ""}, sure: true, text: "downloads code from {host} and runs it when the package is installed"},
		{lead: rules{"download-execute", ""}, with: rules{"supply-chain", "install"}, sure: true, text: "downloads code from {host} and runs it when the package is installed"},
		{lead: rules{"download-execute", ""}, with: rules{"dynamic-code", "decoded"}, sure: true, text: "decodes text and runs it, which downloads code from {decoded host} and runs that"},
		{lead: rules{"dynamic-code", "decoded"}, with: rules{"download-execute", ""}, sure: true, text: "decodes text and runs it, which downloads code from {decoded host} and runs that"},
		{lead: rules{"dynamic-code", "decoded"}, text: "{message}, and that text {decoded}"},
		{lead: rules{"obfuscation", "decode"}, text: "{message}, and that text {decoded}"},
		{lead: rules{"download-execute", "docs-"}, text: "{message}: {host}"},
		{lead: rules{"download-execute", ""}, sure: true, text: "downloads code from {host} and runs it"},
		{lead: rules{"download-execute", ""}, text: "{message}: {host}"},
		{lead: rules{"reverse-shell", ""}, text: "{message}: {host}"},
		{lead: rules{"crypto-miner", ""}, text: "{message}: {host}"},
		{lead: rules{"credentials", ""}, text: "{message}: {source}"},
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
	var slots map[string]Sentence
	for _, t := range templates() {
		if t.lead.has(lead.Rule) && (!t.flow || flows(lead)) && (!t.sure || Weight(lead) == gate.SeverityDangerous) &&
			(t.with.category == "" || slices.ContainsFunc(others, t.with.has)) {
			if slots == nil {
				slots = fill(findings, h, most)
			}
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
	slots["host"] = hosts(texts(findings, h.All()))
	slots["lead host"] = hosts([]string{lead.Evidence})
	var decoded []int
	for _, i := range h.All() {
		if f := findings[i]; isDecoded(f) && f.Severity != gate.SeverityNote && message(f, most) != "" {
			decoded = append(decoded, i)
		}
	}
	if len(decoded) > 0 {
		slots["decoded"] = Sentence{{message(findings[decoded[0]], most), Message}}
		slots["decoded host"] = hosts(texts(findings, decoded))
	}
	return slots
}

// maxTexts bounds how much of a harm is searched for hosts.
const maxTexts = 20

// texts returns the code of findings, from the sink to the source.
func texts(findings []gate.Finding, which []int) []string {
	var out []string
	for _, i := range which {
		f := findings[i]
		out = append(out, f.Evidence)
		for _, s := range slices.Backward(f.Flow) {
			out = append(out, s.Text)
		}
		if len(out) > maxTexts {
			return out[:maxTexts]
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
	case flows(f) && f.Flow[0].Path == "" && f.Flow[0].Line > 0 && f.Flow[0].Line != f.Line:
		return own("lines %d → %d", f.Flow[0].Line, f.Line)
	case f.EndLine > f.Line:
		return own("lines %d-%d", f.Line, f.EndLine)
	default:
		return own("line %d", f.Line)
	}
}
