package supervisor

import (
	"cmp"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/aigate/gate/sandbox/internal/canary"
	"github.com/aigate/gate/sandbox/internal/wire"
)

// Searching costs about a second for a few MiB, which the run takes longer, so it
// is bounded, in bytes: of each stream, and of all written files together, the
// smallest first. So much is looked at in full, and what follows is skimmed, where the
// same byte again and again takes no time and doesn't count. What is beyond that as well
// is a gap, and so is what is read beyond the last bound: a file can be all holes.
const (
	maxSearchedStream = 1 << 20
	maxSearchedFiles  = 4 << 20
	maxSkimmed        = 64 << 20
	maxReadFiles      = 2 << 30
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
// looked at only as far as it is small: it holds what the sources hold. Reports are for the
// host alone: they come last and are skimmed.
func leaks(m *canary.Matcher, written []string, built map[string]bool, planted []wire.Plant, reports string, log *journal) (unsearched, unopened int64) {
	if m == nil {
		return 0, 0
	}
	own := map[string]string{}
	for _, p := range planted {
		own[p.Path] = string(p.Data)
	}
	deep, skim, read := int64(maxSearchedFiles), int64(maxSkimmed), int64(maxReadFiles)
	report := func(f writtenFile) bool { return reports != "" && strings.HasPrefix(f.path, reports+"/") }
	files := bySize(written)
	slices.SortStableFunc(files, func(a, b writtenFile) int { return boolOrder(report(a), report(b)) })
	for _, f := range files {
		if size, ok := own[f.path]; ok && int64(len(size)) == f.size {
			if data, _, err := head(f.path, int(f.size)); err == nil && string(data) == own[f.path] {
				continue
			}
		}
		if f.size > deep && built[f.path] {
			continue
		}
		if skim <= 0 || read <= 0 {
			unsearched += f.size
			continue
		}
		// One byte too few in full is all: the stream takes 0 for no bound.
		inFull := deep
		if report(f) {
			inFull = 0
		}
		s := m.NewStreamUpTo(max(inFull, 1))
		n := searchHead(s, f.path, min(f.size, read), skim)
		unsearched += f.size - n
		deep, skim, read = max(deep-min(n, inFull), 0), skim-s.Looked(), read-n
		_ = s.Close()
		if hits := s.Hits(); len(hits) > 0 {
			log.add(wire.Event{Action: "leak", Object: f.path, Canaries: names(hits)})
		} else if s.Incomplete() {
			unopened++
		}
	}
	return unsearched, unopened
}

// searchHead searches the beginning of a regular file: at most so many bytes, and no
// more once so many were looked at one by one. It returns how many it searched.
func searchHead(s *canary.Stream, path string, most, looks int64) (searched int64) {
	f, err := openRegular(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	for searched < most && s.Looked() < looks {
		n, err := io.CopyN(s, f, min(most-searched, 64<<10))
		searched += n
		if err != nil {
			break
		}
	}
	return searched
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

// boolOrder puts what is false first.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func sortedKeys(m map[string]bool) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
