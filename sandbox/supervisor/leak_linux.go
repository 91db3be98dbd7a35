package supervisor

import (
	"cmp"
	"os"
	"slices"
	"sync"

	"github.com/aigate/gate/sandbox/internal/canary"
	"github.com/aigate/gate/sandbox/internal/wire"
)

// Searching costs about a second for a few MiB, which the run takes longer, so it
// is bounded, in bytes: of each stream, and of all written files together, the
// smallest first.
const (
	maxSearchedStream = 1 << 20
	maxSearchedFiles  = 4 << 20
)

// matcher is made once and beside the program: its tables take some milliseconds.
type matcher func() *canary.Matcher

// matcherFor returns nil where there is nothing to find.
func matcherFor(o *wire.Observe) matcher {
	return sync.OnceValue(func() *canary.Matcher { return newMatcher(o) })
}

func newMatcher(o *wire.Observe) *canary.Matcher {
	if o == nil || len(o.Canaries) == 0 {
		return nil
	}
	var tokens []canary.Token
	for _, c := range o.Canaries {
		tokens = append(tokens, canary.Token(c))
	}
	return canary.NewMatcher(tokens)
}

// names are the canaries that were found, as events show them.
func names(hits []canary.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.ID+" ("+h.Encoding+")")
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// leaks looks for canaries in what the program has left behind and returns how
// many bytes it did not look at. Planted files that still are what they were are
// no leak.
func leaks(m *canary.Matcher, written []string, planted []wire.Plant, log *journal) (unsearched int64) {
	if m == nil {
		return 0
	}
	own := map[string]string{}
	for _, p := range planted {
		own[p.Path] = string(p.Data)
	}
	budget := int64(maxSearchedFiles)
	for _, f := range bySize(written) {
		if f.size > budget {
			unsearched += f.size
			continue
		}
		data, more, err := head(f.path, int(f.size))
		if err != nil || string(data) == own[f.path] {
			continue
		}
		budget -= f.size
		s := m.NewStream()
		_, _ = s.Write(data)
		_ = s.Close()
		if hits := s.Hits(); len(hits) > 0 {
			log.add(wire.Event{Action: "leak", Object: f.path, Canaries: names(hits)})
		} else if more || s.Incomplete() {
			unsearched += max(f.size, 1)
		}
	}
	return unsearched
}

type writtenFile struct {
	path string
	size int64
}

// bySize returns the regular files among paths that hold something.
func bySize(paths []string) []writtenFile {
	var files []writtenFile
	for _, p := range paths {
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			files = append(files, writtenFile{p, info.Size()})
		}
	}
	slices.SortStableFunc(files, func(a, b writtenFile) int { return cmp.Compare(a.size, b.size) })
	return files
}

func sortedKeys(m map[string]bool) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
