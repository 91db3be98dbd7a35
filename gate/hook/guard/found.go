package guard

import (
	"path"
	"regexp"
	"strings"

	"github.com/aigate/gate/gate/glob"
)

var (
	gitFolder = regexp.MustCompile("(?:\\$\\(|`)\\s*git\\s+(?:-C\\s+\\S+\\s+)?rev-parse\\s+(?:--path-format=\\w+\\s+)?--(?:absolute-git-dir|git-dir|git-common-dir)\\s*(?:\\)|`)")
	gitPath   = regexp.MustCompile("(?:\\$\\(|`)\\s*git\\s+(?:-C\\s+\\S+\\s+)?rev-parse\\s+(?:--path-format=\\w+\\s+)?--git-path[\\s=]+[\"']?([\\w./-]+)[\"']?\\s*(?:\\)|`)")
)

// asked replaces the questions to git for its folder with the answer: see git-rev-parse(1).
func asked(text string) string {
	if !strings.Contains(text, "rev-parse") {
		return text
	}
	return gitPath.ReplaceAllString(gitFolder.ReplaceAllString(text, ".git"), ".git/$1")
}

// searched looks for hooks of git among what find changes, by the patterns that it is given.
func (c *checker) searched(args []string, dir string) {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") && path.Clean(args[0]) != "." {
		return // by its path
	}
	for _, hook := range []string{"pre-commit", "pre-push", "commit-msg"} {
		file, named := ".git/hooks/"+hook, false
		for i := 0; i+1 < len(args); i++ {
			var name string
			switch args[i] {
			case "-name", "-iname":
				name = hook
			case "-path", "-ipath", "-wholename":
				name = "./" + file
			default:
				continue
			}
			not := i > 0 && (args[i-1] == "-not" || args[i-1] == "!")
			if matches(args[i+1], name) == not {
				named = false
				break
			}
			named = named || !not && strings.Trim(args[i+1], "*") != ""
		}
		if named {
			c.file(dir, file, true)
		}
	}
}

// matches reports whether a pattern of find matches; in it, an asterisk stands for slashes as well.
func matches(pattern, name string) bool {
	return glob.MatchName(strings.ReplaceAll(pattern, "/", "\x01"), strings.ReplaceAll(name, "/", "\x01"))
}
