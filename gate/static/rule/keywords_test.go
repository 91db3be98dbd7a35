package rule

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

func TestLiteralsOfPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    [][]string
	}{
		{`os\.system\s*\(`, [][]string{{"os.system"}}},
		{`\bos\.(?:system|popen)\(`, [][]string{{WordStart + "os.popen(", WordStart + "os.system("}}},
		{`(?i)AKIA[A-Z]{16}`, [][]string{{"akia"}}},
		{`(?i)précédent`, [][]string{{"dent"}}},
		{`(?i)инструкция`, nil},
		{`(?i)инструкция\s+secret`, [][]string{{"\tsecret", "\nsecret", "\fsecret", "\rsecret", " secret"}}},
		{`инструкция`, [][]string{{"инструкция"}}},
		{`foo|barbaz`, [][]string{{"barbaz", "foo"}}},
		{`foo|x`, nil},
		{`[a-z]+`, nil},
		{`a?bcd`, [][]string{{"abcd", "bcd"}}},
		{`x*abc`, [][]string{{"abc"}}},
		{`(?:abc)+d`, [][]string{{"abcd"}, {"abc"}}},
		{`a[bc]d`, [][]string{{"abd", "acd"}}},
		{`\brm\s`, [][]string{{"\brm\t", "\brm\n", "\brm\f", "\brm\r", "\brm "}}},
		{`import\s*os_specific`, [][]string{{"os_specific"}}},
		{`curl\s[^\n]*\|\s*bash`, [][]string{{"curl\t", "curl\n", "curl\f", "curl\r", "curl "}, {"bash"}}},
		{`for \w+ in range\((?:let|var) port`, [][]string{{" in range(let port", " in range(var port"}}},
	} {
		if got := Literals(c.pattern); !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%s: got %q, want %q", c.pattern, got, c.want)
		}
	}
}

// FuzzLiterals holds that every match of a pattern has a literal of each set.
func FuzzLiterals(f *testing.F) {
	for _, p := range []string{`os\.(?:system|popen)\(`, `(?i)AKIA[A-Z]{2,3}`, `a?b(cd|ef)+g{2}`, `\b(?:nc|ncat)\s`, `x|yz`, `(ab){3,}c`} {
		f.Add(p, "os.popen( AKIAQQ bcdgg ncat  ababababc")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 100 {
			return
		}
		if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
			return
		}
		expr, err := regexp.Compile(pattern)
		sets := Literals(pattern)
		if err != nil || sets == nil || strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 }) {
			return
		}
		for _, match := range expr.FindAllString(text, 10) {
			for _, literals := range sets {
				if !slices.ContainsFunc(literals, func(l string) bool {
					return strings.Contains(strings.ToLower(match), strings.TrimPrefix(l, WordStart))
				}) {
					t.Fatalf("%q matches %q, which has none of %q", pattern, match, literals)
				}
			}
		}
	})
}
