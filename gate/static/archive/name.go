package archive

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
)

// maxName is the longest name, in bytes, that is shown or kept.
const maxName = 400

// valid makes a path below the archive of a name. A name that leads out of the
// folder into which a user unpacks is a problem, whatever the member is.
func (r *reader) valid(raw string) string {
	slashed := strings.ReplaceAll(raw, `\`, "/")
	if leadsOut(slashed) {
		r.problem("the name %s leads out of the folder that it is unpacked in", shown(raw))
	}
	clean := strings.Map(func(c rune) rune {
		if c == utf8.RuneError || c == ':' || unicode.IsControl(c) {
			return '_'
		}
		return c
	}, strings.ToValidUTF8(slashed, "_"))
	clean = strings.TrimPrefix(path.Clean("/"+clean), "/")
	if len(clean) > maxName {
		clean = gate.Clip(path.Dir(clean), maxName/2) + "/" + gate.Clip(path.Base(clean), maxName/2)
	}
	if !fs.ValidPath(clean) || clean == "." {
		r.archive.Problems = append(r.archive.Problems, fmt.Sprintf("a member has no name that can be shown: %s", shown(raw)))
		return "member"
	}
	return clean
}

// leadsOut reports whether a name or the target of a link is absolute or climbs
// above where it begins.
func leadsOut(name string) bool {
	clean := path.Clean(name)
	return path.IsAbs(name) || clean == ".." || strings.HasPrefix(clean, "../") || len(name) > 1 && name[1] == ':'
}

// shown is a name as reasons show it.
func shown(name string) string { return fmt.Sprintf("%q", gate.Clip(name, 100)) }

// link reports where a link leads that is unpacked to somewhere else.
func (r *reader) link(name, to string) {
	r.seen++
	slashed := strings.ReplaceAll(to, `\`, "/")
	if leadsOut(slashed) && (path.IsAbs(slashed) || leadsOut(path.Join(path.Dir(path.Clean("/" + name))[1:], slashed))) {
		r.problem("the link %s leads to %s, outside of the archive", shown(name), shown(to))
	}
	r.archive.Others++
	if r.links == nil {
		r.links = map[string]string{}
	}
	r.links[r.valid(name)] = strings.TrimPrefix(path.Join("/", path.Dir(r.valid(name)), slashed), "/")
}

// follow makes members of the links that lead to one, or to a folder of them: a link
// named Makefile makes a Makefile of any file.
func (r *reader) follow() {
	own := slices.Clone(r.archive.Members)
	for _, name := range slices.Sorted(maps.Keys(r.links)) {
		to := r.links[name]
		for _, m := range own {
			rest, below := strings.CutPrefix(m.Name, to+"/")
			within, through := strings.CutPrefix(m.Name, name+"/")
			switch {
			case m.Name == to:
				r.keep(name, m.Mode, m.Data)
			case below:
				r.keep(path.Join(name, rest), m.Mode, m.Data)
			case through: // unpacking writes where the link leads
				r.problem("%s is written through the link %s", shown(m.Name), shown(name))
				r.keep(path.Join(to, within), m.Mode, m.Data)
			}
		}
	}
}
