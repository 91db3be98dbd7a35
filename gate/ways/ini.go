package ways

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var (
	iniSection = regexp.MustCompile(`^\[([^\]]{1,200})\]`)
	iniKey     = regexp.MustCompile(`^([\w.-]{1,100})\s*[=:]\s*(.*)$`)
)

// maxFile bounds a file that is read here, in bytes; people write it.
const maxFile = 256 << 10

// ini reads a file of sections with keys, as tox, setuptools and pytest do: a value goes on
// in lines that are indented. Of equal keys the first counts.
func ini(text string) map[string]map[string]string {
	out := map[string]map[string]string{}
	section, key := "", ""
	for line := range strings.Lines(text[:min(len(text), maxFile)]) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';' {
			continue
		}
		if m := iniSection.FindStringSubmatch(line); m != nil {
			section, key = m[1], ""
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			if key != "" {
				out[section][key] += "\n" + trimmed
			}
			continue
		}
		key = ""
		m := iniKey.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if out[section] == nil {
			out[section] = map[string]string{}
		}
		if _, twice := out[section][m[1]]; !twice {
			key = m[1]
			out[section][key] = m[2]
		}
	}
	return out
}
