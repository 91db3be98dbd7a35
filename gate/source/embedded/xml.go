package embedded

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/build"
)

// looksLikeXML reports whether a text is a document that may start something.
func looksLikeXML(content []byte) bool {
	head := bytes.TrimLeft(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == 0 || head[0] != '<' {
		return false
	}
	return len(content) < maxPlainXML || startsInXML.Match(content)
}

// maxPlainXML is the size up to which a document is read whatever is in it.
const maxPlainXML = 64 << 10 // bytes

// startsInXML matches what a document may start something with.
var startsInXML = regexp.MustCompile(`xec|ommand|Event|cript|CRIPT|program|get |<source|<argument`)

// dashC matches the option of a shell that a command follows.
var dashC = regexp.MustCompile(`^\s*-\w*c\s+["']?`)

// xmlCommands returns the commands of a document that a build tool reads, with its
// properties, entities and escapes worked out, and the programs in it.
func xmlCommands(content []byte) []Code {
	if !looksLikeXML(content) {
		return nil
	}
	doc := build.ReadXML(content)
	var b builder
	for _, v := range doc.Values {
		v.Text = dashC.ReplaceAllString(v.Text, "")
		if v.Command || doc.Root == "project" && isCommand(v.Key, v.Text) || !shownKeys.MatchString(v.Key) && wholeCommand.MatchString(quoteSigns.Replace(v.Text)) {
			b.flush(v.Text, v.At, 0)
		}
	}
	out := b.region(gate.LanguageShell, gate.RoleInfra)
	for _, v := range doc.Values {
		if !strings.ContainsAny(v.Text, "\"'") || !handsOver.MatchString(v.Text) {
			continue
		}
		for _, c := range foreignPrograms(gate.LanguageGroovy, []byte(v.Text)) {
			for i := range c.Lines {
				c.Lines[i] = v.At
			}
			out = append(out, c)
		}
	}
	for _, c := range doc.Code {
		var b builder
		b.flush(c.Text, c.At, 0)
		for _, lang := range codeLanguages(c.Key) {
			out = append(out, b.region(lang, gate.RoleInfra)...)
		}
	}
	return append(out, unreadBuild(doc.Unread)...)
}

// codeLanguages are those that a program in a document may be in.
func codeLanguages(named string) []gate.Language {
	switch named {
	case "javascript", "js", "ecmascript", "rhino", "nashorn":
		return []gate.Language{gate.LanguageJavaScript, gate.LanguageGroovy}
	case "python", "jython":
		return []gate.Language{gate.LanguagePython}
	case "ruby", "jruby":
		return []gate.Language{gate.LanguageRuby}
	case "cs", "c#", "csharp":
		return []gate.Language{gate.LanguageCSharp}
	}
	return []gate.Language{gate.LanguageGroovy}
}
