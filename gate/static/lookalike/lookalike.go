package lookalike

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// The lists, one name a line, the most popular first. See the package's comment.
var (
	//go:embed npm.txt
	npmNames string
	//go:embed pypi.txt
	pypiNames string
	//go:embed go.txt
	goNames string
	//go:embed crates.txt
	crateNames string
)

// targets is how many names of a list an impostor would choose.
const targets = 2500

// minName is the shortest popular name of which variants are told: of shorter
// ones everything is a variant.
const minName = 5

// maxName is the longest name that is looked at; registries allow no more.
const maxName = 214

// Names knows the names of one registry. It is safe for concurrent use.
type Names struct {
	once    sync.Once
	list    *string
	fold    func(string) string
	known   map[string]bool
	popular []string
	shapes  map[string]string // of popular names, by what is left of them without tricks
	affixes bool
	owned   bool // names begin with their owner, who chooses what is below
}

// NPM, PyPI and Go return the names of the registries.
func NPM() *Names { return &Names{list: &npmNames, fold: strings.ToLower, affixes: true} }

// PyPI is for the Python package index.
func PyPI() *Names { return &Names{list: &pypiNames, fold: foldPyPI, affixes: true} }

// Go is for paths of modules.
func Go() *Names { return &Names{list: &goNames, fold: strings.ToLower, owned: true} }

// Crates is for the registry of Rust.
func Crates() *Names { return &Names{list: &crateNames, fold: foldPyPI} }

// Popular reports whether a name is one that an impostor would choose.
func (n *Names) Popular(name string) bool {
	n.once.Do(n.load)
	return slices.Contains(n.popular, n.fold(strings.TrimSpace(name)))
}

// Known reports whether a name is on the list.
func (n *Names) Known(name string) bool {
	n.once.Do(n.load)
	return n.known[n.fold(strings.TrimSpace(name))]
}

// foldPyPI makes names equal that the index takes for the same.
func foldPyPI(name string) string {
	name = strings.NewReplacer("_", "-", ".", "-").Replace(strings.ToLower(name))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	return name
}

func (n *Names) load() {
	n.known, n.shapes = map[string]bool{}, map[string]string{}
	for name := range strings.Lines(*n.list) {
		name = n.fold(strings.TrimSpace(name))
		if name == "" || n.known[name] {
			continue
		}
		n.known[name] = true
		if len(n.popular) < targets && len(name) >= minName {
			n.popular = append(n.popular, name)
			for _, s := range shapes(name) {
				if _, taken := n.shapes[s]; !taken {
					n.shapes[s] = name
				}
			}
		}
	}
}

// Like returns the popular name that a name looks like, "" for a name that is
// known itself or looks like none.
func (n *Names) Like(name string) string {
	n.once.Do(n.load)
	name = n.fold(strings.TrimSpace(name))
	if name == "" || len(name) > maxName || n.known[name] {
		return ""
	}
	for _, s := range shapes(name) {
		if p, ok := n.shapes[s]; ok && !n.sameOwner(name, p) {
			return p
		}
	}
	if n.affixes {
		if p := n.dressed(name); p != "" {
			return p
		}
	}
	for i, p := range n.popular {
		if (near(name, p) || i < dressedUp && nearEnd(name, p)) && !n.sameOwner(name, p) {
			return p
		}
	}
	return ""
}

// sameOwner reports whether two names begin with the same host and owner: no one
// registers an impostor there.
func (n *Names) sameOwner(a, b string) bool {
	return n.owned && owner(a) == owner(b)
}

// owner is the host and the first folder of a path.
func owner(name string) string {
	host, rest, _ := strings.Cut(name, "/")
	first, _, _ := strings.Cut(rest, "/")
	return host + "/" + first
}

// nearEnd reports whether the last letter of a popular name is doubled or left
// out. Of short names that is told for the most popular ones only: the others
// have honest neighbours.
func nearEnd(name, popular string) bool {
	last := popular[len(popular)-1]
	return letter(last) && (name == popular+string(last) || last != 's' && name == popular[:len(popular)-1] && len(name) >= 4)
}

// shapes are what is left of a name when tricks are undone that the eye does not
// notice: separators, digits and letters that look the same, words in another
// order.
func shapes(name string) []string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	plain := strings.Join(words, "")
	out := []string{"plain " + plain, "eye " + eye.Replace(plain)}
	if len(words) > 1 && len(words) < 6 {
		slices.Sort(words)
		out = append(out, "words "+strings.Join(words, "-"))
	}
	return out
}

// eye replaces what looks like something else.
var eye = strings.NewReplacer("0", "o", "1", "l", "i", "l", "5", "s", "rn", "m", "vv", "w", "cl", "d")

// dress is what impostors put before and behind a popular name.
var dress = struct{ before, behind []string }{
	[]string{"node-", "nodejs-", "js-", "python-", "python3-", "py-", "the-", "official-", "real-"},
	[]string{"-js", "-node", "-nodejs", "-python", "-python3", "-official", "-dev", "-lib", "-latest", "-security", "-fix", "-fixed", "-patched", "js", "2", "3"},
}

// dressedUp is how many of the popular names are looked for under such a dress;
// less known ones have honest relatives.
const dressedUp = 400

func (n *Names) dressed(name string) string {
	top := n.popular[:min(dressedUp, len(n.popular))]
	for _, b := range dress.before {
		if rest, ok := strings.CutPrefix(name, b); ok && slices.Contains(top, rest) {
			return rest
		}
	}
	for _, b := range dress.behind {
		if rest, ok := strings.CutSuffix(name, b); ok && slices.Contains(top, rest) {
			return rest
		}
	}
	return ""
}

// near reports whether one letter was left out, added, replaced or swapped with
// its neighbour, as a hand does that types. A change of the last letter to or from
// a plural, or of a digit, makes another honest name.
func near(a, b string) bool {
	if len(a)-len(b) > 1 || len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	j := 0
	for j < len(a)-i && j < len(b)-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	ra, rb := a[i:len(a)-j], b[i:len(b)-j] // what differs
	switch {
	case len(ra)+len(rb) == 1:
		c := (ra + rb)[0]
		plural := c == 's' && j == 0 && i > 0 && a[i-1] != 's'
		return letter(c) && !plural && (len(b) >= 7 || j > 0 && i > 0)
	case len(ra) == 1 && len(rb) == 1:
		return letter(ra[0]) && letter(rb[0]) && len(b) >= 7 && i > 0
	case len(ra) == 2 && len(rb) == 2:
		return ra[0] == rb[1] && ra[1] == rb[0]
	}
	return false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' }
