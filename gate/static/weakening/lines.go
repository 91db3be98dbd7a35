package weakening

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/dfa"
)

// Bounds of the look at settings. Longer files are made by programs, and not compared.
const (
	maxLine    = 4000  // bytes of a line
	maxLines   = 20000 // lines of a file
	maxKeys    = 8     // keys around a line of YAML that are put in front of it
	maxKeyName = 60    // bytes of one of them
)

// byLine reports whether the statements of a text are its lines.
func byLine(l gate.Language) bool { return isPage(l) || isSettings(l) }

// ByLine reports whether texts of a language are only compared line by line.
func ByLine(l gate.Language) bool { return byLine(l) }

// isPage reports whether texts of a language are pages or templates of them.
func isPage(l gate.Language) bool { return l == gate.LanguageTemplate || l == gate.LanguageHTML }

// isSettings reports whether texts of a language are settings, scripts or programs that only
// rules about single lines know.
func isSettings(l gate.Language) bool {
	switch l {
	case gate.LanguageUnknown, gate.LanguageText, gate.LanguageINI, gate.LanguageTOML, gate.LanguageJSON, gate.LanguageYAML, gate.LanguageWorkflow,
		gate.LanguageShell, gate.LanguageDockerfile, gate.LanguageMakefile, gate.LanguageTerraform,
		gate.LanguageJava, gate.LanguageKotlin, gate.LanguageGroovy, gate.LanguageRuby, gate.LanguagePHP, gate.LanguageCSharp:
		return true
	}
	return false
}

// lines is a text whose statements are its lines, without blank ones. It is nil for a file
// with too many. In settings comments are left out, lines that go on with a backslash are
// one, and those of YAML have the keys around them: "a.b.c: value".
func lines(l gate.Language, where, src string) *unit {
	u := &unit{path: where, lang: l}
	k := keys{}
	yaml := l == gate.LanguageYAML || l == gate.LanguageWorkflow
	goesOn := l == gate.LanguageShell || l == gate.LanguageDockerfile || l == gate.LanguageMakefile || yaml
	n := 0
	var held stmt
	for line := range strings.Lines(src) {
		if n++; n > maxLines && isSettings(l) {
			return nil
		}
		text := strings.TrimSpace(line)
		if text == "" || len(text) > maxLine || isSettings(l) && isRemarkLine(l, text) {
			continue
		}
		if yaml && held.text == "" {
			text = k.around(strings.TrimRight(line, " \t\r\n"))
		}
		if held.text != "" {
			text = held.text + " " + text
		}
		first := n
		if held.text != "" {
			first = held.first
		}
		if rest, more := strings.CutSuffix(text, "\\"); goesOn && more && len(rest) <= maxLine {
			held = stmt{text: strings.TrimSpace(rest), first: first}
			continue
		}
		// A pipe or a condition at the end of a line of a script goes on in the next one.
		if l == gate.LanguageShell && len(text) <= maxLine && (strings.HasSuffix(text, " |") || strings.HasSuffix(text, "&&") || strings.HasSuffix(text, "||")) {
			held = stmt{text: text, first: first}
			continue
		}
		held = stmt{}
		u.stmts = append(u.stmts, stmt{text: text, first: first, last: n})
	}
	if held.text != "" {
		u.stmts = append(u.stmts, stmt{text: held.text, first: held.first, last: n})
	}
	return u
}

// isRemarkLine reports whether a line of settings is a comment as a whole.
func isRemarkLine(l gate.Language, text string) bool {
	switch l {
	case gate.LanguageJava, gate.LanguageKotlin, gate.LanguageGroovy, gate.LanguageCSharp:
		return strings.HasPrefix(text, "//") || strings.HasPrefix(text, "*") || strings.HasPrefix(text, "/*")
	case gate.LanguagePHP, gate.LanguageTerraform:
		return strings.HasPrefix(text, "//") || strings.HasPrefix(text, "*") || strings.HasPrefix(text, "/*") || strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "#[")
	case gate.LanguageJSON:
		return strings.HasPrefix(text, "//")
	case gate.LanguageINI, gate.LanguageUnknown:
		return strings.HasPrefix(text, "#") || strings.HasPrefix(text, ";") || strings.HasPrefix(text, "//")
	}
	return strings.HasPrefix(text, "#")
}

// keys are the keys around a line of YAML, the outermost first.
type keys []struct {
	indent int // twice the blanks
	name   string
}

// key matches a line of YAML that begins with a key.
var key = dfa.MustCompile(`^((?:- +)*)["']?([\w./-]+)["']? ?:(?:[ \t]|$)`)

// around returns a line with the keys around it in front, and keeps its own.
func (k *keys) around(line string) string {
	text := strings.TrimLeft(line, " \t")
	indent := 2 * (len(line) - len(text))
	if strings.HasPrefix(text, "- ") {
		indent++ // the items of a list may begin where its key does
	}
	for len(*k) > 0 && (*k)[len(*k)-1].indent >= indent {
		*k = (*k)[:len(*k)-1]
	}
	var names []string
	for _, o := range (*k)[max(0, len(*k)-maxKeys):] {
		names = append(names, o.name)
	}
	if m := key.FindStringSubmatch(text); m != nil && len(m[2]) <= maxKeyName {
		*k = append(*k, struct {
			indent int
			name   string
		}{2 * (len(line) - len(text) + len(m[1])), m[2]})
	}
	return strings.Join(append(names, strings.TrimPrefix(text, "- ")), ".")
}

// afterThem finds checks that came before something in the base, and come after it now.
func afterThem(v *view, m *matcher) []Finding {
	for at, s := range v.base.stmts {
		if !m.later.match(s.text) || m.unless.match(s.text) {
			continue
		}
		now := slices.IndexFunc(v.head.stmts, func(o stmt) bool { return o.text == s.text })
		if now < 0 || slices.ContainsFunc(v.head.stmts[:now], m.later.match1) {
			continue
		}
		for _, passed := range v.head.stmts[:now] {
			behind := func(o stmt) bool { return o.text == passed.text }
			if m.than.match(passed.text) && !m.unless.match(passed.text) && slices.ContainsFunc(v.base.stmts[at+1:], behind) && !slices.ContainsFunc(v.base.stmts[:at], behind) && !v.covered(m, s.text, nil) {
				return []Finding{v.finding(m, v.head.stmts[now].first, v.head.stmts[now].last, "behind "+gate.Clip(passed.text, maxShown), s.text)}
			}
		}
	}
	return nil
}

// match1 is match for a statement.
func (e expressions) match1(s stmt) bool { return e.match(s.text) }

// object matches a word of a command that names a file, an address or a variable.
var object = regexp.MustCompile(`[\w@%+:{}$-]*[./$][\w./@%+:{}$-]*|\w{3,}`)

// stillThere reports whether the head still mentions what a statement of the base was about:
// the file whose signature it checked, the image, the list of packages.
func stillThere(v *view, m *matcher, gone string) bool {
	for _, where := range m.removes.slow().FindAllStringIndex(gone, -1) {
		// The check names its objects up to the end of its command; a digest comes through a pipe.
		begin := strings.LastIndexAny(strings.TrimRight(gone[:where[0]], "| "), ";&") + 1
		end := len(gone)
		if i := strings.IndexAny(gone[where[1]:], ";&|"); i >= 0 {
			end = where[1] + i
		}
		for _, word := range object.FindAllString(gone[begin:where[0]]+" "+gone[where[1]:end], -1) {
			if word = path.Base(strings.Trim(word, ".:-")); len(word) < 3 || common.MatchString(word) {
				continue
			}
			if slices.ContainsFunc(v.head.stmts, func(s stmt) bool { return strings.Contains(s.text, word) }) {
				return true
			}
		}
	}
	return false
}

// common matches words that say nothing about what a check was about.
var common = dfa.MustCompile(`^(?:echo|printf|RUN|run|jobs|steps|name|sudo|then|set|key|keyring|batch|status|quiet|strict|check|verify|dev|null|tmp|usr|local|bin|certificate|identity|oidc|issuer|regexp|https?|true|false|verification|failed|not|and|the|for|exit|grep|awk|cut|head|tail|cat|curl|wget|if|fi|do|done|import|recv|keys|keyserver|home|gpg|root|v?\d[\d.]*)$|^\$\{?\w*(?:VERSION|TAG|ARCH|OS|DIR|HOME|PATH|URL)\w*\}?$`)
