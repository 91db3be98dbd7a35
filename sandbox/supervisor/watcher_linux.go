package supervisor

import (
	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// watcher decides and records, whichever recorder asks it.
type watcher struct {
	refused map[uint32][]rule
	names   map[uint32]named
	watched map[uint32]watch
	log     *journal
	code    *captures
	memory  memory
	known   resolved
	net     *simulation // nil where there is none
}

// verdict is what becomes of a call.
type verdict struct {
	skip  bool       // it is not made
	errno unix.Errno // what it then returns; 0 is success
}

// newWatcher is for a program whose first process has the id first.
func newWatcher(first uint32, log *journal, code *captures, net *simulation) *watcher {
	w := &watcher{refused: map[uint32][]rule{}, names: refusedAs(), watched: map[uint32]watch{}, log: log, code: code, net: net, known: resolved{paths: map[string]string{}}}
	for _, r := range guardRules(first) {
		w.refused[r.call] = append(w.refused[r.call], r)
	}
	for _, c := range watches() {
		w.watched[c.call] = c
	}
	return w
}

// look decodes a call. The event is to be added to the journal once the call has
// been answered: a process that was ended in between has not made it.
func (w *watcher) look(c call) (verdict, wire.Event) {
	for _, r := range w.refused[c.nr] {
		if r.matches(c.nr, c.args) {
			n, ok := w.names[c.nr]
			if !ok {
				n = named{"kernel", "a call that is refused"}
			}
			return verdict{skip: true, errno: r.errno}, wire.Event{Action: n.action, Object: n.object, Refused: true}
		}
	}
	watch, ok := w.watched[c.nr]
	if !ok {
		// The filter asks for nothing else, so the two tables differ.
		return verdict{skip: true, errno: unix.EPERM}, wire.Event{Action: "kernel", Object: "a call that is not known", Refused: true}
	}
	r := &reading{call: c, memory: &w.memory, known: &w.known}
	e := watch.decode(r)
	w.known.see(e.Action)
	if r.unreadable {
		w.log.add(wire.Event{Action: "hide", Object: "memory that the supervisor cannot read"})
	}
	w.redirect(r, &e)
	// Before the answer: afterwards the file may be another one.
	w.code.see(e, r.runs, func() string { return r.link("exe") })
	return verdict{skip: r.pretend}, e
}
