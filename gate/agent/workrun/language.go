package workrun

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// language is one that the user may choose for programs: its name in the tool run_code, and
// the toolbox of run_command that has it.
type language struct{ name, code, toolbox string }

func languages() []language {
	return []language{
		{"python", "python", "python"}, {"node", "javascript", "node"}, {"typescript", "typescript", "node"}, {"shell", "shell", "shell"}, {"go", "go", "go"},
	}
}

func languageNames() []string {
	var names []string
	for _, l := range languages() {
		names = append(names, l.name)
	}
	return names
}

// choices are the values that the language leaves of arguments of tools, by name of the
// argument; nil leaves all. Commands of Bash stay possible: files are moved by them.
func (o *Options) choices() map[string][]string {
	for _, l := range languages() {
		if l.name == o.Language {
			return map[string][]string{"language": {l.code}, "toolbox": slices.Compact([]string{l.toolbox, "shell"})}
		}
	}
	return nil
}

// notLeft says which argument has a value that is not among the choices; "" is none.
func notLeft(arguments json.RawMessage, choices map[string][]string) string {
	var values map[string]any
	if len(choices) == 0 || json.Unmarshal(arguments, &values) != nil {
		return ""
	}
	for _, name := range []string{"language", "toolbox"} {
		if v, ok := values[name].(string); ok && v != "" && !slices.Contains(choices[name], v) {
			return fmt.Sprintf("The user wants all programs in one language: %s can be %s here.", name, strings.Join(choices[name], " or "))
		}
	}
	return ""
}
