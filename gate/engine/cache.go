package engine

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/exit"
)

// CacheOptions say whether and where what is known from earlier runs is kept.
type CacheOptions struct {
	Dir string // "" is $GATE_CACHE_DIR, or the user's cache folder
	Off bool
}

// CachePlace is where a run keeps what the judge and the sandbox have found out.
// The zero value keeps nothing.
type CachePlace struct {
	Dir string
	// Named says that the user asked for just this folder.
	Named    bool
	ReadOnly bool
	// Fresh is why programs run whatever is known of them; "" is that it is reused.
	Fresh string
}

// CachePlace returns the folder of the cache; without one, nothing is kept.
func (e *Engine) CachePlace(o CacheOptions) CachePlace {
	if o.Off {
		return CachePlace{}
	}
	for _, dir := range []string{o.Dir, e.host.Getenv("GATE_CACHE_DIR")} {
		if dir != "" {
			return CachePlace{Dir: dir, Named: true}
		}
	}
	if dir, err := os.UserCacheDir(); err == nil {
		return CachePlace{Dir: filepath.Join(dir, "gate")}
	}
	return CachePlace{}
}

// openCache opens the cache where a layer uses one. Without it everything is done
// anew, which is no failure unless the user asked for it.
func (l *Layers) openCache(e *Engine, s Setup) error {
	uses := slices.Contains(s.Selected, gate.LayerJudge) || slices.Contains(s.Selected, gate.LayerSandbox)
	if s.Cache.Dir == "" || !uses {
		return nil
	}
	store, err := cache.Open(cache.Options{Dir: s.Cache.Dir, ReadOnly: s.Cache.ReadOnly, Log: e.warn})
	switch {
	case err != nil && s.Cache.Named:
		return exit.Usagef("%w", err)
	case err != nil:
		e.warn.Warn("nothing is known from earlier runs", "error", err)
		return nil
	}
	l.known = store
	l.close = append(l.close, store.Close)
	return nil
}
