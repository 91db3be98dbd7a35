package spelling

import (
	"bytes"
	"slices"

	"github.com/aigate/gate/gate"
)

// Readings returns what a text says when what is spelled in it is written plainly, in
// each of the ways in which that can be understood. There are none for a text in
// which nothing that could be a command is spelled otherwise. unread are the bounds that
// kept something from being read so.
func Readings(lang gate.Language, src []byte) (out []Text, unread []string) {
	if lang == gate.LanguageShell {
		return nil, nil
	}
	limits := &bounds{}
	add := func(t Text) {
		if !t.tells() {
			return
		}
		for _, o := range out {
			if bytes.Equal(o.Content, t.Content) {
				return
			}
		}
		out = append(out, t)
	}
	plain := quotes(lang, source(src), limits)
	for _, decimal := range []bool{false, true} {
		if decimal && !numbered(src) {
			break
		}
		e := escapes{lang: lang, decimal: decimal, percent: percents(lang, src)}
		resolved := e.resolve(plain)
		literal := glue{lang: lang, bounds: limits}.join(resolved)
		add(literal)
		if worked := evaluate(resolved); len(worked.Marks) > len(resolved.Marks) {
			joined := glue{lang: lang, bounds: limits}.join(worked)
			add(joined)
			add(glue{lang: lang, bounds: limits}.join(names{lang: lang, bounds: limits}.fill(joined)))
		}
		filled := names{lang: lang, bounds: limits}.fill(literal)
		if !filled.same(literal) || !literal.same(resolved) { // joined, and nothing was apart
			filled = glue{lang: lang, bounds: limits}.join(filled)
		}
		add(filled)
		if lists := listsOf(filled.Content); len(lists) > 0 {
			add(glue{lang: lang, bounds: limits, lists: lists}.join(filled))
		}
	}
	return out, limits.unread
}

// percents reports whether a percent sign and two digits may stand for a character.
func percents(lang gate.Language, src []byte) bool {
	switch lang {
	case gate.LanguageBatch, gate.LanguageVim:
		return false
	}
	return bytes.IndexByte(src, '%') >= 0 && containsAny(src, "decodeURI", "nescape", "urldecode", "unquote", "URLDecode", "UrlDecode", "url_decode", "uri_decode", "<Project", "<Target", "<PropertyGroup")
}

func containsAny(src []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(src, []byte(w)) {
			return true
		}
	}
	return false
}

// joiners are words of functions that put the elements of a list together.
var joiners = []string{"join", "Join", "concat", "Concat", "CONCAT", "paste0", "implode", "reduce", "fold", "cat(", "cat ", "glue", "(str ", "sum(", "unlines", "append", `"%s%s`, `'%s%s`}

// listsOf returns where words are that put lists together, in order.
func listsOf(src []byte) []int {
	if !containsAny(src, `",`, `',`, `" "`, `' '`, "'\n", "\"\n") {
		return nil
	}
	var out []int
	for _, w := range joiners {
		for at := 0; ; at++ {
			i := bytes.Index(src[at:], []byte(w))
			if i < 0 {
				break
			}
			at += i
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return out
}
