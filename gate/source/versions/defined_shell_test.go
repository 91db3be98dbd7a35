package versions

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestAFunctionOfShellIsNamedAsItsExpressionSays(t *testing.T) {
	pieces := []string{"function", " ", "\t", "\n", "a-b", "f", "()", "( )", "(", ")", ";", "&", "|", "=", "$x", "\r\n", "_1"}
	rnd := rand.New(rand.NewPCG(1, 2))
	named := 0
	for range 200_000 {
		var b strings.Builder
		for range 1 + rnd.IntN(8) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		want := ""
		if m := shellFunction.FindStringSubmatch(b.String()); m != nil {
			want = m[1] + m[2]
		}
		if got := defined([]byte(b.String())); got != want {
			t.Fatalf("%q defines %q, want %q", b.String(), got, want)
		}
		if want != "" {
			named++
		}
	}
	if named < 1000 {
		t.Errorf("only %d texts define a function", named)
	}
}
