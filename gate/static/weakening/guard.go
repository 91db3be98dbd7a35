package weakening

import (
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/dfa"
)

// test is a place where a function decides by a condition: an if with its block, the
// handler of an error, or what it returns.
type test struct {
	cond string
	body string // the first statements of its block, joined with "; "
	// deny says that the block refuses: it raises, returns an error or no value.
	denies bool
	// answer says that the condition is what the function returns.
	answer bool
	caught bool // it handles an error
	// mixed says that the block asks something else before it refuses: it neither grants nor denies.
	mixed bool
	at    stmt
	// under are the conditions that lead to the test: those of the blocks around it, and
	// those of the branches before it that refuse nothing.
	under []string
}

// text is what rules see of a test.
func (t test) text() string {
	switch {
	case t.answer:
		return "return " + t.cond
	case t.body == "":
		return "if " + t.cond
	}
	return "if " + t.cond + " => " + t.body
}

// maxBody is how many statements of a block are looked at.
const maxBody = 6

// tests are those of a unit, in the order of its text.
func (u *unit) tests() []test {
	var out []test
	in := branches{}
	for i, s := range u.stmts {
		under, chain, inCases := in.enter(s)
		t, ok := testIn(u.lang, s)
		if inCases {
			t, ok = caseOf(s)
		}
		if !ok {
			if noSwitch.MatchString(s.text) {
				in.open = append(in.open, branch{depth: s.depth, cases: true})
			} else if elseOf.MatchString(s.text) {
				in.open = append(in.open, branch{depth: s.depth, skips: chain})
			}
			if cond, answer := answerOf(u.lang, s.text, i < u.heads); answer {
				out = append(out, test{cond: cond, answer: true, at: s})
			}
			continue
		}
		var body []string
		if t.body != "" {
			body = append(body, t.body)
		} else {
			body = u.block(i)
		}
		if t.caught {
			t.cond += guarded(u.stmts, i)
		}
		t.body = strings.Join(body, "; ")
		t.denies = t.denies || deniesAny(u.lang, u.direct(i, body)) || replaced(t.cond, body)
		t.mixed = !t.denies && deniesAny(u.lang, body)
		t.under = append(under, chain...)
		if !t.caught {
			in.open = append(in.open, branch{depth: s.depth, cond: t.cond, skips: chain, denies: t.denies})
		}
		out = append(out, t)
	}
	return out
}

// guarded is the last statement before the handler of an error: what it handles the error of.
func guarded(stmts []stmt, i int) string {
	for j := i - 1; j >= 0 && j > i-4; j-- {
		if stmts[j].depth > stmts[i].depth {
			return " of " + stmts[j].text
		}
	}
	return ""
}

// direct are the statements of a block without those in blocks that ask something else.
func (u *unit) direct(i int, body []string) []string {
	if i+1 >= len(u.stmts) || len(body) == 0 || u.stmts[i+1].text != body[0] {
		return body
	}
	var out []string
	asked := -1 // how deep what asks something else is
	for _, s := range u.stmts[i+1 : i+1+len(body)] {
		if asked >= 0 && s.depth > asked {
			continue
		}
		asked = -1
		if asks.MatchString(s.text) {
			asked = s.depth
		}
		out = append(out, s.text)
	}
	return out
}

// asks matches heads of blocks that run under a condition of their own.
var asks = dfa.MustCompile(`^(?:\}? ?else )?(?:if|elif)\b|^\}? ?else\b`)

// block returns the statements in the block that a statement opens.
func (u *unit) block(i int) []string {
	var out []string
	head := u.stmts[i]
	braces := u.lang != gate.LanguagePython
	bare := braces && !strings.HasSuffix(head.text, "{")
	for j := i + 1; j < len(u.stmts) && len(out) < maxBody; j++ {
		s := u.stmts[j]
		if bare {
			return []string{s.text}
		}
		if s.depth <= head.depth {
			break
		}
		out = append(out, s.text)
	}
	return out
}

var (
	pythonCatch = dfa.MustCompile(`^except\b ?([^:]*): ?(.*)$`)
	scriptCatch = dfa.MustCompile(`^\}? ?catch ?(\([^)]*\))? ?\{ ?(.*)$`)
	goIf        = dfa.MustCompile(`^(?:\} ?else )?if (.*?) ?\{ ?(.*?)\}?$`)
	pythonAsk   = dfa.MustCompile(`^assert (.*)$`)
)

// testIn reads the head of a test, and what follows it on its line.
func testIn(l gate.Language, s stmt) (test, bool) {
	switch l {
	case gate.LanguagePython:
		if strings.HasPrefix(s.text, "if") || strings.HasPrefix(s.text, "elif") {
			if cond, body, ok := untilColon(strings.TrimPrefix(strings.TrimPrefix(s.text, "el"), "if")); ok {
				return test{cond: cond, body: body, at: s}, true
			}
			return test{}, false
		}
		if m := pythonCatch.FindStringSubmatch(s.text); m != nil {
			return test{cond: "except " + strings.TrimSpace(m[1]), body: m[2], caught: true, at: s}, true
		}
		if m := pythonAsk.FindStringSubmatch(s.text); m != nil {
			return test{cond: "not (" + m[1] + ")", body: "raise", denies: true, at: s}, true
		}
	case gate.LanguageGo:
		if m := goIf.FindStringSubmatch(s.text); m != nil {
			return test{cond: m[1], body: strings.TrimSpace(m[2]), at: s}, true
		}
	default:
		text := strings.TrimPrefix(strings.TrimLeft(s.text, "} "), "else ")
		if strings.HasPrefix(text, "if") {
			if cond, body, ok := inParens(text[2:]); ok {
				return test{cond: cond, body: strings.Trim(body, "{}; "), at: s}, true
			}
		}
		if m := scriptCatch.FindStringSubmatch(s.text); m != nil {
			return test{cond: "catch", body: strings.Trim(m[2], "{}; "), caught: true, at: s}, true
		}
	}
	return test{}, false
}

// caseOf reads a case of a switch without a value, which is a condition.
func caseOf(s stmt) (test, bool) {
	rest, ok := strings.CutPrefix(s.text, "case ")
	if !ok {
		return test{}, false
	}
	cond, body, ok := untilColon(rest)
	return test{cond: cond, body: body, at: s}, ok
}

// untilColon splits the head of a block of Python from what follows its colon.
func untilColon(text string) (cond, rest string, ok bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			i = endOfString(text, i)
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c == ':' && depth == 0 && !strings.HasPrefix(text[i:], ":=") && !strings.Contains(text[:i], "lambda"):
			return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:]), true
		}
	}
	return "", "", false
}

// inParens splits a text that begins with a bracket into what is in it and what is behind it.
func inParens(text string) (inside, rest string, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "(") {
		return "", "", false
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"', '\'', '`':
			i = endOfString(text, i)
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return strings.TrimSpace(text[1:i]), strings.TrimSpace(text[i+1:]), true
			}
		}
	}
	return "", "", false
}

// endOfString returns the offset of the quote that ends a string, or the end of the text.
func endOfString(text string, from int) int {
	for i := from + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[from]:
			return i
		}
	}
	return len(text)
}

var (
	returned = dfa.MustCompile(`^return (.+?);?$`)
	arrow    = dfa.MustCompile(`=> ?([^{].*?);?$`)
	whole    = dfa.MustCompile(`\{ ?return ([^;{}]+?) ?;? ?\}$`) // a function on one line
)

// answerOf is the condition that a function returns.
func answerOf(l gate.Language, text string, head bool) (string, bool) {
	if m := returned.FindStringSubmatch(text); m != nil {
		return m[1], true
	}
	if !head || l == gate.LanguagePython {
		return "", false
	}
	if m := whole.FindStringSubmatch(text); m != nil {
		return m[1], true
	}
	if l != gate.LanguageGo {
		if m := arrow.FindStringSubmatch(text); m != nil {
			return m[1], true
		}
	}
	return "", false
}

var (
	pythonDenies = dfa.MustCompile(`^(?:raise\b|abort ?\(|(?:\w+\.)*abort\(|sys\.exit\(|self\.(?:fail|permission_denied|send_error)\(|return$|continue$|return ?(?:["']/?["']$|False|None|\[\]|\{\}|""|-1|Http404|HttpResponse(?:Forbidden|BadRequest|NotFound|Redirect)|redirect\(|False,.*|None,.*|.*\b4(?:0[0-9]|1[0-9]|2[0-9])\b.*|.*(?i:error|forbid|unauth|denied|deny|invalid|reject|fail|login).*))`)
	scriptDenies = dfa.MustCompile(`^(?:throw\b|(?:return )?(?:await )?(?:(?:\w+\.)*(?:res|resp|response|reply|ctx|c|h)\b.*\b4(?:0[0-9]|1[0-9]|2[0-9])\b.*|next\((?:[^)]|$).*|reject\(|(?:ctx|context)\.throw\(|process\.exit\(|abort\()|return;?$|continue;?$|return ?(?:["'` + "`" + `]/?["'` + "`" + `];?$|false|null|undefined|\[\]|\{\}|""|redirect\(|new (?:Response|NextResponse)\(.*4\d\d|(?:NextResponse|Response|res|reply)\.redirect\(|.*\b4(?:0[0-9]|1[0-9]|2[0-9])\b.*|.*(?i:error|forbid|unauth|denied|deny|invalid|reject|fail|login).*))`)
	goDenies     = dfa.MustCompile(`^(?:panic\(|os\.Exit\(|log\.Fatal|http\.(?:Error|NotFound|Redirect)\(|return$|continue$|return ?(?:.*\b(?:err|Err\w*|errors\.\w+\(|fmt\.Errorf\(|status\.Error).*|(?:(?:nil|""|0|false)\b|"/?"$).*|.*(?i:error|forbid|unauth|denied|invalid|reject|fail).*|.*\bStatus(?:Unauthorized|Forbidden|BadRequest|NotFound|TooManyRequests)\b.*)|\w+\.(?:Abort\w*|WriteHeader|JSON|String|SendStatus|Status)\(.*(?:4\d\d|Status(?:Unauthorized|Forbidden|BadRequest|NotFound|TooManyRequests|RequestEntityTooLarge)).*|\w+\.(?:Fatal|Abort)\w*\()`)
)

// denies reports whether a statement refuses what was asked for.
func denies(l gate.Language, text string) bool {
	switch l {
	case gate.LanguagePython:
		return pythonDenies.MatchString(text)
	case gate.LanguageGo:
		return goDenies.MatchString(text)
	}
	return scriptDenies.MatchString(text)
}

// replaced reports whether a block does nothing but give another value to something that
// its condition found unfit.
func replaced(cond string, body []string) bool {
	if len(body) != 1 || !unfit.MatchString(cond) {
		return false
	}
	name, _, ok := strings.Cut(body[0], " = ")
	return ok && name != "" && strings.Contains(cond, name)
}

// unfit matches conditions that something is on no list, or is no such thing.
var unfit = dfa.MustCompile(`\bnot in\b|^not |^!|!\w+(?:\.\w+)*\.(?:includes|has|test)\(`)

func deniesAny(l gate.Language, body []string) bool {
	for _, s := range body {
		for part := range strings.SplitSeq(s, "; ") {
			if denies(l, strings.TrimSpace(part)) {
				return true
			}
		}
	}
	return false
}
