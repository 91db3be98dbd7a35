package cache

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"sync"
	"time"

	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// The bounds of a store whose Options name none.
const (
	DefaultMaxBytes   = 1 << 30
	DefaultMaxAge     = 30 * 24 * time.Hour
	DefaultMaxEntries = 100_000
)

// Options say where a store is and how large it may become. Zero values mean the
// defaults above.
type Options struct {
	Dir        string // it is made where it is missing; required
	MaxBytes   int64
	MaxAge     time.Duration // since an entry was made, and since it was last used
	MaxEntries int
	// ReadOnly changes nothing on the disk: nothing is put, touched or removed.
	ReadOnly bool
	// Log gets what went wrong, which is no error of a run; nil is silence.
	Log *slog.Logger
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// Store is a folder with entries. It is safe for concurrent use, also by several
// processes.
type Store struct {
	o    Options
	root *os.Root // nil where there is no folder to read from
	warn sync.Once

	mu      sync.Mutex
	written int64 // bytes since the last pruning
}

// Open opens the folder. It fails for one that others could write to, or read: what
// is kept there are pieces of code and what was said about them.
func Open(o Options) (*Store, error) {
	o.MaxBytes, o.MaxAge, o.MaxEntries = cmp.Or(o.MaxBytes, DefaultMaxBytes), cmp.Or(o.MaxAge, DefaultMaxAge), cmp.Or(o.MaxEntries, DefaultMaxEntries)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	switch {
	case o.Dir == "":
		return nil, errors.New("cache: no folder is named")
	case o.MaxBytes < 0, o.MaxAge < 0, o.MaxEntries < 0:
		return nil, errors.New("cache: a bound is negative")
	}
	s := &Store{o: o}
	if !o.ReadOnly {
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("make the folder of the cache: %w", err)
		}
	}
	root, err := os.OpenRoot(o.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.ReadOnly:
		return s, nil
	case err != nil:
		return nil, fmt.Errorf("open the folder of the cache: %w", err)
	}
	info, err := root.Stat(".")
	if err == nil {
		err = private(o.Dir, info)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("use the folder of the cache: %w", err), root.Close())
	}
	s.root = root
	return s, nil
}

// Close prunes what this store has made too large and closes the folder.
func (s *Store) Close() error {
	if s.root == nil {
		return nil
	}
	s.mu.Lock()
	written := s.written
	s.mu.Unlock()
	if written > 0 {
		if _, err := s.Prune(); err != nil {
			s.complain("prune", err)
		}
	}
	return s.root.Close()
}

// Dir is the folder.
func (s *Store) Dir() string { return s.o.Dir }

// Space is the part of a store that one user has to itself.
type Space struct {
	store *Store
	name  string
}

var (
	spaceForm = regexp.MustCompile(`^[a-z]{1,16}$`)
	keyForm   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	tempForm  = regexp.MustCompile(`^tmp-[A-Z2-7]{26}$`)
)

// Space returns the part with a name of 1 to 16 lower-case letters.
func (s *Store) Space(name string) *Space { return &Space{s, name} }

// file is where an entry is: in one of 256 folders, because some file systems are
// slow in large ones.
func (p *Space) file(key string) (string, bool) {
	if !spaceForm.MatchString(p.name) || !keyForm.MatchString(key) {
		return "", false
	}
	return path.Join(p.name, key[:2], key), true
}

// Has reports whether there is something under a key, without looking whether it
// is any good.
func (p *Space) Has(key string) bool {
	name, ok := p.file(key)
	if !ok || p.store.root == nil {
		return false
	}
	info, err := p.store.root.Lstat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() <= maxStored
}

// Get hands what was put under a key of 64 hexadecimal digits to read, and reports
// whether there was something that read took without an error. What is there and is
// no valid entry, or is refused by read, is removed.
func (p *Space) Get(key string, read func(content []byte) error) bool {
	s := p.store
	name, ok := p.file(key)
	if !ok || s.root == nil {
		return false
	}
	data, used, err := s.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	now := s.o.Now()
	var content []byte
	if err == nil {
		content, err = decode(data, identify(p.name, key), now, s.o.MaxAge)
	}
	if err == nil {
		err = read(content)
	}
	if err != nil {
		if !s.o.ReadOnly {
			_ = s.root.RemoveAll(name) // what stays is a miss next time, too
		}
		return false
	}
	if age := now.Sub(used); !s.o.ReadOnly && (age > touchEvery || age < 0) {
		_ = s.root.Chtimes(name, now, now) // anyone who prunes takes it for older, no more
	}
	return true
}

// touchEvery is how exact the time of the last use is.
const touchEvery = time.Minute

// read returns the bytes of an entry and when it was last used.
func (s *Store) read(name string) ([]byte, time.Time, error) {
	info, err := s.root.Lstat(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	data, err := bounded.ReadRoot(s.root, name, maxStored)
	return data, info.ModTime(), err
}

// Put keeps content under a key of 64 hexadecimal digits. What goes wrong is a
// warning; content that is too large is not kept.
func (p *Space) Put(key string, content []byte) {
	s := p.store
	name, ok := p.file(key)
	if !ok || s.root == nil || s.o.ReadOnly {
		return
	}
	data, err := encode(identify(p.name, key), s.o.Now(), content)
	if err != nil {
		return
	}
	if err := s.write(name, data); err != nil {
		s.complain("write", err)
		return
	}
	s.mu.Lock()
	s.written += int64(len(data))
	full := s.written > s.o.MaxBytes/pruneShare
	if full {
		s.written = 1 // Close prunes once more
	}
	s.mu.Unlock()
	if full {
		if _, err := s.Prune(); err != nil {
			s.complain("prune", err)
		}
	}
}

// pruneShare: one process writes at most this share of the bound before it prunes.
const pruneShare = 16

// write makes a file appear with all of its content.
func (s *Store) write(name string, data []byte) (err error) {
	if err := s.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	tmp := path.Join(path.Dir(name), "tmp-"+rand.Text())
	f, err := s.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = s.root.Remove(tmp) // the next pruning tries again
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return s.root.Rename(tmp, name)
}

// complain warns once: a full disk would fill the log as well.
func (s *Store) complain(what string, err error) {
	s.warn.Do(func() {
		s.o.Log.Warn("the cache is of less use: "+what+" failed", "folder", s.o.Dir, "error", err)
	})
}
