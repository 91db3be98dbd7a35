package taint_test

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/static/taint"
)

func TestTheNamesThatExecutedCodeSeesAreData(t *testing.T) {
	for _, c := range []struct {
		name, call, text string
		lang             gate.Language
		want             taint.Answer
	}{
		{"globals of a template", "exec(", "env = {'x': source}\nexec(code, env)\n", gate.LanguagePython, taint.No},
		{"the code itself", "exec(", "code = source\nexec(code, env)\n", gate.LanguagePython, taint.Yes},
		{"code that is compiled first", "exec(", "exec(compile(source, 'a', 'exec'), env)\n", gate.LanguagePython, taint.Yes},
		{"a constant runs one of the names", "exec(", "exec('exec(x)', {'x': source})\n", gate.LanguagePython, taint.Yes},
		{"a constant in a variable runs one", "eval(", "now = '__import__(\"os\").system(x)'\neval(now, {'x': source})\n", gate.LanguagePython, taint.Yes},
		{"a method of that name takes arguments", ".eval(", "store.eval(script, source)\n", gate.LanguagePython, taint.Yes},
		{"the context of a script", "runInContext(", "const seen = { x: source }\nvm.runInContext(code, seen)\n", gate.LanguageJavaScript, taint.No},
		{"a script in its context", "runInContext(", "const code = source\nvm.runInContext(code, seen)\n", gate.LanguageJavaScript, taint.Yes},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := []byte(c.text)
			lexed := lex.Scan(c.lang, src)
			g, ok := taint.New(c.lang, lexed.View(src), lexed)
			if !ok {
				t.Fatalf("no graph for %s", c.lang)
			}
			at, budget := strings.LastIndex(c.text, c.call), 8<<20
			sink := g.Sink(taint.Span{Start: at, End: at + len(c.call)})
			if _, got := g.Questions().Trace([]int{strings.Index(c.text, "source")}, sink, &budget); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
