package main

import "strings"

// lineDisguises are about line ends, blanks and padding.
func lineDisguises() []disguise {
	return []disguise{
		{name: "crlf", about: "lines end with CR and LF", apply: textually(func(p *program, s syntax) bool {
			p.put(strings.ReplaceAll(p.text, "\n", s.crlf+"\r\n"))
			return s.crlfOK && s.keep == 0
		})},
		{name: "cr", about: "lines end with CR alone, and the first is a comment", apply: endedBy("\r", func(s syntax) bool { return s.cr }), odd: "line ends that no one uses"},
		{name: "separator", about: "lines end with U+2028, and the first is a comment", apply: endedBy("\u2028", func(s syntax) bool { return s.separator }), odd: "line ends that no one uses"},
		{name: "form-feed", about: "a form feed in front of every line", apply: textually(func(p *program, s syntax) bool {
			head, rest := p.split()
			p.put(head + "\f" + strings.ReplaceAll(strings.TrimSuffix(rest, "\n"), "\n", "\n\f") + "\n")
			return s.feed
		})},
		{name: "long-line", heavy: true, about: "200 KiB of blanks in front of every statement, on its line", apply: textually(func(p *program, s syntax) bool {
			return s.lead && p.indent(200<<10)
		}), odd: "a line of 200 KiB"},
		{name: "far-right", about: "400 blanks in front of every statement", apply: textually(func(p *program, s syntax) bool {
			return s.lead && p.indent(400)
		}), odd: "code that an editor does not show"},
		{name: "trailing-blanks", about: "300 blanks behind every line", apply: textually(func(p *program, s syntax) bool {
			p.put(strings.ReplaceAll(p.text, "\n", strings.Repeat(" ", 300)+"\n"))
			return s.tail
		})},
		{name: "pad-200k", heavy: true, about: "200 KiB of comments or blank lines above the code", odd: "a text above the size limit is not read in full", apply: pad(200 << 10)},
		{name: "pad-5m", about: "5 MiB of comments or blank lines above the code", heavy: true, apply: func(p *program) bool {
			return p.carrier.reference && pad(5<<20)(p)
		}, odd: "a text above the size limit is not read in full"},
		{name: "pad-one-line", heavy: true, about: "one comment of 300 KiB above the code", apply: textually(func(p *program, s syntax) bool {
			line, ok := s.commentLine(strings.Repeat("note ", 60<<10))
			if ok {
				p.top(line)
			}
			return ok
		}), odd: "a line of 300 KiB"},
		{name: "prose", about: "thirty sentences in a comment above the code", apply: textually(prose)},
		{name: "blank-lines", heavy: true, about: "20,000 blank lines above the code", apply: textually(func(p *program, s syntax) bool {
			p.top(strings.Repeat("\n", 20000))
			return s.comment != "" || s.blank != ""
		})},
	}
}

// endedBy replaces all line ends, below a comment that ends where they do only for the
// reader of the carrier.
func endedBy(end string, ok func(syntax) bool) func(*program) bool {
	return textually(func(p *program, s syntax) bool {
		line, has := s.commentLine("Tools of the build.")
		if !ok(s) || s.keep > 0 || !has {
			return false
		}
		p.put(strings.ReplaceAll(line+p.text, "\n", end))
		return true
	})
}

// indent puts n blanks in front of every line behind those that have to stay first.
func (p *program) indent(n int) bool {
	head, rest := p.split()
	blanks := strings.Repeat(" ", n)
	p.put(head + blanks + strings.ReplaceAll(strings.TrimSuffix(rest, "\n"), "\n", "\n"+blanks) + "\n")
	return true
}

// pad puts about n bytes above the code.
func pad(n int) func(*program) bool {
	return textually(func(p *program, s syntax) bool {
		line, ok := s.commentLine("The tools of the build are described in the handbook.")
		if !ok && s.blank != "" {
			line, ok = strings.Repeat(s.blank, 60)+"\n", true
		}
		if ok {
			p.top(strings.Repeat(line, n/len(line)))
		}
		return ok
	})
}

// prose puts sentences above the code: in a block where there is one, whose lines do not
// begin like comments.
func prose(p *program, s syntax) bool {
	const sentences = "The tools of the build are described in the handbook of the project.\nAsk the team when something of it is not clear to you.\n"
	if b := s.block; b.open != "" {
		p.top(b.open + "\n" + strings.Repeat(sentences, 15) + b.close + "\n")
		return true
	}
	var text strings.Builder
	for line := range strings.Lines(sentences) {
		line, ok := s.commentLine(strings.TrimSuffix(line, "\n"))
		if !ok {
			return false
		}
		text.WriteString(line)
	}
	p.top(strings.Repeat(text.String(), 15))
	return true
}
