package guard

import (
	"slices"
	"strings"
)

// git looks for what goes past the hooks of git. Any program may be git by another name.
func (c *checker) git(program string, args []string, dir string, depth int) {
	isGit := program == "git" || program == "hub"
	if isGit {
		c.usesGit = true
	}
	i := 0
	for ; i < len(args) && strings.HasPrefix(args[i], "-"); i++ {
		switch a := args[i]; {
		case (a == "-c" || a == "--config-env") && i+1 < len(args):
			c.setting(args[i+1], dir, depth)
			i++
		case strings.HasPrefix(a, "-c") && strings.Contains(a, "=") && isGit:
			c.setting(a[2:], dir, depth)
		case strings.HasPrefix(a, "--config-env="):
			c.setting(a[len("--config-env="):], dir, depth)
		case strings.HasPrefix(a, "--exec-path=") && isGit:
			c.add(refuse(rulePath, "it gives git other programs"))
		case (a == "-C" || a == "--git-dir" || a == "--work-tree" || a == "--namespace") && isGit:
			i++
		}
	}
	if i >= len(args) {
		return
	}
	verb, rest := args[i], args[i+1:]
	switch verb {
	case "commit", "ci":
		if shortN(rest) {
			c.add(refuse(ruleNoVerify, "`commit -n` leaves out the hooks of git"))
		}
		fallthrough
	case "push", "merge", "am", "rebase", "pull", "cherry-pick", "revert":
		if slices.ContainsFunc(rest, isNoVerify) {
			c.add(refuse(ruleNoVerify, "`%s --no-verify` leaves out the hooks of git", verb))
		}
	default:
		// An alias, or git by another name.
		if !prints(program, args) && slices.ContainsFunc(args, isNoVerify) {
			c.add(refuse(ruleNoVerify, "`--no-verify` leaves out the hooks of git"))
		}
	}
	if !isGit {
		return
	}
	switch verb {
	case "config":
		c.config(rest, dir, depth)
	case "commit-tree", "fast-import":
		c.add(refuse(ruleNoVerify, "`git %s` makes commits without the hooks of git", verb))
	case "send-pack", "http-push":
		c.add(refuse(ruleNoVerify, "`git %s` pushes without the hooks of git", verb))
	}
}

// isNoVerify is the flag, as far as git lets it be cut short.
func isNoVerify(a string) bool {
	return len(a) >= len("--no-veri") && strings.HasPrefix("--no-verify", a)
}

// shortN looks for -n among the short flags of `git commit`; what follows a flag that
// takes a value is that value.
func shortN(args []string) bool {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return false
		}
		if len(a) < 2 || a[0] != '-' || a[1] == '-' {
			continue
		}
		for j := 1; j < len(a); j++ {
			if a[j] == 'n' {
				return true
			}
			if strings.IndexByte("mFCctSu", a[j]) >= 0 {
				if j == len(a)-1 && strings.IndexByte("mFCct", a[j]) >= 0 {
					i++ // its value is the next word
				}
				break
			}
		}
	}
	return false
}

// setting looks at one NAME=VALUE of `git -c`.
func (c *checker) setting(s, dir string, depth int) {
	name, value, _ := strings.Cut(s, "=")
	c.gitSetting(strings.ToLower(name), value, dir, depth)
}

// gitSetting looks at a setting that is changed.
func (c *checker) gitSetting(name, value, dir string, depth int) {
	switch {
	case name == "core.hookspath", name == "include.path", strings.HasPrefix(name, "includeif."), strings.HasPrefix(name, "hook."), name == "init.templatedir":
		c.add(refuse(ruleGit, "it changes %s of git", name))
	case strings.HasPrefix(name, "alias."):
		command, shell := strings.CutPrefix(strings.TrimSpace(value), "!")
		if !shell {
			command = "git " + command
		}
		c.text(command, dir, depth+1)
	}
}

// config looks at the words behind `git config`.
func (c *checker) config(args []string, dir string, depth int) {
	var plain []string
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--get" || a == "--get-all" || a == "--get-regexp" || a == "--list" || a == "-l" || i == 0 && (a == "get" || a == "list"):
			return
		case a == "--edit" || a == "-e" || i == 0 && a == "edit":
			c.add(refuse(ruleGit, "it opens the settings of git in an editor"))
			return
		case a == "--file" || a == "-f" || a == "--blob" || a == "--type" || a == "--default":
			i++
		case a == "--unset" || a == "--unset-all" || a == "--remove-section" || a == "--rename-section":
			plain = append(plain, "") // it changes with one word
		case i == 0 && (a == "set" || a == "unset" || a == "remove-section" || a == "rename-section"):
			plain = append(plain, "")
		case !strings.HasPrefix(a, "-"):
			plain = append(plain, a)
		}
	}
	if len(plain) < 2 {
		return
	}
	for i, name := range plain {
		value := ""
		if i+1 < len(plain) {
			value = plain[i+1]
		}
		if lower := strings.ToLower(name); lower == "core" && plain[0] == "" {
			c.gitSetting("core.hookspath", "", dir, depth)
		} else {
			c.gitSetting(lower, value, dir, depth)
		}
	}
}
