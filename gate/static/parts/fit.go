package parts

import (
	"path"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Fit writes the text of a part as the file that it is a part of has it: variables of a
// properties file as definitions, values of a chart below the name that templates have for
// them. above is how many lines are added before the first of it; all others stay where they
// are.
func Fit(name string, lang gate.Language, part string, content []byte) (text []byte, above int) {
	ext, base := strings.ToLower(path.Ext(part)), strings.ToLower(path.Base(part))
	switch {
	case lang == gate.LanguageTerraform && ext == ".tfvars":
		return assigned(content, func(name, value string) string { return "variable \"" + name + "\" { default = " + value + " }" }), 0
	case (lang == gate.LanguageGroovy || lang == gate.LanguageKotlin) && ext == ".properties":
		return assigned(content, func(name, value string) string { return "def " + name + " = " + strconv.Quote(value) }), 0
	case strings.EqualFold(path.Ext(name), ".xml") && !strings.HasPrefix(strings.TrimSpace(string(content)), "<"):
		return assigned(content, func(name, value string) string {
			return `<property name="` + name + `" value="` + escaped.Replace(value) + `"/>`
		}), 0
	case strings.EqualFold(path.Ext(name), ".xml") || strings.HasSuffix(strings.ToLower(name), "proj"):
		return []byte(declaration.ReplaceAllString(string(content), "")), 0
	case (lang == gate.LanguageYAML || lang == gate.LanguageTemplate) && base == ".env":
		return below("environment:", assigned(content, func(name, value string) string { return name + ": " + strconv.Quote(strings.Trim(value, `"'`)) })), 1
	case lang == gate.LanguageYAML || lang == gate.LanguageTemplate:
		key := "vars:"
		if strings.HasPrefix(base, "values") {
			key = "values:"
		}
		return below(key, content), 1
	case strings.HasSuffix(name, ".service") && !strings.Contains(string(content), "Environment="):
		return assigned(content, func(name, value string) string { return "Environment=" + name + "=" + strings.Trim(value, `"'`) }), 0
	}
	return content, 0
}

var (
	assignment  = regexp.MustCompile(`^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[=:][ \t]*(.*?)[ \t\r]*$`)
	declaration = regexp.MustCompile(`<\?xml[^>]*\?>|<!DOCTYPE[^>\[]*>`)
	escaped     = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
)

// assigned writes the lines of a text that give a name a value anew, and leaves the others empty.
func assigned(content []byte, write func(name, value string) string) []byte {
	lines := strings.Split(string(content), "\n")
	for i, line := range lines {
		m := assignment.FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines[i] = ""
			continue
		}
		lines[i] = write(m[1], m[2])
	}
	return []byte(strings.Join(lines, "\n"))
}

// below is a document of YAML below a key, up to its end.
func below(key string, content []byte) []byte {
	text := strings.TrimRight(string(content), "\n")
	return []byte(key + "\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n---")
}
