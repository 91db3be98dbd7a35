package relocked

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
)

// Kind says what of an entry is another one.
type Kind string

// The kinds.
const (
	Digest  Kind = "digest"  // the same version has another digest
	Gone    Kind = "gone"    // the same version has no digest any more
	Package Kind = "package" // the entry resolves to another package or repository
)

// Change is an entry of the head that the base has otherwise.
type Change struct {
	Kind    Kind
	Line    int // of the head, 1-based
	Name    string
	Version string
	Was, Is string // digests or packages; Is is empty for those that are gone
}

// maxChanges is how many changes of one file are returned.
const maxChanges = 20

// entry is one package of a lock file.
type entry struct {
	name, version string
	// resolved is the package or repository that is taken, where the file says so.
	resolved string
	// alias is how a manifest names resolved if it is meant to take the place of name.
	alias   string
	address string
	digests []string // algorithm, a separator and the value
	remote  bool     // it comes from a registry or an address
	mark    string   // what its line has, for entries without a new digest
	// asked says that the file itself tells which repository was asked for: right, if it is the
	// one that is taken.
	asked, right bool
}

func (e entry) key() string { return e.name + "\x00" + e.version }

// Find returns the entries of the head that the base has otherwise, in the order of the head. It
// leaves out those whose alias, address or repository is declared: named in a manifest.
func Find(path string, base, head []byte, declared func(string) bool) []Change {
	f, ok := formatOf(path)
	if !ok {
		return nil
	}
	before := indexOf(f.read(base))
	var out []Change
	seen := map[string]bool{}
	add := func(c Change, mark string) {
		if id := string(c.Kind) + c.Name + c.Version + c.Is; !seen[id] && len(out) < maxChanges {
			seen[id] = true
			c.Line = lineOf(head, mark)
			out = append(out, c)
		}
	}
	for _, e := range f.read(head) {
		if e.resolved != "" && e.resolved != e.name && !e.right && !before.resolved[e.name+"\x00"+e.resolved] && (e.asked || before.owner(e)) && !declared(e.alias) && !isDeclared(e.address, declared) {
			add(Change{Kind: Package, Name: e.name, Version: e.version, Was: before.wasOf(e), Is: strings.TrimPrefix(e.resolved, repository)}, e.mark)
			continue
		}
		was := before.digests[e.key()]
		if len(was) == 0 || before.sameRepository(e) || isDeclared(e.address, declared) {
			continue
		}
		if len(e.digests) == 0 {
			if e.remote {
				add(Change{Kind: Gone, Name: e.name, Version: e.version, Was: was[0]}, e.mark)
			}
			continue
		}
		if old, now, ok := differ(was, e.digests, f.grows); ok {
			add(Change{Kind: Digest, Name: e.name, Version: e.version, Was: old, Is: now}, now)
		}
	}
	return out
}

// differ returns a digest that the older ones of its algorithm don't have. Where a version may
// get more files, one that both have is enough.
func differ(was, is []string, grows bool) (old, now string, ok bool) {
	for _, d := range is {
		if slices.Contains(was, d) {
			if grows {
				return "", "", false
			}
			continue
		}
		for _, o := range was {
			if algorithm(o) == algorithm(d) {
				old, now, ok = o, d, true
				break
			}
		}
	}
	return old, now, ok
}

// algorithm is what comes before the value of a digest.
func algorithm(digest string) string {
	if i := strings.IndexAny(digest, ":-/"); i >= 0 {
		return digest[:i]
	}
	return ""
}

// index is what the base locks.
type index struct {
	digests   map[string][]string // by name and version
	addresses map[string][]string // by name and version
	resolved  map[string]bool     // name and package
	of        map[string]string   // the package of a name
}

func indexOf(entries []entry) index {
	out := index{map[string][]string{}, map[string][]string{}, map[string]bool{}, map[string]string{}}
	for _, e := range entries {
		out.digests[e.key()] = append(out.digests[e.key()], e.digests...)
		out.addresses[e.key()] = append(out.addresses[e.key()], e.address)
		out.resolved[e.name+"\x00"+e.resolved] = true
		if e.resolved != "" {
			out.of[e.name] = e.resolved
		}
	}
	return out
}

// owner reports whether the package of an entry can be compared: a repository only with that of
// the same version of the base.
func (x index) owner(e entry) bool {
	if !strings.HasPrefix(e.resolved, repository) {
		return true
	}
	_, ok := x.addresses[e.key()]
	return ok && x.of[e.name] != ""
}

// wasOf is what an entry resolved to, or its name.
func (x index) wasOf(e entry) string {
	if was := x.of[e.name]; was != "" {
		return strings.TrimPrefix(was, repository)
	}
	return e.name
}

// sameRepository reports whether an entry of a repository is one of the same repository in the
// base: its digest changes with the commit.
func (x index) sameRepository(e entry) bool {
	return isRepository(e.address) && slices.ContainsFunc(x.addresses[e.key()], func(was string) bool {
		return isRepository(was) && ownerAndName(was) == ownerAndName(e.address)
	})
}

// isRepository reports whether an address is one of a repository, at a commit.
func isRepository(address string) bool {
	return strings.HasPrefix(address, "git+") || strings.HasPrefix(address, "git:") || strings.HasPrefix(address, "github:") ||
		strings.Contains(address, ".git#") || strings.Contains(address, "://codeload.github.com/") || strings.Contains(address, "#commit=")
}

// isDeclared reports whether a manifest names an address, or the repository that it is in.
func isDeclared(address string, declared func(string) bool) bool {
	if isRepository(address) {
		return declared(ownerAndName(address))
	}
	plain, _, _ := strings.Cut(address, "#")
	return strings.Contains(plain, "://") && declared(plain)
}

// ownerAndName are the first two parts of the path of an address.
func ownerAndName(address string) string {
	address = strings.TrimPrefix(strings.TrimPrefix(address, "git+"), "github:")
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	return strings.TrimSuffix(strings.Join(parts[:min(2, len(parts))], "/"), ".git")
}

// lineOf is the line of a text that has a mark, the first where none has.
func lineOf(text []byte, mark string) int {
	i := bytes.Index(text, []byte(mark))
	if mark == "" || i < 0 {
		return 1
	}
	return 1 + bytes.Count(text[:i], []byte{'\n'})
}
