package guard

import (
	"path"
	"strings"

	"github.com/aigate/gate/gate/glob"
)

// Place is where a command runs, as far as that says which files it names.
type Place struct {
	Cwd     string // absolute, slash-separated; "" where it isn't known
	Home    string // of the user; "" where it isn't known
	Program string // the path of gate itself
	// Resolve, when set, follows the links of a path, and returns it unchanged where it
	// can't.
	Resolve func(string) string
}

// expand puts in the home folder.
func (p Place) expand(name string) string {
	switch {
	case p.Home == "":
	case name == "~":
		return p.Home
	case strings.HasPrefix(name, "~/"):
		return p.Home + name[1:]
	case strings.HasPrefix(name, "$HOME/"):
		return p.Home + name[len("$HOME"):]
	}
	return name
}

// names returns a path in both of its forms: as it is written, from where the command
// runs, and with its links followed.
func (p Place) names(dir, name string) []string {
	full := join(dir, p.expand(name))
	out := []string{full}
	if p.Resolve != nil && path.IsAbs(full) {
		if real := p.Resolve(full); real != full {
			out = append(out, real)
		}
	}
	return out
}

// Setting is a file or a folder that says which hooks run, or what gate is told.
type Setting struct {
	Path string // its last elements, slash-separated; a folder ends with a slash
	For  string // what it is for, in a phrase
}

// Settings returns what an agent must not change. All of it can be changed by a person.
func Settings() []Setting {
	const claude, cursor, codex, gemini, copilot, git, own = "hooks of Claude Code", "hooks of Cursor", "hooks of Codex", "hooks of Gemini CLI", "hooks of Copilot", "hooks of git", "settings of gate"
	return []Setting{
		{".claude/settings.json", claude}, {".claude/settings.local.json", claude}, {".claude/hooks/", claude},
		{"claude-code/managed-settings.json", claude}, {"claude-code/managed-settings.d/", claude}, {"ClaudeCode/managed-settings.json", claude},
		{".cursor/hooks.json", cursor}, {".cursor/hooks/", cursor}, {"cursor/hooks.json", cursor},
		{".codex/config.toml", codex}, {".codex/hooks.json", codex}, {".codex/requirements.toml", codex}, {"codex/requirements.toml", codex}, {"codex/managed_config.toml", codex},
		{".gemini/settings.json", gemini}, {".gemini/hooks/", gemini}, {"gemini-cli/settings.json", gemini}, {"gemini-cli/system-defaults.json", gemini},
		{".github/hooks/", copilot}, {".copilot/hooks/", copilot}, {".copilot/config.json", copilot}, {".copilot/settings.json", copilot}, {".github/copilot/settings.json", copilot},
		{".git/hooks/", git}, {".git/config", git}, {".git/config.worktree", git}, {".git/commondir", git}, {".gitconfig", git}, {".config/git/config", git}, {"etc/gitconfig", git}, {".husky/_/", git},
		{".gate.yml", own}, {".gate-baseline.json", own}, {".gate/rules/", own}, {".config/gate/", own}, {".local/state/gate/", "what gate remembers"},
		{"bin/gate", "gate itself"}, {"bin/gate.exe", "gate itself"}, {"bin/git", "the git that gate asks"},
	}
}

// maxPath is the longest path that a system opens, in bytes.
const maxPath = 4096

// named returns the setting that a path is, lies in, or, with above, holds.
func (p Place) named(dir, name string, above bool) (Setting, bool) {
	if len(name) > maxPath {
		return Setting{}, false // no system opens it
	}
	for _, full := range p.names(dir, name) {
		if p.Program != "" && path.IsAbs(full) && sameName(full, p.Program) {
			return Setting{p.Program, "gate itself"}, true
		}
		elements := strings.Split(strings.Trim(full, "/"), "/")
		for _, s := range Settings() {
			if s.matches(elements, above) {
				return s, true
			}
		}
	}
	return Setting{}, false
}

// matches reports whether a path, as its elements, is the setting. Letters are compared
// without their case, because some file systems do, and elements may have wildcards.
func (s Setting) matches(elements []string, above bool) bool {
	folder := strings.HasSuffix(s.Path, "/")
	want := strings.Split(strings.TrimSuffix(s.Path, "/"), "/")
	for i := range elements {
		n := 0
		for n < len(want) && i+n < len(elements) && sameName(want[n], elements[i+n]) {
			n++
		}
		switch {
		case n == len(want) && (folder || i+n == len(elements)):
			return true
		case above && n > 0 && i+n == len(elements) && strings.HasPrefix(want[0], "."):
			return true
		}
	}
	return false
}

// sameName compares one element of a path with a name that may have wildcards. A
// wildcard alone names everything, and so nothing in particular.
func sameName(name, element string) bool {
	name, element = strings.ToLower(name), strings.ToLower(element)
	if name == element || strings.TrimRight(element, ". ") == name {
		return true
	}
	if !strings.ContainsAny(element, "*?[") || strings.Trim(element, "*?") == "" {
		return false
	}
	return len(element) <= glob.MaxBytes && glob.MatchName(element, name)
}
