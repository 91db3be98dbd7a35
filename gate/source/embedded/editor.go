package embedded

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Where editors look for what a file says to them: Emacs in the last 3000 characters and in
// the first two lines, Vim in five lines at either end.
const (
	maxLocals    = 4000 // bytes
	maxModelines = 20   // lines at either end
)

// editorCommands returns what an editor runs when it opens a file: the forms of Lisp in the
// local variables of Emacs, and the expressions and programs in a mode line of Vim. See
// "(emacs) File Variables" and ":help modeline".
func editorCommands(content []byte) []Code {
	var out []Code
	lisp := func(name, value string, line int) {
		var b builder
		b.flush(value, line, 0)
		switch name = strings.ToLower(name); {
		case name == "eval":
			out = append(out, inRole(executed, b.region(gate.LanguageElisp, ""))...)
		case strings.HasSuffix(name, "command") || strings.HasSuffix(name, "program") || name == "shell-file-name":
			var c builder
			c.flush(unquoted(strings.Trim(value, `"`)), line, 0)
			out = append(out, inRole(executed, guessed(c.region(gate.LanguageShell, ""), true))...)
		}
	}
	tail := max(0, len(content)-maxLocals)
	if at := bytes.LastIndex(content[tail:], []byte("Local Variables:")); at >= 0 {
		at += tail
		lines := newLineIndex(content)
		first := lines.of(at)
		begin := 1 + bytes.LastIndexByte(content[:at], '\n')
		prefix := string(content[begin:at])
		rest := strings.Split(string(content[at:]), "\n")
		suffix := strings.TrimSpace(strings.TrimPrefix(strings.TrimRight(rest[0], "\r"), "Local Variables:"))
		for i, line := range rest[1:] {
			line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(line, prefix)), suffix))
			if line == "End:" {
				break
			}
			if name, value, ok := strings.Cut(line, ":"); ok {
				lisp(strings.TrimSpace(name), strings.TrimSpace(value), first+1+i)
			}
		}
	}
	lines := bytes.Split(content, []byte("\n"))
	for i, line := range lines {
		if i >= maxModelines && i < len(lines)-maxModelines || len(line) > maxLocals {
			continue
		}
		if m := emacsLine.FindSubmatch(line); m != nil && i < 2 {
			for _, v := range emacsVariable.FindAllStringSubmatch(string(m[1]), maxWords) {
				lisp(v[1], v[2], i+1)
			}
		}
		if m := vimLine.FindSubmatch(line); m != nil {
			out = append(out, modeline(string(m[1]), i+1)...)
		}
	}
	return out
}

var (
	emacsLine     = regexp.MustCompile(`-\*-(.*)-\*-`)
	emacsVariable = regexp.MustCompile(`([\w-]+)[ \t]*:[ \t]*(\([^;]*(?:;[^;:]*\))?|[^;]*)`)
	vimLine       = regexp.MustCompile(`(?:^|[ \t])(?:vim?(?:[<=>]?\d+)?|Vim|ex):[ \t]*(?:set?[ \t])?(.*)$`)
	vimOption     = regexp.MustCompile(`(\w+)[ \t]*[+^-]?[=:]((?:\\.|[^\s\\:])*)`)
	vimCall       = regexp.MustCompile(`\b(?:systemlist|system|execute|job_start|jobstart|term_start|libcall)\s*\(\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')`)
	vimProgram    = regexp.MustCompile(`^(?:\w*prg|fp|gp|ep|mp|kp|shell|sh|shcf|shellcmdflag|pexpr|printexpr|dex|diffexpr|pex|ccv|charconvert)$`)
)

// modeline are the commands in the options that a line sets for Vim; a backslash precedes
// what would end one.
func modeline(options string, line int) []Code {
	if !strings.Contains(options, "=") {
		return nil
	}
	plain := vimEscape.ReplaceAllString(options, "$1")
	var b builder
	for _, m := range vimCall.FindAllStringSubmatch(plain, maxWords) {
		b.flush(m[1]+m[2], line, 0)
	}
	for _, m := range vimOption.FindAllStringSubmatch(options, maxWords) {
		if vimProgram.MatchString(m[1]) {
			b.flush(vimEscape.ReplaceAllString(m[2], "$1"), line, 0)
		}
	}
	return inRole(executed, b.region(gate.LanguageShell, ""))
}

var vimEscape = regexp.MustCompile(`\\([ :|"\\])`)
