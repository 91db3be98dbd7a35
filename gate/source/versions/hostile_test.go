package versions

import (
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
)

// hostileSize is how much of what is costly a text holds: enough for what is not linear
// to show.
const hostileSize = 256 << 10 // bytes

// TestHostileTextsTakeNoTime holds the bound: texts that are made of what is costly.
// The time is many times what a slow machine needs; what is not linear takes longer.
func TestHostileTextsTakeNoTime(t *testing.T) {
	fill := func(s string) string { return strings.Repeat(s, hostileSize/len(s)) }
	for _, tt := range []struct {
		name string
		l    gate.Language
		text string
	}{
		{"braces", gate.LanguageJavaScript, fill("{")},
		{"conditions in a chain", gate.LanguageJavaScript, fill("if(a){}else ")},
		{"functions of one name", gate.LanguageJavaScript, fill("function f() { x = 1; f(x) }\n")},
		{"assignments", gate.LanguagePython, fill("x = x\n")},
		{"nested functions", gate.LanguagePython, fill("def f(x):\n  x = f(x)\n")},
		{"one statement", gate.LanguagePython, "f(" + fill("x,\n")},
		{"indentation", gate.LanguagePython, func() string {
			var b strings.Builder
			for i := 0; b.Len() < hostileSize; i++ {
				b.WriteString(strings.Repeat(" ", i%1000) + "if x:\n")
			}
			return b.String()
		}()},
		{"conditions of a shell", gate.LanguageShell, fill("if a\nthen\n")},
		{"branches of a shell", gate.LanguageShell, "if a; then b\n" + fill("elif a; then b\n") + "fi\n"},
		{"parentheses of a shell", gate.LanguageShell, fill("$((")},
		{"here documents", gate.LanguageShell, fill("cat <<E\n$x\nE\n")},
		{"exits", gate.LanguageShell, fill("exit\n")},
		{"lists", gate.LanguageYAML, fill("- - - a:\n")},
		{"conditions of YAML", gate.LanguageYAML, fill("- if: x\n  run: $A\n  A: b\n")},
		{"elements", gate.LanguageHTML, fill("<pre>\n")},
		{"conditionals of make", gate.LanguageMakefile, fill("ifdef A\nA = $(A)\n")},
		{"objects", gate.LanguageJSON, fill(`{"type": "a", "a": [` + "\n")},
		{"blocks of Ruby", gate.LanguageRuby, fill("if a\n")},
		{"one line", gate.LanguageShell, fill("A=$A;")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			begin := time.Now()
			Compare(Text{tt.l, "package.json", []byte("a\n" + tt.text + "x = 1\n")}, Text{tt.l, "package.json", []byte("exit\n" + tt.text + "x = 2\n")})
			if took := time.Since(begin); took > time.Minute {
				t.Errorf("it took %s", took)
			} else {
				t.Logf("%s", took)
			}
		})
	}
}
