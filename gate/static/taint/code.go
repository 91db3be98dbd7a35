package taint

import (
	"slices"

	"github.com/aigate/gate/gate/source/dfa"
)

// code is a program in tokens.
type code struct {
	*source
	outline  *outline
	indented bool // blocks are told by indentation
	// runsNames is [anyRunsName] of the text.
	runsNames func() bool
}

// sink returns the arguments of the call that a match names, or else the rest of
// its statement.
func (c *code) sink(match Span) Span {
	t := c.at(match.Start)
	if c.is(t-1, "def", "func", "function") {
		return Span{match.Start, match.Start} // a definition, not a call
	}
	from := c.offset(t)
	if t > 0 && c.mark(t) == '.' { // a method: what its object holds counts, too
		from = c.offset(c.chain(t - 1))
	}
	for i := t; i < len(c.tokens) && c.offset(i) <= match.End; i++ {
		if c.mark(i) == '(' {
			if c.takesNamespace(i) {
				return Span{from, c.offset(c.firstEnds(i))}
			}
			return Span{from, c.offset(c.close(i))}
		}
	}
	end := t
	for end < len(c.tokens) && c.tokens[end].kind != newline && c.mark(end) != ';' {
		end++
	}
	return Span{from, c.offset(end)}
}

// takesNamespace reports whether the call with that bracket runs its first argument as
// code, and is given the names that this code sees behind it. They hold data: unless a
// constant of the text is code that runs a name.
func (c *code) takesNamespace(open int) bool {
	if c.indented {
		if !c.is(open-1, "exec", "eval") || c.mark(open-2) == '.' {
			return false
		}
	} else if !c.is(open-1, "runInContext", "runInNewContext") {
		return false
	}
	return !c.runsNames()
}

// anyRunsName reports whether a constant of a text may be code that runs what a name holds.
func anyRunsName(s *source) bool {
	return slices.ContainsFunc(s.tokens, func(t token) bool {
		return t.kind == literal && runsName.Match(s.view[t.start:t.end])
	})
}

// runsName finds code in a constant that runs what a name holds.
var runsName = dfa.MustCompile(`(?:exec|eval|compile|execfile|Function|system|popen|run|call|Popen|spawn\w*|execSync|__import__|require|loads|getattr)["']?[\])]?\s*\(\s*[^\s)"']`)

// firstEnds returns the token behind the first argument of the call with that bracket.
func (c *code) firstEnds(open int) int {
	shut := c.close(open)
	for i := open + 1; i < shut; i++ {
		if c.mark(i) == ',' && c.depth[i] == c.depth[open]+1 {
			return i
		}
	}
	return shut
}

// expand looks at one stretch: what in it doesn't flow, and what flows into the names in it.
func (c *code) expand(s *search, i int32) {
	span := s.queue[i].span
	t := c.at(span.Start)
	var aside []Span
	for t < len(c.tokens) && int(c.tokens[t].start) < span.End {
		s.work--
		if end, skip := c.skips(s, t, span, i); skip {
			aside = append(aside, Span{int(c.tokens[t].start), c.offset(end)})
			t = end
			continue
		}
		if c.isName(t) {
			c.use(s, t, i)
		}
		t++
	}
	s.queue[i].aside = aside
}

// skips returns the end of what begins at token t and doesn't flow: the body of
// a function literal, of which only the results count, and the arguments of
// calls that only ask about a value.
func (c *code) skips(s *search, t int, span Span, i int32) (end int, skip bool) {
	if !s.asked && c.mark(t) == '(' && t > 0 && c.isName(t-1) && c.asks(t-1) {
		return c.close(t), true
	}
	if c.isName(t) && aside[c.text(t)] && c.is(t+1, "=") && c.keyOnly(t) {
		for end = t + 2; end < len(c.tokens) && c.depth[end] >= c.depth[t] && !(c.mark(end) == ',' && c.depth[end] == c.depth[t]); end++ {
		}
		return end, true
	}
	f, ok := c.outline.bodyAt(c.offset(t))
	if !ok || c.outline.funcs[f].shown || c.offset(t) == span.Start {
		return 0, false
	}
	body := c.outline.funcs[f].body
	s.results(f, i)
	return max(t+1, c.at(body.End)), true
}

// asks reports whether the function whose name is token t only asks about what it
// is given.
func (c *code) asks(t int) bool {
	if c.mark(t-1) == '.' && !c.is(t, "existsSync", "isfile", "isdir") {
		return c.is(t, "keys") && c.is(t-2, "Object") || c.is(t, "exists") && c.is(t-2, "path")
	}
	return neutral[c.text(t)]
}

// aside are arguments that say how something is done and not with what.
var aside = map[string]bool{"env": true, "cwd": true, "timeout": true, "encoding": true, "verify": true, "cert": true, "auth": true}

// neutral are functions whose result doesn't hold what they are given.
var neutral = map[string]bool{"len": true, "bool": true, "isinstance": true, "type": true, "hasattr": true, "callable": true, "id": true,
	"existsSync": true, "isfile": true, "isdir": true, "typeof": true, "cap": true}

// neutralMethods are those of a value that only answer a question about it.
var neutralMethods = map[string]bool{"startswith": true, "endswith": true, "exists": true, "is_file": true, "is_dir": true, "isdigit": true,
	"startsWith": true, "endsWith": true, "includes": true, "length": true, "status_code": true, "ok": true, "StatusCode": true, "Status": true,
	"size": true, "statusCode": true}

// use follows the name at token t.
func (c *code) use(s *search, t int, i int32) {
	if c.mark(t-1) == '.' || c.is(t-1, "?.") {
		c.method(s, t, i)
		return
	}
	if c.keyOnly(t) {
		return
	}
	n := c.text(t)
	full := n
	if c.mark(t+1) == '.' && c.isName(t+2) {
		if !s.asked && neutralMethods[c.text(t+2)] {
			return
		}
		full = n + "." + c.text(t+2)
	}
	offset := c.offset(t)
	if full != n {
		s.use(t, true, full, offset, i)
	}
	if !receivers[n] {
		s.use(t, false, n, offset, i)
	}
	for _, f := range c.outline.named[n] {
		s.results(f, i)
	}
}

// keyOnly reports whether a name is that of an argument or a key, and not of a
// value.
func (c *code) keyOnly(t int) bool {
	before := c.mark(t - 1)
	opens := before == '(' || before == ',' || before == '{'
	switch c.mark(t + 1) {
	case '=':
		return opens && c.depth[t] > 0
	case ':':
		return opens && before != '('
	}
	return false
}

// method follows a call of a method that the text defines, and what an own object computes.
func (c *code) method(s *search, t int, i int32) {
	if t < 2 {
		return
	}
	own := c.own(t - 2)
	if c.mark(t+1) != '(' && !own {
		return
	}
	n := c.text(t)
	fs := c.outline.named[n]
	const telling = 6 // bytes of a name that few types share
	if len(fs) == 0 || !own && (len(fs) > 1 || len(n) < telling && (len(n) < telling-2 || common[n])) {
		return
	}
	for _, f := range fs {
		s.results(f, i)
	}
}

// own reports whether the name at token t is that of the object of the method around it.
func (c *code) own(t int) bool {
	n := c.text(t)
	if receivers[n] {
		return true
	}
	for f := c.outline.scopeAt(c.offset(t)); f >= 0; f = c.outline.funcs[f].scope {
		if r := c.outline.funcs[f].receiver; r != "" {
			return r == n
		}
	}
	return false
}

// common are short names of methods that many types have: a call of one is seldom that of the text.
var common = map[string]bool{"apply": true, "bytes": true, "build": true, "call": true, "check": true, "clear": true, "clone": true, "close": true, "copy": true, "count": true,
	"data": true, "done": true, "each": true, "emit": true, "error": true, "exec": true, "fetch": true, "file": true, "fill": true, "find": true, "flush": true, "flat": true,
	"from": true, "hash": true, "head": true, "host": true, "index": true, "init": true, "items": true, "join": true, "json": true, "keys": true, "kill": true, "last": true,
	"list": true, "load": true, "lock": true, "match": true, "merge": true, "name": true, "next": true, "open": true, "parse": true, "patch": true, "path": true, "peek": true,
	"pipe": true, "poll": true, "post": true, "print": true, "push": true, "query": true, "read": true, "reset": true, "save": true, "seek": true, "send": true, "show": true,
	"size": true, "slice": true, "some": true, "sort": true, "split": true, "start": true, "stat": true, "step": true, "stop": true, "store": true, "strip": true, "sync": true,
	"tell": true, "test": true, "text": true, "then": true, "tick": true, "title": true, "touch": true, "trim": true, "type": true, "url": true, "value": true, "wait": true,
	"walk": true, "wrap": true, "write": true, "Bytes": true, "Close": true, "Error": true, "Flush": true, "Index": true, "Label": true, "Load": true, "Lock": true, "Name": true,
	"Next": true, "Open": true, "Path": true, "Print": true, "Query": true, "Read": true, "Scan": true, "Send": true, "Store": true, "Text": true, "Value": true, "Wait": true,
	"Write": true}
