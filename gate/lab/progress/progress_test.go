package progress

import (
	"errors"
	"slices"
	"testing"

	"github.com/aigate/gate/gate"
)

// recorder keeps events, and fails after each.
type recorder struct{ events []gate.Event }

func (r *recorder) Handle(e gate.Event) error {
	r.events = append(r.events, e)
	return errors.New("nothing can be shown")
}

func TestMeter(t *testing.T) {
	r := &recorder{}
	m := Start(r)
	m.Show(gate.LayerJudge, 1, 2, "a model")
	m.Stop()
	want := []gate.Event{gate.Started{}, gate.Progress{Layer: gate.LayerJudge, Done: 1, Total: 2, Detail: "a model"}, gate.Finished{}}
	if !slices.EqualFunc(r.events, want, same) {
		t.Errorf("the handler was told %+v", r.events)
	}
	m = Start(nil) // shows nothing
	m.Show(gate.LayerJudge, 1, 1, "")
	m.Stop()
}

func same(a, b gate.Event) bool {
	switch a := a.(type) {
	case gate.Started:
		_, ok := b.(gate.Started)
		return ok
	case gate.Progress:
		return a == b
	case gate.Finished:
		_, ok := b.(gate.Finished)
		return ok
	}
	return false
}
