package archive

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// Bounds of what is read of one archive.
const (
	MaxArchive = 64 << 20  // bytes of the archive itself
	maxMembers = 4000      // members that are read
	maxMember  = 16 << 20  // bytes of one member
	maxKept    = 64 << 20  // bytes of all members that are kept
	maxStream  = 256 << 20 // bytes that compressed data grows to, kept or not
	headBytes  = 8 << 10   // bytes of a member that [Wanted] is asked with
)

// Wanted decides from the name, the mode and the first bytes of a member whether
// it is read as a whole. One that is not is accounted for, and no more. size is how
// long the member says it is, -1 where it doesn't.
type Wanted func(name string, mode fs.FileMode, head []byte, size int64) bool

// Member is one file of an archive.
type Member struct {
	Name string // a valid path, see fs.ValidPath
	Mode fs.FileMode
	Data []byte
}

// Archive is what was read of an archive.
type Archive struct {
	Format  string   // "zip archive", "tar in gzip"
	Members []Member // those that are wanted, in order
	Others  int      // files that are not: data
	// Problems say what can't be opened, or misleads its readers. Bounded says
	// what this package left out.
	Problems, Bounded []string
}

// Open reads the members of an archive that begins where data begins. It returns
// nil where data is none. name is the archive's, for a member that has no name of
// its own.
func Open(name string, data []byte, wanted Wanted) *Archive {
	format := Format(data)
	if format == "" {
		return nil
	}
	r := &reader{name: name, wanted: wanted, stream: maxStream, archive: Archive{Format: format.String()}}
	switch format {
	case formatZip:
		r.zip(data)
	case formatTar:
		r.tar(bytes.NewReader(data))
	case formatGzip, formatBzip2, formatXz, formatZstd, formatLZ4, formatZlib:
		r.compressed(format, data)
	case formatDeb:
		r.ar(data)
	case formatBundle:
		r.bundle(data)
	case formatPack:
		r.pack(data)
	default:
		r.problem("%s can't be opened", format)
	}
	return r.done()
}

// OpenZip reads the zip archive that ends where data ends and begins anywhere in it,
// nil where there is none.
func OpenZip(name string, data []byte, wanted Wanted) *Archive {
	if !EndsWithZip(data) {
		return nil
	}
	r := &reader{name: name, wanted: wanted, stream: maxStream, archive: Archive{Format: formatZip.String()}}
	r.zip(data)
	return r.done()
}

// reader is the work on one archive.
type reader struct {
	name    string
	wanted  Wanted
	archive Archive
	kept    int64 // bytes of members
	seen    int   // members
	stream  int64 // bytes that may still be decompressed
	copies  map[string]int
	sums    map[copied]bool
	tried   int // members that no directory names
	links   map[string]string
}

// copied identifies a member by its name and content.
type copied struct {
	name string
	sum  [sha256.Size]byte
}

// maxReasons is how many problems, and how many bounds, one archive has; the
// others are counted.
const maxReasons = 12

func (r *reader) problem(format string, args ...any) {
	r.archive.Problems = append(r.archive.Problems, fmt.Sprintf(format, args...))
}

func (r *reader) bounded(format string, args ...any) {
	r.archive.Bounded = append(r.archive.Bounded, fmt.Sprintf(format, args...))
}

func (r *reader) done() *Archive {
	r.follow()
	a := r.archive
	a.Problems, a.Bounded = few(a.Problems), few(a.Bounded)
	return &a
}

// few drops repeated reasons and counts those that are too many.
func few(reasons []string) []string {
	var out []string
	for _, reason := range reasons {
		if !slices.Contains(out, reason) && len(out) <= maxReasons {
			out = append(out, reason)
		}
	}
	if len(out) > maxReasons {
		out[maxReasons] = fmt.Sprintf("and more of that kind, %d in all", len(reasons))
	}
	return out
}

// full reports whether no more members are read, and says so once.
func (r *reader) full() bool {
	if r.seen < maxMembers {
		return false
	}
	if r.seen == maxMembers {
		r.seen++
		r.bounded("it has more than %d members; the others were not looked at", maxMembers)
	}
	return true
}

// file reads one member, or as much of it as is wanted.
func (r *reader) file(raw string, mode fs.FileMode, content io.Reader, size int64) {
	r.seen++
	name := r.valid(raw)
	limited := &io.LimitedReader{R: content, N: min(maxMember, r.stream) + 1}
	head, err := io.ReadAll(io.LimitReader(limited, headBytes))
	if err == nil && !r.wanted(name, mode, head, size) {
		r.archive.Others++
		r.stream -= int64(len(head))
		return
	}
	rest := []byte(nil)
	if err == nil {
		rest, err = io.ReadAll(limited)
	}
	data := slices.Concat(head, rest)
	r.stream -= int64(len(data))
	if err != nil {
		r.problem("%s can't be read to its end: %v", shown(name), err)
	}
	if limited.N == 0 {
		r.bounded("%s is larger than the %d MiB that are read of a member", shown(name), maxMember>>20)
		data = data[:min(len(data), maxMember)]
	}
	if len(data) == 0 {
		return
	}
	r.keep(name, mode, data)
}

// keep takes a member in. Copies of a name get a folder of their own, so that what
// depends on the base name still sees it; a copy with the same content is one.
func (r *reader) keep(name string, mode fs.FileMode, data []byte) {
	if r.kept += int64(len(data)); r.kept > maxKept {
		r.bounded("its members are larger than the %d MiB that are read of an archive: %s was not looked at", maxKept>>20, shown(name))
		return
	}
	if r.copies == nil {
		r.copies, r.sums = map[string]int{}, map[copied]bool{}
	}
	this := copied{name, sha256.Sum256(data)}
	if r.sums[this] {
		return
	}
	r.sums[this] = true
	if n := r.copies[name]; n > 0 {
		r.copies[name]++
		r.problem("%s is in it more than once, and programs differ in which one they take", shown(name))
		name = fmt.Sprintf("copy-%d/%s", n+1, name)
		for r.copies[name] > 0 {
			name = "copy/" + name
		}
	}
	r.copies[name]++
	r.archive.Members = append(r.archive.Members, Member{Name: name, Mode: mode, Data: data})
}
