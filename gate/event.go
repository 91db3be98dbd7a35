package gate

// Event is one message of a run to a [Handler]. The concrete types are Started,
// Progress, Found, FileDone and Finished.
type Event interface{ event() }

// Started opens a run.
type Started struct {
	Tool    Tool
	Targets int
	Layers  []Layer
}

// Progress says how far a layer is. Detail is for people and may be empty.
type Progress struct {
	Layer       Layer
	Done, Total int
	Detail      string
}

// Found reports a finding as soon as a layer has it. It is repeated, with
// corroboration, in the file's result.
type Found struct {
	Path    string
	Finding Finding
}

// FileDone carries the final result of one file, in input order.
type FileDone struct{ File FileResult }

// Finished closes a run. It is always the last event.
type Finished struct{ Result Result }

func (Started) event()  {}
func (Progress) event() {}
func (Found) event()    {}
func (FileDone) event() {}
func (Finished) event() {}

// Handler consumes the events of a run: every output format is one. Handle is
// never called concurrently. An error ends the run, because a report that could
// not be written must not look like one that was.
type Handler interface {
	Handle(Event) error
}

// Discard is a Handler that drops every event.
type Discard struct{}

// Handle implements [Handler].
func (Discard) Handle(Event) error { return nil }

// Replay sends a saved result through h, as the run that produced it did.
func Replay(r Result, h Handler) error {
	layers := make([]Layer, 0, len(r.Layers))
	for _, l := range r.Layers {
		layers = append(layers, l.Name)
	}
	if err := h.Handle(Started{Tool: r.Tool, Targets: len(r.Files), Layers: layers}); err != nil {
		return err
	}
	for _, f := range r.Files {
		for _, finding := range f.Findings {
			if err := h.Handle(Found{Path: f.Path, Finding: finding}); err != nil {
				return err
			}
		}
		if err := h.Handle(FileDone{File: f}); err != nil {
			return err
		}
	}
	return h.Handle(Finished{Result: r})
}
