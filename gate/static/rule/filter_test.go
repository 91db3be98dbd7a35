package rule

import (
	"regexp"
	"testing"
)

func TestAFilterLetsPassWhatMayMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{`\bFunction\s*\(`, "function f(a)", false},
		{`\bFunction\s*\(`, "new Function (a)", true},
		{`(?i)akia[a-z]+`, "AkIa", true},
		{`(?i)akia[a-z]+`, "aki", false},
		{`(?i)akia`, "a\u212Aia", true}, // the sign for Kelvin is a k
		{`curl\b[^\n]*\|\s*(?:ba)?sh`, "curl -o a http://b/sh", false},
		{`curl\b[^\n]*\|\s*(?:ba)?sh`, "curl http://b/ | sh", true},
		{`["']\.ssh|id_(?:rsa|dsa)`, "open(base)", false},
		{`["']\.ssh|id_(?:rsa|dsa)`, "'id_rsa'", true},
		{`a*b?`, "", true},
		{`(?:ab){2,}`, "b", false},
		{"\uFFFD", "\xff", true},
		{`x[;&]y`, "xy", false},
	} {
		f := NewFilter(c.pattern)
		if got := f.Passes([]byte(c.text)); got != c.want {
			t.Errorf("%s over %q: got %v, want %v", c.pattern, c.text, got, c.want)
		}
	}
}

// FuzzFilter holds that a filter lets everything pass that its pattern matches.
func FuzzFilter(f *testing.F) {
	for _, p := range []string{`os\.(?:system|popen)\(`, `(?i)AKIA[A-Z]{2,3}`, `a?b(cd|ef)+g{2}`, `\b(?:nc|ncat)\s`, `x|yz`, `(ab){3,}c`, `["'][;&|]`} {
		f.Add(p, "os.popen( A\u212AIAQQ bcdgg ncat  ababababc \"|")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 100 {
			return
		}
		expr, err := regexp.Compile(pattern)
		if err != nil {
			return
		}
		if filter := NewFilter(pattern); expr.MatchString(text) && !filter.Passes([]byte(text)) {
			t.Fatalf("%q matches %q, and its filter stops it: %+v", pattern, text, filter)
		}
	})
}
