package versions

import (
	"bytes"
	"fmt"
	"slices"
	"sort"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/linediff"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// ender is what ends the control flow, in any language: a word that means nothing
// in one is no worse for it. Those of shellEnder are common words elsewhere.
var (
	ender      = regexp.MustCompile(`(?:^|[^\w.$-])((?:sys\.|os\.|process\.|log\.|System\.)?(?:exit!?|_exit|Exit|return|raise|throw|die|abort|quit!?|goto|panic!?|break|continue|Fatal\w*|unreachable!?|__END__|__DATA__|__halt_compiler))(?:\W|$)`)
	shellEnder = regexp.MustCompile(`(?:^|[^\w.$-])(exit|return|break|continue|exec|kill|false|set[ \t]+(?:-o[ \t]+noexec|-[a-zA-Z]*n[a-zA-Z]*))\b`)
)

// maxEnders is how many of them one line can have.
const maxEnders = 8

// ending is a place that ends the control flow, and how far that reaches.
type ending struct {
	line int    // of the file, from 0 on
	text string // with the condition in front of it, without what is returned
	last int    // of the file: the last line that it keeps from being reached
	// condition is set where something is in front of it in its statement.
	condition bool
}

// endingsOf returns the places of an outline that end the control flow, on the lines of
// the file that are asked for.
func endingsOf(o *outline, asked func(line int) bool) []ending {
	var out []ending
	words := ender
	switch o.language {
	case gate.LanguageShell:
		words = shellEnder
	case gate.LanguageYAML, gate.LanguageWorkflow, gate.LanguageDockerfile, gate.LanguageMakefile:
		return nil // the code in it is an outline of its own
	default:
		if !defines(o.language) {
			return nil
		}
	}
	for i := range o.starts {
		if !asked(o.file(i)) {
			continue
		}
		code := o.code(i)
		for _, m := range words.FindAllSubmatchIndex(code, maxEnders) {
			if o.split.At(o.starts[i]+m[2]) != lex.Code {
				continue
			}
			from := 1 + bytes.LastIndexAny(code[:m[2]], ";{}")
			word := string(code[m[2]:m[3]])
			if m[3] < len(code) && code[m[3]] == '\r' {
				word += "\r" // to a shell, another word
			}
			b := o.in[i]
			out = append(out, ending{
				line: o.file(i), last: reachOf(o, b, word), condition: len(bytes.TrimSpace(code[from:m[2]])) > 0,
				text: fmt.Sprintf("%s %s %x", plain(code[from:m[2]]), word, o.around[b]),
			})
		}
	}
	return out
}

// reachOf is the last line, of the file, that the end of the control flow in a block
// keeps from being reached: of the loop, of the function, or of the text.
func reachOf(o *outline, at int, word string) int {
	loop := word == "break" || word == "continue"
	for at > 0 && !o.blocks[at].function && !(word == "return" && isCallback(o, at)) && !(loop && o.blocks[at].loop) {
		at = o.blocks[at].parent
	}
	return o.file(min(o.blocks[at].last, len(o.starts)-1))
}

// callback is how the header of a function without a name ends, in JavaScript and Go.
var callback = regexp.MustCompile(`(?:=>|\bfunc(?:tion)?\b\s*\*?\s*\([^{}]*)\s*$`)

// isCallback reports whether a block is the body of a function without a name. In Rust
// and Scala an arm of a match ends with an arrow as well, and what returns there returns
// from the function around it.
func isCallback(o *outline, at int) bool {
	switch o.language {
	case gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo:
		return callback.MatchString(o.blocks[at].header)
	}
	return false
}

// endings marks the lines behind an end of the control flow that is gone: they are
// reached now.
func (c *Comparison) endings(then, now *reading, hunks []linediff.Hunk) {
	after := slices.Repeat([]int{-1}, c.older) // where each line of the older text is now
	for i, at := range c.before {
		if at >= 0 {
			after[at] = i
		}
	}
	have := map[string]int{} // on the edited lines of the newer text
	for _, o := range now.outlines {
		edited := func(line int) bool { return line < len(c.before) && c.before[line] < 0 }
		for _, e := range endingsOf(o, edited) {
			if edited(e.line) {
				have[fmt.Sprint(inNewer(hunks, e.line), e.text)]++
			}
		}
	}
	reached := make([]int, c.older+1) // how much more than the line before
	for _, o := range then.outlines {
		gone := func(line int) bool { // or in another context
			return line < c.older && (after[line] < 0 || c.gated[after[line]] || c.flipped[after[line]])
		}
		for _, e := range endingsOf(o, gone) {
			if e.line >= c.older || e.last <= e.line {
				continue
			}
			if at := after[e.line]; at >= 0 {
				if !c.gated[at] && !(e.condition && c.flipped[at]) {
					continue
				}
			} else if k := fmt.Sprint(inOlder(hunks, e.line), e.text); have[k] > 0 {
				have[k]--
				continue
			}
			reached[e.line+1]++
			reached[min(e.last, c.older-1)+1]--
		}
	}
	for i := range c.older {
		reached[i+1] += reached[i]
	}
	for i, at := range c.before {
		if at >= 0 && reached[at] > 0 {
			c.flipped[i] = true
		}
	}
}

// gates marks the lines in blocks whose conditions use a name that stands for
// something else now.
func (c *Comparison) gates(now *reading) {
	for _, o := range now.outlines {
		for i, b := range o.blocks {
			if i == 0 || b.function || b.header == "" {
				continue
			}
			decided := false
			for l := b.head; l <= b.first; l++ {
				at := o.file(l)
				decided = decided || at < len(c.flipped) && c.flipped[at] && !c.gated[at] && (l < b.first || b.head == b.first)
			}
			for l := b.first; decided && l <= min(b.last, len(o.starts)-1); l++ {
				if at := o.file(l); at < len(c.flipped) {
					c.flipped[at], c.gated[at] = true, true
				}
			}
		}
	}
}

// inNewer is the number of the hunk that an edited line of the newer text is in.
func inNewer(hunks []linediff.Hunk, line int) int {
	return sort.Search(len(hunks), func(i int) bool { return hunks[i].New.End > line })
}

// inOlder is the same for the older text.
func inOlder(hunks []linediff.Hunk, line int) int {
	return sort.Search(len(hunks), func(i int) bool { return hunks[i].Old.End > line })
}
