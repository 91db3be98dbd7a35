// Package housekeeping shows and prunes the cache for a user who asks.
//
// It promises that showing changes nothing on the disk, and that only entries are removed,
// never other files of the folder. It does not decide which folder that is (the engine
// does), and runs do not need it: they keep the cache within its bounds by themselves.
package housekeeping

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/printable"
)

// Formats returns what [Show] can write.
func Formats() []string { return []string{"text", "json"} }

// Show writes where the cache is and how large.
func Show(dir, format string, w io.Writer) error {
	if !slices.Contains(Formats(), format) {
		return exit.Usagef("--format is text or json, not %q", format)
	}
	store, err := cache.Open(cache.Options{Dir: dir, ReadOnly: true})
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer store.Close() // nothing was written
	used, err := store.Usage()
	if err != nil {
		return exit.Failed(fmt.Errorf("look at the cache: %w", err))
	}
	if format == "json" {
		return showJSON(store.Dir(), used, w)
	}
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-8s %s\n", name, printable.ASCII(fmt.Sprintf(format, args...)))
	}
	row("folder", "%s", store.Dir())
	row("holds", "%d entries in %s; at most %d in %s", used.Entries, mebibytes(used.Bytes), cache.DefaultMaxEntries, mebibytes(cache.DefaultMaxBytes))
	for _, name := range slices.Sorted(maps.Keys(used.Spaces)) {
		row(name, "%d entries in %s", used.Spaces[name].Entries, mebibytes(used.Spaces[name].Bytes))
	}
	if used.Entries > 0 {
		row("oldest", "last used on %s; what is not used for %d days goes", used.Oldest.UTC().Format(time.DateOnly), int(cache.DefaultMaxAge.Hours()/24))
	}
	return nil
}

func showJSON(dir string, used cache.Usage, w io.Writer) error {
	type space struct {
		Entries int   `json:"entries"`
		Bytes   int64 `json:"bytes"`
	}
	spaces := map[string]space{}
	for name, s := range used.Spaces {
		spaces[name] = space(s)
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(struct {
		Folder     string           `json:"folder"`
		Entries    int              `json:"entries"`
		Bytes      int64            `json:"bytes"`
		MaxEntries int              `json:"max_entries"`
		MaxBytes   int64            `json:"max_bytes"`
		MaxAge     int64            `json:"max_age_seconds"`
		Spaces     map[string]space `json:"spaces"`
	}{dir, used.Entries, used.Bytes, cache.DefaultMaxEntries, cache.DefaultMaxBytes, int64(cache.DefaultMaxAge.Seconds()), spaces})
}

// Bounds say what [Prune] leaves. The zero value stands for the bounds that runs keep.
type Bounds struct {
	All     bool   // remove everything
	MaxAge  string // since the last use, such as 7d
	MaxSize string // such as 200MiB
}

func (b Bounds) options(dir string) (cache.Options, error) {
	o := cache.Options{Dir: dir}
	var err error
	if b.MaxAge != "" {
		if o.MaxAge, err = policy.ParseDuration(b.MaxAge, time.Second, 10*365*24*time.Hour); err != nil {
			return o, exit.Usagef("--max-age: %w", err)
		}
	}
	if b.MaxSize != "" {
		if o.MaxBytes, err = policy.ParseSize(b.MaxSize, 1, 1<<40); err != nil {
			return o, exit.Usagef("--max-size: %w", err)
		}
	}
	return o, nil
}

// Prune removes what is outside of the bounds and says on w how much that was.
func Prune(dir string, b Bounds, w io.Writer) error {
	o, err := b.options(dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		fmt.Fprintf(w, "nothing to remove: there is no folder %s\n", printable.ASCII(dir))
		return nil
	}
	store, err := cache.Open(o)
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer store.Close() // nothing was written
	remove := store.Prune
	if b.All {
		remove = store.Clear
	}
	done, err := remove()
	fmt.Fprintf(w, "removed %d entries, %s, from %s\n", done.Entries, mebibytes(done.Bytes), printable.ASCII(store.Dir()))
	if err != nil {
		return exit.Failed(fmt.Errorf("prune the cache: %w", err))
	}
	return nil
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
