package hosts

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
)

// Bounds of what is read of a base.
const (
	maxTotal = 256 << 20 // bytes of all files
	maxFile  = 4 << 20   // bytes of one file, from its beginning
	maxNames = 4 << 20   // different names, eight bytes each and what the table needs
	sniffed  = 8000      // bytes in which a NUL says that a file is no text, as git decides it
)

// Set is the hosts that a tree names. It doesn't change once it is made.
type Set struct {
	seed  maphash.Seed
	names map[uint64]struct{} // hashes: only whether a name is there is ever asked
	files int
	// unlisted says that the files of the tree aren't known.
	unlisted bool
}

// Read returns the hosts that the text files of a tree name. A tree that can't be
// listed, such as one behind an API, is read at the given paths only.
func Read(ctx context.Context, tree fs.FS, paths []string) *Set {
	s := &Set{seed: maphash.MakeSeed(), names: map[uint64]struct{}{}}
	left := int64(maxTotal)
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil || left <= 0 || len(s.names) >= maxNames {
			return fs.SkipAll
		}
		if err != nil {
			if name == "." {
				return errUnlisted
			}
			return nil // what can't be read names nothing
		}
		if entry.Type().IsRegular() {
			left -= s.file(tree, name, min(maxFile, left))
		}
		return nil
	})
	if !errors.Is(err, errUnlisted) {
		return s
	}
	s.unlisted = true
	for _, name := range paths {
		if ctx.Err() != nil || left <= 0 {
			break
		}
		left -= s.file(tree, name, min(maxFile, left))
	}
	return s
}

var errUnlisted = errors.New("the files of the tree can't be listed")

// file adds the names in one file and returns how many bytes of it were read.
func (s *Set) file(tree fs.FS, name string, most int64) int64 {
	f, err := tree.Open(name)
	if err != nil {
		return 0
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil || bytes.IndexByte(text[:min(len(text), sniffed)], 0) >= 0 {
		return int64(len(text))
	}
	s.files++
	s.add(text)
	return int64(len(text))
}

// add adds the names that are in a text: runs of the letters that names are made
// of, with a dot in them.
func (s *Set) add(text []byte) {
	buffer := make([]byte, 0, maxName)
	for i := 0; i < len(text); {
		if !part[text[i]] {
			i++
			continue
		}
		start, dots := i, 0
		for i < len(text) && part[text[i]] {
			if text[i] == '.' {
				dots++
			}
			i++
		}
		run := bytes.Trim(text[start:i], ".-")
		if dots == 0 || len(run) > maxName || len(s.names) >= maxNames {
			continue
		}
		buffer = lower(buffer[:0], run)
		s.names[maphash.Bytes(s.seed, buffer)] = struct{}{}
		if owner := ownerOf(string(buffer)); owner != "" && bytes.HasSuffix(text[:start], []byte("://")) {
			s.names[maphash.String(s.seed, "*."+owner)] = struct{}{}
		}
	}
}

// Empty reports whether the tree is known to hold no text at all, as that of a
// repository's first commit.
func (s *Set) Empty() bool { return s.files == 0 && !s.unlisted }

// Has reports whether the tree names a host, as [Name] returns it.
func (s *Set) Has(host string) bool {
	_, ok := s.names[maphash.String(s.seed, host)]
	return ok
}

// HasSibling reports whether the tree has an address at another host of the same owner, as far as
// names tell: api.weather.acme.example beside api2.weather.acme.example.
func (s *Set) HasSibling(host string) bool {
	owner := ownerOf(host)
	if owner == "" {
		return false
	}
	_, ok := s.names[maphash.String(s.seed, "*."+owner)]
	return ok
}

// maxName is the most bytes of a name that are told apart; DNS has 253.
const maxName = 255

// part are the bytes that names are made of.
var part = func() (is [256]bool) {
	for c := range is {
		is[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_'
	}
	return is
}()

func lower(dst, src []byte) []byte {
	for _, c := range src {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
