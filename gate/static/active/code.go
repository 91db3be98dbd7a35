package active

import (
	"regexp"
	"strings"

	"github.com/aigate/gate/gate"
)

var (
	never      = regexp.MustCompile(`^\s*(?:if|elif|while)\s*\(?\s*(?:False|0|None|""|''|\[\]|not\s+True|not\s+1)\s*\)?\s*:`)
	neverBrace = regexp.MustCompile(`^\s*(?:\}\s*else\s+)?(?:if|while)\s*\(?\s*(?:false|0|null|!1|!true)\s*\)?\s*\{`)
	neverShell = regexp.MustCompile(`^\s*(?:if|while)\s+(?:false|:\s*&&\s*false|!\s*true|\[\s*(?:1\s*-?=+\s*|"1"\s*==?\s*)"?0"?\s*\]|test\s+1\s+-eq\s+0)\s*(?:;|$)`)
	shellEnd   = regexp.MustCompile(`^\s*(?:fi|done|else|elif)\b`)
	ifZero     = regexp.MustCompile(`^\s*#\s*if\s+(?:0|false|FALSE)\b`)
	ifAny      = regexp.MustCompile(`^\s*#\s*if`)
	elseAny    = regexp.MustCompile(`^\s*#\s*(?:else|elif)`)
	endIf      = regexp.MustCompile(`^\s*#\s*endif`)
)

// codeOff finds blocks of code under a condition that is written so that it never holds.
func codeOff(language gate.Language, lines []string) []bool {
	off := make([]bool, len(lines))
	mark := func(from, to int) {
		for i := from; i < to && i < len(lines); i++ {
			off[i] = true
		}
	}
	blocks := 0
	for i, line := range lines {
		if !strings.ContainsAny(line, "iw") { // if, while, elif
			continue
		}
		switch {
		case language == gate.LanguagePython && never.MatchString(line):
			mark(i+1, blockEnd(lines, i, indented(line), false))
			blocks++
		case language == gate.LanguageShell && neverShell.MatchString(line):
			mark(i+1, closing(lines, i, indented(line), shellEnd))
			blocks++
		case ifZero.MatchString(line) && (language == gate.LanguageC || language == gate.LanguageCSharp || language == gate.LanguageSwift):
			mark(i+1, endOfIf(lines, i))
			blocks++
		case neverBrace.MatchString(line):
			mark(i+1, blockEnd(lines, i, indented(line), false))
			blocks++
		}
		if blocks > maxNames {
			break
		}
	}
	return off
}

// closing is the index of the next line at a depth that ends a block.
func closing(lines []string, at, depth int, end *regexp.Regexp) int {
	for i := at + 1; i < min(len(lines), at+maxBlock); i++ {
		if in := indented(lines[i]); in >= 0 && in <= depth && end.MatchString(lines[i]) {
			return i
		}
	}
	return at + 1 // one that never ends hides nothing
}

// endOfIf is the index of the line that ends what #if 0 leaves out.
func endOfIf(lines []string, at int) int {
	depth := 0
	for i := at + 1; i < min(len(lines), at+maxBlock); i++ {
		if !strings.Contains(lines[i], "#") {
			continue
		}
		switch {
		case endIf.MatchString(lines[i]) && depth == 0, elseAny.MatchString(lines[i]) && depth == 0:
			return i
		case endIf.MatchString(lines[i]):
			depth--
		case ifAny.MatchString(lines[i]):
			depth++
		}
	}
	return at + 1
}
