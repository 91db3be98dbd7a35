package workspace

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of one workspace.
const (
	MaxBytes = 64 << 20 // of all files together
	MaxFile  = 8 << 20  // of one file
	MaxFiles = 1000
	MaxPath  = 512 // bytes of a path
	MaxName  = 200 // bytes of one part of it
	MaxDepth = 16  // parts of a path
)

// CheckPath says why a path cannot name a file of a workspace, and what is expected.
func CheckPath(p string) error {
	const want = "expected is a path inside the workspace, such as src/main.py: relative, with slashes, without . and .."
	switch {
	case p == "":
		return fmt.Errorf("the path is empty; %s", want)
	case len(p) > MaxPath:
		return fmt.Errorf("the path has %d bytes, at most %d are allowed", len(p), MaxPath)
	case !utf8.ValidString(p):
		return fmt.Errorf("the path %+q is not UTF-8; %s", p, want)
	case strings.ContainsFunc(p, hidden):
		return fmt.Errorf("the path %+q has characters that cannot be seen; %s", p, want)
	case strings.ContainsAny(p, `\:`):
		return fmt.Errorf(`the path %+q has a \ or a :, which other systems take for something else; %s`, p, want)
	case p == ".", !fs.ValidPath(p):
		return fmt.Errorf("the path %+q is not one inside the workspace; %s", p, want)
	}
	parts := strings.Split(p, "/")
	if len(parts) > MaxDepth {
		return fmt.Errorf("the path %+q is %d parts deep, at most %d are allowed", p, len(parts), MaxDepth)
	}
	for _, part := range parts {
		switch {
		case len(part) > MaxName:
			return fmt.Errorf("a name of %d bytes is in the path, at most %d are allowed", len(part), MaxName)
		case strings.EqualFold(part, ".git"):
			return fmt.Errorf("the path %+q is in a .git folder, and a workspace has none: hooks and settings of git run by themselves", p)
		case strings.TrimSpace(part) != part, strings.HasSuffix(part, "."):
			return fmt.Errorf("a name in the path %+q begins or ends with a space or ends with a dot; %s", p, want)
		}
	}
	return nil
}

// hidden reports whether a character cannot be seen, or changes the order of others.
func hidden(r rune) bool {
	return r != ' ' && !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
}

// Leftover reports whether a path is in a folder in which a tool keeps notes for its next run,
// such as the caches of Python and pytest. A tool can make them again.
func Leftover(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".coverage", ".nyc_output", ".npm", ".cache":
			return true
		}
	}
	return false
}
