package constprop

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
)

var (
	concatOp     = regexp.MustCompile(`^\s*\.concat\(\s*$`)
	closeBracket = regexp.MustCompile(`^\s*\]`)
)

// concatenated folds "o".concat("s").
func (f *folder) concatenated(i int) (literal, int) {
	l := f.lits[i]
	if i+1 >= len(f.lits) || !concatOp.Match(f.between(i+1)) {
		return l, i
	}
	values, next := f.run(i + 1)
	end := f.lits[next-1].end
	m := closeCall.Find(f.rest(end))
	if m == nil {
		return l, i
	}
	return f.bounded(literal{start: l.start, end: end + len(m), value: l.value + strings.Join(values, "")}, i, next)
}

// members are the names behind brackets that rules know behind a dot.
var members = []string{"exec", "execSync", "execFile", "execFileSync", "spawn", "spawnSync", "fork", "env", "eval", "Function", "require",
	"mainModule", "constructor", "binding", "fetch", "request", "readFileSync", "writeFileSync", "cookie", "sendBeacon", "fromCharCode"}

// member folds a["exec"], which is a.exec.
func (f *folder) member(i int) (literal, int) {
	l := f.lits[i]
	open := openList.FindIndex(f.src[max(0, l.start-20):l.start])
	m := closeBracket.Find(f.rest(l.end))
	if open == nil || m == nil || !slices.Contains(members, l.value) {
		return l, i
	}
	start := max(0, l.start-20) + open[0]
	if start == 0 || !char.IsWord(f.src[start-1]) && f.src[start-1] != ')' && f.src[start-1] != ']' {
		return l, i
	}
	return literal{start: start, end: l.end + len(m), value: l.value, code: "." + l.value}, i + 1
}

// inTemplate is a constant in a template.
var inTemplate = regexp.MustCompile("\\$\\{\\s*(?:\"([^\"\\\\`$\\r\\n]*)\"|'([^'\\\\`$\\r\\n]*)')\\s*\\}")

// templates puts the constants in templates into them: `${"o"}s` is `os`. What is
// no constant stays.
func templates(lang gate.Language, src []byte) ([]byte, bool) {
	if !bytes.Contains(src, []byte("${\"")) && !bytes.Contains(src, []byte("${'")) {
		return src, false
	}
	var text *lex.Text
	var out []byte
	done := 0
	for _, m := range inTemplate.FindAllIndex(src, -1) {
		if m[0] < done {
			continue
		}
		if text == nil {
			text = lex.Scan(lang, src)
		}
		before, _ := text.Span(m[0])
		after, _ := text.Span(m[1] - 1)
		if before.Class != lex.String || after.Class != lex.String || src[before.Start] != '`' && src[before.Start] != '}' {
			continue
		}
		if done = after.End; bytes.ContainsAny(src[m[0]:done], "\r\n") {
			continue // what is behind the constant would move to another line
		}
		if out == nil {
			out = bytes.Clone(src)
		}
		write(out[m[0]:done], string(inTemplate.ReplaceAll(src[m[0]:done], []byte("$1$2"))))
	}
	return out, out != nil
}

// maxHelpers bounds the functions of one text that are taken for decoders.
const maxHelpers = 50

// helper matches a function that does nothing but decode what it is given.
var helper = regexp.MustCompile(`(?:\bfunction\s+(\w+)\s*\(\s*\w+(?:\s*:\s*string)?\s*\)[^{}\n]{0,20}\{\s*return\s+|\b(?:const|let|var)\s+(\w+)\s*=\s*(?:function\s*)?\(?\s*\w+(?:\s*:\s*string)?\s*\)?[^{}\n=]{0,20}(?:=>\s*(?:\{\s*return\s+)?|\{\s*return\s+))` +
	`(?:\w+\.split\(\s*(?:""|'')\s*\)(\.reverse)\(\)\.join\(\s*(?:""|'')\s*\)|\[\s*\.\.\.\w+\s*\](\.reverse)\(\)\.join\(\s*(?:""|'')\s*\)|(atob)\(\s*\w+\s*\)|Buffer\.from\(\s*\w+\s*,\s*["'](base64|hex)["']\s*\)\.toString\(\s*(?:["'][\w-]*["'])?\s*\))\s*;?\s*(?:\}|\n|$)`)

// helpers are the functions of a program that only decode a text, by name.
func helpers(lang gate.Language, src []byte) map[string]string {
	if lang != gate.LanguageJavaScript && lang != gate.LanguageTypeScript {
		return nil
	}
	if !bytes.Contains(src, []byte(".reverse()")) && !bytes.Contains(src, []byte("atob(")) && !bytes.Contains(src, []byte("Buffer.from(")) {
		return nil
	}
	var out map[string]string
	for _, m := range helper.FindAllSubmatch(src, maxHelpers) {
		kind := "base64"
		switch {
		case len(m[3])+len(m[4]) > 0:
			kind = "reverse"
		case len(m[6]) > 0:
			kind = string(m[6])
		}
		if out == nil {
			out = map[string]string{}
		}
		out[string(m[1])+string(m[2])] = kind
	}
	return out
}
