package execute

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/execute/canary"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// A run whose program finds exactly what it found the last time is not repeated:
// what it did then stands for it. Everything that is concluded from what it did is
// concluded anew.

// An identified is a Runner that can say what a run depends on besides its Spec.
type identified interface {
	Identity(ctx context.Context, spec sandbox.Spec) (sandbox.Identity, error)
}

// reuseVersion is that of the key and of what is kept.
const reuseVersion = 3

// reuse is the memory of the runs of one change.
type reuse struct {
	cache  cache.Keeper
	engine identified
	// day is part of every key, because programs can ask what day it is.
	day  string
	tree string // digest of the files that all units find
	// base says that these are the files of the base, which no one who changed them has a
	// say in. Its runs only tell what is old, so chance in them does not matter.
	base bool

	shape string             // digest of their names, without what is in them
	files map[string]content // by path
	paths []string           // of all of them, sorted

	fresh   string   // why nothing is looked up, "" where it is
	reasons *reasons // for gate cache explain

	mu     sync.Mutex
	worlds map[[2]string]sandbox.Identity // by image and runtime
}

// digest names the content of files as they enter a container.
func digest(files []workspace.File) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%q %t %q %x\n", f.Path, f.Exec, f.Link, sha256.Sum256(f.Data))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// input names the files that a program finds.
func (r *reuse) input(p prepared) string {
	if p.noFiles {
		return "nothing"
	}
	return r.tree + "+" + digest(p.unit.Extra)
}

// world is what runs of a Spec depend on, asked once for each image: one that is
// built again meanwhile is noticed by its digest.
func (r *reuse) world(ctx context.Context, spec sandbox.Spec) (sandbox.Identity, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	where := [2]string{spec.Image, spec.Runtime}
	if id, ok := r.worlds[where]; ok {
		return id, nil
	}
	id, err := r.engine.Identity(ctx, spec)
	if err == nil {
		r.worlds[where] = id
	}
	return id, err
}

// key names a run by everything that it sees. The values of canaries are new in each
// run; what stands for them is which there are and where they stand.
func (r *reuse) key(id sandbox.Identity, spec sandbox.Spec, input string, canaries *canary.Set) string {
	return cache.Key(map[string]any{
		"version": reuseVersion, "base": r.base, "canaries": canary.Version, "day": r.day, "world": id, "input": input, "spec": fields(plainly(spec, canaries)),
	})
}

// plainly is a Spec without the values of canaries.
func plainly(spec sandbox.Spec, canaries *canary.Set) sandbox.Spec {
	plain := func(texts []string) []string {
		out := make([]string, len(texts))
		for i, t := range texts {
			out[i] = canaries.Text(t)
		}
		return out
	}
	spec.Argv, spec.Env = plain(spec.Argv), plain(spec.Env)
	if spec.Observe != nil {
		o := *spec.Observe
		o.Metadata = canaries.Text(o.Metadata)
		o.Canaries, o.Plants = slices.Clone(o.Canaries), slices.Clone(o.Plants)
		for i, c := range o.Canaries {
			o.Canaries[i].Value = canaries.Text(c.Value)
		}
		for i, f := range o.Plants {
			o.Plants[i].Data = []byte(canaries.Text(string(f.Data)))
		}
		spec.Observe = &o
	}
	return spec
}

// fields are those of a Spec, also those that no one has thought of here; but for
// functions, which input stands for.
func fields(spec sandbox.Spec) map[string]any {
	out := map[string]any{}
	for field, v := range reflect.ValueOf(spec).Fields() {
		if field.Type.Kind() != reflect.Func {
			out[field.Name] = v.Interface()
		}
	}
	return out
}

// kept is a run as it is kept: without canaries.
type kept struct {
	Result  sandbox.Result
	Printed []string
}

// worthKeeping reports whether a run says all that there is to say. One that was
// ended from outside, or of which something was not seen, may go better next time.
func (r *reuse) worthKeeping(k kept, id sandbox.Identity, limit time.Duration) bool {
	return r.lacks(k, id, limit) == ""
}

// served reports whether a run is that of a server that was asked all there was to ask, answered,
// and was ended before its time was up because it did nothing any more.
func served(res sandbox.Result, limit time.Duration) bool {
	asked := res.Asked
	return res.Status == sandbox.Serving && res.Duration-res.Held < limit && (asked == nil || asked.Missed == "" && asked.Silent == 0)
}

// lacks is what a run does not say whose program had so much time, "" for nothing.
func (r *reuse) lacks(k kept, id sandbox.Identity, limit time.Duration) string {
	res := k.Result
	switch b := res.Behaviour; {
	case res.Status == sandbox.Timeout:
		return "its time was up"
	case res.Status == sandbox.OOM:
		return "its memory ran out"
	case (res.Status != sandbox.Exited || res.Reason != "") && !served(res, limit):
		return "it was ended from outside: " + cmp.Or(res.Reason, string(res.Status), "why is not known")
	case res.Left.Any():
		return "it left something running"
	case res.ImageID != id.ImageID:
		return "the image was built again meanwhile"
	case len(res.Refused) > 0:
		return "files that it wrote were not brought back"
	case b.Recorder == "":
		return "it was not observed"
	case b.Lost > 0:
		return "the recorder lost events"
	case b.Uncaptured > 0:
		// Of code that is larger than a capture, such as a test binary, the head and the sum
		// are kept: another run would bring no more.
		return "not all code that it wrote was captured"
	case b.Random && !r.base:
		return "it asked for random numbers"
	case b.Unsearched > 0 || b.Unopened > 0:
		return "not all that it wrote was searched for canaries"
	}
	return ""
}

// decodeKept reads a run that may be anything.
func (r *reuse) decodeKept(data []byte, spec sandbox.Spec, id sandbox.Identity) (kept, error) {
	var k kept
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&k); err != nil {
		return kept{}, fmt.Errorf("read a kept run: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return kept{}, errors.New("read a kept run: something follows it")
	}
	if err := k.Result.Check(spec); err != nil {
		return kept{}, fmt.Errorf("read a kept run: %w", err)
	}
	known := map[string]bool{}
	if spec.Observe != nil {
		for _, c := range spec.Observe.Canaries {
			known[c.ID] = true
		}
	}
	if !r.worthKeeping(k, id, spec.Limits.Timeout) || slices.ContainsFunc(k.Printed, func(c string) bool { return !known[c] }) {
		return kept{}, errors.New("read a kept run: it is none that is kept")
	}
	return k, nil
}
