package embedded

import (
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// expressions takes over the expressions of a template that call what starts programs.
func (d *document) expressions(s *setting) {
	found := inTemplate.FindAllStringSubmatch(s.text, maxTemplates)
	d.unread = append(d.unread, atBound(len(found), maxTemplates, "parts of a template are")...)
	for _, m := range found {
		if strings.HasPrefix(m[0], "<%") {
			var b builder
			b.flush(strings.TrimLeft(m[1], "=- "), s.line, 0)
			d.emit(b, gate.LanguageRuby, false)
		} else if pythonText.MatchString(m[1]) {
			var b builder
			b.flush("import os\n"+strings.TrimSpace(m[1]), s.line, 0)
			d.emit(b, gate.LanguagePython, true)
			call := m[1]
			if strings.Contains(call, "(") {
				for _, quoted := range quotedText.FindAllString(call, -1) {
					var b builder
					b.flush(unquoted(quoted[1:len(quoted)-1]), s.line, 0)
					d.emit(b, gate.LanguageShell, true)
				}
			}
		}
	}
}

var pythonTag = regexp.MustCompile(`python/(?:object(?:/apply|/new)?|name|module):([A-Za-z_][\w.]*)`)

// python takes over an object that a loader makes by calling a function: as that call.
func (d *document) python(function string, s *setting) {
	args := s
	if s.kind == objectSetting {
		if args = s.member("args"); args == nil {
			args = s.member("_args_")
		}
	}
	var out strings.Builder
	if at := strings.LastIndexByte(function, '.'); at > 0 {
		out.WriteString("import " + function[:at] + "\n")
	}
	out.WriteString(function + "(")
	switch {
	case args != nil && args.kind == listSetting:
		for _, item := range args.items {
			out.WriteString(pythonLiteral(item, 0) + ", ")
		}
	case args != nil && args.kind == scalarSetting:
		out.WriteString(pythonLiteral(args, 0))
	default:
		for _, item := range s.items {
			if !strings.HasPrefix(item.key, "_") {
				out.WriteString(pythonLiteral(item, 0) + ", ")
			}
		}
	}
	out.WriteString(")")
	var b builder
	b.add(out.String(), s.line, 0)
	d.emit(b, gate.LanguagePython, false)
}

// pythonLiteral writes a value as Python does.
func pythonLiteral(s *setting, depth int) string {
	if s.kind == scalarSetting || depth > maxHops {
		return strconv.Quote(s.text)
	}
	var items []string
	for _, item := range s.items {
		items = append(items, pythonLiteral(item, depth+1))
	}
	return "[" + strings.Join(items, ", ") + "]"
}
