package execute

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// Runner runs one program in one fresh container; [*sandbox.Docker] does.
type Runner interface {
	Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error)
}

// ErrRefused is wrapped by the error of a Runner that did not start a program because it
// must not, such as one above a limit of the policy. What it was for is a gap always.
var ErrRefused = errors.New("not started")

// An expecter is a Runner that can start containers before they are needed.
type expecter interface {
	Expect(spec sandbox.Spec, n int)
}

// engine runs prepared programs, unless the same run is known.
type engine struct {
	runner Runner
	reuse  *reuse // nil remembers nothing
}

// newEngine returns an engine that remembers runs in a cache; it remembers nothing
// where runs cannot be told apart, or depend on what the network answers.
func newEngine(runner Runner, o Options, t *workspace.Tree) engine {
	identified, ok := runner.(identified)
	if o.Cache == nil || !ok || len(o.Policy.Egress) > 0 {
		return engine{runner: runner}
	}
	files, day := contents(t.Files), time.Now().UTC().Format(time.DateOnly)
	return engine{runner: runner, reuse: &reuse{cache: o.Cache, engine: identified, day: day, fresh: o.Fresh, reasons: newReasons(o.Fresh, day, t.Files),
		tree: digest(t.Files), shape: shape(t.Files), files: files, paths: slices.Sorted(maps.Keys(files)), worlds: map[[2]string]sandbox.Identity{}}}
}

// newBaseEngine runs programs on the files of the base.
func newBaseEngine(runner Runner, o Options, base *workspace.Tree) engine {
	e := newEngine(runner, o, base)
	if e.reuse != nil {
		e.reuse.base = true
	}
	return e
}

// run runs a program, unless the same run is known. The result has no canaries in
// it.
func (e engine) run(ctx context.Context, p prepared) (k kept, reused bool, err error) {
	r := e.reuse
	var id sandbox.Identity
	var key string
	if r != nil {
		// What is missing is for the run itself to say.
		if id, err = r.world(ctx, p.spec); err == nil {
			key = r.key(id, p.spec, r.input(p), p.canaries)
		}
	}
	if key != "" && p.repeated {
		key = cache.Key(map[string]any{"repeated": key})
	}
	if key != "" && r.fresh == "" {
		k, reused = cache.Recall(r.cache, key, func(content []byte) (kept, error) { return r.decodeKept(content, p.spec, id) })
		viewed := false
		if !reused && !p.repeated {
			k, viewed = r.viewed(id, p)
		}
		if reused || viewed {
			r.decide(p, decided{id: id, reused: true, viewed: viewed, kept: k})
			return k, true, nil
		}
	}
	k.Result, err = e.recorded(ctx, p.spec)
	k.Printed = p.canaries.Clean(&k.Result)
	if key == "" {
		return k, false, err
	}
	why := r.notKept(ctx, p, k, id, err)
	if why == "" {
		if data, err := json.Marshal(k); err == nil {
			cache.Keep(r.cache, key, data)
			if !p.repeated {
				r.keepViewed(id, p, k, data)
			}
		}
	}
	r.decide(p, decided{id: id, kept: k, notKept: why})
	return k, false, err
}

// recorded runs a program, once more where its memory ran out so fast that the supervisor
// in the container ended with it (a runtime with a kernel of its own ends as a whole): on a
// busy machine that is chance. The second run counts where it ended in the same way and was
// recorded, so that no program can win by another end.
func (e engine) recorded(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	first, err := e.runner.Run(ctx, s)
	if err != nil || first.Status != sandbox.OOM || first.Behaviour.Recorder != "" {
		return first, err
	}
	if again, err := e.runner.Run(ctx, s); err == nil && again.Status == sandbox.OOM && again.Behaviour.Recorder != "" {
		return again, nil
	}
	return first, nil
}

// notKept is why a run is not kept, "" where it is.
func (r *reuse) notKept(ctx context.Context, p prepared, k kept, id sandbox.Identity, err error) string {
	switch {
	case err != nil:
		return "it could not be run: " + err.Error()
	case ctx.Err() != nil:
		return "it was not run to its end"
	case p.over(k.Result) && !p.othersOver(k.Result) && !p.beside() && !r.base: // what the base did is no less old for that
		return "its tests had no time left"
	}
	return r.lacks(k, id, p.spec.Limits.Timeout)
}

// expect tells the runner what is going to be run, so that a container waits when
// its time comes, unless its result is known already. A run that follows from
// another one is announced as well, and at once takes a container that waits for
// another: the next one starts while it runs.
func (e engine) expect(ctx context.Context, p prepared) {
	if x, ok := e.runner.(expecter); ok && !e.known(ctx, p) {
		x.Expect(p.spec, 1)
	}
}

// known reports whether a run will probably not be needed.
func (e engine) known(ctx context.Context, p prepared) bool {
	r := e.reuse
	if r == nil || r.fresh != "" {
		return false
	}
	id, err := r.world(ctx, p.spec)
	if err != nil {
		return false
	}
	if cache.Has(r.cache, r.key(id, p.spec, r.input(p), p.canaries)) {
		return true
	}
	_, viewed := r.viewed(id, p)
	return viewed
}
