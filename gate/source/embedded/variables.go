package embedded

import (
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/strlit"
)

// Bounds of the variables of one file.
const (
	maxNamed      = 1000
	maxNamedValue = 4 << 10 // bytes
)

// naming matches how the settings of tools give a name a value: a window manager, tmux, udev,
// Apache, Salt, systemd, a debugger, psql. The name is the first group, the value the first of
// the others that took part.
var naming = sync.OnceValue(func() []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, s := range []string{
		`(?m)^[ \t]*set[ \t]+\$(\w+)[ \t]+([^\n]+)$`, // i3, sway
		`(?m)^[ \t]*\$(\w+)[ \t]*=[ \t]*([^\n]+)$`,   // Hyprland, Puppet
		`(?m)^[ \t]*(?:set|setenv|set-environment|set-option)[ \t]+(?:-\w+[ \t]+)*(@?[A-Za-z_]\w*)[ \t]+([^\n=][^\n]*)$`, // tmux, screen
		`(?m)^[ \t]*(?:set|export|let|var)?[ \t]*(?:[gsbl]:)?([A-Za-z_]\w*)[ \t]*=[ \t]*([^\n=][^\n]*)$`,                 // mutt, procmail, cron, Vim
		`(?m)^[ \t]*(?:Define|SetEnv)[ \t]+(\w+)[ \t]+([^\n]+)$`,                                                         // Apache
		`\bENV\{(\w+)\}[ \t]*=[ \t]*"([^"\n]*)"`,                                                                         // udev
		`\{%-?[ \t]*set[ \t]+(\w+)[ \t]*=[ \t]*(?:'([^'\n]*)'|"([^"\n]*)")`,                                              // Jinja
		`(?m)^[ \t]*Environment[ \t]*=[ \t]*"?(\w+)=([^"\n]*)`,                                                           // systemd
		`(?m)^[ \t]*set[ \t]+(?:var(?:iable)?[ \t]+)?\$(\w+)[ \t]*=[ \t]*([^\n]+)$`,                                      // gdb
		`(?m)^[ \t]*\\set(?:env)?[ \t]+(\w+)[ \t]+([^\n]+)$`,                                                             // psql
	} {
		out = append(out, regexp.MustCompile(s))
	}
	return out
})

// using matches where the value of a name is put in.
var using = regexp.MustCompile(`\$env\{(\w+)\}|\$\{(?:[gsbl]:)?(\w+)\}|\$\((\w+)\)|\$(\w+)|#\{(@?\w+)\}|\{\{-?[ \t]*(\w+)[ \t]*-?\}\}|:'(\w+)'|:(\w+)\b|%\((\w+)\)s`)

// withVariables is a file of settings with the variables that it sets put in, where that
// changes anything: what a tool starts may be in several of them.
func withVariables(lang gate.Language, name string, content []byte) []Code {
	switch lang {
	case gate.LanguageINI, gate.LanguageText, gate.LanguageUnknown, gate.LanguageDebugger, gate.LanguageSQL, "puppet", "pascal":
	default:
		return nil
	}
	if len(content) > maxPlainXML || strings.IndexByte(string(content), '$') < 0 && !strings.Contains(string(content), "#{") && !strings.Contains(string(content), "{{") && !strings.Contains(string(content), ":") && !strings.Contains(string(content), "%(") {
		return nil
	}
	values := map[string]string{}
	for _, re := range naming() {
		for _, m := range re.FindAllSubmatchIndex(content, maxNamed) {
			for g := 4; g < len(m); g += 2 {
				if m[g] < 0 {
					continue
				}
				if v := strings.TrimSpace(string(content[m[g]:m[g+1]])); v != "" && len(v) <= maxNamedValue {
					if len(v) > 1 && (v[0] == '"' || v[0] == '\'') && v[len(v)-1] == v[0] {
						v = strlit.UnescapeLoosely(v[1 : len(v)-1])
					}
					values[string(content[m[2]:m[3]])] = v
				}
				break
			}
		}
	}
	if len(values) == 0 || len(values) > maxNamed {
		return nil
	}
	text := string(content)
	for range maxHops {
		next := using.ReplaceAllStringFunc(text, func(use string) string {
			for _, name := range using.FindStringSubmatch(use)[1:] {
				if v, ok := values[name]; ok && name != "" && strings.IndexByte(v, '\n') < 0 {
					return v
				}
			}
			return use
		})
		if next == text || len(next) > 4*len(content)+maxDelimited {
			break
		}
		text = next
	}
	if text == string(content) {
		return nil
	}
	var b builder
	b.add(text, 1, 1)
	out := append([]Code{{Language: lang, Text: b.text, Lines: b.lines}}, Scripts(lang, gate.RoleSource, name, b.text)...)
	for i := range out {
		out[i].Origin = "with its variables put in"
	}
	return out
}
