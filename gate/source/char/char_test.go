package char

import (
	"regexp"
	"testing"
	"unicode/utf8"
)

func TestClassesAreThoseOfRegularExpressions(t *testing.T) {
	word, start := regexp.MustCompile(`^\w$`), regexp.MustCompile(`^[A-Za-z_]$`)
	for i := range 256 {
		c := byte(i)
		if got, want := IsASCIIWord(c), word.Match([]byte{c}); got != want {
			t.Errorf("IsASCIIWord(%q) is %v", c, got)
		}
		if got, want := IsNameStart(c), start.Match([]byte{c}); got != want {
			t.Errorf("IsNameStart(%q) is %v", c, got)
		}
		if got, want := IsWord(c), word.Match([]byte{c}) || c >= utf8.RuneSelf; got != want {
			t.Errorf("IsWord(%q) is %v", c, got)
		}
	}
}

func TestIsWordTakesLettersOfOtherScriptsWhole(t *testing.T) {
	for _, name := range []string{"größe", "имя", "名前_2"} {
		for i := range len(name) {
			if !IsWord(name[i]) {
				t.Errorf("%q ends before byte %d", name, i)
			}
		}
	}
}
