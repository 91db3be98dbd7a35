package rate

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// at returns a limit whose clock shows an instant of one day.
func at(dir string, perHour int, clock string) Limit {
	l := New(dir, "ada", perHour)
	l.now = func() time.Time {
		now, _ := time.Parse(time.TimeOnly, clock)
		return now
	}
	return l
}

func TestLimit(t *testing.T) {
	tests := map[string]struct {
		perHour int
		clocks  []string // of one attempt each
		want    string   // of the last one's error, "" for none
	}{
		"as many as it allows":           {2, []string{"14:00:00", "14:59:59"}, ""},
		"one more":                       {2, []string{"14:00:00", "14:30:00", "14:59:59"}, "the 2 sandbox runs of this user that rate.runs-per-hour allows are used up until 15:00 UTC"},
		"the next hour":                  {1, []string{"14:59:59", "15:00:00"}, ""},
		"one more in the next hour":      {1, []string{"14:59:59", "15:00:00", "15:00:01"}, "used up until 16:00 UTC"},
		"an hour that ends at midnight":  {1, []string{"23:00:00", "23:00:01"}, "used up until 00:00 UTC"},
		"a clock that was set back once": {1, []string{"15:00:00", "14:00:00", "15:00:00"}, "used up until 16:00 UTC"},
		"no limit":                       {0, []string{"14:00:00", "14:00:00", "14:00:00"}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state", "rate")
			var err error
			for _, clock := range tc.clocks {
				err = at(dir, tc.perHour, clock).Take(clock)
			}
			if tc.want == "" && err != nil {
				t.Error(err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestLimitIsOfEachUserAndOfTheSameCode(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct{ user, code, want string }{
		{"ada", "one", ""},
		{"ada", "two", ""},
		{"ada", "three", "runs of this user"},
		{"grace", "one", ""},
		{"mallory", "one", "runs of the same code"},
		{"mallory", "four", "runs of this user"}, // the refused one counts
		{"../../x", "../..", ""},
	} {
		l := New(dir, c.user, 2)
		l.now = func() time.Time { return time.Date(2030, 1, 1, 14, 0, 0, 0, time.UTC) }
		if i == 5 {
			if err := l.Take("five"); err != nil {
				t.Fatal(err)
			}
		}
		err := l.Take(c.code)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s runs %s: %v, want %q", c.user, c.code, err, c.want)
		}
	}
}

func TestLimitOfManyProcessesAtOnce(t *testing.T) {
	const perHour = 10
	dir := filepath.Join(t.TempDir(), "rate")
	var allowed atomic.Int64
	var all sync.WaitGroup
	for range 3 * perHour {
		all.Go(func() { // each with a limit of its own, as processes have
			if at(dir, perHour, "14:00:00").Take("code") == nil {
				allowed.Add(1)
			}
		})
	}
	all.Wait()
	if allowed.Load() != perHour {
		t.Errorf("%d runs were allowed, want %d", allowed.Load(), perHour)
	}
}

func TestLimitKeepsTheFilesOfOneHour(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "0-mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, clock := range []string{"13:00:00", "14:00:00", "15:00:00"} {
		if err := at(dir, 5, clock).Take("code"); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); err != nil || got != "0-mine 0000-01-01T15" {
		t.Errorf("the folder holds %s, %v", got, err)
	}
}

func TestLimitAllowsNothingThatItCannotCount(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rate")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := New(dir, "ada", 5).Take("code")
	if err == nil || !strings.Contains(err.Error(), "count the sandbox runs of this hour (rate.runs-per-hour)") {
		t.Errorf("error %v", err)
	}
	if err := New(dir, "ada", 0).Take("code"); err != nil {
		t.Errorf("without a limit: %v", err)
	}
}
