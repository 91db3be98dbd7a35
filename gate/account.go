package gate

import (
	"cmp"
	"slices"
)

// ByteRange is a part of a file: from the first offset, up to and without the
// second. It is written [from, to] in the result document.
type ByteRange [2]int64

// Reading says as what bytes of a file were read.
type Reading struct {
	As       Language `json:"as"`
	Encoding string   `json:"encoding"`
	// Name is the path by which they were read, where that is not the file's own:
	// that of a link to it.
	Name  string    `json:"name,omitempty"`
	Bytes ByteRange `json:"bytes"`
}

// Unread says which bytes of a file were not read, and why.
type Unread struct {
	Bytes  ByteRange `json:"bytes"`
	Reason string    `json:"reason"`
}

// Account says of every byte of a file as what it was read, or why it was not.
type Account struct {
	Size   int64
	Read   []Reading
	Unread []Unread
}

// Missing returns the bytes that the account says nothing about.
func (a Account) Missing() []ByteRange {
	said := make([]ByteRange, 0, len(a.Read)+len(a.Unread))
	for _, r := range a.Read {
		said = append(said, r.Bytes)
	}
	for _, u := range a.Unread {
		said = append(said, u.Bytes)
	}
	slices.SortFunc(said, func(x, y ByteRange) int { return cmp.Compare(x[0], y[0]) })
	var missing []ByteRange
	var at int64
	for _, r := range said {
		if r[1] <= r[0] {
			continue
		}
		if from := min(r[0], a.Size); from > at {
			missing = append(missing, ByteRange{at, from})
		}
		at = max(at, r[1])
	}
	if at < a.Size {
		missing = append(missing, ByteRange{at, a.Size})
	}
	return missing
}

// unsaid returns a gap for every file of which an account leaves bytes out: a
// stage that loses a part of a file must not make it safe.
func unsaid(layer Layer, accounts map[string]Account) []Gap {
	var gaps []Gap
	for path, a := range accounts {
		if len(a.Missing()) > 0 {
			gaps = append(gaps, Gap{Layer: layer, Path: path, Reason: "the layer read only a part of this file and does not say why"})
		}
	}
	slices.SortFunc(gaps, func(x, y Gap) int { return cmp.Compare(x.Path, y.Path) })
	return gaps
}
