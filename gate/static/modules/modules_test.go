package modules

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func language(name string) gate.Language {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "py":
		return gate.LanguagePython
	case "js":
		return gate.LanguageJavaScript
	case "ts":
		return gate.LanguageTypeScript
	case "go":
		return gate.LanguageGo
	}
	return gate.LanguageUnknown
}

func program(files map[string]string) *Program {
	tree, names := fstest.MapFS{}, []string{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
		names = append(names, name)
	}
	return New(tree, names, language, NewCache())
}

func joinedText(j *Joined) string {
	var out []string
	for _, p := range append(j.Before, j.Own...) {
		out = append(out, string(p.Text))
	}
	return strings.Join(out, "\n")
}

func TestAFileIsJoinedWithWhatItUses(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		root  string
		want  string
	}{
		"a name that means something else is given another one": {map[string]string{
			"a.py": "x = 1\ndef f():\n    return x\n", "b.py": "from a import f as g\nx = 2\nprint(g(), x)\n"}, "b.py",
			"x_2 = 1\ndef f_2():\n    return x_2\n\nx = 2\nprint(f_2(), x)"},
		"only what is used":    {map[string]string{"a.py": "x = 1\ny = 2\n", "b.py": "import a\nprint(a.y)\n"}, "b.py", "y = 2\nimport a\nprint(y)"},
		"what stays outside":   {map[string]string{"a.js": "import fs from 'fs';\nexport const k = fs.x();\n", "b.js": "import { k } from './a';\nuse(k);\n"}, "b.js", "import fs from 'fs'\nexport const k = fs.x()\n\nuse(k)"},
		"a sibling of Go":      {map[string]string{"a.go": "package p\n\nvar k = 1\n", "b.go": "package p\n\nfunc f() int { return k }\n"}, "b.go", "var k = 1\nfunc f() int { return k }"},
		"modules in a circle":  {map[string]string{"a.py": "from b import y\nx = y\n", "b.py": "from a import x\ny = x\n"}, "b.py", "x = y\n\ny = x"},
		"names in a circle":    {map[string]string{"a.ts": "export * from './b';\n", "b.ts": "export * from './a';\nimport { q } from './a';\nuse(q);\n"}, "b.ts", ""},
		"a module of no tree":  {map[string]string{"b.py": "import os\nprint(os.x)\n"}, "b.py", ""},
		"a path out of a tree": {map[string]string{"b.js": "const a = require('../../a');\na();\n"}, "b.js", ""},
	} {
		t.Run(name, func(t *testing.T) {
			j, ok := program(tc.files).Link(tc.root, gate.LineSet{}, nil)
			got := ""
			if ok {
				got = joinedText(j)
			}
			if got != tc.want {
				t.Errorf("got\n%q, want\n%q", got, tc.want)
			}
		})
	}
}

func TestABoundIsToldAndNeverSilence(t *testing.T) {
	files := map[string]string{"b.py": "from a import x\nprint(x)\n", "a.py": "x = '" + strings.Repeat("y", MaxModule) + "'\n"}
	p := program(files)
	if _, ok := p.Link("b.py", gate.LineSet{}, nil); ok || !p.Full() {
		t.Error("a module that is too large is left out without a word")
	}
	files["a.py"] = "x = '" + strings.Repeat("y", maxJoined) + "'\n"
	p = program(files)
	if _, ok := p.Link("b.py", gate.LineSet{}, nil); ok || !p.Full() {
		t.Error("a statement that is too long is left out without a word")
	}
}

func FuzzAnyTextCanBeJoined(f *testing.F) {
	for _, seed := range [][2]string{
		{"import { a as b, default as c } from './m';\nb(c);\n", "export default class { static x = 1 }\nmodule.exports = { a: 1, b, c() {} }\n"},
		{"from .m import (a as b,\n *)\nimport m.n as o, p\nb(o.q)\n", "@d\nasync def a(x=1):\n  y: int = 2\ntry:\n  import z\nexcept E: pass\n"},
		{"const { a: { b }, ...c } = (await import('./m')).d, e = require('./m')\n", "exports.a = exports.b = ((]}\nexport * as x from './u'"},
		{"package m\nimport x \"y/m\"\nfunc (r *T[K]) f() { x.Q() }\n", "package m\nvar (\n a, b = 1, 2\n"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, user, module string) {
		for _, ends := range []string{".py", ".js", ".ts", ".go"} {
			p := program(map[string]string{"u" + ends: user, "m" + ends: module})
			p.Changed("m"+ends, gate.LineSet{}, func(Piece) bool { return true })
			j, ok := p.Link("u"+ends, gate.LineSet{}, nil)
			if !ok {
				continue
			}
			for _, piece := range j.Before {
				if piece.Path == "u"+ends || piece.Line < 1 || piece.Line > 1+strings.Count(module, "\n") {
					t.Errorf("%s:%d is no line of the other module", piece.Path, piece.Line)
				}
			}
		}
	})
}
