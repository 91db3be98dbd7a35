package match

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestSoManyCharactersOnALineAreCountedAsPackageRegexpDoes(t *testing.T) {
	for expr, want := range map[string]int{`[^\n]{3}`: 3, `[^\n]{1000}`: 1000, `[^\n]{3,}`: 0, `[^\n]{3}x`: 0, `.{3}`: 0, `[^\n]{}`: 0} {
		if got := longRun(expr); got != want {
			t.Errorf("%s: %d, want %d", expr, got, want)
		}
	}
	expr := regexp.MustCompile(multiline(`[^\n]{3}`))
	for _, text := range []string{"", "ab", "abc", "ab\nc", "abcdefg\nabc", "\n\n\nabcd", "äöü", "a\xffb\xff", strings.Repeat("ab\n", 5) + "abcabc"} {
		e := lazyExpr{run: 3}
		if got, want := e.all([]byte(text)), expr.FindAllSubmatchIndex([]byte(text), -1); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
