package rate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Limit allows a number of runs an hour.
type Limit struct {
	dir     string
	user    string
	perHour int
	now     func() time.Time
}

// New returns a limit for one user that all processes with the same folder share. A limit
// of 0 allows every run and touches no file.
func New(dir, user string, perHour int) Limit {
	return Limit{dir: dir, user: user, perHour: perHour, now: time.Now}
}

// None reports whether every run is allowed.
func (l Limit) None() bool { return l.perHour <= 0 }

// hourly is the name of the folder of one hour, in UTC.
const hourly = "2006-01-02T15"

// Take counts one run of code with a digest. Its error says why the run must not start:
// the runs of this hour are used up, or they could not be counted.
func (l Limit) Take(digest string) error {
	if l.None() {
		return nil
	}
	hour := l.now().UTC().Truncate(time.Hour)
	for _, of := range []struct{ what, name string }{{"of this user", l.user}, {"of the same code", digest}} {
		err := l.take(filepath.Join(l.dir, hour.Format(hourly)), key(of.what, of.name))
		if errors.Is(err, errUsedUp) {
			return &UsedUp{Runs: l.perHour, Of: of.what, Until: hour.Add(time.Hour)}
		}
		if err != nil {
			return fmt.Errorf("count the sandbox runs of this hour (rate.runs-per-hour): %w", err)
		}
	}
	return nil
}

// UsedUp says that the runs of an hour are used up.
type UsedUp struct {
	Runs  int    // that are allowed
	Of    string // "of this user" or "of the same code"
	Until time.Time
}

func (u *UsedUp) Error() string {
	return fmt.Sprintf("the %d sandbox runs %s that rate.runs-per-hour allows are used up until %s UTC; run gate again then, or raise the limit",
		u.Runs, u.Of, u.Until.UTC().Format("15:04"))
}

// key is the folder of what is counted: names are anybody's text.
func key(what, name string) string {
	sum := sha256.Sum256([]byte(what + "\x00" + name))
	return hex.EncodeToString(sum[:16])
}

var errUsedUp = errors.New("used up")

// take makes the next file of a folder of an hour, whose names are 0 and up without a gap.
func (l Limit) take(hour, of string) error {
	switch err := os.Mkdir(hour, 0o700); {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(hour, 0o700); err != nil {
			return err
		}
	case err == nil:
		l.forget(filepath.Base(hour))
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	dir := filepath.Join(hour, of)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	taken, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	// Another process may take the same number between the look and the attempt.
	for n := len(taken); n < l.perHour; n++ {
		f, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(n)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return errUsedUp
}

// forget removes the folders of hours before this one. What cannot be removed is
// looked at again in the next hour.
func (l Limit) forget(current string) {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if _, err := time.Parse(hourly, e.Name()); err == nil && e.Name() < current {
			_ = os.RemoveAll(filepath.Join(l.dir, e.Name()))
		}
	}
}
