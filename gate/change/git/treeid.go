package git

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Tree returns the name of the tree that a commit of these entries has, whether it is
// stored or not. Their paths have to be distinct.
func (f Format) Tree(entries []Entry) (OID, error) {
	if len(entries) > MaxEntries {
		return "", fmt.Errorf("more than %d entries", MaxEntries)
	}
	return f.tree(slices.SortedFunc(slices.Values(entries), func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) }), "")
}

// tree is the name of the folder of entries that all begin with prefix.
func (f Format) tree(entries []Entry, prefix string) (OID, error) {
	if strings.Count(prefix, "/") > MaxPath/2 {
		return "", fmt.Errorf("folders are nested too deeply")
	}
	type member struct {
		name, key string
		mode      uint64
		oid       OID
	}
	var members []member
	for i := 0; i < len(entries); {
		name, below, folder := strings.Cut(entries[i].Path[len(prefix):], "/")
		if !folder {
			members = append(members, member{name, name, uint64(entries[i].Mode), entries[i].OID})
			i++
			continue
		}
		if below == "" {
			return "", fmt.Errorf("%q is no path of a file", printable(entries[i].Path))
		}
		inner, end := prefix+name+"/", i
		for end < len(entries) && strings.HasPrefix(entries[end].Path, inner) {
			end++
		}
		oid, err := f.tree(entries[i:end], inner)
		if err != nil {
			return "", err
		}
		// git orders a folder as if its name ended with a slash.
		members = append(members, member{name, name + "/", 0o40000, oid})
		i = end
	}
	slices.SortFunc(members, func(a, b member) int { return cmp.Compare(a.key, b.key) })
	var body []byte
	for _, m := range members {
		raw, err := hex.DecodeString(string(m.oid))
		if err != nil {
			return "", err
		}
		body = append(strconv.AppendUint(body, m.mode, 8), ' ')
		body = append(append(append(body, m.name...), 0), raw...)
	}
	h := f.hash()
	fmt.Fprintf(h, "tree %d\x00", len(body))
	h.Write(body)
	return OID(hex.EncodeToString(h.Sum(nil))), nil
}
