package embedded

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/source/strlit"
)

// fills matches what puts values into the fields of a text in Python: a method, "%" with a
// table, a template.
var fills = regexp.MustCompile(`\.(?:format|format_map|substitute|safe_substitute|render|replace)[ \t]*\(|%[ \t]*(?:\{|dict\(|\()|\b[fF](?:"|')`)

// field matches a field with a name.
var fieldOf = regexp.MustCompile(`\{([A-Za-z_]\w*)\}|%\((\w+)\)[sr]|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)|\{\{[ \t]*([A-Za-z_]\w*)[ \t]*\}\}`)

// namedText matches a name that gets a text, in a call, an assignment or a table.
var namedText = regexp.MustCompile(`\b([A-Za-z_]\w*)["']?[ \t]*[=:][ \t]*(?:'([^'\n]{0,400})'|"([^"\n]{0,400})")`)

// filled puts the values that a program gives names into the fields of a text with these names.
// values is made of the program when it is first needed.
func filled(text string, values func() map[string]string) string {
	if !fieldOf.MatchString(text) {
		return text
	}
	return fieldOf.ReplaceAllStringFunc(text, func(f string) string {
		for _, name := range fieldOf.FindStringSubmatch(f)[1:] {
			if v, ok := values()[name]; ok && name != "" {
				return v
			}
		}
		return f
	})
}

// valuesIn are the texts that a program in Python gives names, none where it fills no text.
func valuesIn(content []byte) map[string]string {
	if !fills.Match(content) {
		return nil
	}
	out := map[string]string{}
	for _, m := range namedText.FindAllSubmatch(content, maxNamed) {
		out[string(m[1])] = strlit.UnescapeLoosely(string(m[2]) + string(m[3]))
	}
	return out
}

// withHome replaces the home folder that a shell puts into a program in another language by what that
// language calls it.
func withHome(pieces []Code) []Code {
	for i, p := range pieces {
		if !bytes.Contains(p.Text, []byte("HOME")) {
			continue
		}
		switch p.Language {
		case gate.LanguagePython:
			pieces[i].Text = homeText.ReplaceAll(p.Text, []byte(`os.path.expanduser($1~$2$1)`))
		case gate.LanguageJavaScript:
			pieces[i].Text = homeText.ReplaceAll(p.Text, []byte(`(os.homedir()+$1$2$1)`))
		}
	}
	return pieces
}

// homeText matches a text between quotes that begins with the home folder of a shell.
var homeText = regexp.MustCompile(`(["'])(?:\$HOME|\$\{HOME\})\b((?:/[^"'\n]*)?)["']`)

// assigned matches a variable that gets a program in Python on one line: an interpreter in another
// file may get it.
var assigned = regexp.MustCompile(`(?m)^[ \t]*(?:(?:export|local|readonly|declare(?:[ \t]+-\w+)*|define)[ \t]+)?["']?\w+["']?[ \t]*(?:\+|:|\?)?[=:][ \t]*(["']?)((?:import[ \t]+[A-Za-z_][\w.]*(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[A-Za-z_][\w.]*(?:[ \t]+as[ \t]+\w+)?)*[ \t]*|from[ \t]+[\w.]+[ \t]+import[ \t]+\w[\w, \t]*);[^\n]*)$`)

// assignedPrograms are the programs in Python that a script or a file of settings gives variables.
func assignedPrograms(content []byte) []Code {
	if !bytes.Contains(content, []byte("import ")) {
		return nil
	}
	var b builder
	lines := newLineIndex(content)
	for _, m := range assigned.FindAllSubmatchIndex(content, maxNamed) {
		text := string(content[m[4]:m[5]])
		if quote := string(content[m[2]:m[3]]); quote != "" {
			text = strings.TrimSuffix(strings.TrimRight(text, " \t\r"), quote)
		}
		b.flush(strings.ReplaceAll(text, "$$", "$"), lines.of(m[4]), 0)
	}
	return guessed(b.region(gate.LanguagePython, ""), true)
}

// cutsPrefix matches a command of sed that takes away what lines begin with.
var cutsPrefix = regexp.MustCompile(`\bsed\b[^\n;|&]{0,40}?["' \t{;]s([/|,#@!:%])\^([^\n\\.*\[\]$^+?()|]{1,20}?)(?:/|\||,|#|@|!|:|%)(?:/|\||,|#|@|!|:|%)[^\n]*`)

// takesProgramOf matches what runs what a command prints.
var takesProgramOf = regexp.MustCompile(`\|[ \t]*(?:\S*/)?(?:(?:ba|z|da|k)?sh|python[\d.]*|perl|node|ruby|php)\b|\beval\b|\bsource\b|<\(|>[ \t]*\S`)

// unprefixed are the lines of a script without what a command of sed takes away in front of them: a
// shell archive, or a script that reads its own comments.
func unprefixed(content []byte) []Code {
	var out []Code
	for _, m := range cutsPrefix.FindAllSubmatchIndex(content, maxWords) {
		sign, prefix := content[m[2]], content[m[4]:m[5]]
		command := content[1+bytes.LastIndexByte(content[:m[0]], '\n') : m[1]]
		if content[m[5]] != sign || len(bytes.TrimSpace(prefix)) == 0 || prefix[0] == '#' && !takesProgramOf.Match(command) {
			continue
		}
		var b builder
		n := 0
		for line := range bytes.Lines(content) {
			n++
			if rest, ok := bytes.CutPrefix(line, prefix); ok {
				b.add(string(bytes.TrimRight(rest, "\r\n")), n, 0)
			}
		}
		if len(b.lines) == 0 {
			continue
		}
		for _, c := range untyped(b.text) {
			for i, l := range c.Lines {
				c.Lines[i] = b.lines[min(l, len(b.lines))-1]
			}
			out = append(out, c)
		}
	}
	return out
}

// printing reports whether a text is another argument of the command that writes out the one
// before it, which ends at an offset.
func printing(content []byte, end int, next lex.Span) bool {
	return end > 0 && end <= next.Start && len(bytes.Trim(content[end:next.Start], " \t\r\n\\")) == 0 &&
		!bytes.Contains(bytes.ReplaceAll(content[end:next.Start], []byte("\\\n"), nil), []byte{'\n'})
}
