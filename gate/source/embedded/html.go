package embedded

import (
	"bytes"
	"html"
	"net/url"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// htmlScripts returns the inline scripts of a page, and of a picture in SVG, where the name
// may have a prefix.
func htmlScripts(content []byte) []Code {
	lower := lowerASCII(content)
	lines := newLineIndex(content)
	var out []Code
	for at := 0; at < len(lower); {
		m := scriptTag.FindIndex(lower[at:])
		if m == nil {
			break
		}
		open := bytes.IndexByte(lower[at+m[0]:], '>')
		if open < 0 {
			break
		}
		start := at + m[0] + open + 1
		end := len(lower)
		if j := scriptEnd.FindIndex(lower[start:]); j != nil {
			end = start + j[0]
		}
		var b builder
		script := string(content[start:end])
		b.add(script, lines.of(start), 1)
		if inXML := html.UnescapeString(script); inXML != script {
			b.block(inXML, lines.of(start)) // in a picture or another XML document references stand for characters
		}
		out = append(out, b.region(gate.LanguageJavaScript, "")...)
		at = end + 1
	}
	return out
}

var (
	scriptTag   = regexp.MustCompile(`<(?:[a-z][\w.-]*:)?script`)
	scriptEnd   = regexp.MustCompile(`</(?:[a-z][\w.-]*:)?script`)
	htmlHandler = regexp.MustCompile(`(?i)[\s/"']on[a-z]+\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>` + "`" + `][^\s>]*))`)
	htmlAddress = regexp.MustCompile(`(?i)[\s/"'](?:(?:xlink:)?href|src|action|formaction|data|to|from|values|content)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>` + "`" + `][^\s>]*))`)
	htmlWithin  = regexp.MustCompile(`(?i)[\s/"']srcdoc\s*=\s*(?:"([^"]*)"|'([^']*)')`)
	// scriptAddress matches an address that is a script; a browser leaves blanks and line ends in
	// its name out.
	scriptAddress = regexp.MustCompile(`(?is)^[\x00-\x20]*(?:\d+;\s*url=)?j\s*a\s*v\s*a\s*s\s*c\s*r\s*i\s*p\s*t\s*:(.*)$`)
	dataAddress   = regexp.MustCompile(`(?is)^\s*data:\s*([\w/+.-]*)[^,]*?(;base64)?,(.*)$`)
)

// htmlHandlers returns the scripts in the attributes of a page: what handles an event, an
// address that is a script or a text, and a page within.
func htmlHandlers(content []byte) []Code {
	var b builder
	lines := newLineIndex(content)
	each := func(re *regexp.Regexp, do func(text string, line int)) {
		for _, m := range re.FindAllSubmatchIndex(content, maxCommands) {
			for g := 2; g < len(m); g += 2 {
				if m[g] >= 0 {
					do(html.UnescapeString(string(content[m[g]:m[g+1]])), lines.of(m[g]))
				}
			}
		}
	}
	each(htmlHandler, b.block)
	var out []Code
	each(htmlAddress, func(text string, line int) {
		if m := scriptAddress.FindStringSubmatch(text); m != nil {
			b.block(percentDecoded(m[1]), line)
		}
		m := dataAddress.FindStringSubmatch(text)
		if m == nil || m[2] != "" {
			return // what is encoded is decoded elsewhere
		}
		switch lang := dataLanguage(m[1]); lang {
		case gate.LanguageHTML:
			out = append(out, onLine(htmlScripts([]byte(percentDecoded(m[3]))), line)...)
		case gate.LanguageJavaScript:
			b.block(percentDecoded(m[3]), line)
		}
	})
	each(htmlWithin, func(text string, line int) {
		out = append(out, onLine(htmlScripts([]byte(text)), line)...)
		for _, m := range htmlHandler.FindAllStringSubmatch(text, maxCommands) {
			b.block(html.UnescapeString(m[1]+m[2]+m[3]), line)
		}
	})
	return append(b.region(gate.LanguageJavaScript, ""), out...)
}

// onLine puts pieces of code on one line.
func onLine(regions []Code, line int) []Code {
	for i := range regions {
		for j := range regions[i].Lines {
			regions[i].Lines[j] = line
		}
	}
	return regions
}

// dataLanguage is the language that the type of a data address names.
func dataLanguage(mediaType string) gate.Language {
	switch t := string(lowerASCII([]byte(mediaType))); {
	case t == "text/html", t == "image/svg+xml", t == "application/xhtml+xml":
		return gate.LanguageHTML
	case bytes.Contains([]byte(t), []byte("script")):
		return gate.LanguageJavaScript
	}
	return gate.LanguageUnknown
}

// percentDecoded undoes %20 and the like; a text in which one is wrong stays as it is.
func percentDecoded(s string) string {
	if out, err := url.PathUnescape(s); err == nil {
		return out
	}
	return s
}

// lowerASCII keeps offsets, which a change of case beyond ASCII would not.
func lowerASCII(text []byte) []byte {
	out := bytes.Clone(text)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return out
}
