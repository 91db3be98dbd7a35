package swapped

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/hosts"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// Bounds of what is compared.
const (
	maxDiffering  = 1000 // lines that only one of the versions has
	maxReferences = 300  // of each kind, on the lines of one version
	maxAccounts   = 10   // variables with an owner that are looked for in the text
	maxOnLine     = 20   // references of one form on a line
	maxAround     = 200  // bytes before and behind a host that are compared
	maxSwaps      = 50   // of one file
	maxLine       = 2000 // bytes of a line that are read
)

// Kind says what of a reference is another one.
type Kind string

// The kinds.
const (
	Owner Kind = "owner"
	Host  Kind = "host"
)

// Swap is a reference of the base that leads elsewhere in the head.
type Swap struct {
	Kind    Kind
	Line    int    // of the head, 1-based
	Was, Is string // the owner or the host, in lower case
	Name    string // what belongs to the owner; empty for hosts
}

// File is a file of which both versions are known.
type File struct {
	Path       string
	Language   gate.Language
	Base, Head []byte
	Lines      gate.LineSet // of the head, that changed
}

// Find returns the references that a change moved, in the order of the lines of the head.
func Find(f File) []Swap {
	base, head := linesOf(f.Language, f.Base), linesOf(f.Language, f.Head)
	removed, added := difference(base, head, f.Lines)
	if len(removed) == 0 || len(added) == 0 {
		return nil
	}
	before, accounts := references{}, maxAccounts
	for _, line := range removed {
		before.add(f, line.text, &accounts)
	}
	var out []Swap
	accounts = maxAccounts
	for _, line := range added {
		now := references{}
		now.add(f, line.text, &accounts)
		for _, s := range now.against(before) {
			s.Line = line.number
			same := func(o Swap) bool { return o.Kind == s.Kind && o.Is == s.Is && o.Name == s.Name }
			if !slices.ContainsFunc(out, same) && len(out) < maxSwaps {
				out = append(out, s)
			}
		}
	}
	return out
}

// line is a line of a text without its comments.
type line struct {
	number int
	text   string
}

// linesOf are the lines of a text, without comments and blanks around them.
func linesOf(lang gate.Language, content []byte) []line {
	plain := withoutComments(lang, content)
	var out []line
	n := 0
	for l := range bytes.Lines(plain) {
		n++
		text := strings.TrimSpace(string(l[:min(len(l), maxLine)]))
		if text != "" && !strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "//") {
			out = append(out, line{n, text})
		}
	}
	return out
}

// withoutComments returns a text with blanks in the place of comments.
func withoutComments(lang gate.Language, content []byte) []byte {
	out := bytes.Clone(content)
	for _, s := range lex.Scan(lang, content).Spans {
		if s.Class != lex.Comment {
			continue
		}
		for i := s.Start; i < s.End; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	return out
}

// difference returns the lines that only one of the versions has.
func difference(base, head []line, changed gate.LineSet) (removed, added []line) {
	has := func(lines []line) map[string]bool {
		out := make(map[string]bool, len(lines))
		for _, l := range lines {
			out[l.text] = true
		}
		return out
	}
	was, is := has(base), has(head)
	for _, l := range base {
		if !is[l.text] && len(removed) < maxDiffering {
			removed = append(removed, l)
		}
	}
	for _, l := range head {
		if !was[l.text] && len(added) < maxDiffering && changed.Touches(l.number, l.number) {
			added = append(added, l)
		}
	}
	return removed, added
}

// references are what lines lead to.
type references struct {
	owned  []owned
	placed []placed
}

// owned is something of an owner at a forge or a registry.
type owned struct{ forge, owner, name string }

// placed is an address, with what comes before and behind its host.
type placed struct{ before, host, behind string }

// add adds what a line leads to; accounts is how many variables may still be looked for.
func (r *references) add(f File, text string, accounts *int) {
	if links.MatchString(text) || isMetadata(f.Path, text) {
		return
	}
	if len(r.owned) < maxReferences {
		r.owned = append(r.owned, ownersIn(f, text, accounts)...)
	}
	if len(r.placed) < maxReferences {
		r.placed = append(r.placed, hostsIn(f.Language, text)...)
	}
}

// against returns what leads elsewhere than in older lines.
func (r *references) against(before references) []Swap {
	var out []Swap
	for _, now := range r.owned {
		if slices.Contains(before.owned, now) {
			continue
		}
		for _, was := range before.owned {
			if was.forge == now.forge && was.name == now.name && was.owner != now.owner {
				out = append(out, Swap{Kind: Owner, Was: was.owner, Is: now.owner, Name: now.name})
				break
			}
		}
	}
	for _, now := range r.placed {
		for _, was := range before.placed {
			if was.before == now.before && (hasWord(now.before) || was.behind == now.behind) && registrable(was.host) != registrable(now.host) {
				out = append(out, Swap{Kind: Host, Was: was.host, Is: now.host})
				break
			}
		}
	}
	return out
}

var word = regexp.MustCompile(`[A-Za-z]{2}`)

// hasWord reports whether the text before an address says what it is for.
func hasWord(before string) bool { return word.MatchString(scheme.ReplaceAllString(before, "")) }

var scheme = regexp.MustCompile(`(?:[a-z][a-z0-9+.-]*:)+//(?:[^\s/"'@]*@)?$`)

// registrable returns the part of a host that its owner registers, as far as its form tells:
// the last two labels, or three where the last ones are as short as those of co.uk. An address
// of numbers is one by itself.
func registrable(host string) string {
	labels := strings.Split(host, ".")
	if strings.Trim(labels[len(labels)-1], "0123456789") == "" || len(labels) < 3 {
		return host
	}
	const short = 3 // bytes of a label such as "com" in com.au
	n := 2
	if len(labels[len(labels)-1]) == 2 && len(labels[len(labels)-2]) <= short {
		n = 3
	}
	return strings.Join(labels[len(labels)-n:], ".")
}

// foreign reports whether a host is one of others, as against the own machine, a private network, or the
// name of a file.
func foreign(host string) bool {
	_, ok := hosts.Name(host)
	return ok
}
