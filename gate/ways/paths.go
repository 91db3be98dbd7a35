package ways

import (
	"path"
	"strings"
)

// outside is what [Below] returns for a folder that leads out of the tree, or cannot be
// told: no file is there.
const outside = "\x00"

// Below is a folder as seen from another, both slash-separated and "" for the root.
func Below(dir, name string) string {
	if dir == outside || path.IsAbs(name) || strings.ContainsAny(name, "\x00~") {
		return outside
	}
	at := path.Join(dir, name)
	switch {
	case at == ".":
		return ""
	case at == ".." || strings.HasPrefix(at, "../"):
		return outside
	}
	return at
}

// Inside reports whether a folder that came out of [Below] is one of the tree.
func Inside(dir string) bool { return dir != outside }
