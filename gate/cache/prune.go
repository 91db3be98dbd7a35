package cache

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"time"
)

// Usage is what a store holds.
type Usage struct {
	Entries int
	Bytes   int64     // on the disk
	Oldest  time.Time // when the entry was last used that was not used for longest
	Spaces  map[string]SpaceUsage
}

// SpaceUsage is what one space of a store holds.
type SpaceUsage struct {
	Entries int
	Bytes   int64
}

// Pruned is what was removed.
type Pruned struct {
	Entries int
	Bytes   int64
}

// abandoned is the age of a temporary file that no writer can still be working on.
const abandoned = time.Hour

// kept is one entry as it lies on the disk.
type kept struct {
	name  string
	space string
	bytes int64
	used  time.Time
	temp  bool
}

// Usage counts the entries.
func (s *Store) Usage() (Usage, error) {
	u := Usage{Spaces: map[string]SpaceUsage{}}
	all, err := s.list()
	for _, e := range all {
		if e.temp {
			continue
		}
		u.Entries, u.Bytes = u.Entries+1, u.Bytes+e.bytes
		if u.Oldest.IsZero() || e.used.Before(u.Oldest) {
			u.Oldest = e.used
		}
		in := u.Spaces[e.space]
		u.Spaces[e.space] = SpaceUsage{in.Entries + 1, in.Bytes + e.bytes}
	}
	return u, err
}

// Prune removes what has not been used for too long and, of what is more than the
// bounds allow, what has not been used for longest.
func (s *Store) Prune() (Pruned, error) {
	now := s.o.Now()
	return s.remove(func(e kept) bool { return now.Sub(e.used) > s.o.MaxAge })
}

// Clear removes all entries.
func (s *Store) Clear() (Pruned, error) { return s.remove(func(kept) bool { return true }) }

// remove removes entries that are too old, then the least used of those that are
// too much.
func (s *Store) remove(old func(kept) bool) (done Pruned, failed error) {
	all, failed := s.list()
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name)) })
	var bytes int64
	entries := 0
	for _, e := range all {
		if !e.temp {
			bytes, entries = bytes+e.bytes, entries+1
		}
	}
	now := s.o.Now()
	for _, e := range all {
		tooMuch := bytes > s.o.MaxBytes || entries > s.o.MaxEntries
		if e.temp && now.Sub(e.used) < abandoned || !e.temp && !tooMuch && !old(e) {
			continue
		}
		if err := s.root.Remove(e.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
			continue
		}
		if !e.temp {
			bytes, entries = bytes-e.bytes, entries-1
			done.Entries, done.Bytes = done.Entries+1, done.Bytes+e.bytes
		}
	}
	return done, failed
}

// list returns what has the name of an entry. Everything else in the folder is
// another program's.
func (s *Store) list() (all []kept, failed error) {
	if s.root == nil {
		return nil, nil
	}
	for space := range s.folders(".", spaceForm.MatchString, &failed) {
		for shard := range s.folders(space, isShard, &failed) {
			dir := path.Join(space, shard)
			entries, err := s.readDir(dir)
			failed = errors.Join(failed, err)
			for _, d := range entries {
				temp := tempForm.MatchString(d.Name())
				if !temp && (!keyForm.MatchString(d.Name()) || d.Name()[:2] != shard) {
					continue
				}
				info, err := d.Info()
				if err != nil || !info.Mode().IsRegular() {
					continue // gone meanwhile, or a miss that removes it when it is asked for
				}
				all = append(all, kept{path.Join(dir, d.Name()), space, info.Size(), info.ModTime(), temp})
			}
		}
	}
	return all, failed
}

func isShard(name string) bool { return len(name) == 2 && keyForm.MatchString(name+zeros) }

const zeros = "00000000000000000000000000000000000000000000000000000000000000"

// folders yields the folders in a folder whose name fits.
func (s *Store) folders(dir string, fits func(string) bool, failed *error) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		entries, err := s.readDir(dir)
		*failed = errors.Join(*failed, err)
		for _, d := range entries {
			if d.IsDir() && fits(d.Name()) && !yield(d.Name()) {
				return
			}
		}
	}
}

func (s *Store) readDir(dir string) ([]fs.DirEntry, error) {
	f, err := s.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}
