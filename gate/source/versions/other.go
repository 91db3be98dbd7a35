package versions

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// What opens, divides and closes the blocks of a Makefile.
var (
	makeIf       = regexp.MustCompile(`^[ ]*(?:ifdef|ifndef|ifeq|ifneq|define)\b`)
	makeElse     = regexp.MustCompile(`^[ ]*else\b`)
	makeEnd      = regexp.MustCompile(`^[ ]*(?:endif|endef)\b`)
	makeTarget   = regexp.MustCompile(`^([^\s#:=][^#:=]*?)\s*::?(?:[^=]|$)`)
	makeSettings = regexp.MustCompile(`^\s*(?:SHELL|\.SHELLFLAGS|\.RECIPEPREFIX|\.ONESHELL|\.DEFAULT_GOAL|MAKEFLAGS)\b`)
)

// readMake reads the targets of a Makefile and its conditionals.
func readMake(o *outline) {
	target := 0
	for i := range o.starts {
		code := o.code(i)
		if makeSettings.Match(code) {
			o.blocks[0].header += "\n" + plain(code)
		}
		recipe := len(code) > 0 && (code[0] == '\t' || code[0] == '>' || code[0] == ' ')
		if m := makeTarget.FindSubmatch(code); m != nil && !recipe && !makeIf.Match(code) {
			target = o.open(0, i, i, "target "+plain(m[1]))
			continue
		}
		if recipe || len(bytes.TrimSpace(code)) == 0 {
			o.in[i] = target
		}
	}
	addMarked(o, makeIf, makeElse, makeEnd)
}

// section is the header of a section of TOML and INI.
var section = regexp.MustCompile(`^\s*\[{1,2}[^\[\]]+\]{1,2}\s*$`)

func readSections(o *outline) {
	at := 0
	for i := range o.starts {
		if code := o.code(i); section.Match(code) {
			at = o.open(0, i, i, plain(code))
		}
		o.in[i] = at
	}
}

// What opens, divides and closes blocks in languages that do it with words.
var (
	wordOpens   = regexp.MustCompile(`^\s*(?:if|unless|while|until|def|class|module|begin|case|for|function|local\s+function)\b|\bdo\s*(?:\|[^|]*\|)?\s*$|\bthen\s*$|[=(,]\s*(?:if|case|begin)\b`)
	wordDivides = regexp.MustCompile(`^\s*(?:else|elsif|elseif|when|in|rescue|ensure)\b`)
	wordCloses  = regexp.MustCompile(`^\s*end\b`)
	wordWhole   = regexp.MustCompile(`\bend\s*$`)
)

// readWords reads blocks that words open and close, as in Ruby.
func readWords(o *outline) {
	var stack []int
	for i := range o.starts {
		code := o.code(i)
		if wordCloses.Match(code) && len(stack) > 0 {
			o.blocks[stack[len(stack)-1]].last = i
			stack = stack[:len(stack)-1]
		}
		top := 0
		if n := len(stack); n > 0 {
			top = stack[n-1]
			if wordDivides.Match(code) {
				old := o.blocks[top]
				top = o.open(old.parent, i, i, short(plain(code)+"|"+old.header))
				stack[n-1] = top
			}
		}
		o.in[i] = top
		if wordOpens.Match(code) && !wordWhole.Match(code) && len(stack) < maxDepth {
			stack = append(stack, o.open(top, i, i, plain(code)))
		}
	}
}

// Elements of HTML in which text is read as something else, or not at all, and what
// begins and ends code in Markdown.
var (
	element  = regexp.MustCompile(`(?i)<(/?)(script|style|textarea|template|noscript|title|iframe|xmp|pre|code|svg|object)\b([^>]*)>`)
	fence    = regexp.MustCompile("^[ >\t]*(`{3,}|~{3,})(.*)$")
	fromLine = regexp.MustCompile(`(?i)^\s*FROM\s`)
	shellIs  = regexp.MustCompile(`(?i)^\s*SHELL\s`)
)

// readMarkup reads elements of HTML, fences of Markdown, and the shell of a Dockerfile.
func readMarkup(o *outline) {
	switch o.language {
	case gate.LanguageDockerfile:
		at := 0
		for i := range o.starts {
			switch code := o.code(i); {
			case fromLine.Match(code):
				at = 0
			case shellIs.Match(code):
				at = o.open(0, i, i, plain(code))
			}
			o.in[i] = at
		}
		return
	case gate.LanguageMarkdown, gate.LanguageLiterate:
		at, mark := 0, ""
		for i := range o.starts {
			o.in[i] = at
			m := fence.FindSubmatch(o.code(i))
			switch {
			case m == nil:
			case at > 0 && strings.HasPrefix(string(m[1]), mark) && len(bytes.TrimSpace(m[2])) == 0:
				at = 0
			case at == 0:
				at, mark = o.open(0, i, i, plain(m[0])), string(m[1])
			}
		}
	}
	addElements(o)
}

// addElements adds the elements that a line is in.
func addElements(o *outline) {
	inner := newNester(o)
	var names, tags []string
	for i := range o.starts {
		if len(tags) > 0 {
			inner(i, tags)
		}
		for _, m := range element.FindAllSubmatch(o.code(i), -1) {
			name := strings.ToLower(string(m[2]))
			if len(m[1]) == 0 {
				if len(tags) < maxDepth {
					names, tags = append(names, name), append(tags, short(plain(m[0])))
				}
				continue
			}
			for n, open := range slices.Backward(names) {
				if open == name {
					names, tags = names[:n], tags[:n]
					break
				}
			}
		}
	}
}
