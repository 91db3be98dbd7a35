package versions

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// enclosure is one open brace.
type enclosure struct {
	block int
	from  int    // where the statement begins that comes next in it
	chain string // the headers that an else behind them depends on
	label int    // the block of the case label that we are behind, 0 for none
	said  []string
}

// caseLabel is a label of a switch, which heads what follows it.
var caseLabel = regexp.MustCompile(`^\s*(?:case\b.*|default\s*):`)

// tail is what behind a closing brace has to do with what was in it.
var tail = regexp.MustCompile(`^\s*(?:[)\]]*\s*[|(<>&.].*|while\b.*)`)

// fields are the members of a JSON object that decide what the others are.
var fields = regexp.MustCompile(`"(?:cell_type|type|language|shell|if|when|condition|enabled|disabled|runOn|interpreter|kind)"\s*:\s*(?:"[^"]*"|[\w.+-]+)`)

// readBraces reads blocks by braces, and in JSON by brackets too.
func readBraces(o *outline) {
	json := o.language == gate.LanguageJSON || o.language == gate.LanguageNotebook
	stack := []enclosure{{}}
	top := func() *enclosure { return &stack[len(stack)-1] }
	spans, skip := o.split.Spans, 0
	line := 0
	current := func() int {
		if t := top(); t.label > 0 {
			return t.label
		}
		return top().block
	}
	end := func(at int) {
		t := top()
		if t.label > 0 {
			o.blocks[t.label].last = line
		}
		b := &o.blocks[t.block]
		b.last = line
		if after := o.view[at+1 : max(at+1, o.end(line))]; !json && tail.Match(after) {
			b.header += " … " + plain(after)
		}
		if len(t.said) > 0 {
			b.header += "\n" + strings.Join(t.said, "\n")
		}
		header := b.header
		stack = stack[:len(stack)-1]
		top().from = at + 1
		if chained.MatchString(header) || strings.HasPrefix(header, "if") {
			top().chain = short("|" + header)
		} else {
			top().chain = ""
		}
	}
	for at := range len(o.src) {
		if o.starts[line] == at {
			t := top()
			if !json && caseLabel.Match(o.code(line)) {
				t.label = o.open(t.block, line, line, plain(caseLabel.Find(o.code(line))))
			}
			o.in[line] = current()
		}
		for skip < len(spans) && spans[skip].End <= at {
			skip++
		}
		if skip < len(spans) && spans[skip].Start <= at && o.src[at] != '\n' {
			continue
		}
		switch c := o.src[at]; {
		case c == '\n':
			if !json && o.ends[o.statement[line]] == line && lineEndsStatement(o) {
				top().from = at + 1
			}
			line = min(line+1, len(o.starts)-1)
		case c == ';', json && c == ',':
			if json {
				noteMember(o, top(), at)
			}
			top().from, top().chain = at+1, ""
		case c == '{', json && c == '[':
			if len(stack) >= maxDepth {
				break
			}
			header := plain(o.view[min(top().from, at):at])
			if chained.MatchString(header) {
				header += top().chain
			}
			block := o.open(current(), beginOf(o, top().from, at), line, short(header))
			stack = append(stack, enclosure{block: block, from: at + 1})
		case c == '}', json && c == ']':
			if json {
				noteMember(o, top(), at)
			}
			if len(stack) > 1 {
				end(at)
			}
		}
	}
}

// lineEndsStatement reports whether a line end can end a statement.
func lineEndsStatement(o *outline) bool {
	switch o.language {
	case gate.LanguageC, gate.LanguageJava, gate.LanguageRust, gate.LanguagePHP, gate.LanguagePerl:
		return false
	}
	return true
}

// beginOf is the line of the first word behind an offset.
func beginOf(o *outline, from, to int) int {
	text := o.view[min(from, to):to]
	return o.lineOf(to - len(bytes.TrimLeft(text, " \t\r\n")))
}

// noteMember keeps the member of an object that decides what the others are.
func noteMember(o *outline, e *enclosure, at int) {
	if from := min(e.from, at); at-from < 200 {
		if said := fields.Find(o.view[from:at]); said != nil {
			e.said = append(e.said, plain(said))
		}
	}
}

// addConditionals adds the blocks of the preprocessor of C, inside of those that are
// there.
func addConditionals(o *outline) {
	addMarked(o, regexp.MustCompile(`^\s*#\s*if`), regexp.MustCompile(`^\s*#\s*el`), regexp.MustCompile(`^\s*#\s*endif`))
}

// addMarked adds blocks between lines that open, divide and close them.
func addMarked(o *outline, opens, divides, closes *regexp.Regexp) {
	inner := newNester(o)
	var stack []string
	for i := range o.starts {
		code := o.code(i)
		if len(bytes.TrimSpace(code)) == 0 {
			continue
		}
		if s, ok := o.split.Span(o.starts[i]); ok && s.Class != lex.Code && s.Start < o.starts[i] {
			code = nil // inside of a string
		}
		closing := code != nil && closes.Match(code)
		if closing && len(stack) > 0 {
			stack = stack[:len(stack)-1]
		}
		if n := len(stack); n > 0 && code != nil && divides.Match(code) {
			stack[n-1] = short(plain(code) + "|" + stack[n-1])
		}
		if len(stack) > 0 {
			inner(i, stack)
		}
		if code != nil && !closing && opens.Match(code) && len(stack) < maxDepth {
			stack = append(stack, short(plain(code)))
		}
	}
}

// newNester puts lines into blocks inside of those that they are in: one block for each
// pair of an outer block and a stack of headers.
func newNester(o *outline) func(line int, stack []string) {
	known := map[[2]uint64]int{}
	return func(line int, stack []string) {
		sum := hash("stack")
		for _, header := range stack {
			sum = hash(sum, header)
		}
		key := [2]uint64{uint64(o.in[line]), sum}
		at, ok := known[key]
		if !ok {
			at = o.open(o.in[line], line, line, stack[len(stack)-1]+fmt.Sprintf(" %x", sum))
			known[key] = at
		}
		o.in[line], o.blocks[at].last = at, line
	}
}
