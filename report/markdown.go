package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/story"
)

// How much of each list the Markdown report shows. It is read on a pull request,
// where the first screen counts; the json result has everything.
const (
	markdownRows     = 50 // of the table
	markdownSafeRows = 10 // beyond so many files in the table the safe ones are a count
	markdownHarms    = 10 // harms before the fold
	markdownAlso     = 12 // other rules that saw a harm
	markdownEvidence = 6  // lines of evidence, and steps of a flow
	markdownListed   = 100
	markdownPath     = 120 // columns of a path
)

// renderMarkdown writes a report for a pull request comment. Sections are in
// the order in which they may be missed: a report that is too long loses its
// end.
func renderMarkdown(w io.Writer, r gate.Result, o Options) error {
	m := &markdown{summary: summarize(r, o), opts: o}
	doc := fit([]section{
		m.head(),
		m.harms(),
		m.table(),
		m.next(),
		m.gaps(),
		m.findings(),
		m.executions(),
		m.authors(),
		m.layers(),
		m.skipped(),
	}, o.MaxBytes, m.cutNote())
	_, err := io.WriteString(w, doc)
	return err
}

// markdown builds the sections. Hostile strings go through code, tableCode or
// codeBlock, without exception; the rest is gate's own words.
type markdown struct {
	summary
	opts Options
}

// icon is a tone for readers who look for colours first.
func icon(t tone) string {
	switch t {
	case toneBad:
		return "⛔ "
	case toneWarn:
		return "⚠️ "
	case toneGap:
		return "❔ "
	case toneGood:
		return "✅ "
	default:
		return ""
	}
}

func (m *markdown) head() section {
	s := section{keep: true, open: "### " + icon(m.tone) + m.headline + "\n\n"}
	if o := m.override(code); o != "" {
		s.open += o + "\n\n"
	}
	if x := executedText(m.res, code); x != "" {
		s.open += x + "\n\n"
	}
	return s
}

func (m *markdown) table() section {
	if len(m.rows) == 0 {
		return section{}
	}
	s := section{close: "\n"}
	if m.attributed {
		s.open = "| File | AI evidence | Static | Judge | Sandbox | Verdict | Risk |\n|---|---|---|---|---|---|--:|\n"
	} else {
		s.open = "| File | Static | Judge | Sandbox | Verdict | Risk |\n|---|---|---|---|---|--:|\n"
	}
	rows, left := m.listed(markdownSafeRows)
	rest := left.sentences()
	if n := len(rows) - markdownRows; n > 0 {
		rest = append(rest, plural(n, "more file")+" not in this table")
		rows = rows[:markdownRows]
	}
	if len(rest) > 0 {
		s.close = "\n" + strings.Join(rest, ", ") + ".\n\n"
	}
	if len(rows) == 0 {
		return section{open: s.close}
	}
	for _, r := range rows {
		cells := []string{m.link(r.file, 0, tableCode(shortened(visible(r.file.Path), markdownPath)))}
		if m.attributed {
			cells = append(cells, author(r.file.Attribution))
		}
		for _, c := range r.layers {
			cells = append(cells, c.text)
		}
		cells = append(cells, icon(r.verdict.tone)+r.verdict.text, fmt.Sprint(r.file.RiskScore))
		s.items = append(s.items, "| "+strings.Join(cells, " | ")+" |\n")
	}
	return s
}

// author says who wrote a file, in a cell.
func author(a gate.Attribution) string {
	switch {
	case a.Basis == "unmarked":
		return "no mark"
	case a.Basis != "marked":
		return "unknown"
	case len(a.Agents) == 0:
		return fmt.Sprintf("marked (%.0f %%)", 100*a.Confidence)
	}
	return tableCode(gate.Clip(strings.Join(a.Agents, ", "), 60)) + fmt.Sprintf(" (%.0f %%)", 100*a.Confidence)
}

// link makes text, which is Markdown, a link to a line of a file. Text that was
// decoded or written at run time has no address.
func (m *markdown) link(f *gate.FileResult, line int, text string) string {
	if m.opts.Permalink == nil || f.Parent != "" || f.Change == gate.ChangeDeleted {
		return text
	}
	return linked(text, m.opts.Permalink(f.Path, line))
}

func (m *markdown) next() section {
	s := section{keep: true, open: "**What to do next**\n\n", close: "\n"}
	for _, step := range m.steps {
		s.items = append(s.items, "- "+step+"\n")
	}
	return s
}

// harms tells, before anything else, what decided: the dangerous harms, each in a sentence,
// or the suspicious ones where there is none.
func (m *markdown) harms() section {
	for _, s := range []gate.Severity{gate.SeverityDangerous, gate.SeveritySuspicious} {
		if told := m.harmsOf(s); len(told.items) > 0 {
			return told
		}
	}
	return section{}
}

// harmsOf tells the worst harm of every file first, so that no file hides behind another.
func (m *markdown) harmsOf(s gate.Severity) section {
	var first, further []string
	for _, r := range m.rows {
		for i, h := range r.story.Harms {
			if !r.decidesWith(h, s) {
				continue
			}
			f := r.file.Findings[h.Lead]
			item := "- " + m.where(r.file, f) + " " + story.Says(r.file.Findings, h).Shown(words, code) + "\n"
			if i == 0 {
				first = append(first, item)
			} else {
				further = append(further, item)
			}
		}
	}
	out := section{items: slices.Concat(first, further), close: "\n"}
	if more := len(out.items) - markdownHarms; more > 0 {
		out.items = out.items[:markdownHarms]
		out.close = "- and " + plural(more, "more "+s.String()+" finding") + "\n\n"
	}
	return out
}

// where names a finding's place, linked where it has an address.
func (m *markdown) where(file *gate.FileResult, f gate.Finding) string {
	at := shortened(visible(file.Path), markdownPath)
	if l := lines(f); l != "" {
		at += ":" + l
	}
	return m.link(file, f.Line, code(at))
}

func (m *markdown) gaps() section {
	s := section{open: "**Incomplete: not looked at as the policy asks**\n\n", close: "\n"}
	for i, g := range m.res.Incomplete {
		if i == markdownListed {
			s.close = "- and " + plural(len(m.res.Incomplete)-i, "more gap") + "\n\n"
			break
		}
		where := "every file"
		if g.Path != "" {
			where = code(shortened(visible(g.Path), markdownPath))
		}
		s.items = append(s.items, "- "+code(string(g.Layer))+", "+where+": "+clippedCode(g.Reason)+"\n")
	}
	return s.orNothing()
}

// cutNote says that the report is not whole, and where the whole one is.
func (m *markdown) cutNote() string {
	rest := "the json result has everything"
	if m.opts.FullReport != "" {
		text := gate.Clip(m.opts.FullReport, 200)
		if l := linked("here", m.opts.FullReport); l != "here" && len(l) < 1000 {
			rest = "the whole report is " + l
		} else {
			rest = "the whole report is in " + code(text)
		}
	}
	return "\n_This report was cut because it is too long for a comment; " + rest + "._\n"
}

// section is a part of the report that can be cut between its items.
type section struct {
	keep  bool // never cut; only for short ones of gate's own words
	open  string
	items []string
	close string
}

// whole returns the section with all that it has.
func (s section) whole() string { return s.open + strings.Join(s.items, "") + s.close }

// orNothing drops a section without items.
func (s section) orNothing() section {
	if len(s.items) == 0 {
		return section{}
	}
	return s
}

// fit joins sections to at most limit bytes; 0 is no limit. Where it cuts, it
// leaves out whole items and all that follows, except for what is to be kept,
// closes what is open, and ends with note.
func fit(sections []section, limit int, note string) string {
	room := limit - len(note)
	for _, s := range sections {
		if s.keep {
			room -= len(s.whole())
		}
	}
	if limit == 0 {
		room = math.MaxInt
	}
	var b strings.Builder
	cut := false
	for _, s := range sections {
		if s.keep {
			b.WriteString(s.whole())
			continue
		}
		least := len(s.open) + len(s.close)
		if len(s.items) > 0 {
			least += len(s.items[0])
		}
		if cut || least > room {
			cut = cut || least > 0
			continue
		}
		room -= len(s.open) + len(s.close)
		b.WriteString(s.open)
		for _, item := range s.items {
			if len(item) > room {
				cut = true
				break
			}
			room -= len(item)
			b.WriteString(item)
		}
		b.WriteString(s.close)
	}
	if cut {
		b.WriteString(note)
	}
	return b.String()
}
