// Package progress tells a [gate.Handler] how far an experiment of the laboratory is, in
// the events by which a run of the layers does.
//
// It promises that what it was told to begin is ended, so that a terminal is left clean.
// It does not draw anything: the handler does.
package progress

import "github.com/aigate/gate/gate"

// Meter is the progress of one experiment. It is not safe for concurrent use.
type Meter struct{ handler gate.Handler }

// Start begins an experiment. Without a handler the meter drops everything. The caller
// stops it.
func Start(h gate.Handler) Meter {
	if h == nil {
		h = gate.Discard{}
	}
	m := Meter{h}
	m.tell(gate.Started{})
	return m
}

// Show says that done of total steps are over.
func (m Meter) Show(layer gate.Layer, done, total int, detail string) {
	m.tell(gate.Progress{Layer: layer, Done: done, Total: total, Detail: detail})
}

// Stop ends the experiment.
func (m Meter) Stop() { m.tell(gate.Finished{}) }

// tell drops the error: an experiment does not end because its progress cannot be shown.
func (m Meter) tell(e gate.Event) { _ = m.handler.Handle(e) }
