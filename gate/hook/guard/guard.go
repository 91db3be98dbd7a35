package guard

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Refusal is one thing that an agent must not do.
type Refusal struct {
	ID      string // of the rule, one of [Rules]
	What    string // what the command would do, one sentence without a full stop
	Instead string // what to do, one sentence
}

// Rule is a kind of refusal, for people.
type Rule struct {
	ID      string
	What    string
	Instead string
}

// The ids of the rules.
const (
	ruleSettings = "hook/settings"
	ruleNoVerify = "hook/no-verify"
	ruleGit      = "hook/git-settings"
	rulePath     = "hook/environment"
	ruleEnd      = "hook/end-gate"
	ruleAccept   = "hook/accept"
	ruleAgent    = "hook/agent-without-hooks"
	rulePlatform = "hook/published"
	ruleUnread   = "hook/unreadable"
)

// Rules returns every rule, in the order in which pages show them.
func Rules() []Rule {
	return []Rule{
		{ruleSettings, "changes what calls gate or tells it what to do", "Leave the file as it is, and tell the user what you wanted to change and why."},
		{ruleNoVerify, "commits or pushes past the hooks of git", "Commit and push without it; where a hook refuses, change the code that it names."},
		{ruleGit, "changes the settings of git that say which hooks run", "Leave them as they are, and ask the user."},
		{rulePath, "puts other programs or settings in the place of those that gate and git use", "Run the command without that variable."},
		{ruleEnd, "ends, removes or replaces gate", "Leave gate running; where it is in the way, tell the user."},
		{ruleAccept, "accepts findings of gate in the user's name", "Change the code that the finding names, or ask the user to accept it."},
		{ruleAgent, "starts an agent without its hooks", "Start it with its hooks, or do the task yourself."},
		{rulePlatform, "makes public, or hands to others, what only the user has", "Leave that to the user, and say what it is needed for."},
		{ruleUnread, "can't be read, so nothing is known about it", "Use shorter and simpler commands, one at a time."},
	}
}

func refuse(id, format string, args ...any) Refusal {
	i := slices.IndexFunc(Rules(), func(r Rule) bool { return r.ID == id })
	return Refusal{ID: id, What: fmt.Sprintf(format, args...), Instead: Rules()[i].Instead}
}

// Path returns why an agent must not write to a file, nil where it may.
func Path(name string, p Place) []Refusal {
	if s, ok := p.named(p.Cwd, name, false); ok {
		return []Refusal{refuse(ruleSettings, "it changes %s (%s)", s.Path, s.For)}
	}
	return nil
}

// Command returns why an agent must not run a command of a shell, nil where it may as
// far as gate itself is concerned.
func Command(text string, p Place) []Refusal {
	c := checker{place: p}
	c.text(text, p.Cwd, 0)
	return c.found
}

// checker looks at the commands of one text.
type checker struct {
	place             Place
	found             []Refusal
	shells            int // that were read
	usesGit, setsPath bool
}

// maxShells bounds how many texts of shells in shells are read.
const maxShells = 200

func (c *checker) add(r Refusal) {
	if !slices.ContainsFunc(c.found, func(o Refusal) bool { return o.ID == r.ID }) {
		c.found = append(c.found, r)
	}
}

// text reads a text of a shell that starts in a folder.
func (c *checker) text(text, dir string, depth int) {
	text = asked(text)
	if c.shells++; depth > maxDepth || c.shells > maxShells {
		c.add(refuse(ruleUnread, "its shells are nested too deeply"))
		return
	}
	here := c.place
	here.Cwd = dir
	commands, why := read(text, here)
	if why != "" {
		c.add(refuse(ruleUnread, "%s", why))
		return
	}
	for _, s := range commands {
		c.simple(s, depth)
	}
	if depth == 0 {
		c.mentioned(text, commands)
	}
	if c.usesGit && c.setsPath {
		c.add(refuse(rulePath, "it runs git with another PATH"))
	}
}

func (c *checker) simple(s simple, depth int) {
	for _, r := range s.redirects {
		if set, ok := c.place.named(s.dir, r.to, false); ok && r.write {
			c.add(refuse(ruleSettings, "it writes to %s (%s)", set.Path, set.For))
		}
	}
	words := c.unwrap(s.words, &s.assigns, s.dir)
	if len(words) > 0 && isExport(words[0]) {
		s.assigns = append(s.assigns, words[1:]...)
	}
	for _, a := range s.assigns {
		c.assignment(a)
	}
	if len(words) == 0 {
		return
	}
	program := strings.ToLower(strings.TrimSuffix(path.Base(strings.ReplaceAll(words[0], `\`, "/")), ".exe"))
	args := words[1:]
	c.git(program, args, s.dir, depth)
	c.ends(program, args, s.dir)
	c.own(program, args)
	c.platform(program, args)
	if printsSecret(append([]string{program}, args...)) && (program == "git" || slices.ContainsFunc(s.redirects, func(r redirect) bool { return r.write && r.to != "/dev/null" })) {
		c.add(refuse(rulePlatform, "it hands out a login of the user"))
	}
	if prints(program, args) {
		return
	}
	c.files(program, args, s.dir)
	c.code(program, args, s, depth)
}

// unwrap takes off the programs that only start another one.
func (c *checker) unwrap(words []string, assigns *[]string, dir string) []string {
	for len(words) > 0 {
		switch path.Base(words[0]) {
		case "env":
			words = words[1:]
			for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
				switch {
				case words[0] == "-S" || words[0] == "--split-string" || words[0] == "-u" || words[0] == "-C":
					if words[0] == "-S" && len(words) > 1 {
						c.text(words[1], dir, 1)
					}
					words = words[min(2, len(words)):]
					continue
				case strings.HasPrefix(words[0], "-S"):
					c.text(words[0][2:], dir, 1)
				case strings.HasPrefix(words[0], "--split-string="):
					c.text(words[0][len("--split-string="):], dir, 1)
				case !strings.HasPrefix(words[0], "-"):
					*assigns = append(*assigns, words[0])
				}
				words = words[1:]
			}
		case "sudo", "doas", "nohup", "nice", "ionice", "time", "timeout", "stdbuf", "setsid", "command", "builtin", "exec", "xargs", "busybox", "toybox", "unbuffer", "caffeinate", "parallel", "strace", "script", "chroot", "winpty", "noglob", "nocorrect":
			if path.Base(words[0]) == "command" && len(words) > 1 && (words[1] == "-v" || words[1] == "-V") {
				return words
			}
			words = words[1:]
			for len(words) > 1 && (strings.HasPrefix(words[0], "-") || isAmount(words[0])) {
				words = words[1:]
			}
			for len(words) > 0 && strings.Contains(words[0], "=") && isName(words[0][:strings.IndexByte(words[0], '=')]) {
				*assigns = append(*assigns, words[0])
				words = words[1:]
			}
		default:
			return words
		}
	}
	return nil
}

// isAmount is a number with its unit, as timeout and nice take it.
func isAmount(w string) bool {
	return w != "" && w[0] >= '0' && w[0] <= '9' && len(strings.TrimRight(strings.TrimLeft(w, "0123456789."), "smhd")) == 0
}

func isExport(word string) bool {
	switch word {
	case "export", "declare", "typeset", "readonly", "local", "setenv":
		return true
	}
	return false
}

// assignment looks at a variable that is set.
func (c *checker) assignment(a string) {
	name, value, _ := strings.Cut(a, "=")
	upper := strings.ToUpper(name)
	switch {
	case upper == "PATH":
		c.setsPath = true
	case strings.HasPrefix(upper, "GIT_CONFIG"), upper == "GIT_EXEC_PATH", upper == "GIT_TEMPLATE_DIR",
		upper == "LD_PRELOAD", upper == "LD_LIBRARY_PATH" && strings.Contains(value, "tmp"), upper == "LD_AUDIT", upper == "DYLD_INSERT_LIBRARIES",
		upper == "XDG_CONFIG_HOME", upper == "XDG_STATE_HOME", upper == "HOME", upper == "HUSKY" && value == "0", upper == "HUSKY_SKIP_HOOKS", upper == "LEFTHOOK" && (value == "0" || value == "false"):
		c.add(refuse(rulePath, "it sets %s", upper))
	case upper == "CLAUDE_CONFIG_DIR", upper == "CODEX_HOME", upper == "GEMINI_CLI_SYSTEM_SETTINGS_PATH", upper == "COPILOT_HOME", upper == "CURSOR_CONFIG_DIR":
		c.add(refuse(ruleAgent, "it sets %s, where an agent has its hooks", upper))
	case upper == "SKIP" && slices.Contains(strings.Split(value, ","), "gate"):
		c.add(refuse(ruleNoVerify, "it skips the hook of gate"))
	case strings.HasPrefix(upper, "GATE_"):
		c.add(refuse(rulePath, "it sets %s", upper))
	}
}

// own looks for commands of gate that are the user's alone, and for agents that are
// started without hooks.
func (c *checker) own(program string, args []string) {
	if program == "gate" || c.place.Program != "" && strings.EqualFold(program, strings.TrimSuffix(path.Base(c.place.Program), ".exe")) {
		if len(args) > 0 && (args[0] == "baseline" || args[0] == "dismiss") {
			c.add(refuse(ruleAccept, "`gate %s` is for the user", args[0]))
		}
	}
	for i, a := range args {
		flat := strings.ToLower(strings.NewReplacer(" ", "", `"`, "", "'", "").Replace(a))
		switch {
		case strings.Contains(flat, "disableallhooks:true"), strings.Contains(flat, "features.hooks=false"), strings.Contains(flat, "features.codex_hooks=false"),
			strings.Contains(flat, "hooks.enabled=false"), strings.Contains(flat, "hooksconfig.enabled"),
			a == "--disable" && i+1 < len(args) && strings.Contains(args[i+1], "hooks"):
			c.add(refuse(ruleAgent, "it turns off the hooks of an agent"))
		}
	}
}

// Code returns why an agent must not write a program of a language that isn't a shell's.
// It looks for names only.
func Code(text string, p Place) []Refusal {
	c := checker{place: p}
	c.loose(text)
	return c.found
}

// Unreadable reports whether the refusal is of what can't be read, and no more.
func (r Refusal) Unreadable() bool { return r.ID == ruleUnread }
