package execute

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/sandbox"
)

// emptyPrograms do nothing, so that what is seen of them is what the interpreter
// does by itself. Building an empty program of Go costs more than it tells: what
// the toolchain does lies in folders that no rule speaks of.
func emptyPrograms() map[gate.Language]job.Program {
	return map[gate.Language]job.Program{
		gate.LanguagePython:     job.Command{Argv: []string{"python3", "-I", "-B", "-c", "pass"}},
		gate.LanguageJavaScript: job.Node{Command: []string{"node", "-e", "0"}},
		gate.LanguageShell:      job.Command{Argv: []string{"sh", "-c", ":"}},
	}
}

// emptyUnit is the empty program of an image.
func emptyUnit(image gate.Language) plan.Unit {
	return plan.Unit{Kind: "baseline", Job: job.Job{Image: image, Program: emptyPrograms()[image]}}
}

// baselines are what interpreters do by themselves, by image.
type baselines struct {
	mu    sync.Mutex
	known map[string]behaviour.Baseline
}

// unknown are the languages whose empty program has not been looked at yet. images
// are by language.
func (b *baselines) unknown(units []plan.Unit, images map[gate.Language]string) []gate.Language {
	programs := emptyPrograms()
	var out []gate.Language
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range units {
		_, known := b.known[images[u.Job.Image]]
		if programs[u.Job.Image] != nil && !known && !slices.Contains(out, u.Job.Image) {
			out = append(out, u.Job.Image)
		}
	}
	return out
}

func (b *baselines) keep(image string, seen sandbox.Behaviour) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[image] = behaviour.NewBaseline(seen)
}

// without takes away from what a run did what the empty program of its image does as
// well.
func (b *baselines) without(image string, seen sandbox.Behaviour) sandbox.Behaviour {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known[image].Without(seen)
}

// learn runs the empty program of an image. When that fails nothing is taken away
// from what others do: more is shown, not less.
func (l life) learn(ctx context.Context, image gate.Language) {
	program := l.prepare.empty(emptyUnit(image))
	shown := program.job.Shown()
	done, reused, err := l.engine.run(ctx, program)
	res := done.Result
	if err == nil && (res.Status != sandbox.Exited || res.ExitCode != 0 || res.Behaviour.Recorder == "") {
		err = fmt.Errorf("the empty program ended as %s with code %d, recorded by %q: %s", cmp.Or(res.Status, "unknown"), res.ExitCode, res.Behaviour.Recorder, res.Reason)
	}
	if !reused {
		l.log.write(program.unit, run{shown: shown, res: res}, err)
	}
	if err != nil {
		l.log.say("no baseline: what the interpreter does by itself is shown as the program's", "image", program.spec.Image, "error", err)
		return
	}
	l.baselines.keep(program.spec.Image, recognised(res.Behaviour, program.line.Started, shown))
}
