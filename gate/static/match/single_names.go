package match

import (
	"bytes"
	"slices"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// byName reports whether a table, such as the environment, only gets a name by which single
// entries are read, each by a name of its own: the default of a parameter, a constant. What flows
// on then are those entries and not the table. What is handed on, looped over or read by a
// computed name is the table.
func byName(lang gate.Language, view []byte, f found) bool {
	before := view[max(0, f.start-maxHead):f.start]
	m := givenTo.FindSubmatch(before)
	record := m == nil
	if record {
		m = settingsOf(view, before)
	}
	if m == nil || lang == gate.LanguagePython && !defines(before[:len(before)-len(m[0])]) {
		return false
	}
	name, named := m[1], false
	for end := 0; ; {
		i := bytes.Index(view[end:], name)
		if i < 0 {
			return named
		}
		at := end + i
		end = at + len(name)
		if at > 0 && isName(view[at-1]) || end < len(view) && isName(view[end]) || at < f.start && f.start-at <= len(m[0]) {
			continue // a part of another name, or where it is given
		}
		if at > 0 && view[at-1] == '.' && !bytes.HasSuffix(view[:at], []byte("...")) {
			continue // a field of something else
		}
		rest := view[end:min(len(view), end+maxHead)]
		if lang != gate.LanguagePython && keyOf.Match(rest) && opensField.Match(view[max(0, at-maxTaken):at]) {
			continue // a key of an object
		}
		if record && (!fieldOf.Match(rest) || allOf.Match(rest)) {
			return false
		}
		if !readByName.Match(rest) && !asksFor.Match(view[max(0, at-maxTaken):at]) && !listed(view, at, rest) {
			return false
		}
		named = true
	}
}

// settingsOf matches a name that is given what a reader of settings makes of a table: config =
// load(process.env). What the reader does is elsewhere: where the text has it, it is followed.
func settingsOf(view, before []byte) [][]byte {
	m := readFrom.FindSubmatch(before)
	if m == nil || regexp.MustCompile(`(?:\bdef|\bfunction)\s+`+regexp.QuoteMeta(string(m[2]))+`\b|\b`+regexp.QuoteMeta(string(m[2]))+`\s*(?::[^=\n]*)?=[^=]`).Match(view) {
		return nil
	}
	return m
}

// listed reports whether a table is read by a key that goes through a list of names which the program
// spells out: [A, B].map((k) => env[k]).
func listed(view []byte, at int, rest []byte) bool {
	key := readByKey.FindSubmatch(rest)
	if key == nil {
		return false
	}
	before := view[max(0, at-maxTaken):at]
	for _, m := range goesThrough.FindAllSubmatch(before, -1) {
		if bytes.Equal(m[2], key[1]) && onlyLiterals(view, m[1]) || bytes.Equal(m[3], key[1]) && onlyLiterals(view, m[4]) {
			return true
		}
	}
	return false
}

// onlyLiterals reports whether a name is given a list of literals, and nothing else.
func onlyLiterals(view, name []byte) bool {
	given := regexp.MustCompile(`(?:^|[^\w$.])` + regexp.QuoteMeta(string(name)) + `\s*(?::[^=\n]*)?=[^=>]`)
	at := given.FindAllIndex(view, 2)
	return len(at) == 1 && names.Match(view[at[0][1]-1:min(len(view), at[0][1]+maxHead)])
}

// maxHead is how many bytes before a definition, and behind a name, are looked at.
const maxHead = 2 << 10

// maxTaken is how many bytes before a name are looked at.
const maxTaken = 300

var (
	givenTo = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*(?::[^=,(){}\n]*)?=\s*$`)
	// readFrom matches a name that is given what a function of settings, such as loadConfig, parse or
	// from_env, makes of what follows.
	readFrom = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*(?::[^=,(){}\n]*)?=\s*(?:[A-Za-z_$][\w$]*\.)*((?:load|parse|read|clean|validate|resolve|from|get)(?:[A-Z_][\w$]*)?)\(\s*$`)
	// fieldOf matches what follows a record of which one field is read, allOf a field that says it is all of it.
	fieldOf = regexp.MustCompile(`^\??\.[A-Za-z]\w*(?:[^\w(]|$)`)
	allOf   = regexp.MustCompile(`^\??\.(?i:\w*(?:all|raw|env|environ|environment|everything|vars|rest|dump|source)\b)`)
	// readByName matches what follows a table of which one entry is read.
	readByName = regexp.MustCompile(`^(?:\s*\??\.?\[\s*["'\x60]|\.get\(\s*[fF]?["']|\??\.[A-Za-z]\w*(?:[^\w(]|$))`)
	// asksFor matches what comes before a table of which only single entries are taken.
	asksFor     = regexp.MustCompile(`\bin\s+$|\{[^{}.]*\}\s*=\s*$`)
	readByKey   = regexp.MustCompile(`^\s*\[\s*([A-Za-z_$][\w$]*)\s*\]`)
	goesThrough = regexp.MustCompile(`([A-Za-z_$][\w$]*)(?:\.(?:filter|map|sort)\((?:[^()]|\([^()]*\))*\)|\.sort\(\))*\.(?:map|forEach|filter|reduce|flatMap)\(\s*(?:async\s*)?\(?\s*([A-Za-z_$][\w$]*)|\bfor\s*\(\s*(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s+of\s+([A-Za-z_$][\w$]*)`)
	names       = regexp.MustCompile(`^(?:new Set\()?\s*\[(?:\s*["'][\w.-]+["']\s*,?)+\s*\]`)
	keyOf       = regexp.MustCompile(`^\s*:[^:]`)
	opensField  = regexp.MustCompile(`[{,]\s*$`)
	callOf      = regexp.MustCompile(`[\w$)\]]\s*$`)
	defHead     = regexp.MustCompile(`\b(?:def|function\b\s*\*?)\s*[\w$]*\s*$`)
)

// defines reports whether what comes before a name and its value in Python begins a definition: a
// statement, or the parameters of a function, and not the arguments of a call, whose names
// are those of another program.
func defines(before []byte) bool {
	depth := 0
	for i, c := range slices.Backward(before) {
		switch c {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				head := before[:i]
				return c == '{' || c == '(' && (defHead.Match(head) || !callOf.Match(head))
			}
		}
	}
	return true
}

func isName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$'
}
