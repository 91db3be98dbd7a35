package execute

import (
	"archive/tar"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/canary"
	"github.com/aigate/gate/sandbox"
)

// emptyPrograms do nothing, so that what is seen of them is what the interpreter
// does by itself. Building an empty program of Go costs more than it tells: what
// the toolchain does lies in folders that no rule speaks of.
var emptyPrograms = map[gate.Language][]string{
	gate.LanguagePython:     {"python3", "-I", "-B", "-c", "pass"},
	gate.LanguageJavaScript: {"node", "-e", "0"},
	gate.LanguageShell:      {"sh", "-c", ":"},
}

// images are the languages whose empty program has not been looked at yet.
func (b *batch) unknownImages() []gate.Language {
	var out []gate.Language
	b.stage.mu.Lock()
	defer b.stage.mu.Unlock()
	for _, u := range b.units {
		_, known := b.stage.baselines[b.images[u.image]]
		if emptyPrograms[u.image] != nil && !known && !slices.Contains(out, u.image) {
			out = append(out, u.image)
		}
	}
	return out
}

// learn runs the empty program of an image. When that fails nothing is taken away
// from what others do: more is shown, not less.
func (b *batch) learn(ctx context.Context, image gate.Language) {
	spec, planted := b.emptyRun(image)
	argv := spec.Argv
	done, reused, err := b.perform(ctx, spec, planted, noInput)
	res := done.Result
	if err == nil && (res.Status != sandbox.Exited || res.ExitCode != 0 || res.Behaviour.Recorder == "") {
		err = fmt.Errorf("the empty program ended as %s with code %d, recorded by %q: %s", cmp.Or(res.Status, "unknown"), res.ExitCode, res.Behaviour.Recorder, res.Reason)
	}
	if !reused {
		b.stage.o.Log.write(unit{kind: "baseline", image: image}, run{argv: argv, res: res}, err)
	}
	if err != nil {
		b.stage.o.Log.say("no baseline: what the interpreter does by itself is shown as the program's", "image", spec.Image, "error", err)
		return
	}
	b.stage.mu.Lock()
	defer b.stage.mu.Unlock()
	b.stage.baselines[spec.Image] = behaviour.NewBaseline(recognised(res.Behaviour, argv, argv))
}

// emptyRun is the empty program of an image.
func (b *batch) emptyRun(image gate.Language) (sandbox.Spec, *canary.Set) {
	u := unit{kind: "baseline", image: image}
	if image == gate.LanguageJavaScript {
		u.env = nodeEnv()
	}
	spec, planted := b.spec(u, emptyPrograms[image])
	spec.Input = func(*tar.Writer) error { return nil }
	return spec, planted
}

// own takes away from what a run did what the empty program does as well.
func (b *batch) own(u unit, seen sandbox.Behaviour) sandbox.Behaviour {
	b.stage.mu.Lock()
	defer b.stage.mu.Unlock()
	return b.stage.baselines[b.images[u.image]].Without(seen)
}
