package guard

import (
	"path"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// asRun are the names and command lines that a running gate has, as programs that end
// others by a pattern see them.
var asRun = []string{"gate", "gate hook claude", "gate hook claude PreToolUse", "/usr/local/bin/gate", "/usr/local/bin/gate hook claude PreToolUse", "gate mcp"}

// ends looks for what ends gate or takes it away.
func (c *checker) ends(program string, args []string, dir string) {
	switch program {
	case "kill", "pkill", "killall", "killall5", "skill", "taskkill", "fuser", "xkill", "stop-process":
		if program == "killall5" || slices.ContainsFunc(args, namesGate) || program == "kill" && slices.Contains(args, "-1") && len(args) > 1 && slices.Index(args, "-1") > 0 {
			c.add(refuse(ruleEnd, "it ends gate"))
		}
		if program == "pkill" || program == "killall" || program == "skill" {
			c.endsByPattern(program, args)
		}
		if program == "kill" && slices.ContainsFunc(args, found) {
			c.add(refuse(ruleEnd, "it ends programs that it finds in /proc, which can be gate"))
		}
	case "rm", "mv", "cp", "ln", "install", "chmod", "chown", "chattr", "setfacl", "truncate", "shred", "unlink", "dd", "tee", "rename", "del", "remove-item":
		for _, a := range args {
			found := strings.Contains(a, "which gate") || strings.Contains(a, "command -v gate") || strings.Contains(a, "type -p gate")
			if s, ok := c.place.named(dir, a, false); ok && (s.For == "gate itself" || s.For == "the git that gate asks") && (program != "cp" && program != "ln" || a == args[len(args)-1]) {
				found = true
			}
			if found {
				c.add(refuse(ruleEnd, "it removes or replaces gate or git"))
			}
		}
	default:
		if takesAway(program, args) {
			c.add(refuse(ruleEnd, "it removes gate, or installs another program of that name"))
		}
	}
}

// namesGate reports whether a word means gate, or how it is found.
func namesGate(w string) bool {
	w = strings.ToLower(w)
	return path.Base(w) == "gate" || strings.Trim(w, "^$./*[]()?\\+") == "gate" || strings.HasPrefix(w, "gate hook") || strings.HasSuffix(w, "/gate hook") ||
		strings.Contains(w, "pgrep") && strings.Contains(w, "gate") || strings.Contains(w, "pidof") && strings.Contains(w, "gate")
}

// found reports whether a word is the number of a process that was found in /proc, which
// says nothing of what the process is.
func found(w string) bool {
	return strings.Contains(w, "/proc/") && strings.ContainsAny(w, "*[$#%`")
}

// endsByPattern looks at programs that end others whose name or command line fits an
// expression.
func (c *checker) endsByPattern(program string, args []string) {
	expressions, whole := program == "pkill", false
	var patterns []string
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-s" || a == "--signal" || a == "-u" || a == "-U" || a == "-P" || a == "-g" || a == "-t" || a == "-G" || a == "--user" || a == "-n" && program == "killall":
			i++
		case strings.HasPrefix(a, "--"):
			expressions = expressions || a == "--regexp"
			whole = whole || a == "--exact"
			if a == "--inverse" {
				c.add(refuse(ruleEnd, "it ends every program but some"))
			}
		case strings.HasPrefix(a, "-") && len(a) > 1:
			expressions = expressions || strings.Contains(a, "r")
			whole = whole || strings.Contains(a, "x")
			if program == "pkill" && strings.Contains(a, "v") {
				c.add(refuse(ruleEnd, "it ends every program but some"))
			}
		default:
			patterns = append(patterns, a)
		}
	}
	for _, p := range patterns {
		if expressions && fits(p, whole) {
			c.add(refuse(ruleEnd, "it ends programs that fit %q, and gate does", p))
		}
	}
}

// maxPattern bounds an expression, in bytes.
const maxPattern = 1000

// fits reports whether an expression fits a running gate. One that can't be read may.
func fits(expression string, whole bool) bool {
	if len(expression) > maxPattern {
		return true
	}
	if whole {
		expression = "^(?:" + expression + ")$"
	}
	e, err := regexp.Compile("(?i)" + expression)
	return err != nil || slices.ContainsFunc(asRun, e.MatchString)
}

// takesAway reports whether a package manager removes gate, or puts another one where it
// is looked for.
func takesAway(program string, args []string) bool {
	removes := slices.ContainsFunc(args, func(a string) bool {
		switch strings.ToLower(a) {
		case "remove", "uninstall", "purge", "autoremove", "rm", "erase", "delete", "un", "unlink", "-r", "-rs", "-rns", "-e", "--remove", "--purge", "--uninstall", "deinstall":
			return true
		}
		return false
	})
	places := slices.ContainsFunc(args, func(a string) bool { return a == "install" || a == "i" || a == "add" || a == "link" || a == "upgrade" })
	switch program {
	case "apt", "apt-get", "aptitude", "dpkg", "yum", "dnf", "microdnf", "zypper", "rpm", "pacman", "yay", "apk", "emerge", "brew", "port", "snap", "flatpak", "nix-env", "choco", "scoop", "winget", "pkg":
		return removes && slices.ContainsFunc(args, ofGate)
	case "go", "npm", "pnpm", "yarn", "bun", "pip", "pip3", "pipx", "uv", "cargo", "gem", "mise", "asdf", "eget":
		return (removes || places) && slices.ContainsFunc(args, ofGate)
	}
	return false
}

// ofGate reports whether a package makes a program with the name of gate.
func ofGate(a string) bool {
	a, _, _ = strings.Cut(strings.ToLower(a), "@")
	return !strings.HasPrefix(a, ".") && !strings.HasPrefix(a, "-") && (path.Base(a) == "gate" || path.Base(path.Dir(a)) == "gate" && strings.HasPrefix(path.Base(a), "v"))
}
