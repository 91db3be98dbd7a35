package sandbox

import (
	"crypto/sha256"
	"fmt"
	"path"
	"strings"

	"github.com/aigate/gate/sandbox/egress"
	"github.com/aigate/gate/sandbox/internal/wire"
)

// maxPlanted bounds all planted files together, in bytes.
const maxPlanted = 1 << 20

// writable are the folders of the profile in which files can be planted.
func writable() []string {
	out := []string{Workspace + "/", "/tmp/", "/dev/shm/", OutputFolder + "/"}
	for _, dir := range dataFolders() {
		out = append(out, dir+"/")
	}
	return out
}

func (o *Observe) check() error {
	if o == nil {
		return nil
	}
	if len(o.Canaries) > wire.MaxCanaries || len(o.Plants) > wire.MaxPlants {
		return fmt.Errorf("sandbox: %d canaries and %d planted files, at most %d and %d are taken",
			len(o.Canaries), len(o.Plants), wire.MaxCanaries, wire.MaxPlants)
	}
	for _, c := range o.Canaries {
		if len(c.Value) < 20 {
			return fmt.Errorf("sandbox: canary %q has %d bytes; fewer than 20 would be found by chance", c.ID, len(c.Value))
		}
	}
	if len(o.Egress) > maxEgress || len(o.Egress) > 0 && !o.Internet {
		return fmt.Errorf("sandbox: %d hosts outside, want at most %d, with an internet around them", len(o.Egress), maxEgress)
	}
	for _, e := range o.Egress {
		if _, err := egress.Parse(e); err != nil {
			return fmt.Errorf("sandbox: egress: %w", err)
		}
	}
	if len(o.Hooks) > wire.MaxHooks {
		return fmt.Errorf("sandbox: %d hooks, at most %d are taken", len(o.Hooks), wire.MaxHooks)
	}
	for _, h := range o.Hooks {
		if len(h.Value) > wire.MaxHook || h.Variable == "" == (h.File == "") {
			return fmt.Errorf("sandbox: a hook needs a variable of at most %d bytes, or a file; got %q and %q", wire.MaxHook, h.Variable, h.File)
		}
	}
	var size int
	for _, p := range o.Plants {
		if size += len(p.Data); size > maxPlanted {
			return fmt.Errorf("sandbox: the planted files have more than %d bytes", maxPlanted)
		}
		if !plantable(p.Path) {
			return fmt.Errorf("sandbox: planted file %q is not in a folder that a program can write to (%s)", p.Path, strings.Join(writable(), ", "))
		}
	}
	return nil
}

func plantable(name string) bool {
	if path.Clean(name) != name || strings.ContainsRune(name, 0) {
		return false
	}
	for _, dir := range writable() {
		if strings.HasPrefix(name, dir) {
			return true
		}
	}
	return false
}

// maxEgress bounds the hosts outside. Each may be open on the two ports of the web.
const maxEgress = wire.MaxEgress / 2

func (o *Observe) job() *wire.Observe {
	w := &wire.Observe{Internet: o.Internet, Bait: o.Bait, Inputs: o.Inputs, Metadata: o.Metadata, Reports: o.Reports}
	for _, e := range o.Egress {
		targets, _ := egress.Parse(e) // check has refused what is none
		for _, t := range targets {
			w.Egress = append(w.Egress, t.String())
		}
	}
	for _, c := range o.Canaries {
		w.Canaries = append(w.Canaries, wire.Canary(c))
	}
	for _, h := range o.Hooks {
		w.Hooks = append(w.Hooks, wire.Hook(h))
	}
	for _, p := range o.Plants {
		w.Plants = append(w.Plants, wire.Plant(p))
	}
	return w
}

// observe takes one event or capture of a report.
func (rep *report) observe(kind wire.Kind, payload []byte) error {
	if kind == wire.KindCapture {
		var c wire.Capture
		if err := wire.Decode(payload, &c); err != nil {
			return violation("%w", err)
		}
		if len(rep.captures) == wire.MaxCaptures || len(c.Data) > wire.MaxCapture || len(c.Path) > wire.MaxText || len(c.Sum) != 0 && len(c.Sum) != sha256.Size {
			return violation("more captures than it may send")
		}
		if rep.captured += len(c.Data); rep.captured > wire.MaxCaptured {
			return violation("more code than it may send")
		}
		rep.captures = append(rep.captures, Capture(c))
		return nil
	}
	var e wire.Event
	if err := wire.Decode(payload, &e); err != nil {
		return violation("%w", err)
	}
	text := len(e.Object)
	for _, a := range e.Args {
		text += len(a)
	}
	switch {
	case len(rep.events) == wire.MaxEvents:
		return violation("more than %d events", wire.MaxEvents)
	case text > 2*wire.MaxText || len(e.Data) > wire.MaxText:
		return violation("an event of %d bytes", text+len(e.Data))
	case e.Count < 1 || e.First < 0:
		return violation("an event that happened %d times", e.Count)
	}
	rep.events = append(rep.events, Event{
		Action: Action(e.Action), Object: e.Object, Args: e.Args, Count: e.Count, First: e.First,
		Refused: e.Refused, Data: e.Data, Canaries: e.Canaries,
	})
	return nil
}
