package constprop

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
)

// calls are the functions, by the last part of their name, whose arguments are
// worth working out: they start programs, run code, reach functions by name,
// open files and connections. For those that are set, every constant counts; for
// the others only a text that was taken apart.
var calls = map[string]bool{
	"system": true, "popen": true, "Popen": true, "run": true, "call": true, "check_call": true, "check_output": true, "getoutput": true,
	"getstatusoutput": true, "spawn": true, "execl": true, "execlp": true, "execv": true, "execvp": true, "execve": true, "exec_command": true,
	"create_subprocess_shell": true, "create_subprocess_exec": true, "exec": true, "eval": true, "compile": true, "getattr": true,
	"__import__": true, "import_module": true, "__getattribute__": true, "timeit": true, "repeat": true, "Timer": true, "runctx": true,
	"runeval": true, "runsource": true, "push": true, "ForwardRef": true, "IMAP4_stream": true, "resolve_name": true, "locate": true,
	"open": false, "Path": false, "listdir": false, "walk": false, "remove": false, "unlink": false, "rmtree": false, "urlopen": false,
	"urlretrieve": false, "Request": false, "get": false, "post": false, "put": false, "connect": false, "create_connection": false,
	"expanduser": false, "join": false, "write_text": false, "symlink": false, "copy": false, "loads": false, "gethostbyname": false,
}

// longestCall is that of the names in calls.
const longestCall = 24

// values returns a Python text in which arguments of such calls that are
// constants by way of variables, functions and containers are written out, and
// whether there were any: after P = "sys" and P += "tem", getattr(os, P) becomes
// getattr(os, "system"). Lines stay as they are; offsets within them don't.
func values(src []byte, limits *Bounds) ([]byte, bool) {
	sites, full := callSites(src)
	if full {
		limits.reach("the arguments of %d calls are worked out", maxSites)
	}
	if len(sites) == 0 {
		return nil, false
	}
	e := newEvaluator(src)
	var out []byte
	done := 0
	for _, s := range sites {
		if s.open < done || e.text.At(s.open) != lex.Code {
			continue
		}
		at := s.open + 1
		for range maxArguments {
			at = e.blank(at)
			end, next := e.argument(at)
			if end < 0 {
				break
			}
			if text, ok := written(e, at, end, s.every); ok {
				out = append(append(out, src[done:at]...), text...)
				out = append(out, bytes.Repeat([]byte{'\n'}, bytes.Count(src[at:end], []byte{'\n'}))...)
				done = end
			}
			if at = next; at < 0 {
				break
			}
		}
	}
	if e.ops.left <= 0 {
		limits.reach("%d steps are taken to work out what constants are", maxSteps)
	}
	if e.names.cut {
		limits.reach("%d lines are read for what names stand for", maxDefinitions)
	}
	if done == 0 {
		return nil, false
	}
	return append(out, src[done:]...), true
}

const maxArguments = 4 // of one call

// written is the literal value of an argument, where it is none already.
func written(e *evaluator, at, end int, every bool) (string, bool) {
	if c := e.src[at]; !char.IsWord(c) && c != '(' && c != '[' && c != '{' && c != '"' && c != '\'' || isDigit(c) {
		return "", false
	}
	if s, ok := e.text.Span(at); ok && e.blank(s.End) >= end {
		return "", false // a literal
	}
	v, stop, ok := e.expression(at, end, frame{})
	if !ok || e.blank(stop) < end || !every && !v.odd {
		return "", false
	}
	switch v.kind {
	case textValue:
		return literalOf(v.text)
	case listValue:
		var parts []string
		for _, item := range v.list {
			text, ok := literalOf(item.text)
			if item.kind != textValue || !ok {
				return "", false
			}
			parts = append(parts, text)
		}
		text := "[" + strings.Join(parts, ", ") + "]"
		return text, len(parts) > 0 && len(text) < maxLiteral && !slices.ContainsFunc(v.list, func(v value) bool { return v.bytes }) && e.src[at] != '['
	}
	return "", false
}

// literalOf writes a value as a literal on one line: its line ends become
// semicolons, which is what they mean to the person who looks for statements.
func literalOf(text string) (string, bool) {
	return quote(strings.NewReplacer("\r", "", "\n", ";", `\`, "/").Replace(text), maxLiteral+2)
}

// site is a call whose arguments are worked out.
type site struct {
	open  int // its bracket
	every bool
}

// maxSites bounds the calls of one text.
const maxSites = 10_000

// callSites finds calls whose first arguments are no plain literals. full says that there
// are more.
func callSites(src []byte) (out []site, full bool) {
	odd, asked := false, false
	may := &likely{src: src, names: map[string]bool{}}
	for at := 0; ; at++ {
		i := bytes.IndexAny(src[at:], "([")
		if i < 0 {
			break
		}
		at += i
		start := at
		for start > 0 && at-start <= longestCall && char.IsWord(src[start-1]) {
			start--
		}
		every, ok := calls[string(src[start:at])]
		if start == at && at > 0 && (src[at-1] == ')' || src[at-1] == ']') {
			every, ok = src[at] == '(', src[at] == '(' || src[at-1] == ')' // what a call or an element gives is called
		} else if src[at] == '[' {
			every, ok = true, bytes.HasSuffix(src[:at], []byte("__dict__"))
		}
		if ok && !every && !asked {
			odd, asked = mayBeOdd(src), true
		}
		if !ok || !every && !odd || bytes.HasSuffix(bytes.TrimRight(src[max(0, start-8):start], " "), []byte("def")) || plain(src[at+1:]) || !may.call(at) {
			continue
		}
		if len(out) == maxSites {
			return out, true
		}
		out = append(out, site{at, every})
	}
	return out, false
}

// mayBeOdd is a cheap test for what takes texts apart.
func mayBeOdd(src []byte) bool {
	for _, sign := range []string{"::", "chr(", "translate(", "fromhex(", "64decode(", "32decode(", "85decode(", "to_bytes(", "unhexlify(", "rot",
		"decompress(", "reversed(", "replace(", "swapcase(", "+= \"", "+= '", "+ \"", "+ '", ".join("} {
		if bytes.Contains(src, []byte(sign)) {
			return true
		}
	}
	return false
}

// plain reports whether the only argument of a call is a literal, or it has none.
func plain(args []byte) bool {
	if len(args) == 0 || args[0] == ')' {
		return true
	}
	for n := 0; n < 2 && len(args) > 1 && (args[0]|0x20 == 'r' || args[0]|0x20 == 'b'); n++ {
		args = args[1:] // a prefix
	}
	if args[0] != '"' && args[0] != '\'' {
		return false
	}
	end := bytes.IndexByte(args[1:min(len(args), maxLiteral)], args[0])
	return end >= 0 && end+2 < len(args) && args[end+2] == ')'
}
