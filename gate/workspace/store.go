package workspace

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox/filelock"
)

// Options say where sessions are kept and for how long. Zero values mean the defaults.
type Options struct {
	Dir      string        // made with mode 0700 where it is missing; required
	Unused   time.Duration // after which a session ends; 24 hours
	Age      time.Duration // after which it ends in any case; 7 days
	Sessions int           // at a time; 32
	Bytes    int64         // of all sessions together; 1 GiB
	Now      func() time.Time
}

// The defaults of [Options].
const (
	DefaultUnused   = 24 * time.Hour
	DefaultAge      = 7 * 24 * time.Hour
	DefaultSessions = 32
	DefaultBytes    = 1 << 30
)

// ErrNoSession is a session that does not exist, has ended, or is another user's.
var ErrNoSession = errors.New("there is no such session: it has ended, or the identifier is wrong")

// Store is a folder of sessions. It is safe for concurrent use, also by several processes.
type Store struct {
	o    Options
	root *os.Root
}

// Open opens the folder. It fails for one that others can read or write.
func Open(o Options) (*Store, error) {
	o.Unused, o.Age = cmp.Or(o.Unused, DefaultUnused), cmp.Or(o.Age, DefaultAge)
	o.Sessions, o.Bytes = cmp.Or(o.Sessions, DefaultSessions), cmp.Or(o.Bytes, DefaultBytes)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Dir == "" || o.Unused < 0 || o.Age < 0 || o.Sessions < 0 || o.Bytes < 0 {
		return nil, errors.New("workspace: no folder is named, or a bound is negative")
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of sessions: %w", err)
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder of sessions: %w", err)
	}
	info, err := root.Stat(".")
	if err == nil {
		err = private(o.Dir, info)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("use the folder of sessions: %w", err), root.Close())
	}
	return &Store{o, root}, nil
}

// Close lets go of the folder. Sessions stay.
func (s *Store) Close() error { return s.root.Close() }

var (
	identifier = regexp.MustCompile(`^[A-Z2-7]{26}$`)   // of a session, as [rand.Text] makes them
	folderName = regexp.MustCompile(`^s-[0-9a-f]{32}$`) // of its folder
)

// folder is where a session lies. Its name does not tell the identifier.
func folder(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "s-" + hex.EncodeToString(sum[:16])
}

// digest is what is kept of the name of an owner.
func digest(owner string) string {
	sum := sha256.Sum256([]byte("owner\x00" + owner))
	return hex.EncodeToString(sum[:])
}

const (
	dataFile = "data"
	lockFile = "lock"
	newFile  = "data.new"
)

// Create begins a session, after those that are over have been removed.
func (s *Store) Create(owner string) (id string, err error) {
	n, _, err := s.Sweep()
	if err != nil {
		return "", err
	}
	if n >= s.o.Sessions {
		return "", fmt.Errorf("there are %d sessions, at most %d are allowed at a time; use one of them, or wait until one ends (after %s without use)", n, s.o.Sessions, s.o.Unused)
	}
	id = rand.Text()
	dir := folder(id)
	if err := s.root.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a session: %w", err)
	}
	one := &Session{store: s, dir: dir, ID: id, owner: digest(owner), made: s.o.Now().UTC(), Tree: NewTree()}
	if err := one.Save(); err != nil {
		return "", errors.Join(err, s.root.RemoveAll(dir))
	}
	return id, nil
}

// Sweep removes the sessions that are over and not in use, and returns how many there are
// and what they have together.
func (s *Store) Sweep() (sessions int, size int64, err error) {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return 0, 0, fmt.Errorf("list the sessions: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || !folderName.MatchString(e.Name()) {
			continue
		}
		info, err := s.root.Lstat(path.Join(e.Name(), dataFile))
		if err != nil { // it is just being made, or was left half made
			if dir, derr := s.root.Lstat(e.Name()); derr != nil || s.o.Now().Sub(dir.ModTime()) < s.o.Unused {
				sessions++
				continue
			}
		} else if !s.over(info.ModTime(), time.Time{}) {
			sessions++
			size += info.Size()
			continue
		}
		if s.remove(e.Name()) {
			continue
		}
		sessions++
	}
	return sessions, size, nil
}

// over reports whether a session has ended by itself.
func (s *Store) over(used, made time.Time) bool {
	now := s.o.Now()
	return now.Sub(used) >= s.o.Unused || !made.IsZero() && now.Sub(made) >= s.o.Age
}

// remove removes a session that is not in use.
func (s *Store) remove(dir string) bool {
	lock, err := s.lock(dir)
	if err != nil || lock == nil {
		return false
	}
	defer lock.Close()
	return s.root.RemoveAll(dir) == nil
}

// lock takes the lock of a session; nil is that another process holds it.
func (s *Store) lock(dir string) (*os.File, error) {
	f, err := s.root.OpenFile(path.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if ok, err := filelock.Try(f); err != nil || !ok {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Session is one workspace while a call has it.
type Session struct {
	ID   string
	Tree *Tree

	store *Store
	dir   string
	owner string
	made  time.Time
	lock  *os.File
}

// waitStep is how often a taken lock is looked at again.
const waitStep = 10 * time.Millisecond

// Lock takes a session as soon as no other call has it. The error is [ErrNoSession], that
// of ctx, or says what is wrong with the file of the session.
func (s *Store) Lock(ctx context.Context, id, owner string) (*Session, error) {
	if !identifier.MatchString(id) {
		return nil, ErrNoSession
	}
	one := &Session{ID: id, store: s, dir: folder(id), owner: digest(owner)}
	if _, err := s.root.Lstat(path.Join(one.dir, dataFile)); err != nil {
		return nil, ErrNoSession
	}
	var err error
	for one.lock, err = s.lock(one.dir); one.lock == nil && err == nil; one.lock, err = s.lock(one.dir) {
		again := time.NewTimer(waitStep)
		select {
		case <-ctx.Done():
			again.Stop()
			return nil, fmt.Errorf("wait for another call with this session: %w", context.Cause(ctx))
		case <-again.C:
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoSession
	}
	if err != nil {
		return nil, fmt.Errorf("take the session: %w", err)
	}
	if err := one.load(); err != nil {
		return nil, errors.Join(err, one.lock.Close())
	}
	return one, nil
}

// load reads the session, which is locked, and notes that it is used.
func (one *Session) load() error {
	s, file := one.store, path.Join(one.dir, dataFile)
	info, err := s.root.Lstat(file)
	if err != nil {
		return ErrNoSession
	}
	data, err := bounded.ReadRoot(s.root, file, maxStored)
	if err != nil {
		return fmt.Errorf("read the session: %w", err)
	}
	h, tree, err := decode(data)
	if err != nil {
		return fmt.Errorf("read the session: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(h.Owner), []byte(one.owner)) != 1 {
		return ErrNoSession
	}
	if s.over(info.ModTime(), h.Made) {
		_ = s.root.RemoveAll(one.dir) // or the next sweep does it
		return ErrNoSession
	}
	one.made, one.Tree = h.Made, tree
	now := s.o.Now()
	return s.root.Chtimes(file, now, now)
}

// Ends is when the session ends by itself if it isn't used again.
func (one *Session) Ends() time.Time {
	unused, age := one.store.o.Now().Add(one.store.o.Unused), one.made.Add(one.store.o.Age)
	if age.Before(unused) {
		return age
	}
	return unused
}

// Save keeps the files as they are now. After an error those of before are kept.
func (one *Session) Save() error {
	s := one.store
	data, err := encode(one.owner, one.made, one.Tree)
	if err != nil {
		return fmt.Errorf("keep the workspace: %w", err)
	}
	if err := s.room(one.dir, int64(len(data))); err != nil {
		return err
	}
	temporary := path.Join(one.dir, newFile)
	err = s.root.WriteFile(temporary, data, 0o600)
	if err == nil {
		now := s.o.Now()
		err = s.root.Chtimes(temporary, now, now)
	}
	if err == nil {
		err = s.root.Rename(temporary, path.Join(one.dir, dataFile))
	}
	if err != nil {
		_ = s.root.Remove(temporary)
		return fmt.Errorf("keep the workspace: %w", err)
	}
	return nil
}

// room says why a session cannot have so many bytes beside all others.
func (s *Store) room(dir string, size int64) error {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("list the sessions: %w", err)
	}
	for _, e := range entries {
		if e.Name() == dir {
			continue
		}
		if info, err := s.root.Lstat(path.Join(e.Name(), dataFile)); err == nil {
			size += info.Size()
		}
	}
	if size > s.o.Bytes {
		return fmt.Errorf("all sessions together would have more than %d MiB; delete files that are no longer needed, or wait until a session ends", s.o.Bytes>>20)
	}
	return nil
}

// End removes the session before its time.
func (one *Session) End() error { return one.store.root.RemoveAll(one.dir) }

// Close lets other calls have the session. What was not saved is lost.
func (one *Session) Close() error { return one.lock.Close() }
