package untested

import (
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// How a test is lost.
const (
	skipped   = "is skipped"
	expected  = "is expected to fail"
	ends      = "ends before it checks anything"
	nothing   = "checks nothing any more"
	whatever  = "passes whatever it finds"
	unnamed   = "has a name that no runner takes for a test"
	unfound   = "is in a file that no runner finds"
	unbuilt   = "is in a file that is not built by default"
	shadowed  = "is defined a second time below, and only that one runs"
	exclusive = "does not run, because another one is marked as the only one"
	gone      = "is gone"
)

var (
	// inCI matches a condition that asks whether the tests run in CI.
	inCI = `[^\n]*(?:\bCI\b|GITHUB_ACTIONS|GITLAB_CI|isCI\b|is_ci\b|on_ci\b)[^\n]*`

	pythonSaid     = regexp.MustCompile(`@[\w.]*\bskip\b|@[\w.]*\bskip(?:if|If)\(\s*(?:True|1|not False|not 0)\s*[,)]|@[\w.]*\bskip(?:if|If)\(` + inCI + `|@[\w.]*\bskipUnless\(\s*(?:False|0|None)\s*[,)]|@[\w.]*\bdisabled?\b`)
	pythonExpected = regexp.MustCompile(`(?m)@[\w.]*\b(?:xfail\s*(?:\(\s*(?:reason|raises|strict|run|True|\))|$)|expectedFailure\b)`)
	pythonEnds     = regexp.MustCompile(`^(?:return\b|pytest\.(?:skip|xfail)\(|self\.skipTest\(|raise\s+(?:\w+\.)*(?:SkipTest|Skipped)\b|(?:if\s+(?:True|1)\s*:|if` + inCI + `:)\s*(?:return\b|pytest\.skip|self\.skipTest|raise\s+(?:\w+\.)*SkipTest)?)`)
	pythonChecks   = regexp.MustCompile(`\bassert\b|\bassert_?\w*\(|\bpytest\.(?:raises|warns|fail)\b|\.should\b|\bexpect\(|\.fail\(|\.check\w*\(|\bcheck_?\w*\(|\bverify\w*\(`)
	pythonVoid     = regexp.MustCompile(`(?m)\bassert\b[^\n]*\bor\s+(?:True|1|not False)\s*(?:,[^\n]*)?$|^\s*assert\s+(?:True|1)\s*$|\bexcept\s*(?:\(?\s*(?:AssertionError|Exception|BaseException)\b[^:\n]*)?:\s*(?:pass|\.\.\.|return|continue)\b|\bsuppress\([^)\n]*(?:AssertionError|Exception)`)

	scriptSaid     = regexp.MustCompile(`(?:^|\s)x(?:\s|$)|\.(?:skip|todo|fixme|disable)\b(?:[^(]|$)|\.skipIf\(\s*(?:true|1|!0)\s*\)|\.skipIf\(` + inCI + `|\.runIf\(\s*(?:false|0|!1)\s*\)`)
	scriptExpected = regexp.MustCompile(`\.(?:fails|failing|fail)\b`)
	scriptEnds     = regexp.MustCompile(`^(?:return\s*(?:;|$)|(?:this|ctx|t|context|test|it)\.(?:skip|fixme|todo)\()|^if\s*\((?:\s*true\s*|` + inCI + `)\)\s*\{?\s*(?:return\b|\w+\.skip)`)
	scriptChecks   = regexp.MustCompile(`\bexpect\w*\b|\bassert\w*\b|\.should\b|\bt\.(?:is|not|true|false|equal|deepEqual|same|throws\w*|ok|pass|fail|like|regex|snapshot)\b|\bverify\w*\(|\bcheck\w*\(`)
	scriptVoid     = regexp.MustCompile(`\bcatch\s*(?:\([^)\n]*\)\s*)?\{\s*\}|\.catch\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|null|undefined|void 0)\s*\)|\bexpect\(\s*true\s*\)\.(?:toBe\(\s*true\s*\)|toBeTruthy\(\))`)

	goEnds   = regexp.MustCompile(`^(?:return\s*$|t\.(?:Skip|Skipf|SkipNow)\()|^if\s+(?:true|` + inCI + `)\s*\{\s*(?:t\.Skip|return\b)`)
	goChecks = regexp.MustCompile(`\b(?:t|tb|b|f)\.(?:Error|Fatal|Fail)\w*\b|\b(?:assert|require|is|qt|cmp|must|check|expect|want|verify|compare|test)\w*[.(]|\bt\b\s*[,)]`)
	goVoid   = regexp.MustCompile(`\bdefer func\(\)\s*\{\s*(?:_\s*=\s*)?recover\(\)\s*\}\(\)`)

	otherSaid   = regexp.MustCompile(`@(?:\w+\.)*(?:Disabled|Ignore)\b|\[\s*(?:Ignore|Explicit)\b|\bSkip\s*=\s*"|#\[\s*ignore\b|\benabled\s*=\s*false|(?:^|\s)[xp](?:\s|$)`)
	otherEnds   = regexp.MustCompile(`^(?:return\s*;?\s*$|\$this->markTest(?:Skipped|Incomplete)\(|self::markTest|(?:Assert\.)?(?:Ignore|Inconclusive)\(|(?:Assume|Assumptions)\.(?:assumeTrue\(\s*false|assumeFalse\(\s*true)|(?:skip|pending)\b)`)
	otherChecks = regexp.MustCompile(`(?i)assert|expect|verify|should|must_|refute|\bfail\b|check|panic!|throws|is_expected`)
	otherVoid   = regexp.MustCompile(`\bcatch\s*\([^)\n]*\)\s*\{\s*\}|\brescue\b[^\n]*\n\s*(?:nil\s*\n\s*)?end\b|\bassert(?:True)?!?\(\s*true\s*\)\s*;?`)
)

// pythonFileOff matches what switches off all tests of a file: by itself, or by a condition or a module that is
// missing, which no one sees in a green run.
var pythonFileOff = regexp.MustCompile(`(?m)^(?:__test__\s*=\s*(?:False|0)\b|pytestmark\s*=[^\n]*\bskip(?:if|If|Unless)?\b|pytest\.skip\(|raise\s+(?:\w+\.)*SkipTest\b|(?:\w+\s*=\s*)?pytest\.importorskip\(|` +
	`(?:if\s+[^_\s]|try\b|else\b|except\b)[^\n]*:\s*\n?[ \t]+(?:[^\n]*\n[ \t]+){0,3}?(?:pytest\.skip\(|pytest\.importorskip\(|raise\s+(?:\w+\.)*SkipTest\b|(?:sys\.exit|os\._exit|exit|quit)\(|raise\s+SystemExit\b))|` +
	`^[ \t]*def\s+(?:setUp|setUpClass|setUpModule|setup_(?:method|class|module|function))\b[^\n]*\n(?:[ \t]+[^\n]*\n){0,6}?[ \t]+(?:self\.skipTest|pytest\.skip|raise\s+(?:\w+\.)*SkipTest)\b`)

// fileOff reports whether a text switches off all of its tests.
func (t *text) fileOff() bool {
	return t.lang == gate.LanguagePython && pythonFileOff.MatchString(t.code)
}

// signs are the expressions for a language.
type signs struct {
	said, expected, ends, checks, void *regexp.Regexp
}

func signsOf(l gate.Language) signs {
	switch l {
	case gate.LanguagePython:
		return signs{pythonSaid, pythonExpected, pythonEnds, pythonChecks, pythonVoid}
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		return signs{scriptSaid, scriptExpected, scriptEnds, scriptChecks, scriptVoid}
	case gate.LanguageGo:
		return signs{nil, nil, goEnds, goChecks, goVoid}
	}
	return signs{otherSaid, nil, otherEnds, otherChecks, otherVoid}
}

// offBy says how a test is switched off by itself.
func offBy(l gate.Language, x test) string {
	s := signsOf(l)
	switch {
	case s.said != nil && s.said.MatchString(x.said):
		return skipped
	case s.expected != nil && s.expected.MatchString(x.said):
		return expected
	}
	return endsEarly(l, s, x.body)
}

// endsEarly looks at the statements of a body, without those in blocks, up to the first that checks
// something.
func endsEarly(l gate.Language, s signs, body string) string {
	depth, first := 0, -1
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		bare := strings.TrimLeft(line, " \t")
		if bare == "" {
			continue
		}
		indent := len(strings.ReplaceAll(line[:len(line)-len(bare)], "\t", "        "))
		if first < 0 {
			first = indent
		}
		if l == gate.LanguagePython && indent <= first || l != gate.LanguagePython && depth == 0 && indent <= first {
			one := bare
			if i+1 < len(lines) && (strings.HasPrefix(bare, "if ") || strings.HasPrefix(bare, "if(")) {
				one = bare + " " + strings.TrimSpace(lines[i+1])
			}
			switch m := s.ends.FindString(one); {
			case m == "":
			case strings.HasPrefix(m, "return"):
				if l == gate.LanguagePython || strings.TrimRight(bare, " ;") == "return" {
					return ends
				}
			case strings.HasSuffix(strings.TrimSpace(m), ":"): // a condition whose block does something else
			default:
				return skipped
			}
			if s.checks.MatchString(bare) {
				return ""
			}
		}
		depth += strings.Count(bare, "{") - strings.Count(bare, "}")
	}
	return ""
}

// checks is how often a body checks something.
func checks(l gate.Language, body string) int {
	return len(signsOf(l).checks.FindAllStringIndex(body, -1))
}

// voids is how often a body makes a check pass whatever comes.
func voids(l gate.Language, body string) int {
	return len(signsOf(l).void.FindAllStringIndex(body, -1))
}
