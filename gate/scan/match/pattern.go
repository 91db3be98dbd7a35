package match

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/aigate/gate/gate/scan/rule"
)

// pattern is a matcher with its expressions, compiled when first needed.
type pattern struct {
	matcher *rule.Matcher
	once    sync.Once
	exprs   []*regexp.Regexp
}

// expressions returns the compiled patterns; those with placeholders are nil.
func (p *pattern) expressions() []*regexp.Regexp {
	p.once.Do(func() {
		for _, text := range p.matcher.Patterns {
			if strings.Contains(text, "{{") {
				p.exprs = append(p.exprs, nil)
				continue
			}
			p.exprs = append(p.exprs, compile(text))
		}
	})
	return p.exprs
}

// compile makes ^ and $ mean the borders of a line. Package rule has checked
// that the text compiles.
func compile(text string) *regexp.Regexp { return regexp.MustCompile("(?m:" + text + ")") }

// window is a stretch of the text in which a pattern runs.
type window struct{ start, end int }

// Bounds of a window around a keyword, so that one long line can't make every
// keyword in it cost the whole line.
const (
	before = 2 << 10 // bytes
	after  = 4 << 10 // bytes
	slack  = 512     // bytes by which a window is longer, to serve the next hits too
)

// windows returns the lines around the keywords that end at those offsets,
// merged where they touch. span is how many lines a match may take.
func windows(view []byte, ends []int32, span int) []window {
	var out []window
	served := -1 // the last hit that a window was computed for
	for _, e := range ends {
		at := int(e) - 1
		if served >= 0 && at-served < slack && !bytes.ContainsAny(view[served:at], "\r\n") {
			continue
		}
		served = at
		w := window{lineStart(view, at, span), lineEnd(view, at, span)}
		if n := len(out); n > 0 && w.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, w.end)
			continue
		}
		out = append(out, w)
	}
	return out
}

// lineStart returns where the line of an offset begins, span-1 lines further up
// for a longer span, and not further than the bound.
func lineStart(view []byte, at, span int) int {
	floor := max(0, at-before)
	for i := at; i > floor; i-- {
		if c := view[i-1]; c == '\n' || c == '\r' && view[i] != '\n' {
			if span--; span == 0 {
				return i
			}
		}
	}
	return floor
}

// lineEnd is the counterpart of lineStart; the line end itself is left out.
func lineEnd(view []byte, at, span int) int {
	ceiling := min(len(view), at+after+slack)
	for i := at; i < ceiling; i++ {
		if c := view[i]; c == '\n' || c == '\r' {
			if c == '\r' && i+1 < len(view) && view[i+1] == '\n' {
				i++
			}
			if span--; span == 0 {
				return i
			}
		}
	}
	return ceiling
}
