package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aigate/gate/sandbox/filelock"
)

// A run of gate holds a lock on a file as long as it lives. The kernel lets go
// of it however the process ends, so that a lock that no one holds is proof that
// the run is dead, and nothing else is.

// runLock is the lock of this run, and the way to ask about others.
type runLock struct {
	dir   string
	owner string // names the folder: only runs that share it can ask about each other
	id    string
	file  *os.File
}

// lockRun takes the lock of run id in dir, "" being the default folder.
func lockRun(dir, id string) (*runLock, error) {
	if dir == "" {
		dir = defaultStateDir()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for run locks: %w", err)
	}
	// In a shared temporary folder another user may have been here before.
	if err := checkPrivate(dir); err != nil {
		return nil, fmt.Errorf("use %s for run locks: %w", dir, err)
	}
	l := &runLock{dir: dir, id: id}
	var err error
	if l.owner, err = l.readOwner(); err != nil {
		return nil, err
	}
	// A sweep may hold the file for the moment in which it looks at it.
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Second,
		fmt.Errorf("sandbox: a run with id %s lives already", id))
	defer cancel()
	if l.file, err = l.wait(ctx, id+".lock"); err != nil {
		return nil, err
	}
	return l, nil
}

// defaultStateDir is a folder that is the user's alone and does not outlive the
// machine's uptime.
func defaultStateDir() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "gate")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("gate-%d", os.Getuid()))
}

// readOwner returns the name that the folder was given by its first user. Two
// machines, or two containers with one engine, have folders of their own and so
// never judge each other's runs.
func (l *runLock) readOwner() (string, error) {
	path := filepath.Join(l.dir, "owner")
	for range 100 {
		data, err := os.ReadFile(path)
		if err == nil && runID.Match(data) {
			return string(data), nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("read who owns the run locks: %w", err)
		}
		// Written aside and linked, so that it is never seen half written. A link
		// fails when another run was faster, and the next round reads its name.
		if err == nil {
			return "", fmt.Errorf("read who owns the run locks: %s is damaged; remove it when no gate runs", path)
		}
		aside := path + "." + randomHex(8)
		if err := os.WriteFile(aside, []byte(randomHex(16)), 0o600); err != nil {
			return "", fmt.Errorf("write who owns the run locks: %w", err)
		}
		lerr := os.Link(aside, path)
		if err := os.Remove(aside); err != nil {
			return "", fmt.Errorf("write who owns the run locks: %w", err)
		}
		if lerr != nil && !errors.Is(lerr, fs.ErrExist) {
			return "", fmt.Errorf("write who owns the run locks: %w", lerr)
		}
	}
	return "", fmt.Errorf("read who owns the run locks: %s keeps changing", path)
}

// lockFile opens and locks a file of the folder; nil means that another process
// holds it.
func (l *runLock) lockFile(name string) (*os.File, error) {
	path := filepath.Join(l.dir, name)
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("open a run lock: %w", err)
		}
		held, err := filelock.Try(f)
		if err != nil || !held {
			return nil, errors.Join(err, f.Close())
		}
		// A sweep may have removed the file between opening and locking it.
		ours, err1 := f.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(ours, there) {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, fmt.Errorf("open a run lock: %w", err)
		}
	}
}

// dead reports whether run id of this owner has ended. An error is not dead.
func (l *runLock) dead(id string) bool {
	if id == l.id || !runID.MatchString(id) {
		return false
	}
	f, err := l.lockFile(id + ".lock")
	if err != nil || f == nil {
		return false
	}
	// Its lock is ours now, so the file can go.
	_ = os.Remove(f.Name())
	_ = f.Close()
	return true
}

// ended is dead for those who only look: it leaves the lock file where it is.
func (l *runLock) ended(id string) bool {
	if id == l.id || !runID.MatchString(id) {
		return false
	}
	f, err := os.Open(filepath.Join(l.dir, id+".lock"))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	free, err := filelock.Try(f)
	return err == nil && free
}

// forgetDead removes the lock files of runs that have ended.
func (l *runLock) forgetDead() error {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return fmt.Errorf("list the run locks: %w", err)
	}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".lock"); ok {
			l.dead(id)
		}
	}
	return nil
}

// exclusive waits for the lock of that name, which the runs of one user take one
// at a time.
func (l *runLock) exclusive(ctx context.Context, name string) (unlock func(), err error) {
	f, err := l.wait(ctx, name)
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// wait locks a file of the folder as soon as no one else does.
func (l *runLock) wait(ctx context.Context, name string) (*os.File, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if f, err := l.lockFile(name); err != nil || f != nil {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// release ends the run. Some systems do not remove a file that is open.
func (l *runLock) release() error {
	err := os.Remove(l.file.Name())
	cerr := l.file.Close()
	if err != nil {
		err = os.Remove(l.file.Name())
	}
	return errors.Join(err, cerr)
}
