package match

import (
	"path"
	"slices"
	"strings"
)

// onPath reports whether one of the globs matches; no globs match everything.
func onPath(globs []string, name string) bool {
	return len(globs) == 0 || slices.ContainsFunc(globs, func(g string) bool { return Glob(g, name) })
}

// Glob reports whether a doublestar glob matches a slash-separated path: ** is
// any number of folders, * and ? stay within one, and a glob without a slash is
// looked for in every folder.
func Glob(glob, name string) bool {
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return segments(strings.Split(strings.TrimPrefix(glob, "/"), "/"), strings.Split(name, "/"))
}

// segments matches folder by folder, without backtracking over more than one
// "**" at a time: the last one seen is enough.
func segments(glob, name []string) bool {
	star, resume := -1, 0
	g, n := 0, 0
	for n < len(name) {
		switch {
		case g < len(glob) && glob[g] == "**":
			star, resume = g, n
			g++
		case g < len(glob) && segment(glob[g], name[n]):
			g++
			n++
		case star >= 0:
			resume++
			g, n = star+1, resume
		default:
			return false
		}
	}
	for g < len(glob) && glob[g] == "**" {
		g++
	}
	return g == len(glob)
}

func segment(glob, name string) bool {
	ok, err := path.Match(glob, name)
	return ok && err == nil
}
