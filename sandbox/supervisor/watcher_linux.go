package supervisor

import (
	"sync"
	"sync/atomic"

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
	again   repeats
	reading reading // of the call that is being looked at
	pipes   *piped
	give    func(from, to int) error // puts a descriptor of ours into the process that asks; nil where that is not possible
	net     *simulation              // nil where there is none
	asks    map[uint32]watch         // calls that only say something about the input
	inputs  *inputs                  // nil where they are not recorded
	hooks   *hooks                   // nil where there are none

	fresh     atomic.Int64 // pieces of code that appeared
	listening atomic.Bool  // it waits for others on a socket
	bound     sync.Map     // the ports that it asked for by number; there are no more than 65535

	// answering is held from the look at a call to its record: the program goes on, and
	// may end, before the call that it was answered is in the journal.
	answering sync.Mutex
}

// verdict says what happens to a call.
type verdict struct {
	skip  bool       // it is not made
	errno unix.Errno // what it then returns; 0 is success
}

// newWatcher is for a program whose first process has the id first.
func newWatcher(first uint32, log *journal, code *captures, pipes *piped, net *simulation) *watcher {
	w := &watcher{refused: map[uint32][]rule{}, names: refusedAs(), watched: map[uint32]watch{}, log: log, code: code, pipes: pipes, net: net, known: resolved{paths: map[string]string{}}, again: newRepeats()}
	for _, r := range guardRules(first) {
		w.refused[r.call] = append(w.refused[r.call], r)
	}
	for _, c := range watches() {
		w.watched[c.call] = c
	}
	return w
}

// A finding is what the journal gets about a call.
type finding struct {
	event wire.Event // without an action: nothing
	key   string     // under which the same call is known from now on; "" is none
	known int        // what the journal has of it already, and one more

	// unreadable says that memory of the process could not be read. A process that was
	// killed has none left, which hides nothing: such a call was not made either.
	unreadable bool
}

// nothingKnown is the place in the journal of what is not in it.
const nothingKnown = -1

// look decodes a call. What it finds is to be recorded once the call has been
// answered: a process that was ended in between has not made it.
func (w *watcher) look(c call) (verdict, finding) {
	if ask, ok := w.asks[c.nr]; ok && w.refuses(c) == nil {
		w.reading = reading{call: c, memory: &w.memory, known: &w.known, inputs: w.inputs}
		before := w.inputs.isBeside()
		ask.decode(&w.reading)
		if !before && w.inputs.isBeside() {
			w.again.forget() // of what is known, the path was believed
		}
		return verdict{skip: w.reading.pretend, errno: w.reading.errno}, finding{known: nothingKnown}
	}
	if c.nr == unix.SYS_LISTEN {
		w.listening.Store(true)
		return verdict{}, finding{known: nothingKnown}
	}
	if r := w.refuses(c); r != nil {
		n, ok := w.names[c.nr]
		if !ok {
			n = named{"kernel", "a call that is refused"}
		}
		return verdict{skip: true, errno: r.errno}, found(wire.Event{Action: n.action, Object: n.object, Refused: true})
	}
	watch, ok := w.watched[c.nr]
	if !ok {
		// The filter asks for nothing else, so the two tables differ.
		return verdict{skip: true, errno: unix.EPERM}, found(wire.Event{Action: "kernel", Object: "a call that is not known", Refused: true})
	}
	r := &w.reading
	*r = reading{call: c, memory: &w.memory, known: &w.known, inputs: w.inputs}
	w.hooks.opens(r)
	key, at := w.again.find(r)
	if at != nothingKnown {
		return verdict{}, finding{known: at}
	}
	e := watch.decode(r)
	if port := r.peer.addr.Port(); c.nr == unix.SYS_BIND && port != 0 {
		w.listening.Store(true) // others can send to it
		w.bound.Store(port, true)
	}
	moved := w.known.see(e.Action)
	w.inputs.sees(r, e)
	w.redirect(r, &e)
	// Before the answer: afterwards the file may be another one.
	fresh := w.code.see(e, r.runs, func() string { return r.link("exe") })
	if c := r.inline; c.file != "" {
		w.code.inline(c.file, e.Object, c.text[:min(len(c.text), wire.MaxCapture)], len(c.text) > wire.MaxCapture)
	}
	if e.Action == "exec" && w.give != nil {
		w.pipes.take(r, e.Object, e.Args, w.give)
	}
	if fresh {
		w.fresh.Add(1)
	}
	if moved || fresh {
		w.again.forget()
	}
	f := found(e)
	f.unreadable = r.unreadable
	if r.steady && !r.unreadable && w.code.ignores(e) {
		f.key = string(key)
	}
	return verdict{skip: r.pretend, errno: r.errno}, f
}

// ports are those that the program asked for by number.
func (w *watcher) ports() map[uint16]bool {
	out := map[uint16]bool{}
	w.bound.Range(func(port, _ any) bool {
		if p, ok := port.(uint16); ok {
			out[p] = true
		}
		return true
	})
	return out
}

// refuses returns the rule that refuses a call, nil where none does.
func (w *watcher) refuses(c call) *rule {
	for i, r := range w.refused[c.nr] {
		if r.matches(c.nr, c.args) {
			return &w.refused[c.nr][i]
		}
	}
	return nil
}

// records makes the watcher note what the program looks at of its input.
func (w *watcher) records(in *inputs) {
	w.inputs, w.asks = in, map[uint32]watch{}
	for _, c := range in.watches() {
		w.asks[c.call] = c
	}
}

func found(e wire.Event) finding { return finding{event: e, known: nothingKnown} }

// answer looks at a call, sends the verdict and records what was found if the call
// was made.
func (w *watcher) answer(c call, send func(verdict) (made bool, err error)) error {
	w.answering.Lock()
	defer w.answering.Unlock()
	v, f := w.look(c)
	made, err := send(v)
	if made && err == nil {
		w.record(f)
	}
	return err
}

// settle waits until the last call that was answered is in the journal. The program
// has ended: each of its calls was answered before that, so none comes later.
func (w *watcher) settle() {
	w.answering.Lock()
	defer w.answering.Unlock()
}

// record adds what was found to the journal.
func (w *watcher) record(f finding) {
	if f.unreadable {
		w.log.add(wire.Event{Action: "hide", Object: "memory that the supervisor cannot read"})
	}
	switch {
	case f.known != nothingKnown:
		w.log.again(f.known)
	case f.event.Action != "":
		if at := w.log.add(f.event); f.key != "" {
			w.again.keep(f.key, at)
		}
	}
}
