package given

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of what is read.
const (
	MaxCalls  = 60        // of one file
	maxScript = 256 << 10 // bytes
	maxLine   = 4096      // bytes of a line of a caller
	maxWords  = 32        // of one command
	maxDepth  = 3         // scripts of package.json that start one another
)

// Call is a script that a line gives something.
type Call struct {
	Line     int    // of the caller, 1-based
	Script   string // its path; empty for one within the caller
	Language gate.Language
	Words    []string // what the line gives, where that are words
	Plain    []byte   // the script
	Given    []byte   // with what the line gives in place; it has the same lines
}

// Tree is where scripts lie.
type Tree struct {
	byBase   map[string][]string
	read     func(name string) ([]byte, bool)
	language func(name string, content []byte) gate.Language
}

// NewTree has the files of those paths. read gives what is in one, and language which language a
// file is in.
func NewTree(paths []string, read func(name string) ([]byte, bool), language func(name string, content []byte) gate.Language) *Tree {
	t := &Tree{byBase: map[string][]string{}, read: read, language: language}
	for _, p := range paths {
		t.byBase[path.Base(p)] = append(t.byBase[path.Base(p)], p)
	}
	return t
}

// find is the file that a caller names so.
func (t *Tree) find(caller, named string, computed bool) (string, bool) {
	candidates := t.byBase[path.Base(named)]
	if len(candidates) == 0 {
		return "", false
	}
	clean := strings.TrimLeft(path.Clean("/"+named), "/")
	for _, want := range []string{clean, path.Join(path.Dir(caller), named)} {
		if !computed && slices.Contains(candidates, want) {
			return want, true
		}
	}
	if beside := path.Join(path.Dir(caller), clean); computed && slices.Contains(candidates, beside) {
		return beside, true
	}
	var found []string
	for _, c := range candidates {
		if c == clean || strings.HasSuffix(c, "/"+clean) {
			found = append(found, c)
		}
	}
	if len(found) != 1 || !computed && !strings.Contains(clean, "/") {
		return "", false
	}
	return found[0], true
}

var (
	// script matches what may be the name of a script in a line.
	script = regexp.MustCompile(`[\w.@-]*(?:/[\w.@-]+)*`)
	// starts matches what is in front of a command, up to the name of what it starts.
	starts = regexp.MustCompile("(?:^|[;&|({`!@\\[]|\\b(?:do|then|else|exec|sudo|time|nohup|command|eval)\\s|(?:^|[\\s'\"])(?:run|script|command|entrypoint|cmd|RUN|CMD)[\"']?:?\\s|^\\s*-\\s|" +
		`(?:^|[\s"'/])(?:(?:ba|z|da|k)?sh|python[\d.]*|node|tsx|ts-node|bun|deno|run|ruby|perl|php|source|\.)["']?,?(?:\s+-{1,2}[\w-]+)*\s)` +
		`\s*(?:[A-Za-z_]\w*=\S*\s+)*["']?(?:\./)?$`)
	// computed is a folder that a script works out in front of a name.
	computed = regexp.MustCompile(`["']?(?:\$\((?:[^()]|\([^()]*\))*\)|\$\{?\w+(?:%/\*)?\}?|\$\{\w+\[\d\]%/\*\})["']?/?$`)
	// telling are words that are worth a look: places and addresses.
	telling = regexp.MustCompile(`~|\$\(?\{?HOME|/|^\.{1,2}$|\$\{?[A-Z_]*(?:TOKEN|SECRET|KEY|PASS)`)
	hasType = regexp.MustCompile(`\.(?:sh|bash|zsh|py|m?js|cjs|ts|rb|pl|php|go)$`)
)

// Calls are the calls on the lines of a caller that touches reports, and whether those are all:
// at most [MaxCalls] are given back.
func Calls(caller string, lang gate.Language, content []byte, touches func(line int) bool, tree *Tree) (calls []Call, all bool) {
	r := &reader{caller: caller, lang: lang, tree: tree, all: true}
	n := 0
	for line := range bytes.Lines(content) {
		n++
		if len(line) > maxLine || !touches(n) || !r.all {
			continue
		}
		for _, text := range commands(lang, strings.TrimRight(string(line), "\r\n")) {
			r.scripts(n, text, 0)
			r.packages(n, text, content, 0)
		}
	}
	r.input(content, touches)
	r.sourced(content, touches)
	r.actions(content, touches)
	return r.out, r.all
}

// reader reads one caller.
type reader struct {
	caller string
	lang   gate.Language
	tree   *Tree
	out    []Call
	all    bool // none was left out
}

func (r *reader) add(c Call) {
	switch {
	case bytes.Equal(c.Plain, c.Given):
	case len(r.out) < MaxCalls:
		r.out = append(r.out, c)
	default:
		r.all = false
	}
}

// commands are the texts of a line that may be commands: the strings of a document of JSON, the line elsewhere.
func commands(lang gate.Language, line string) []string {
	switch lang {
	case gate.LanguageJSON:
		out := []string{line}
		for _, m := range jsonString.FindAllStringSubmatch(line, maxWords) {
			out = append(out, strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\t`, "\t").Replace(m[1]))
		}
		return out
	case gate.LanguageMakefile:
		return []string{strings.NewReplacer("$$", "$", "$(HOME)", "$HOME").Replace(line)}
	}
	return []string{line}
}

var jsonString = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)

// scripts reads a line that starts scripts of the tree.
func (r *reader) scripts(n int, line string, depth int) {
	if strings.HasPrefix(strings.TrimSpace(line), "#") {
		return
	}
	for _, at := range script.FindAllStringIndex(line, 2*maxWords) {
		named := line[at[0]:at[1]]
		if len(named) < 3 || !hasType.MatchString(named) && !strings.Contains(named, "/") {
			continue
		}
		before, by := line[:at[0]], false
		if m := computed.FindString(before); m != "" {
			before, by = strings.TrimSuffix(before, m), true
		}
		name, ok := r.tree.find(r.caller, named, by)
		if !ok || name == r.caller || !starts.MatchString(before) {
			continue
		}
		c := commandOf(line[at[1]:], before)
		if !slices.ContainsFunc(c.words, telling.MatchString) && !telling.MatchString(c.input) {
			continue
		}
		content, ok := r.tree.read(name)
		if !ok || len(content) > maxScript {
			continue
		}
		lang := r.tree.language(name, content)
		r.add(Call{Line: n, Script: name, Language: lang, Words: c.words, Plain: content, Given: put(lang, content, c)})
	}
}

// command is what a line gives what it starts.
type command struct {
	words []string
	input string // the file that it reads
}

var (
	listed = regexp.MustCompile(`^["']\s*,`)
	quoted = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|'([^']*)'`)
	// piped is a file that is written into a pipe in front of a command.
	piped = regexp.MustCompile(`\bcat\s+([^\s|;&]+)\s*\|\s*(?:\w+\s+)?["']?(?:\./)?$`)
)

// commandOf reads what is behind the name of a command, and in front of it.
func commandOf(rest, before string) (c command) {
	if m := piped.FindStringSubmatch(before); m != nil {
		c.input = unquoted(m[1])
	}
	if listed.MatchString(rest) {
		end := strings.IndexAny(rest, "])")
		if end < 0 {
			end = len(rest)
		}
		for _, m := range quoted.FindAllStringSubmatch(rest[1:end], maxWords) {
			c.words = append(c.words, m[1]+m[2])
		}
		return c
	}
	words, redirected := wordsOf(strings.TrimLeft(rest, `"'`))
	c.words = words
	if redirected != "" {
		c.input = redirected
	}
	return c
}

// wordsOf splits what follows a command, up to its end.
func wordsOf(s string) (words []string, input string) {
	var word strings.Builder
	in, reads, skips := false, false, false
	end := func() {
		switch {
		case !in:
			return
		case reads:
			input = word.String()
		case !skips:
			words = append(words, word.String())
		}
		word.Reset()
		in, reads, skips = false, false, false
	}
	for i := 0; i < len(s) && len(words) < maxWords; i++ {
		switch c := s[i]; {
		case c == '\'' || c == '"':
			shut := strings.IndexByte(s[i+1:], c)
			if shut < 0 {
				end()
				return words, input
			}
			word.WriteString(s[i+1 : i+1+shut])
			i, in = i+1+shut, true
		case c == '\\' && i+1 < len(s):
			i++
			word.WriteByte(s[i])
			in = true
		case c == '$' && i+1 < len(s) && s[i+1] == '(':
			shut := strings.IndexByte(s[i:], ')')
			if shut < 0 {
				end()
				return words, input
			}
			word.WriteString(s[i : i+shut+1])
			i, in = i+shut, true
		case c == ' ' || c == '\t':
			end()
		case c == '<' && i+1 < len(s) && s[i+1] != '<' && s[i+1] != '(':
			end()
			reads, skips = true, false
		case c == '>':
			if strings.Trim(word.String(), "0123456789") != "" {
				end()
			}
			word.Reset()
			in, skips, reads = false, true, false
		case strings.IndexByte(";|&)`#<", c) >= 0 && (c != '#' || !in):
			end()
			return words, input
		default:
			word.WriteByte(c)
			in = true
		}
	}
	end()
	return words, input
}

func unquoted(s string) string { return strings.Trim(s, `"'`) }
