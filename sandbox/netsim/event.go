package netsim

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aigate/gate/sandbox/internal/canary"
)

// Bounds of an event, in bytes.
const (
	maxHead   = 512
	maxDetail = 512
	maxPeer   = 260
)

// maxDeep is how much of a connection is looked at in full; the rest is skimmed.
const maxDeep = 1 << 20

// maxCanaries is how many finds one event keeps.
const maxCanaries = 64

// Event is something that the program did on the network. The same thing done
// again is the same event with a higher Count.
//
// All text comes from the program: it is bounded and printable, and nothing more.
type Event struct {
	Kind     string        // dns, http, tls, smtp, tcp, udp or metadata
	Peer     string        // "example.com:443" by the name that the program used, else the address
	Address  string        // "198.18.7.1:443", what it really connected to; "" if that is not known
	Detail   string        // "POST https://example.com/collect?id=1", "A example.com"
	Head     []byte        // the first 512 bytes of the body or, without one, of what was sent
	Bytes    int64         // received, in all of Count
	Canaries []string      // "ID (encoding)" of the planted secrets in what was sent
	Count    int           // how often
	First    time.Duration // when first, since New
}

// log keeps events.
type log struct {
	start time.Time
	max   int
	lost  atomic.Int64

	mu     sync.Mutex
	events []*Event
	index  map[eventKey]*Event
}

type eventKey struct{ kind, peer, detail string }

func newLog(most int, start time.Time) *log {
	return &log{start: start, max: most, index: map[eventKey]*Event{}}
}

// add takes an event that happened once.
func (l *log) add(e Event) {
	e.Peer, e.Detail = clean(e.Peer, maxPeer), clean(e.Detail, maxDetail)
	l.mu.Lock()
	defer l.mu.Unlock()
	key := eventKey{e.Kind, e.Peer, e.Detail}
	old, ok := l.index[key]
	if !ok {
		// A flood must not push out what matters most.
		most := l.max
		if len(e.Canaries) > 0 {
			most += most / 8
		}
		if len(l.events) >= most {
			l.lost.Add(1)
			return
		}
		old = &Event{Kind: e.Kind, Peer: e.Peer, Address: e.Address, Detail: e.Detail}
		old.First = time.Since(l.start)
		old.Head = slices.Clone(e.Head[:min(len(e.Head), maxHead)])
		l.events = append(l.events, old)
		l.index[key] = old
	}
	old.merge(e)
}

// merge counts e as one more of the same.
func (old *Event) merge(e Event) {
	old.Count++
	old.Bytes += e.Bytes
	for _, c := range e.Canaries {
		if len(old.Canaries) < maxCanaries && !slices.Contains(old.Canaries, c) {
			old.Canaries = append(old.Canaries, c)
		}
	}
}

// all returns copies.
func (l *log) all() []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	events := make([]Event, len(l.events))
	for i, e := range l.events {
		events[i] = *e
		events[i].Canaries = slices.Clone(e.Canaries)
	}
	return events
}

// clean makes hostile text printable and cuts it to n bytes.
func clean(s string, n int) string {
	cut := len(s) > n
	if cut {
		s = s[:n-len("…")]
	}
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if cut {
		s += "…"
	}
	return s
}

// tap watches what arrives on one way: it keeps the head, counts, and looks for
// canaries.
type tap struct {
	log *log

	mu     sync.Mutex
	head   []byte
	bytes  int64
	stream *canary.Stream // nil: none are looked for
	done   bool
}

func (n *Net) newTap() *tap {
	t := &tap{log: n.log}
	if n.cfg.Canaries != nil {
		t.stream = n.cfg.Canaries.NewStreamUpTo(maxDeep)
	}
	return t
}

// Write watches p. It never fails.
func (t *tap) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.head) < maxHead {
		t.head = append(t.head, p[:min(len(p), maxHead-len(t.head))]...)
	}
	t.bytes += int64(len(p))
	t.search(p)
	return len(p), nil
}

// look searches p without counting it.
func (t *tap) look(p string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.search([]byte(p))
}

func (t *tap) search(p []byte) {
	if t.stream != nil && !t.done {
		_, _ = t.stream.Write(p) // never fails
	}
}

// fill puts what was seen into e.
func (t *tap) fill(e *Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.Head, e.Bytes = slices.Clone(t.head), t.bytes
	e.Canaries = t.found()
}

// take returns the canaries since the last time.
func (t *tap) take() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.found()
	if t.stream != nil {
		t.stream.Forget()
	}
	return found
}

// finds returns the canaries so far.
func (t *tap) finds() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.found()
}

func (t *tap) found() []string {
	if t.stream == nil {
		return nil
	}
	var found []string
	for _, h := range t.stream.Hits() {
		found = append(found, h.ID+" ("+h.Encoding+")")
	}
	return found
}

// close ends the search. What was found stays.
func (t *tap) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stream == nil || t.done {
		return
	}
	t.done = true
	t.stream.Close() // never fails
	if t.stream.Incomplete() {
		t.log.lost.Add(1)
	}
}
