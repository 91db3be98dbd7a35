package embedded

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/build"
)

// shellsOf are the programs that commands are given to instead of the usual shell, as
// command lines. One that is no interpreter, or has a program of its own, makes other
// commands of those that are in the file.
func shellsOf(shells []shellChoice) []build.Line {
	var out []build.Line
	for _, s := range shells {
		text := s.line()
		switch {
		case !isShell(s.words) || s.hasProgram():
			out = append(out, build.Line{Text: build.Computed + "shell}} " + text, At: s.at})
		case slices.ContainsFunc(s.words[1:], func(w string) bool { return !strings.HasPrefix(w, "-") }):
			out = append(out, build.Line{Text: text, At: s.at}) // it may be a whole command
		}
	}
	return out
}

// shellChoice is a program that a file chooses as its shell, with its options.
type shellChoice struct {
	words []string
	at    int
}

// line is the choice as a command line.
func (s shellChoice) line() string {
	words := slices.Clone(s.words)
	for i, w := range words {
		if strings.ContainsAny(w, " \t") && !strings.ContainsRune(w, '\'') {
			words[i] = "'" + w + "'"
		}
	}
	return strings.Join(words, " ")
}

// hasProgram reports whether a POSIX shell is given a program of its own: what is in the
// file is then an argument of that.
func (s shellChoice) hasProgram() bool {
	for i := 1; i+1 < len(s.words); i++ {
		if w := s.words[i]; strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") && !strings.HasPrefix(s.words[i+1], "-") &&
			firstInterpreter(strings.Join(s.words[:i], " "), gate.LanguageUnknown) == gate.LanguageShell {
			return true
		}
	}
	return false
}

// runners start the program that their arguments name.
var runners = []string{"conda", "mamba", "micromamba", "pixi", "env", "nix-shell", "nix", "busybox", "sudo", "su", "time", "nice", "poetry", "pipenv", "uv", "rye",
	"xvfb-run", "tini", "dumb-init", "setarch", "linux32", "linux64", "scl", "chroot", "docker", "podman", "devbox", "mise", "asdf", "tclsh", "git"}

// isShell reports whether a command line begins with a program that runs the text it is given.
func isShell(words []string) bool {
	for i, word := range words {
		base := strings.TrimSuffix(strings.ToLower(strings.Trim(path.Base(strings.ReplaceAll(word, `\`, "/")), `"'`)), ".exe")
		switch {
		case interpreter(base) != gate.LanguageUnknown || base == "cmd" || base == "nu" || base == "elvish" || base == "xonsh":
			return true
		case strings.HasPrefix(word, "$") && !strings.HasPrefix(word, build.Computed):
			return true // from elsewhere
		case i == 0 && !slices.Contains(runners, base):
			return false
		}
	}
	return false
}
