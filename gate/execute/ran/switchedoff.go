package ran

import (
	"path"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var (
	goTest     = regexp.MustCompile(`^func (?:Test|Fuzz)[A-Z_]?\w*\(\s*(\w+) \*testing\.([TFM])\)[^{]*\{(.*)$`)
	goSkips    = regexp.MustCompile(`^\s*(?:\w+\.Skip(?:f|Now)?\(|return\b|runtime\.Goexit\(|os\.Exit\(0\))`)
	scriptTest = regexp.MustCompile(`^(?:export\s+default\s+)?(x?(?:describe|suite|context|test|it|specify)|Deno\.test)((?:\.\w+(?:\([^()]*\))?)*)\s*[(` + "`" + `]`)
	scriptSkip = regexp.MustCompile(`\.(?:skip|todo)\b|\.skipIf\(\s*true|\.runIf\(\s*false`)
	skipOption = regexp.MustCompile(`\{[^{}]*\b(?:skip|todo|ignore)\s*:\s*(?:true|["'` + "`" + `])`)
)

// switchedOff returns the first test that a file of tests switches off, where it does so
// with all of them and under no condition. Runners tell of such files as of those that
// pass. Python and Bats are asked for it as they run.
func switchedOff(name, text string) (line int, ok bool) {
	switch path.Ext(name) {
	case ".go":
		return goSwitchedOff(text)
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return scriptSwitchedOff(text)
	}
	return 0, false
}

func goSwitchedOff(text string) (line int, ok bool) {
	lines := strings.Split(text, "\n")
	tests, off := 0, 0
	for i, l := range lines {
		m := goTest.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if m[2] == "M" {
			if !strings.Contains(text, m[1]+".Run(") {
				return i + 1, true // TestMain runs none
			}
			continue
		}
		tests++
		if goSkips.MatchString(firstStatement(m[3], lines[i+1:])) {
			if off++; line == 0 {
				line = i + 1
			}
		}
	}
	return line, tests > 0 && off == tests
}

// firstStatement is what follows a brace, or on the next line that is no comment.
func firstStatement(rest string, below []string) string {
	for _, l := range slices.Concat([]string{rest}, below[:min(len(below), 20)]) {
		if s := strings.TrimSpace(l); s != "" && !strings.HasPrefix(s, "//") {
			return s
		}
	}
	return ""
}

func scriptSwitchedOff(text string) (line int, ok bool) {
	tests, off, n := 0, 0, 0
	for l := range strings.Lines(text) {
		n++
		m := scriptTest.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		tests++
		if strings.HasPrefix(m[1], "x") || scriptSkip.MatchString(m[2]) || skipOption.MatchString(l) {
			if off++; line == 0 {
				line = n
			}
		}
	}
	return line, tests > 0 && off == tests
}
