package rate

import (
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
	perHour int
	now     func() time.Time
}

// New returns a limit that all processes with the same folder share. A limit of 0
// allows every run and touches no file.
func New(dir string, perHour int) Limit {
	return Limit{dir: dir, perHour: perHour, now: time.Now}
}

// hourly is the name of the folder of one hour, in UTC.
const hourly = "2006-01-02T15"

// Take counts one run. Its error says why the run must not start: the runs of this
// hour are used up, or they could not be counted.
func (l Limit) Take() error {
	if l.perHour <= 0 {
		return nil
	}
	hour := l.now().UTC().Truncate(time.Hour)
	if err := l.take(filepath.Join(l.dir, hour.Format(hourly))); err != nil {
		if errors.Is(err, errUsedUp) {
			return fmt.Errorf("the %d sandbox runs that rate.runs-per-hour allows are used up until %s UTC; run gate again then, or raise the limit",
				l.perHour, hour.Add(time.Hour).Format("15:04"))
		}
		return fmt.Errorf("count the sandbox runs of this hour (rate.runs-per-hour): %w", err)
	}
	return nil
}

var errUsedUp = errors.New("used up")

// take makes the next file of a folder, whose names are 0 and up without a gap.
func (l Limit) take(dir string) error {
	switch err := os.Mkdir(dir, 0o700); {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	case err == nil:
		l.forget(filepath.Base(dir))
	case !errors.Is(err, fs.ErrExist):
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
