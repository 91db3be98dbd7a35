package supervisor

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aigate/gate/sandbox/internal/canary"
	"github.com/aigate/gate/sandbox/internal/wire"
)

// maxJournal bounds the text of all events together, in bytes: the supervisor
// shares its memory with the program.
const maxJournal = 12 << 20

// journal collects what the program does. Equal events are counted, not kept
// again, so that a loop over one file costs nothing; what is more than the bounds
// is counted as lost.
type journal struct {
	mu     sync.Mutex
	start  time.Time
	index  map[string]int
	events []wire.Event
	text   int
	lost   int64
	plants map[string]bool // files that were planted for it
}

func newJournal() *journal {
	return &journal{start: time.Now(), index: map[string]int{}}
}

// Of the bounds, so much is kept for what says most: a flood of ordinary opens must
// not hide what comes behind it.
const (
	reservedEvents = wire.MaxEvents / 4
	reservedText   = maxJournal / 4
)

// first reports whether an event is one of those that are kept beyond a flood:
// everything but the ordinary use of files, and that of hidden files and of planted
// ones as well.
func (j *journal) first(e wire.Event) bool {
	switch e.Action {
	case "read", "list", "write", "delete", "rename", "link", "mode", "owner", "bind", "signal":
	default:
		return true
	}
	if e.Refused || len(e.Canaries) > 0 {
		return true
	}
	return slices.ContainsFunc(append([]string{e.Object}, e.Args...), func(p string) bool {
		return j.plants[p] || strings.Contains(p, "/.") && !strings.Contains(p, "/.cache/") || strings.HasPrefix(p, "/proc/") || strings.HasPrefix(p, "/root") ||
			strings.HasPrefix(p, "/home/") || strings.HasPrefix(p, "/etc/s") || strings.HasPrefix(p, "/etc/passwd")
	})
}

// add returns the event's place, for [journal.again], or nothingKnown where it was
// lost.
func (j *journal) add(e wire.Event) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.Action == "read" || e.Action == "list" {
		e.Object = ofImage(e.Object)
	}
	whole := e.Object + "\n" + strings.Join(e.Args, "\n")
	trim(&e)
	key := strings.Join([]string{e.Action, e.Object, strings.Join(e.Args, "\x00"), strings.Join(e.Canaries, "\x00"), strconv.FormatBool(e.Refused)}, "\x00")
	if len(whole) > wire.MaxText { // what was cut off tells them apart as well
		sum := sha256.Sum256([]byte(whole))
		key += string(sum[:])
	}
	if i, ok := j.index[key]; ok {
		j.events[i].Count += max(e.Count, 1)
		return i
	}
	events, text := wire.MaxEvents-reservedEvents, maxJournal-reservedText
	if j.first(e) {
		events, text = wire.MaxEvents-len(j.plants), maxJournal
	}
	if j.plants[e.Object] {
		events = wire.MaxEvents // one for each is kept free
	}
	if len(j.events) >= events || j.text+len(key)+len(e.Data) > text {
		j.lost++
		return nothingKnown
	}
	j.index[key] = len(j.events)
	j.text += len(key) + len(e.Data)
	e.Count = max(e.Count, 1)
	if e.First == 0 {
		e.First = time.Since(j.start)
	}
	j.events = append(j.events, e)
	return len(j.events) - 1
}

// size is how many different events there were.
func (j *journal) size() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return int64(len(j.events)) + j.lost
}

// again counts an event once more.
func (j *journal) again(place int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events[place].Count++
}

// ofImage shortens the path of a program or library of the image, which nothing in
// the container can change: toolchains read thousands of them, and which ones says
// nothing about the program.
func ofImage(name string) string {
	for _, dir := range []string{"/usr/", "/lib/", "/lib64/", "/opt/"} {
		if !strings.HasPrefix(name, dir) {
			continue
		}
		parts := strings.SplitN(name, "/", 5) // "", "usr", "lib", "python3.11", rest
		if len(parts) == 5 {
			return strings.Join(parts[:4], "/") + "/..."
		}
	}
	return name
}

// trim bounds the text of an event and makes it one that JSON carries unchanged.
func trim(e *wire.Event) {
	e.Object = clip(e.Object, wire.MaxText)
	room := wire.MaxText
	args := make([]string, len(e.Args)) // the caller's stay as they are
	for i, a := range e.Args {
		args[i] = clip(a, room)
		room -= len(args[i])
	}
	e.Args = args
	e.Data = e.Data[:min(len(e.Data), wire.MaxText)]
}

// missed counts something that was not looked at to its end.
func (j *journal) missed() { j.missedMany(1) }

func (j *journal) missedMany(n int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lost += n
}

// all returns the events in the order of their first time, with the canaries in
// their text, and how many were lost.
func (j *journal) all(m *canary.Matcher) ([]wire.Event, int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := slices.Clone(j.events)
	if m != nil {
		for i, e := range out {
			found := names(m.Find([]byte(e.Object + "\n" + strings.Join(e.Args, "\n"))))
			out[i].Canaries = slices.Compact(slices.Sorted(slices.Values(append(found, e.Canaries...))))
		}
	}
	slices.SortStableFunc(out, func(a, b wire.Event) int { return int(a.First - b.First) })
	return out, j.lost
}

// clip cuts a text at a rune border.
func clip(s string, most int) string {
	cut := len(s) > most
	if cut {
		s = s[:most]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}
