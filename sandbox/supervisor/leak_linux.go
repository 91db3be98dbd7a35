package supervisor

import (
	"cmp"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/aigate/gate/sandbox/internal/canary"
	"github.com/aigate/gate/sandbox/internal/wire"
)

// Searching costs about a second for a few MiB, which the run takes longer, so it
// is bounded, in bytes: of each stream, and of all written files together, the
// smallest first. So much is looked at in full, and what follows is skimmed. What is
// beyond that as well is a gap.
const (
	maxSearchedStream = 1 << 20
	maxSearchedFiles  = 4 << 20
	maxSkimmed        = 64 << 20
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
// many bytes it did not look at, and how many files it did not look at to their end.
// Planted files that still are what they were are no leak. What a compiler has built is
// looked at only as far as it is small: it holds what the sources hold.
func leaks(m *canary.Matcher, written []string, built map[string]bool, planted []wire.Plant, log *journal) (unsearched, unopened int64) {
	if m == nil {
		return 0, 0
	}
	own := map[string]string{}
	for _, p := range planted {
		own[p.Path] = string(p.Data)
	}
	deep, skim := int64(maxSearchedFiles), int64(maxSkimmed)
	for _, f := range bySize(written) {
		if size, ok := own[f.path]; ok && int64(len(size)) == f.size {
			if data, _, err := head(f.path, int(f.size)); err == nil && string(data) == own[f.path] {
				continue
			}
		}
		if f.size > deep && built[f.path] {
			continue
		}
		room := min(f.size, skim)
		unsearched += f.size - room
		if room == 0 {
			continue
		}
		// One byte too few in full is all: the stream takes 0 for no bound.
		s := m.NewStreamUpTo(max(deep, 1))
		deep, skim = max(deep-f.size, 0), skim-room
		if copyHead(s, f.path, room) != nil {
			unsearched += room
		}
		_ = s.Close()
		if hits := s.Hits(); len(hits) > 0 {
			log.add(wire.Event{Action: "leak", Object: f.path, Canaries: names(hits)})
		} else if s.Incomplete() {
			unopened++
		}
	}
	return unsearched, unopened
}

// copyHead writes the beginning of a regular file.
func copyHead(to io.Writer, path string, most int64) error {
	f, err := openRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.CopyN(to, f, most)
	return err
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
