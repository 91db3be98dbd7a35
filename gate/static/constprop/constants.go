package constprop

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/source/strlit"
)

// Bounds on the constants of one text that are put where they are used.
const (
	maxConstants  = 1000
	maxConstant   = 400      // bytes of one
	maxReferences = 6        // how deep constants refer to others
	maxAdded      = 64       // that are added to one
	maxPlaces     = 8 << 10  // that look as if they named one
	maxShort      = 64 << 10 // bytes of a text in which names of one letter are looked for
)

// What a program or a module is named with, and the words that such calls have.
var (
	scriptUse   = regexp.MustCompile(`(?:\b(?:require|exec|execSync|execFile|execFileSync|spawn|spawnSync)|(?:^|[^\w.$])import|\b_load)\s*\(([^()\n]{1,200})|\b(?:process|globalThis|global|window|child_process|cp)\[(\w{1,20})\]|\b(?:src|href)["']?\s*[:=]\s*([A-Za-z_$][\w$]{1,40})\s*[,;})\n]`)
	scriptWords = []string{"require(", "import(", "exec", "spawn", "_load(", "process[", "global[", "globalThis[", "window[", "cp[", "src:", "src =", "href:", "href =", "src\":", "src':"}
	goUse       = regexp.MustCompile(`\b(?:Command|CommandContext|StartProcess|Exec|ForkExec|LookPath)\s*\(((?:[^()\n]|\([^()\n]*\)){1,200})`)
	goWords     = []string{"Command", "StartProcess(", "Exec(", "LookPath("}
	plainName   = regexp.MustCompile(`[A-Za-z_$][\w$]*`)
	quoted      = regexp.MustCompile("\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\\n]|\\\\.)*'|`[^`]*`")
)

// constantNames are the names that stand for a constant where a module or a
// program is named, or is given an argument, with the constants in quotes: after
// const sh = "/bin/" + "sh" the one of exec.Command(sh) is "/bin/sh". A name has to
// get one value in the text, and a constant one.
func constantNames(f *finder, limits *Bounds) map[string]string {
	use, words := scriptUse, scriptWords
	if f.lang == gate.LanguageGo {
		use, words = goUse, goWords
	}
	names := map[string]string{}
	c := &constantFinder{finder: f, known: map[string]*string{}}
	f.near(use, words, func(groups []string) {
		for _, part := range groups[1:] {
			for _, n := range plainName.FindAllString(quoted.ReplaceAllString(part, ""), 20) {
				value, ok := c.value(n, 0)
				if ok && len(names) >= maxConstants {
					limits.reach("%d constants that name programs are followed", maxConstants)
				} else if ok {
					names[n] = value
				}
			}
		}
	})
	return names
}

// near calls do with the groups of every match close to one of the words.
func (f *finder) near(re *regexp.Regexp, words []string, do func(groups []string)) {
	const before, behind = 20, 240 // bytes
	found, tried := 0, 0
	for _, word := range words {
		for at := 0; at < len(f.src) && found < maxNames && tried < maxPlaces; tried++ {
			i := bytes.Index(f.src[at:], []byte(word))
			if i < 0 {
				break
			}
			i += at
			at = i + len(word)
			start := max(0, i-before)
			if m := re.FindSubmatchIndex(f.src[start:min(len(f.src), i+behind)]); m != nil {
				found++
				f.match(start, m, do)
			}
		}
	}
}

// constantFinder works out the values of names.
type constantFinder struct {
	*finder
	known map[string]*string // nil for what is no constant
	given map[string]int     // see definitions; nil where no one asked
}

// value returns the constant that a name stands for, in quotes.
func (c *constantFinder) value(name string, depth int) (string, bool) {
	if v, ok := c.known[name]; ok || depth > maxReferences || len(name) < 2 && len(c.src) > maxShort {
		if v == nil {
			return "", false
		}
		return *v, true
	}
	c.known[name] = nil
	at, ok := c.definition(name)
	if !ok {
		return "", false
	}
	text, ok := c.expression(at, depth)
	if !ok || len(text) > maxConstant {
		return "", false
	}
	v, ok := quote(text, len(text)+2)
	if !ok {
		return "", false
	}
	c.known[name] = &v
	return v, true
}

// definition returns where the only value that a name is given begins.
func (c *constantFinder) definition(name string) (at int, ok bool) {
	if c.given == nil {
		c.given = c.definitions()
	}
	at, ok = c.given[name]
	return at, ok && at >= 0
}

// definitions are where the values begin that names are given, -1 for a name that gets
// another value, or more, and for one of a list.
func (c *constantFinder) definitions() map[string]int {
	out := map[string]int{}
	for at := 0; at < len(c.src); at++ {
		n := bytes.IndexByte(c.src[at:], '=')
		if n < 0 {
			break
		}
		at += n
		if at+1 >= len(c.src) || c.src[at+1] == '=' || c.src[at+1] == '>' {
			at++
			continue
		}
		end := at
		more := end > 0 && (c.src[end-1] == '+' || c.src[end-1] == '|')
		if more {
			end--
		}
		for end > 0 && (c.src[end-1] == ' ' || c.src[end-1] == '\t' || c.src[end-1] == ':') {
			end--
		}
		for _, typed := range []string{": string", " string"} {
			end = len(bytes.TrimSuffix(c.src[:end], []byte(typed)))
		}
		start := end
		for start > 0 && (char.IsWord(c.src[start-1]) || c.src[start-1] == '$') {
			start--
		}
		if start == end || start > 0 && c.src[start-1] == '.' || !more && c.lex().At(start) != lex.Code {
			continue
		}
		name := string(c.src[start:end])
		if _, again := out[name]; again || more || c.lang == gate.LanguageGo && bytes.HasSuffix(bytes.TrimRight(c.src[max(0, start-8):start], " \t"), []byte(",")) {
			out[name] = -1
			continue
		}
		out[name] = at + 1
	}
	return out
}

// expression is the text that constants and names of constants add up to from an
// offset to the end of the statement.
func (c *constantFinder) expression(at, depth int) (string, bool) {
	var out strings.Builder
	for range maxAdded {
		for at < len(c.src) && isSpace(c.src[at]) {
			at++
		}
		if at >= len(c.src) {
			return "", false
		}
		rest := c.src[at:min(len(c.src), at+maxConstant)]
		switch m := plainName.FindIndex(rest); {
		case rest[0] == '"' || rest[0] == '\'' || rest[0] == '`':
			q := quoted.FindIndex(rest)
			if q == nil || q[0] != 0 {
				return "", false
			}
			text, _, ok := strlit.Unquote(rest[:q[1]], rest[0] == '`')
			if !ok || rest[0] == '`' && strings.Contains(text, "${") {
				return "", false
			}
			out.WriteString(text)
			at += q[1]
		case m != nil && m[0] == 0:
			v, ok := c.value(string(rest[:m[1]]), depth+1)
			if !ok {
				return "", false
			}
			out.WriteString(v[1 : len(v)-1])
			at += m[1]
		default:
			return "", false
		}
		for at < len(c.src) && (c.src[at] == ' ' || c.src[at] == '\t') {
			at++
		}
		if at >= len(c.src) || c.src[at] == '\n' || c.src[at] == '\r' || c.src[at] == ';' || c.src[at] == ',' || bytes.HasPrefix(c.src[at:], []byte("//")) {
			return out.String(), out.Len() <= maxConstant
		}
		if c.src[at] != '+' {
			return "", false
		}
		at++
	}
	return "", false
}
