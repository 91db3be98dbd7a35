package embedded

import (
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// latex returns what a text for TeX hands to a shell: by \write18, by files whose name begins
// with a bar, by the macros that packages have for it, and in Lua. Macros without arguments
// are put in. See the manual of web2c, "Shell escapes", and texdoc shellesc.
func latex(content []byte) []Code {
	if !texStarts.Match(content) {
		return nil
	}
	text := string(content)
	macros := map[string]string{"space": " ", "string": "", "jobname": "texput", "noexpand": "", "unexpanded": "", "detokenize": "", "|": "|", "%": "%", "_": "_", "#": "#", "&": "&", "$": "$"}
	found := texMacro.FindAllStringSubmatchIndex(text, maxCommands)
	for _, m := range found {
		if body, ok, _ := delimited([]byte(text[m[1]-1:])); ok && len(body) < maxStatement {
			macros[text[m[2]:m[3]]] = body
		}
	}
	for _, m := range texLet.FindAllStringSubmatch(text, maxCommands) {
		macros[m[1]] = `\` + m[2]
	}
	for _, m := range texNumber.FindAllStringSubmatch(text, maxCommands) {
		macros[m[1]] = m[2]
	}
	var b builder
	var lua builder
	lines := newLineIndex(content)
	for _, m := range texCommand.FindAllStringSubmatchIndex(text, maxCommands) {
		name := strings.TrimLeft(text[m[2]:m[3]], `\`)
		if body, ok := macros[name]; ok {
			name = strings.TrimLeft(body, `\`)
		}
		rest := text[m[3]:]
		switch {
		case name == "write" || name == "ShellEscape" || name == "immediateShellEscape" || name == "sys_shell_now" || name == "sys_shell_shipout" || name == "sys_get_shell" || name == "tikzexternalsystemcall":
			arg, isShell := rest, name != "write"
			if i := strings.IndexByte(rest, '{'); i >= 0 && i < 60 {
				if number := strings.TrimLeft(strings.TrimSpace(rest[:i]), `=`); name == "write" {
					number = strings.TrimSpace(number)
					if body, ok := macros[strings.TrimLeft(number, `\`)]; ok && strings.HasPrefix(number, `\`) {
						number = body
					}
					isShell = number == "18"
				}
				arg = rest[i:]
			}
			if body, ok, _ := delimited([]byte(arg)); ok && isShell {
				b.flush(oneLine(texExpand(body, macros)), lines.of(m[0]), 0)
			}
		case name == "input" || name == "include" || name == "openin" || name == "openout" || name == "lstinputlisting" || name == "verbatiminput" || name == "InputIfFileExists" || name == "file_input":
			if p := texPipe.FindStringSubmatch(rest); p != nil {
				b.flush(oneLine(texExpand(p[1]+p[2]+p[3], macros)), lines.of(m[0]), 0)
			}
		case name == "directlua" || name == "luaexec" || name == "luadirect" || name == "latelua":
			if body, ok, _ := delimited([]byte(strings.TrimLeft(rest, " \t\n"))); ok && strings.HasPrefix(strings.TrimLeft(rest, " \t\n"), "{") {
				lua.block(body, lines.of(m[0]))
			}
		}
	}
	out := append(b.region(gate.LanguageShell, executed), lua.region(gate.LanguageLua, executed)...)
	return append(out, atBound(len(found), maxCommands, "macros are")...)
}

var (
	texStarts  = regexp.MustCompile(`(?i)18|ShellEscape|\\\w*input\w*\s*\{?\s*"?\|"?|\\open(?:in|out)|\\\w*lua\w*|sys_\w*shell|system call`)
	texMacro   = regexp.MustCompile(`\\(?:[egx]?def|gdef|newcommand|renewcommand|providecommand|DeclareRobustCommand)\*?\s*\{?\s*\\([A-Za-z@]+)\s*\}?\s*\{`)
	texLet     = regexp.MustCompile(`\\let\s*\\([A-Za-z@]+)\s*=?\s*\\([A-Za-z@]+)`)
	texNumber  = regexp.MustCompile(`\\chardef\s*\\([A-Za-z@]+)\s*=?\s*(\d+)`)
	texCommand = regexp.MustCompile(`(\\[A-Za-z@_]+)`)
	texName    = regexp.MustCompile(`\\(?:([A-Za-z@]+)[ \t]*|([|%_#&$]))`)
	texPipe    = regexp.MustCompile(`^\s*(?:\\\w+\s*=?\s*)?(?:\{\s*"?\|\s*"?([^"}]*)|"?\|\s*"([^"\n]*)"|\|([^\s{}]+))`)
)

// texExpand puts in macros.
func texExpand(s string, macros map[string]string) string {
	for range maxHops {
		next := texName.ReplaceAllStringFunc(s, func(name string) string {
			m := texName.FindStringSubmatch(name)
			if body, ok := macros[m[1]+m[2]]; ok {
				return body
			}
			return name
		})
		if next == s || len(next) > maxDelimited {
			break
		}
		s = next
	}
	return s
}
