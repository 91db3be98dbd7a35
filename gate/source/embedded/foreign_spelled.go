package embedded

import (
	"bytes"
	"html"
	"net/url"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	programs "github.com/aigate/gate/gate/source/interpreter"
	"github.com/aigate/gate/gate/source/strlit"
)

// How files that no language of its own describes hold a program of several lines.
var (
	spelledText = regexp.MustCompile(`"((?:[^"\\\n]|\\.){8,})"`)
	spelledList = regexp.MustCompile(`(?:"(?:[^"\\\n]|\\.)*"[ \t]*,[ \t]*\r?\n?[ \t]*)+"(?:[^"\\\n]|\\.)*"`)
	elementText = regexp.MustCompile(`>([^<>]{8,})<`)
	marginText  = regexp.MustCompile(`(?m)(?:^[ \t]*\\\\[^\n]*\n?)+`)              // of Zig
	margin      = regexp.MustCompile(`(?m)^[ \t]*\\\\`)                            //
	blockText   = regexp.MustCompile(`(?s)\|\|\|-?[ \t]*\r?\n(.*?)\n[ \t]*\|\|\|`) // of Jsonnet
	nixText     = regexp.MustCompile(`(?s)''[ \t]*\r?\n(.*?)''`)
	shebangText = regexp.MustCompile(`(?s)(?:'''|""")\s*(#!.*?)(?:'''|""")`)
	xcodeScript = regexp.MustCompile(`\bshellScript[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"`)
	percentData = regexp.MustCompile(`\bdata:[\w/+.;=-]*,((?:[^\s"'<>()%]|%[0-9A-Fa-f]{2})*%0[AaDd](?:[^\s"'<>()%]|%[0-9A-Fa-f]{2})*)`)
)

// spelledPrograms returns the programs of another language that a text holds with its line ends
// spelled, as the items of a list, in an element of XML, behind a margin, or behind a line with an
// interpreter, where the text names that interpreter.
func spelledPrograms(lang gate.Language, name string, content []byte) []Code {
	f := foreignReader{lines: newLineIndex(content)}
	for _, l := range foreigns {
		if l.language != lang && l.named.Match(content) {
			f.languages = append(f.languages, l)
		}
	}
	if len(f.languages) > 0 {
		f.spelled(lang, content)
	}
	if f.full {
		f.out = append(f.out, unreadOf(maxForeign, "texts that read like programs of another language are")...)
	}
	if path.Ext(name) == ".pbxproj" {
		var b builder
		for _, m := range xcodeScript.FindAllSubmatchIndex(content, maxCommands) {
			b.flush(unescaped(string(content[m[2]:m[3]])), f.lines.of(m[0]), 0)
		}
		f.out = append(f.out, b.region(gate.LanguageShell, gate.RoleInfra)...)
	}
	return f.out
}

// unescaped is what a text with escapes says.
func unescaped(s string) string {
	if value, _, ok := strlit.Unescape(s); ok {
		return value
	}
	return s
}

func (f *foreignReader) spelled(lang gate.Language, content []byte) {
	look := func(text string, at, step int) {
		var b builder
		b.add(text, f.lines.of(at), step)
		f.text(lang, content, at, &b, maxForeignDepth)
	}
	for _, m := range spelledText.FindAllSubmatchIndex(content, maxOpened) {
		if text := content[m[2]:m[3]]; bytes.Contains(text, []byte(`\n`)) {
			look(unescaped(string(text)), m[2], 0)
		}
	}
	for _, m := range spelledList.FindAllIndex(content, maxOpened) {
		var words []string
		for _, w := range quotedText.FindAll(content[m[0]:m[1]], maxWords) {
			words = append(words, unescaped(string(w[1:len(w)-1])))
		}
		look(strings.Join(words, "\n"), m[0], 1)
	}
	for _, m := range elementText.FindAllSubmatchIndex(content, maxOpened) {
		look(html.UnescapeString(string(content[m[2]:m[3]])), m[2], 1)
	}
	for _, m := range marginText.FindAllIndex(content, maxOpened) {
		look(margin.ReplaceAllString(string(content[m[0]:m[1]]), ""), m[0], 1)
	}
	for _, form := range []*regexp.Regexp{blockText, nixText, shebangText} {
		for _, m := range form.FindAllSubmatchIndex(content, maxOpened) {
			look(string(content[m[2]:m[3]]), m[2], 1)
		}
	}
}

// percentScripts returns the scripts in addresses that hold their data, in percent signs: of
// Ignition and the like, which write them to a file. See RFC 2397.
func percentScripts(content []byte) []Code {
	var out []Code
	if !bytes.Contains(content, []byte("data:")) {
		return nil
	}
	lines := newLineIndex(content)
	for _, m := range percentData.FindAllSubmatchIndex(content, maxCommands) {
		text, err := url.PathUnescape(string(content[m[2]:m[3]]))
		if err != nil {
			continue
		}
		shebang, ok := programs.ReadShebang([]byte(text))
		if !ok {
			continue
		}
		var b builder
		b.flush(text, lines.of(m[2]), 0)
		out = append(out, b.region(shebang.Language(), "")...)
	}
	return out
}

var (
	debuggerLine  = regexp.MustCompile(`(?m)^[ \t]*(?:script|python-interactive|py(?:thon)?|pi)[ \t]+(?:-\S+[ \t]+|--[ \t]+)*([^\s<-][^\n]*)$`)
	debuggerBlock = regexp.MustCompile(`(?ms)^[ \t]*script[ \t]*\r?\n(.*?)(?:^[ \t]*(?:DONE|quit\(\))[ \t]*\r?$|\z)`)
)

// debuggerPrograms are the lines and blocks in Python of a file that GDB or LLDB reads:
// https://lldb.llvm.org/use/python-reference.html.
func debuggerPrograms(content []byte) []Code {
	var b builder
	lines := newLineIndex(content)
	for _, form := range []*regexp.Regexp{debuggerLine, debuggerBlock} {
		for _, m := range form.FindAllSubmatchIndex(content, maxCommands) {
			b.flush(string(content[m[2]:m[3]]), lines.of(m[2]), 1)
		}
	}
	return b.region(gate.LanguagePython, "")
}
