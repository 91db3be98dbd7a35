package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/printable"
)

// cacheFlags say whether and where what is known from earlier runs is kept.
type cacheFlags struct {
	dir string
	off bool
}

func (f *cacheFlags) register(cmd *cobra.Command) {
	f.registerDir(cmd)
	cmd.Flags().BoolVar(&f.off, "no-cache", false, "ask and run everything anew, and keep nothing")
}

func (f *cacheFlags) registerDir(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dir, "cache-dir", "", "`FOLDER` for what is known from earlier runs (default: $GATE_CACHE_DIR, or the user's cache folder)")
	_ = cmd.MarkFlagDirname("cache-dir") // the flag exists
}

// cachePlace is where a run keeps what the judge and the sandbox have found out.
// The zero value keeps nothing.
type cachePlace struct {
	dir string
	// named says that somebody has asked for just this folder.
	named    bool
	readOnly bool
}

// cachePlace returns the folder of the cache; without one, nothing is kept.
func (a *app) cachePlace(f cacheFlags) cachePlace {
	if f.off {
		return cachePlace{}
	}
	for _, dir := range []string{f.dir, a.getenv("GATE_CACHE_DIR")} {
		if dir != "" {
			return cachePlace{dir: dir, named: true}
		}
	}
	if dir, err := os.UserCacheDir(); err == nil {
		return cachePlace{dir: filepath.Join(dir, "gate")}
	}
	return cachePlace{}
}

// openCache opens the cache where a layer uses one. Without it everything is done
// anew, which is no failure unless somebody asked for it.
func (l *layers) openCache(w wiring) error {
	uses := slices.Contains(w.selected, gate.LayerJudge) || slices.Contains(w.selected, gate.LayerSandbox)
	if w.cache.dir == "" || !uses {
		return nil
	}
	store, err := cache.Open(cache.Options{Dir: w.cache.dir, ReadOnly: w.cache.readOnly, Log: w.warn})
	switch {
	case err != nil && w.cache.named:
		return usage("%w", err)
	case err != nil:
		w.warn.Warn("nothing is known from earlier runs", "error", err)
		return nil
	}
	l.known = store
	l.close = append(l.close, store.Close)
	return nil
}

func (a *app) cacheCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Show or prune what is known from earlier runs",
		Long: `cache is about the folder in which gate keeps what the model answered and what
programs did in the sandbox, so that the very same question is not asked and the
very same run not repeated. docs/cache.md says what the very same is.`,
		Example: `  gate cache show
  gate cache prune --max-age 7d
  gate cache prune --all`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.cacheShowCommand(), a.cachePruneCommand())
	return cmd
}

func (a *app) cacheShowCommand() *cobra.Command {
	var f cacheFlags
	var format string
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show where the cache is and how large",
		Example: `  gate cache show
  gate cache show --format json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.cacheShow(f, format) },
	}
	f.registerDir(cmd)
	cmd.Flags().StringVarP(&format, "format", "f", "text", "text or json")
	complete(cmd, "format", "text", "json")
	return cmd
}

func (a *app) cacheShow(f cacheFlags, format string) error {
	if format != "text" && format != "json" {
		return usage("--format is text or json, not %q", format)
	}
	place := a.cachePlace(f)
	place.readOnly = true
	store, err := place.open()
	if err != nil {
		return err
	}
	used, err := store.Usage()
	if err != nil {
		return incomplete(fmt.Errorf("look at the cache: %w", err))
	}
	defer store.Close() // nothing was written
	if format == "json" {
		return a.cacheShowJSON(store.Dir(), used)
	}
	row := func(name, format string, args ...any) {
		fmt.Fprintf(a.stdout, "%-8s %s\n", name, printable.ASCII(fmt.Sprintf(format, args...)))
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

func (a *app) cacheShowJSON(dir string, used cache.Usage) error {
	type space struct {
		Entries int   `json:"entries"`
		Bytes   int64 `json:"bytes"`
	}
	spaces := map[string]space{}
	for name, s := range used.Spaces {
		spaces[name] = space(s)
	}
	out := json.NewEncoder(a.stdout)
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

// pruneFlags are the flags of `gate cache prune`.
type pruneFlags struct {
	cacheFlags
	all     bool
	maxAge  string
	maxSize string
}

func (a *app) cachePruneCommand() *cobra.Command {
	var f pruneFlags
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove what is old, what is too much, or everything",
		Long: `prune removes entries that were not used for the time of --max-age, and then those
that were not used for longest, until the rest is no more than --max-size. Runs that
write to the cache do the same by themselves, within the bounds that "gate cache
show" names. Files in the folder that are no entries stay.`,
		Example: `  gate cache prune
  gate cache prune --max-age 7d --max-size 200MiB
  gate cache prune --all`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.cachePrune(f) },
	}
	f.registerDir(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.all, "all", false, "remove everything")
	fl.StringVar(&f.maxAge, "max-age", "", "remove what was not used for this `TIME`, such as 7d")
	fl.StringVar(&f.maxSize, "max-size", "", "keep at most this `SIZE`, such as 200MiB")
	cmd.MarkFlagsMutuallyExclusive("all", "max-age")
	cmd.MarkFlagsMutuallyExclusive("all", "max-size")
	return cmd
}

func (a *app) cachePrune(f pruneFlags) error {
	place := a.cachePlace(f.cacheFlags)
	o := cache.Options{Dir: place.dir}
	var err error
	if f.maxAge != "" {
		if o.MaxAge, err = policy.ParseDuration(f.maxAge, time.Second, 10*365*24*time.Hour); err != nil {
			return usage("--max-age: %w", err)
		}
	}
	if f.maxSize != "" {
		if o.MaxBytes, err = policy.ParseSize(f.maxSize, 1, 1<<40); err != nil {
			return usage("--max-size: %w", err)
		}
	}
	if _, err := os.Stat(o.Dir); os.IsNotExist(err) {
		fmt.Fprintf(a.stdout, "nothing to remove: there is no folder %s\n", printable.ASCII(o.Dir))
		return nil
	}
	store, err := cache.Open(o)
	if err != nil {
		return usage("%w", err)
	}
	defer store.Close() // nothing was written
	remove := store.Prune
	if f.all {
		remove = store.Clear
	}
	done, err := remove()
	fmt.Fprintf(a.stdout, "removed %d entries, %s, from %s\n", done.Entries, mebibytes(done.Bytes), printable.ASCII(store.Dir()))
	if err != nil {
		return incomplete(fmt.Errorf("prune the cache: %w", err))
	}
	return nil
}

// open opens a cache that somebody asks about.
func (p cachePlace) open() (*cache.Store, error) {
	store, err := cache.Open(cache.Options{Dir: p.dir, ReadOnly: p.readOnly})
	if err != nil {
		return nil, usage("%w", err)
	}
	return store, nil
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
