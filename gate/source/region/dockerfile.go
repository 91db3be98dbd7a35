package region

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/aigate/gate/gate"
)

// dockerfile returns what RUN, CMD, ENTRYPOINT and HEALTHCHECK execute.
func dockerfile(content []byte) []Region {
	lines := strings.Split(string(content), "\n")
	lang := gate.LanguageShell
	var out []Region
	for i := 0; i < len(lines); {
		first := i
		var b builder
		// An instruction goes on behind a backslash; comment lines in between don't
		// belong to it.
		for more := true; more && i < len(lines); i++ {
			line := strings.TrimSuffix(lines[i], "\r")
			trimmed := strings.TrimSpace(line)
			if strings.HasPrefix(trimmed, "#") {
				more = i > first
				continue
			}
			more = strings.HasSuffix(trimmed, `\`) || strings.HasSuffix(trimmed, "`") && lang == gate.LanguagePowerShell
			if i == first {
				line = instruction(line, &lang)
			}
			if line == "" {
				break
			}
			b.add(line, i+1, 0)
		}
		i = max(i, first+1)
		if len(b.lines) == 0 {
			continue
		}
		if words, ok := execForm(b.text); ok {
			line := b.lines[0]
			b = builder{}
			b.add(words, line, 0)
		}
		if body, next := heredocBody(lines, i, string(b.text)); next > i {
			out = append(out, body.region(lang, gate.RoleInfra)...)
			i = next
		}
		out = append(out, b.region(lang, gate.RoleInfra)...)
	}
	return out
}

// instruction returns what is executed by the first line of an instruction,
// empty for one that executes nothing. SHELL changes the language.
func instruction(line string, lang *gate.Language) string {
	rest := strings.TrimSpace(line)
	for {
		word, after, _ := strings.Cut(rest, " ")
		rest = strings.TrimSpace(after)
		switch strings.ToUpper(word) {
		case "ONBUILD", "HEALTHCHECK":
			continue
		case "RUN", "CMD", "ENTRYPOINT":
			for strings.HasPrefix(rest, "--") { // flags such as --mount
				_, rest, _ = strings.Cut(rest, " ")
				rest = strings.TrimSpace(rest)
			}
			return rest
		case "SHELL":
			if words, ok := execForm([]byte(rest)); ok {
				if l := interpreter(strings.Fields(words + " sh")[0]); l != gate.LanguageUnknown {
					*lang = l
				}
			}
			return ""
		default:
			if strings.HasPrefix(word, "--") && rest != "" {
				continue // the flags of HEALTHCHECK
			}
			return ""
		}
	}
}

// execForm turns ["sh", "-c", "…"] into a command line.
func execForm(text []byte) (string, bool) {
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n\\"), []byte("[")) {
		return "", false // as most are: putting lines together costs more than all the rest
	}
	trimmed := strings.TrimSpace(strings.NewReplacer("\\\n", " ", "\n", " ").Replace(string(text)))
	if !strings.HasPrefix(trimmed, "[") {
		return "", false
	}
	var words []string
	if err := json.Unmarshal([]byte(trimmed), &words); err != nil || len(words) == 0 {
		return "", false
	}
	return strings.Join(words, " "), true
}

// heredocBody returns the body of a here document that is itself the command
// (RUN <<EOF), and the line behind it.
func heredocBody(lines []string, at int, command string) (builder, int) {
	command = strings.TrimSpace(command)
	if !strings.HasPrefix(command, "<<") {
		return builder{}, at
	}
	word := strings.Trim(strings.TrimPrefix(strings.TrimLeft(command, "<"), "-"), `"' `)
	var b builder
	for i := at; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == word {
			return b, i + 1
		}
		b.add(strings.TrimSuffix(lines[i], "\r"), i+1, 0)
	}
	return b, len(lines)
}
