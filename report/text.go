package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/story"
)

// What text folds unless it is verbose. A reader has ten seconds.
const (
	textSafeRows    = 20 // beyond so many files in the table the safe ones are a count
	textRows        = 40 // of the table; all of them have their findings listed below
	textListed      = 20 // entries of the skipped list
	textOutputLines = 10 // of each stream of a run
	textEvidence    = 6  // lines of evidence, and steps of a flow
	textFiles       = 5  // files named for one run
	textBehaviour   = 15 // things that a run did
	textAlso        = 8  // other rules that saw a harm
)

// longReport is the number of lines beyond which the verdict is repeated at
// the end, where the eye is when a terminal has stopped scrolling.
const longReport = 40

// renderText writes a report for a terminal: one line of verdict, a table, what
// to do, then the details.
func renderText(w io.Writer, r gate.Result, o Options) error {
	t := &text{summary: summarize(r, o), opts: o, sgr: sgr{o.Color}}
	t.line("%s", t.headlineText())
	if s := t.override(visible); s != "" {
		t.paragraph("", "", s)
	}
	if s := executedText(t.res, visible); s != "" {
		t.paragraph("", "", s)
	}
	t.table()
	t.next()
	t.findings()
	t.executions()
	t.layers()
	t.gaps()
	t.skipped()
	if strings.Count(t.out.String(), "\n") > longReport {
		t.line("")
		t.line("%s", t.headlineText())
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

// text is a text report under construction. Hostile strings go through visible
// before they get here; sgr is the only source of control characters.
type text struct {
	summary
	opts Options
	sgr  sgr
	out  strings.Builder
}

func (t *text) line(format string, args ...any) { fmt.Fprintf(&t.out, format+"\n", args...) }

func (t *text) section(title string) {
	t.line("")
	t.line("%s", t.sgr.bold(title))
}

// paragraph writes s wrapped to the width, with a hanging indent.
func (t *text) paragraph(first, rest, s string) {
	t.painted(first, rest, s, func(line string) string { return line })
}

// painted is paragraph in colour. It paints the finished lines, because a colour
// sequence inside of what is wrapped could be torn apart.
func (t *text) painted(first, rest, s string, paint func(string) string) {
	for i, l := range wrapped(s, max(t.opts.Width-max(columns(first), columns(rest)), 20)) {
		indent := rest
		if i == 0 {
			indent = first
		}
		t.line("%s%s", indent, paint(l))
	}
}

func (t *text) headlineText() string {
	word, rest, found := strings.Cut(t.headline, ":")
	if !found {
		return t.sgr.tone(t.tone, t.headline)
	}
	return t.sgr.tone(t.tone, word+":") + t.sgr.bold(rest)
}

func (t *text) next() {
	t.section("What to do next")
	for _, s := range t.steps {
		t.paragraph("  - ", "    ", strings.ReplaceAll(s, "`", ""))
	}
}

func (t *text) findings() {
	for _, row := range t.rows {
		t.findingsOf(row)
	}
	if t.notes > 0 && !t.opts.Verbose {
		t.line("")
		t.line("%s", t.sgr.dim(plural(t.notes, "note")+" not listed (--verbose lists them)"))
	}
}

func (t *text) findingsOf(row row) {
	f, title := row.file, false
	if t.opts.Verbose && len(f.Read)+len(f.Unread) > 0 {
		title = true
		t.title(row)
		t.paragraph("  read as ", "          ", readings(f))
	}
	harms := row.listed()
	if t.opts.Verbose {
		harms = row.story.Harms
	}
	for _, h := range harms {
		if !title {
			title = true
			t.title(row)
		}
		t.harm(row, h)
	}
	if j := f.Judge; j != nil && j.Reason != "" && (title || t.opts.Verbose) {
		says := "  judge: "
		if j.Cached {
			says = "  judge (cached): "
		}
		t.paragraph(says, strings.Repeat(" ", len(says)), visible(gate.Clip(j.Reason, gate.MaxEvidence)))
	}
}

// title heads what is said about a file.
func (t *text) title(row row) {
	t.line("")
	t.line("%s  %s", t.sgr.bold(visible(row.file.Path)), t.sgr.tone(row.verdict.tone, row.verdict.text))
	if row.file.Parent != "" {
		t.line("  text that came out of %s", visible(row.file.Parent)+how(row.file))
	}
}

// harm writes the finding that leads and names the others; all of them where everything
// is asked for.
func (t *text) harm(row row, h story.Harm) {
	lead := row.file.Findings[h.Lead]
	says := story.Says(row.file.Findings, h).Shown(visible, visible)
	if rule := visible(strings.TrimRight(lead.Message, ". ")); t.opts.Verbose && !strings.Contains(strings.ToLower(says), strings.ToLower(rule)) {
		says += ". In the words of the rule: " + rule
	}
	t.finding(lead, "", says)
	if t.opts.Verbose {
		for _, i := range h.Also {
			t.finding(row.file.Findings[i], "also ", visible(row.file.Findings[i].Message))
		}
		return
	}
	if also := firstOf(row.also(h, visible), textAlso); len(also) > 0 {
		t.painted(textIndent+"also: ", textIndent+"      ", strings.Join(also, ", "), t.sgr.dim)
	}
}

// textIndent is where what is said about a finding begins.
const textIndent = "           "

// finding writes one finding: says is what it does, and role is in front of its severity.
func (t *text) finding(f gate.Finding, role, says string) {
	where := lines(f)
	if where == "" {
		where = "file"
	}
	t.line("  %7s  %s  %s  %s", where, t.sgr.tone(findingTone(f), role+f.Severity.String()),
		visible(f.Rule), t.sgr.dim("["+visible(string(f.Layer))+"]"))
	const indent = textIndent
	if says != "" {
		t.paragraph(indent, indent, says)
	}
	shown, more := visibleLines(f.Evidence, textEvidence)
	for _, l := range shown {
		t.paragraph(indent+"| ", indent+"|   ", l)
	}
	t.more(indent, more, "line")
	for i, step := range f.Flow {
		if i == textEvidence {
			t.more(indent, len(f.Flow)-i, "step")
			break
		}
		t.paragraph(indent+"-> ", indent+"   ", stepPlace(step)+": "+visibleCode(step.Text))
	}
	for _, r := range remarks(f) {
		t.paragraph(indent, indent+"  ", r.shown(visible))
	}
	if s := t.instead(f); s != "" {
		t.paragraph(indent+"instead: ", indent+"         ", visible(s))
	}
}

// stepPlace says where a step of a flow is, as "line 3", or "line 3 of a.py" for another file.
func stepPlace(s gate.Step) string {
	at := fmt.Sprintf("line %d", s.Line)
	if s.Path != "" {
		at += " of " + visible(s.Path)
	}
	return at
}

func (t *text) more(indent string, n int, what string) {
	if n > 0 {
		t.line("%s%s", indent, t.sgr.dim("... "+plural(n, "more "+what)))
	}
}

func (t *text) layers() {
	t.section("Layers")
	for _, l := range t.res.Layers {
		s := string(l.Status)
		if l.Reason != "" {
			s += ": " + l.Reason
		} else {
			s += ", " + milliseconds(l.DurationMS)
		}
		t.paragraph(fmt.Sprintf("  %-8s ", visible(string(l.Name))), "           ", visible(s))
	}
}

func (t *text) gaps() {
	if len(t.res.Incomplete) == 0 {
		return
	}
	t.section("Incomplete: not looked at as the policy asks")
	for _, g := range t.res.Incomplete {
		where := "every file"
		if g.Path != "" {
			where = visible(g.Path)
		}
		t.paragraph(fmt.Sprintf("  %-8s ", visible(string(g.Layer))), "           ", where+": "+visible(g.Reason))
	}
}

func (t *text) skipped() {
	if len(t.res.Skipped) == 0 {
		return
	}
	t.section("Skipped on purpose")
	for i, s := range t.res.Skipped {
		if i == textListed && !t.opts.Verbose {
			t.line("  %s", t.sgr.dim("... "+plural(len(t.res.Skipped)-i, "more file")+" (--verbose lists them)"))
			break
		}
		t.paragraph("  ", "    ", visible(s.Path)+": "+visible(s.Reason))
	}
}

// sgr gives text its colours, or leaves it as it is.
type sgr struct{ on bool }

func (s sgr) paint(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s sgr) bold(text string) string { return s.paint("1", text) }
func (s sgr) dim(text string) string  { return s.paint("2", text) }

// tone uses the sixteen colours that every terminal has, in the reader's own
// palette.
func (s sgr) tone(t tone, text string) string {
	switch t {
	case toneBad:
		return s.paint("1;31", text)
	case toneWarn:
		return s.paint("33", text)
	case toneGap:
		return s.paint("35", text)
	case toneGood:
		return s.paint("32", text)
	case toneNote:
		return s.paint("36", text)
	default:
		return text
	}
}

// milliseconds writes a duration as people say it.
func milliseconds(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// how is the way on which a file came out of its parent, in brackets.
func how(f *gate.FileResult) string {
	if f.Origin == "" {
		return ""
	}
	return " (" + visible(f.Origin) + ")"
}
