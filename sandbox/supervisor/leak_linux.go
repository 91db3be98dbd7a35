package supervisor

import (
	"slices"

	"github.com/aigate/gate/sandbox/internal/canary"
	"github.com/aigate/gate/sandbox/internal/wire"
)

// maxSearched bounds how much of each written file is searched for canaries, and
// maxSearches how many files are, in bytes and files.
const (
	maxSearched = 4 << 20
	maxSearches = 256
)

// newMatcher is nil where there is nothing to find.
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

// leaks looks for canaries in what the program has left behind. planted files
// that still are what they were are no leak.
func leaks(m *canary.Matcher, written []string, planted []wire.Plant, log *journal) {
	if m == nil {
		return
	}
	own := map[string]string{}
	for _, p := range planted {
		own[p.Path] = string(p.Data)
	}
	searches := 0
	for _, path := range written {
		data, more, err := head(path, maxSearched)
		if err != nil || string(data) == own[path] {
			continue
		}
		if searches++; searches > maxSearches {
			log.add(wire.Event{Action: "leak", Object: "more files than are searched for canaries"})
			return
		}
		s := m.NewStream()
		_, _ = s.Write(data)
		_ = s.Close()
		if hits := s.Hits(); len(hits) > 0 {
			log.add(wire.Event{Action: "leak", Object: path, Canaries: names(hits)})
		} else if more || s.Incomplete() {
			log.missed()
		}
	}
}

func sortedKeys(m map[string]bool) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
