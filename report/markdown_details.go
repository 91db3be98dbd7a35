package report

import (
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/story"
)

// fold returns a section that a reader has to open. GitHub ends the HTML at the
// empty line, so what is inside is Markdown again; the title is gate's own
// words.
func fold(title string) section {
	return section{open: "<details><summary>" + title + "</summary>\n\n", close: "\n</details>\n\n"}
}

// findings lists every finding but the notes, a file after the other.
func (m *markdown) findings() section {
	var items []string
	n := 0
	for _, r := range m.rows {
		first := true
		for _, h := range r.listed() {
			n++
			item := m.harm(r, h)
			if first {
				first = false
				item = m.fileHead(r) + item
			}
			items = append(items, item)
		}
	}
	if m.notes > 0 {
		items = append(items, "\n"+plural(m.notes, "note")+" not listed.\n")
	}
	if len(items) == 0 {
		return section{}
	}
	s := fold(plural(n, "finding") + ", " + plural(m.notes, "note"))
	s.items = items
	return s
}

func (m *markdown) fileHead(r row) string {
	s := "\n**" + icon(r.verdict.tone) + r.verdict.text + "** " + code(r.file.Path) + "\n\n"
	if r.file.Parent != "" {
		s += "Text that came out of " + code(r.file.Parent) + ".\n\n"
	}
	if j := r.file.Judge; j != nil && j.Reason != "" {
		s += "Judge " + code(j.Model) + " says " + j.Verdict.String() + cachedWord(j.Cached) + ": " + clippedCode(j.Reason) + "\n\n"
	}
	return s
}

// harm shows the finding that leads and names the others.
func (m *markdown) harm(r row, h story.Harm) string {
	s := m.finding(r.file, r.file.Findings[h.Lead], story.Says(r.file.Findings, h).Shown(words, code))
	if also := firstOf(r.also(h, code), markdownAlso); len(also) > 0 {
		s += "  - also: " + strings.Join(also, ", ") + "\n"
	}
	return s
}

// finding shows one finding; says is Markdown.
func (m *markdown) finding(file *gate.FileResult, f gate.Finding, says string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- %s **%s** %s (%s)", m.where(file, f), f.Severity, code(f.Rule), code(string(f.Layer)))
	indented := func(s string) { b.WriteString("\n  - " + s) }
	indented(says)
	shown, more := visibleLines(f.Evidence, markdownEvidence)
	for _, l := range shown {
		indented("seen: " + code(l))
	}
	if more > 0 {
		indented("and " + plural(more, "more line"))
	}
	for i, step := range f.Flow {
		if i == markdownEvidence {
			indented("and " + plural(len(f.Flow)-i, "more step"))
			break
		}
		if step.Path != "" {
			indented(fmt.Sprintf("flows through line %d of %s: %s", step.Line, clippedCode(step.Path), clippedCode(step.Text)))
			continue
		}
		indented("flows through " + m.link(file, step.Line, fmt.Sprintf("line %d", step.Line)) + ": " + clippedCode(step.Text))
	}
	for _, r := range remarks(f) {
		indented(r.shown(clippedCode))
	}
	if s := m.instead(f); s != "" {
		indented("instead: " + words(s))
	}
	b.WriteString("\n")
	return b.String()
}

// executions shows what ran and the beginning of what it printed.
func (m *markdown) executions() section {
	s := fold("What ran in the container (" + plural(len(m.runs), "run") + ")")
	for _, r := range m.runs {
		s.items = append(s.items, m.execution(r))
	}
	return s.orNothing()
}

func (m *markdown) execution(r ran) string {
	e := r.exec
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** %s\n\n", executionCell(e).text, code(fileList(r.files)))
	if e.Reason != "" {
		b.WriteString(clippedCode(e.Reason) + "\n\n")
	}
	for _, u := range e.Units {
		fmt.Fprintf(&b, "%s: %s, %s, %s%s", code(u.Kind), clippedCode(strings.Join(u.Command, " ")), unitCell(u).text, milliseconds(u.DurationMS), cachedWord(u.Cached))
		if u.Reason != "" {
			b.WriteString(": " + clippedCode(u.Reason))
		}
		b.WriteString("\n\n")
		b.WriteString(markdownOutput("standard output", u.Stdout))
		b.WriteString(markdownOutput("standard error", u.Stderr))
	}
	did, caches := withoutCaches(e.Behaviour)
	for i, one := range did {
		if i == textBehaviour {
			fmt.Fprintf(&b, "- and %s\n", plural(len(did)-i, "more thing"))
			break
		}
		b.WriteString("- did " + code(behaviour(one)) + "\n")
	}
	if caches != "" {
		b.WriteString("- and " + caches + "\n")
	}
	for _, c := range r.coverage(clippedCode) {
		b.WriteString("- " + c + "\n")
	}
	if len(e.StandIns) > 0 {
		b.WriteString("- stand-ins for what was missing: " + clippedCode(strings.Join(e.StandIns, ", ")) + "\n")
	}
	if where := environment(e); where != "" {
		b.WriteString("\n" + code(where) + "\n")
	}
	b.WriteString("\n")
	return b.String()
}

func markdownOutput(name string, o gate.Output) string {
	shown, more := visibleLines(o.Text, textOutputLines)
	if len(shown) == 0 {
		return ""
	}
	s := name + ":\n\n" + codeBlock(shown)
	if rest := outputRest(more, o); rest != "" {
		s += "\n" + rest + "\n"
	}
	return s + "\n"
}

// authors shows the evidence behind the table's column.
func (m *markdown) authors() section {
	s := fold("Who wrote it")
	for _, r := range m.rows {
		for i, e := range r.file.Attribution.Evidence {
			if i == markdownEvidence {
				break
			}
			s.items = append(s.items, "- "+code(shortened(visible(r.file.Path), markdownPath))+": "+code(e.Source)+" says "+code(gate.Clip(e.Text, 200))+"\n")
		}
	}
	return s.orNothing()
}

func (m *markdown) layers() section {
	s := fold("How it was reviewed")
	for _, l := range m.res.Layers {
		item := "- " + code(string(l.Name)+" "+string(l.Status))
		if l.Reason != "" {
			item += ": " + clippedCode(l.Reason)
		} else {
			item += ", " + milliseconds(l.DurationMS)
		}
		s.items = append(s.items, item+"\n")
	}
	s.items = append(s.items, "- by "+code(m.res.Tool.Name+" "+m.res.Tool.Version)+"\n")
	return s
}

func (m *markdown) skipped() section {
	s := fold("Skipped on purpose (" + plural(len(m.res.Skipped), "file") + ")")
	for i, skip := range m.res.Skipped {
		if i == markdownListed {
			s.items = append(s.items, "- and "+plural(len(m.res.Skipped)-i, "more file")+"\n")
			break
		}
		s.items = append(s.items, "- "+code(shortened(visible(skip.Path), markdownPath))+": "+clippedCode(skip.Reason)+"\n")
	}
	return s.orNothing()
}
