package versions

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// level is one open block of a text that is told by indentation.
type level struct {
	column int
	block  int
	last   int    // the first line of the last statement in it, -1 for none
	chain  string // the headers that an else or except behind them depends on
}

// readIndented reads blocks by indentation.
func readIndented(o *outline) {
	stack := []level{{column: -1, last: -1}}
	for i := range o.starts {
		if first := o.statement[i]; first < i {
			o.in[i] = o.in[first]
			continue
		}
		top := &stack[len(stack)-1]
		if o.blank(i) {
			o.in[i] = top.block
			continue
		}
		col := column(o.code(i))
		for len(stack) > 1 && col < stack[len(stack)-1].column {
			o.blocks[stack[len(stack)-1].block].last = i - 1
			stack = stack[:len(stack)-1]
		}
		top = &stack[len(stack)-1]
		switch {
		case len(stack) == 1 && top.column < 0:
			top.column = col
		case col > top.column && len(stack) < maxDepth:
			header, head := "", max(top.last, 0)
			if top.last >= 0 {
				header = short(o.head(head)) + top.chain
			}
			block := o.open(top.block, head, i, header)
			o.blocks[block].header += decoratorsOf(o, head)
			stack = append(stack, level{column: col, block: block, last: -1})
			top = &stack[len(stack)-1]
		}
		o.in[i] = top.block
		if head := o.head(i); top.last >= 0 && chained.MatchString(head) {
			top.chain = short("|" + o.head(top.last) + top.chain)
		} else {
			top.chain = ""
		}
		top.last = i
	}
}

// maxDepth is how many blocks in blocks are followed.
const maxDepth = 200

// column is the width of the blanks that a line begins with.
func column(line []byte) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		default:
			return n
		}
	}
	return n
}

// conditional are the decorators and attributes that keep code from being used.
var conditional = regexp.MustCompile(`(?i)^[ \t]*(?:@|#\[).*(?:skip|ignore|disab|cfg|only|unless|if|fail|deprecat|require)`)

// decoratorsOf are those above a line that decide whether what it heads is used.
func decoratorsOf(o *outline, head int) string {
	found := ""
	for i := head - 1; i >= 0 && head-i < 10; i-- {
		line := bytes.TrimSpace(o.code(i))
		if len(line) == 0 || line[0] != '@' && line[0] != '#' && o.statement[i] == i {
			break
		}
		if conditional.Match(line) {
			found += " " + plain(line)
		}
	}
	return found
}

// decorating matches a decorator. One may call what it is for, or have it called: @app.route,
// @atexit.register. Those that idle matches do not: of the language, its standard library, types
// and tests.
var (
	decorating = regexp.MustCompile(`^@([A-Za-z_][\w.]*)`)
	idle       = regexp.MustCompile(`^(?:staticmethod|classmethod|property|(?:functools\.)?(?:lru_cache|cache|cached_property|wraps|total_ordering|singledispatch)|(?:abc\.)?abstract\w*|(?:contextlib\.)?(?:async)?contextmanager|(?:dataclasses\.)?dataclass|(?:typing\.|t\.|te\.|typing_extensions\.)?(?:overload|override|final|no_type_check|runtime_checkable|deprecated)|(?:pytest|mock|patch|unittest)\b.*|[\w.]+\.(?:setter|getter|deleter))$`)
)

// registered reports whether a function of Python has a decorator that is new and may call it.
func (c *Comparison) registered(o *outline, head int) bool {
	if o.language != gate.LanguagePython {
		return false
	}
	for i := head - 1; i >= 0 && head-i < 10; i-- {
		line := bytes.TrimSpace(o.code(i))
		if len(line) == 0 || line[0] != '@' && o.statement[i] == i {
			return false
		}
		m := decorating.FindSubmatch(line)
		if at := o.file(i); m != nil && at < len(c.before) && c.before[at] < 0 && !idle.Match(m[1]) {
			return true
		}
	}
	return false
}

// Keys of YAML beside which a command does or does not run, or runs as something
// else. Of those under "on", only which events they name matters.
var (
	deciding = regexp.MustCompile(`^(?:"|')?(?:rules|shell|uses|type|kind|enabled?|disabled?|hosts|become|trigger|triggers|stages|entry|types|image|entrypoint|allow_failure|manual|language|always_run|delegate_to|on|true)(?:"|')?\s*:`)
	// guards are conditions: one more makes nothing run that did not, unless it is one
	// that holds after a failure too.
	guarding = regexp.MustCompile(`^(?:"|')?(?:if|when|only|except)(?:"|')?\s*:`)
	regard   = regexp.MustCompile(`always|failure|cancelled`)
	onKey    = regexp.MustCompile(`^(?:"|')?(?:on|true)(?:"|')?\s*:`)
	events   = regexp.MustCompile(`\b(?:pull_request_target|pull_request|workflow_run|workflow_dispatch|workflow_call|issue_comment|issues|discussion|discussion_comment|push|schedule|release|fork|watch|repository_dispatch|merge_request_event|pipeline|web|api)\b`)
	yamlKey  = regexp.MustCompile(`^(?:"[^"]*"|'[^']*'|[^\s#'"\[\]{},&*!|>%@-][^#]*?|-[^\s][^#]*?)\s*:(?:\s|$)`)
)

// readYAML reads mappings and lists by indentation: the keys around a line, and what
// is beside it on the way up that decides whether it is used.
func readYAML(o *outline) {
	stack := []level{{column: -1, last: -1}}
	var decides []int // columns and blocks of the deciding key that we are in
	pop := func(to, line int) {
		for len(stack) > 1 && to < stack[len(stack)-1].column {
			o.blocks[stack[len(stack)-1].block].last = line - 1
			stack = stack[:len(stack)-1]
		}
	}
	push := func(col, line int, header string) {
		top := stack[len(stack)-1]
		if len(stack) < maxDepth {
			stack = append(stack, level{column: col, block: o.open(top.block, line, line, header), last: -1})
		}
	}
	key := make([]string, 1, 16) // the last key of each open block
	said := map[int][]string{}   // by block: what its deciding keys say
	o.guards = map[int][]string{}
	for i := range o.starts {
		code := o.code(i)
		rest := bytes.TrimLeft(code, " \t")
		if len(bytes.TrimSpace(rest)) == 0 {
			o.in[i] = stack[len(stack)-1].block
			continue
		}
		col := len(code) - len(rest)
		if len(decides) > 0 && col <= decides[0] && !(rest[0] == '-' && col == decides[0]) {
			decides = nil
		}
		for rest[0] == '-' && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\t' || rest[1] == '\r') {
			pop(col, i)
			key = key[:min(len(key), len(stack))]
			inner := bytes.TrimLeft(rest[1:], " \t\r")
			next := col + len(rest) - len(inner)
			push(max(next, col+1), i, "- "+last(key))
			key = append(key[:min(len(key), len(stack)-1)], "")
			col, rest = max(next, col+1), inner
			if len(rest) == 0 {
				break
			}
		}
		if len(rest) == 0 {
			o.in[i] = stack[len(stack)-1].block
			continue
		}
		pop(col, i)
		key = key[:min(len(key), len(stack))]
		if top := stack[len(stack)-1]; col > top.column {
			if len(stack) == 1 && top.column < 0 {
				stack[0].column = col
			} else {
				push(col, i, last(key))
				key = append(key[:min(len(key), len(stack)-1)], "")
			}
		}
		at := stack[len(stack)-1].block
		o.in[i] = at
		k := yamlKey.Find(rest)
		if k != nil {
			key[len(key)-1] = plain(k)
		}
		switch {
		case len(decides) > 0 && decides[2] == 2:
			o.guards[decides[1]] = append(o.guards[decides[1]], plain(rest))
		case len(decides) > 0:
			said[decides[1]] = append(said[decides[1]], saysOf(o, rest, decides[2] == 1))
		case guarding.Match(rest) && k != nil && !regard.Match(rest):
			decides = []int{col, at, 2}
			o.guards[at] = append(o.guards[at], plain(rest))
		case (deciding.Match(rest) || guarding.Match(rest)) && k != nil:
			trigger := 0
			if onKey.Match(rest) {
				trigger = 1
			}
			decides = []int{col, at, trigger}
			said[at] = append(said[at], saysOf(o, rest, trigger == 1))
		}
	}
	for at, what := range said {
		o.blocks[at].header += "\n" + strings.Join(what, "\n")
	}
}

// saysOf is what a line of a deciding key says: of events only which they are.
func saysOf(o *outline, line []byte, trigger bool) string {
	if !trigger {
		return plain(line)
	}
	return strings.Join(events.FindAllString(string(line), -1), " ")
}

func last(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return keys[len(keys)-1]
}
