package supervisor

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aigate/gate/sandbox/internal/canary"
	"github.com/aigate/gate/sandbox/internal/wire"
)

// maxJournal bounds the text of all events together, in bytes: the supervisor
// shares its memory with the program.
const maxJournal = 2 << 20

// journal collects what the program does. Equal events are counted, not kept
// again, so that a loop over one file costs nothing; what is more than the bounds
// is counted as lost.
type journal struct {
	mu       sync.Mutex
	start    time.Time
	index    map[string]int
	events   []wire.Event
	text     int
	lost     int64
	canaries *canary.Matcher // nil finds none
}

func newJournal(canaries *canary.Matcher) *journal {
	return &journal{start: time.Now(), index: map[string]int{}, canaries: canaries}
}

func (j *journal) add(events ...wire.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range events {
		j.addOne(e)
	}
}

func (j *journal) addOne(e wire.Event) {
	key := e.Action + "\x00" + e.Object + "\x00" + strings.Join(e.Args, "\x00") + "\x00" + strings.Join(e.Canaries, "\x00")
	if e.Refused {
		key += "\x00refused"
	}
	if i, ok := j.index[key]; ok {
		j.events[i].Count += max(e.Count, 1)
		return
	}
	if len(j.events) >= wire.MaxEvents || j.text+len(key) > maxJournal {
		j.lost++
		return
	}
	j.index[key] = len(j.events)
	j.text += len(key) + len(e.Data)
	if j.canaries != nil {
		e.Canaries = append(e.Canaries, names(j.canaries.Find([]byte(e.Object+"\n"+strings.Join(e.Args, "\n"))))...)
		slices.Sort(e.Canaries)
		e.Canaries = slices.Compact(e.Canaries)
	}
	e.Object = clip(e.Object, wire.MaxText)
	room := wire.MaxText
	for i, a := range e.Args {
		e.Args[i] = clip(a, room)
		room = max(room-len(e.Args[i]), 0)
	}
	e.Data = e.Data[:min(len(e.Data), wire.MaxText)]
	e.Count = max(e.Count, 1)
	if e.First == 0 {
		e.First = time.Since(j.start)
	}
	j.events = append(j.events, e)
}

// missed counts something that was not looked at to its end.
func (j *journal) missed() { j.missedMany(1) }

func (j *journal) missedMany(n int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lost += n
}

// all returns the events in the order of their first time, and how many were
// lost.
func (j *journal) all() ([]wire.Event, int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := slices.Clone(j.events)
	slices.SortStableFunc(out, func(a, b wire.Event) int { return int(a.First - b.First) })
	return out, j.lost
}

// clip bounds a text and makes it one that JSON carries unchanged.
func clip(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
