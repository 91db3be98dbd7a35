package weakening

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestACommentOnItsOwnLineIsNoStatement(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      int // statements
	}{
		{"with types in braces", "/**\n * @param {string} name\n */\nf();\n", 1},
		{"with code in backticks", "// call `verify()` first\nf();\n", 1},
		{"with one backtick, which could end a template", "// a ` here\nf();\n", 2},
		{"with a substitution, which a template would run", "// ${g()}\nf();\n", 2},
		{"behind code, which could be a regular expression", "x = a //(g())\nf();\n", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			units, ok := read(gate.LanguageJavaScript, "a.js", []byte(c.src))
			if !ok || len(units) != 1 || len(units[0].stmts) != c.want {
				t.Errorf("%t, %+v; want %d statements", ok, units[0].stmts, c.want)
			}
		})
	}
}

func TestAMethodIsAUnitWhateverItsParametersAre(t *testing.T) {
	for _, parameters := range []string{"", "@Param('id') id: string", "@Body(new Pipe()) body: T", "@Body() body: { to: string; cents: number }"} {
		src := "class A {\n  @Post(':id')\n  @UseGuards(OwnerGuard)\n  send(" + parameters + ") {\n    return 1;\n  }\n}\n"
		units, ok := read(gate.LanguageTypeScript, "a.ts", []byte(src))
		if last := units[len(units)-1]; !ok || last.name != "A.send" || last.heads != 3 {
			t.Errorf("%q: unit %q with %d heads", parameters, last.name, last.heads)
		}
	}
}
