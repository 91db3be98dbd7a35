package guard

import (
	"path"
	"strings"
)

// prints reports whether a program only reads the files that it is given, with these
// arguments, and prints.
func prints(program string, args []string) bool {
	has := func(words ...string) bool {
		for _, a := range args {
			for _, w := range words {
				if a == w || strings.HasPrefix(w, "--") && strings.HasPrefix(a, w+"=") {
					return true
				}
			}
		}
		return false
	}
	switch program {
	case "cat", "head", "tail", "less", "more", "bat", "ls", "tree", "stat", "file", "wc", "grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp",
		"md5sum", "sha1sum", "sha256sum", "test", "[", "[[", "realpath", "readlink", "basename", "dirname", "jq", "uniq", "cut", "tr", "echo", "printf",
		"cd", "pwd", "od", "strings", "du", "true", "false", ":", "which", "type", "command", "whereis", "nl", "column", "dir", "get-content", "exit", "return", "export", "declare", "for":
		return true
	case "sort", "xxd", "yq":
		return !has("-o", "--output", "-r", "-i", "--inplace")
	case "sed", "gsed":
		for _, a := range args {
			if strings.HasPrefix(a, "--in-place") || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "i") {
				return false
			}
		}
		return true
	case "find", "fd":
		return !has("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprintf", "-x", "-X", "--exec")
	case "gate":
		return true
	case "git":
		for i := 0; i < len(args); i++ {
			switch a := args[i]; {
			case a == "-C" || a == "-c":
				i++
			case !strings.HasPrefix(a, "-"):
				switch a {
				case "diff", "log", "show", "status", "add", "blame", "grep", "ls-files", "ls-tree", "cat-file", "check-ignore", "rev-parse", "commit", "push", "shortlog", "config", "annotate", "describe":
					return true
				}
				return false
			}
		}
	}
	return false
}

// files looks for settings among what a program is given, which does more than read.
func (c *checker) files(program string, args []string, dir string) {
	above := false // what happens to a folder happens to all in it
	switch program {
	case "rm", "mv", "rmdir", "rsync", "chmod", "chown", "chattr", "ln", "mount", "umount", "del", "rd", "remove-item", "move-item", "shred", "unlink", "find":
		above = true
	}
	c.into(program, args, dir)
	if program == "find" {
		c.searched(args, dir)
	}
	for _, a := range args {
		if _, value, ok := strings.Cut(a, "="); ok { // of=FILE, --output=FILE
			c.file(dir, value, false)
		}
		c.file(dir, a, above)
	}
}

// into looks at what is put into a folder: under its own name, or under names that an
// archive has.
func (c *checker) into(program string, args []string, dir string) {
	switch program {
	case "cp", "mv", "rsync", "install", "ln", "copy-item", "move-item":
		if len(args) < 2 {
			return
		}
		to := args[len(args)-1]
		for _, a := range args[:len(args)-1] {
			if !strings.HasPrefix(a, "-") {
				c.file(dir, path.Join(to, path.Base(a)), true)
			}
		}
	case "unzip", "tar", "bsdtar", "7z":
		for i, a := range args {
			to := strings.TrimPrefix(strings.TrimPrefix(a, "-o"), "--directory=")
			if i > 0 && (args[i-1] == "-d" || args[i-1] == "-C" || args[i-1] == "--directory") || to != a {
				for _, name := range []string{"settings.json", "hooks.json", "config.toml", "hooks/pre-commit", "pre-commit"} {
					c.file(dir, path.Join(to, name), false)
				}
			}
		}
	}
}

func (c *checker) file(dir, name string, above bool) {
	if name == "" || strings.ContainsAny(name, "\n") {
		return
	}
	if s, ok := c.place.named(dir, name, above); ok && s.For != "gate itself" && s.For != "the git that gate asks" {
		c.add(refuse(ruleSettings, "it may change %s (%s)", s.Path, s.For))
	}
}

// code reads programs that are given as arguments or as standard input, as shells and
// loosely as anything else.
func (c *checker) code(program string, args []string, s simple, depth int) {
	if program == "eval" || program == "." || program == "source" {
		c.text(strings.Join(args, " "), s.dir, depth+1)
		return
	}
	if program == "find" || program == "fd" {
		for i, a := range args {
			if strings.HasPrefix(a, "-exec") || strings.HasPrefix(a, "-ok") || a == "-x" || a == "-X" {
				c.simple(simple{words: args[i+1:], dir: s.dir}, depth+1)
			}
		}
	}
	shell := isShell(program)
	switch {
	case s.stdin == "":
	case shell:
		c.text(s.stdin, s.dir, depth+1)
	case isInterpreter(program):
		c.loose(s.stdin)
	}
	for i, a := range args {
		if program == "git" || !strings.ContainsAny(a, " \t\n;|&'\"(") {
			continue
		}
		flagged := i > 0 && isCodeFlag(args[i-1])
		if shell || runsText(program) || flagged && !isInterpreter(program) {
			if _, value, ok := strings.Cut(a, "="); ok && program == "alias" {
				a = value
			}
			c.text(a, s.dir, depth+1)
		}
		if isInterpreter(program) || flagged && !shell {
			c.loose(a)
		}
	}
}

// isCodeFlag is a flag like those of shells and interpreters that code follows.
func isCodeFlag(a string) bool {
	if len(a) > 1 && a[0] == '-' && a[1] != '-' && len(a) <= 5 {
		return strings.ContainsAny(a[len(a)-1:], "cer")
	}
	return a == "--command" || a == "--eval" || a == "/c" || a == "/C"
}

// runsText reports whether a program hands a text to a shell, here or elsewhere.
func runsText(program string) bool {
	switch program {
	case "ssh", "watch", "tmux", "screen", "at", "batch", "trap", "entr", "docker", "podman", "kubectl", "flock", "npx", "concurrently", "hyperfine", "alias", "make", "start", "wsl", "runuser", "xterm":
		return true
	}
	return false
}

func isShell(program string) bool {
	switch program {
	case "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "su", "pwsh", "powershell", "cmd":
		return true
	}
	return false
}

// isInterpreter is one of a language that isn't a shell's, with its version.
func isInterpreter(program string) bool {
	switch strings.TrimRight(program, "0123456789.") {
	case "python", "pypy", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "lua", "awk", "gawk", "mawk", "tclsh", "osascript", "ed", "ex", "vi", "vim", "nvim", "emacs", "java", "jshell", "Rscript", "go":
		return true
	}
	return false
}

// loose looks for names in a program of any language: how its constants are put together
// doesn't matter.
func (c *checker) loose(text string) {
	text = strings.ToLower(text)
	joined := strings.NewReplacer("'", "", `"`, "", "+", "", " ", "", "\n", "", "\t", "", "`", "", `\`, "", "(", "", ")", "").Replace(text)
	listed := strings.NewReplacer(",", "/").Replace(joined)
	for _, s := range Settings() {
		if s.For == "gate itself" || s.For == "the git that gate asks" || path.Dir(s.Path) == "." && !strings.HasPrefix(s.Path, ".gate") && s.Path != ".gitconfig" {
			continue
		}
		name := strings.ToLower(strings.TrimSuffix(s.Path, "/"))
		if strings.Contains(joined, name) || strings.Contains(listed, name) {
			c.add(refuse(ruleSettings, "a program in it names %s (%s)", s.Path, s.For))
			return
		}
	}
	switch {
	case strings.Contains(joined, "--no-verify"), strings.Contains(listed, "git/commit/-n"), strings.Contains(joined, "gitcommit-n"):
		c.add(refuse(ruleNoVerify, "a program in it leaves out the hooks of git"))
	case strings.Contains(joined, "core.hookspath"):
		c.add(refuse(ruleGit, "a program in it names core.hooksPath"))
	case strings.Contains(joined, "kill") && (strings.Contains(listed, "kill/gate") || strings.Contains(joined, "killgate") || strings.Contains(joined, "killall gate") || strings.Contains(joined, "pkill-fgate")):
		c.add(refuse(ruleEnd, "a program in it ends gate"))
	}
}
