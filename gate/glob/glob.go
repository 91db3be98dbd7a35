package glob

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// MaxBytes is the longest glob.
const MaxBytes = 1 << 10

// Match reports whether a glob matches a slash-separated path relative to the root of
// a repository. An invalid glob matches nothing, so check it when it is read.
func Match(glob, path string) bool {
	if root, ok := strings.CutPrefix(glob, "/"); ok {
		return doublestar.MatchUnvalidated(root, path)
	}
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return doublestar.MatchUnvalidated(glob, path)
}

// MatchName reports whether a glob matches a whole name, such as that of a file without
// its folder, of a module or of an attack. * does not cross a slash here either.
func MatchName(glob, name string) bool { return doublestar.MatchUnvalidated(glob, name) }

// First returns the first of the globs that matches a path.
func First(globs []string, path string) (string, bool) {
	for _, g := range globs {
		if Match(g, path) {
			return g, true
		}
	}
	return "", false
}

// Any reports whether one of the globs matches a path.
func Any(globs []string, path string) bool {
	_, ok := First(globs, path)
	return ok
}

// Quote returns a glob that matches just this name: what would have a meaning loses it.
func Quote(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`, ",", `\,`).Replace(name)
}

// Check returns why a glob is not valid: a mistake in its syntax, or that no path of a
// repository matches one of its alternatives.
func Check(glob string) error {
	if err := checkSyntax(glob); err != nil {
		return err
	}
	useless, err := checkExamples(glob, func(example string) bool { return fs.ValidPath(example) && Match(glob, example) })
	if useless == "" || err != nil {
		return err
	}
	return fmt.Errorf("%q matches no path of a repository such as %s: paths look like folder/file.go, without \"./\", \"..\", a slash at the end or a slash at the beginning of an alternative (the files below a folder are \"folder/**\")", glob, useless)
}

// CheckName returns why a glob for whole names is not valid.
func CheckName(glob string) error {
	if err := checkSyntax(glob); err != nil {
		return err
	}
	useless, err := checkExamples(glob, func(example string) bool { return MatchName(glob, example) })
	if useless == "" || err != nil {
		return err
	}
	return fmt.Errorf("%q matches no name such as %s", glob, useless)
}

func checkSyntax(glob string) error {
	switch {
	case glob == "":
		return fmt.Errorf("a glob is empty; %q matches every file", "**")
	case len(glob) > MaxBytes:
		return fmt.Errorf("a glob has %d bytes; at most %d are read", len(glob), MaxBytes)
	case !utf8.ValidString(glob) || !doublestar.ValidatePattern(glob):
		return fmt.Errorf("%q is not a valid glob: a bracket, a brace or a backslash is not closed", glob)
	}
	return nil
}
