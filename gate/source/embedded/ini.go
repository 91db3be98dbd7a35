package embedded

import (
	"strconv"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/strlit"
)

// iniSettings reads the sections and values of a file of keys and values. A value goes on
// over the lines that are indented below it, and behind a line that ends with "\".
func iniSettings(content []byte) *setting {
	root := &setting{kind: objectSetting}
	section := root
	var value *setting
	continued := false
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimRight(line, "\r")
		trimmed := strings.TrimSpace(line)
		comment := trimmed != "" && (trimmed[0] == '#' || trimmed[0] == ';')
		goesOn := value != nil && (continued || line != "" && (line[0] == ' ' || line[0] == '\t') && !iniKey(line))
		switch {
		case trimmed == "" || comment:
			continued = continued && comment // comments may be between the lines of a value
			continue
		case goesOn && continued:
			value.text += " " + strings.TrimSuffix(trimmed, `\`)
		case goesOn:
			value.text += "\n" + strings.TrimSuffix(trimmed, `\`)
			value.step = 1
		case trimmed[0] == '[':
			section = &setting{key: strings.Trim(trimmed, "[]"), kind: objectSetting, line: i + 1, in: root}
			root.add(section)
			value = nil
		default:
			value = iniSetting(line, i+1, section)
			section.add(value)
		}
		continued = strings.HasSuffix(trimmed, `\`)
	}
	for _, in := range append(root.items, root) {
		for _, v := range in.items {
			started(v)
		}
	}
	return root
}

// iniKey reports whether an indented line is a key of its own, as those of git are.
func iniKey(line string) bool {
	m := iniLine.FindStringSubmatch(line)
	return m != nil && line[0] == '\t' && strings.Contains(line, " = ")
}

func iniSetting(line string, at int, section *setting) *setting {
	m := iniLine.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	return &setting{key: strings.TrimSpace(m[1]), text: strings.TrimSuffix(strings.TrimLeft(m[2], "!"), `\`), line: at, in: section}
}

// started makes the command line of a unit of systemd of a value: without the signs
// before it, and with the escapes and dollars that the shell sees.
func started(v *setting) {
	if v.kind != scalarSetting || !strings.HasPrefix(strings.ToLower(v.key), "exec") {
		return
	}
	v.key = "exec"
	v.text = strings.TrimLeft(v.text, "-@:+!|")
	v.text = unitEscape.ReplaceAllStringFunc(v.text, strlit.UnescapeLoosely)
	v.text = unitOctal.ReplaceAllStringFunc(v.text, func(of string) string {
		c, err := strconv.ParseUint(of[1:], 8, 8)
		if err != nil {
			return of
		}
		return string(rune(c))
	})
}

var (
	unitEscape = regexp.MustCompile(`\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}`)
	unitOctal  = regexp.MustCompile(`\\[0-3][0-7]{2}`)
)
