package active

import (
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var (
	never      = regexp.MustCompile(`^\s*(?:if|elif|while)\s*\(?\s*(?:False|0|None|""|''|\[\]|not\s+True|not\s+1)\s*\)?\s*:`)
	neverBrace = regexp.MustCompile(`^\s*(?:\}\s*else\s+)?(?:if|while)\s*\(?\s*(?:false|0|null|!1|!true)\s*\)?\s*\{`)
	neverShell = regexp.MustCompile(`^\s*(?:if|while)\s+(?:false|:\s*&&\s*false|!\s*true|\[\s*(?:1\s*-?=+\s*|"1"\s*==?\s*)"?0"?\s*\]|test\s+1\s+-eq\s+0)\s*(?:;|$)`)
	shellEnd   = regexp.MustCompile(`^\s*(?:fi|done|else|elif)\b`)
	ifZero     = regexp.MustCompile(`^\s*#\s*if\s+(?:0|false|FALSE)\b`)
	ifAny      = regexp.MustCompile(`^\s*#\s*if`)
	elseAny    = regexp.MustCompile(`^\s*#\s*(?:else|elif)`)
	// goNever matches a build constraint that no build of a package fulfils.
	goNever = regexp.MustCompile(`^//go:build\s+(?:\w+\s*&&\s*)*(?:ignore|ignored|never|none|disabled|off|skip|nope|todo|broken|exclude)\s*$|^// \+build\s+(?:ignore|never|none|disabled|off|skip)\s*$`)
	endIf   = regexp.MustCompile(`^\s*#\s*endif`)
)

// maxVisits is how many lines the searches for the ends of blocks may look at in one text.
// What is not found by then is not off.
const maxVisits = 200_000

// blocks are the lines of a text and how many of them may still be visited.
type blocks struct {
	lines []string
	left  int
}

// until is the index behind the last line of a block that begins at a line, as far as may be visited.
func (b *blocks) until(at int) int {
	return min(len(b.lines), at+maxBlock, at+1+max(0, b.left))
}

// codeOff finds blocks of code under a condition that is written so that it never holds.
func codeOff(language gate.Language, lines []string) []bool {
	off := make([]bool, len(lines))
	mark := func(from, to int) {
		for i := from; i < to && i < len(lines); i++ {
			off[i] = true
		}
	}
	if language == gate.LanguageGo && neverBuilt(lines) {
		mark(0, len(lines))
		return off
	}
	b := &blocks{lines, maxVisits}
	found := 0
	for i, line := range lines {
		if !strings.ContainsAny(line, "iw") { // if, while, elif
			continue
		}
		switch {
		case language == gate.LanguagePython && never.MatchString(line):
			mark(i+1, b.indentedEnd(i, indented(line)))
			found++
		case language == gate.LanguageShell && neverShell.MatchString(line):
			mark(i+1, b.closing(i, indented(line), shellEnd))
			found++
		case ifZero.MatchString(line) && (language == gate.LanguageC || language == gate.LanguageCSharp || language == gate.LanguageSwift):
			mark(i+1, b.endOfIf(i))
			found++
		case neverBrace.MatchString(line):
			mark(i+1, b.indentedEnd(i, indented(line)))
			found++
		}
		if found > maxNames || b.left <= 0 {
			break
		}
	}
	return off
}

// closing is the index of the next line at a depth that ends a block.
func (b *blocks) closing(at, depth int, end *regexp.Regexp) int {
	for i := at + 1; i < b.until(at); i++ {
		if in := indented(b.lines[i]); in >= 0 && in <= depth && end.MatchString(b.lines[i]) {
			b.left -= i - at
			return i
		}
	}
	b.left -= b.until(at) - at
	return at + 1 // one that never ends hides nothing
}

// endOfIf is the index of the line that ends what #if 0 leaves out.
func (b *blocks) endOfIf(at int) int {
	depth := 0
	for i := at + 1; i < b.until(at); i++ {
		line := b.lines[i]
		if !strings.Contains(line, "#") {
			continue
		}
		switch {
		case endIf.MatchString(line) && depth == 0, elseAny.MatchString(line) && depth == 0:
			b.left -= i - at
			return i
		case endIf.MatchString(line):
			depth--
		case ifAny.MatchString(line):
			depth++
		}
	}
	b.left -= b.until(at) - at
	return at + 1
}

// indentedEnd is the index behind the block that is indented deeper than a line.
func (b *blocks) indentedEnd(at, depth int) int {
	if b.left <= 0 {
		return at + 1
	}
	end := blockEnd(b.lines, at, depth, false)
	b.left -= end - at
	return end
}

// neverBuilt reports whether a file of Go keeps itself out of its package. Constraints are in
// front of the package clause.
func neverBuilt(lines []string) bool {
	for _, line := range lines[:min(len(lines), maxBlock)] {
		if strings.HasPrefix(line, "package ") {
			return false
		}
		if goNever.MatchString(line) {
			return true
		}
	}
	return false
}
