package static

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/aigate/gate/gate"
)

// twins finds files and folders of the head whose names are one and the same to a file
// system that folds them: the later one takes the place of the other where the tree is
// checked out, so what runs is not what was reviewed under that name.
type twins struct {
	names func() map[string][]string // as written, by how they are folded
}

// newTwins reads the names when they are first asked for.
func newTwins(c *gate.Change) *twins {
	return &twins{names: sync.OnceValue(func() map[string][]string {
		out := map[string][]string{}
		for _, file := range c.Files[:min(len(c.Files), maxIndexed)] {
			for name := file; name != "." && name != "/"; name = path.Dir(name) {
				key := foldedName(name)
				if slices.Contains(out[key], name) {
					break // and so are the folders above it
				}
				out[key] = append(out[key], name)
			}
		}
		return out
	})}
}

// foldedName is a path as file systems of Windows and macOS compare it: without a difference
// of case, of composition, and of what is not shown or left out at the end of a name.
func foldedName(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		p = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) {
				return -1
			}
			return unicode.ToLower(unicode.ToUpper(r))
		}, norm.NFC.String(p))
		if short := strings.TrimRight(p, ". "); short != "" {
			p = short
		}
		parts[i] = p
	}
	return strings.Join(parts, "/")
}

// report notes another file or folder that a new one hides, or that hides it.
func (x *twins) report(f *file) {
	t := f.target
	if x == nil || !t.Exists() || t.Parent != "" || t.Kind != gate.ChangeAdded && t.Kind != gate.ChangeRenamed {
		return
	}
	names := x.names()
	for name := t.Path; name != "." && name != "/"; name = path.Dir(name) {
		for _, other := range names[foldedName(name)] {
			if other != name && path.Dir(other) == path.Dir(name) {
				f.report(checkTwin, 0, gate.Clip(other, maxShownName), name)
				return
			}
		}
	}
}
