package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aigate/gate/sandbox/supervisor"
)

// SelfTest is what a runtime turned out to be when a container was started with it.
type SelfTest struct {
	Runtime   string
	Isolation Isolation // by its name
	Kernel    string    // that programs see: "6.1.38"; "" where that is not known
	Own       bool      // it is not the kernel of the engine's machine
	Recorder  string    // by which behaviour is recorded there; "" is by none
	// Problem says why gate does not use it, "" where it does; Next is what fixes it.
	Problem, Next string
}

// selfTestTime is how long the program of a self-test may take: a virtual machine on a
// busy host is slow.
const selfTestTime = 20 * time.Second

// Try starts a container under a runtime and looks at what works there. image is
// any image of the engine. Whatever is in the way is in the SelfTest; the error
// is that of ctx, or a missing image.
func (d *Docker) Try(ctx context.Context, runtime, image string) (SelfTest, error) {
	t := SelfTest{Runtime: runtime, Isolation: IsolationOf(runtime)}
	if !d.engine.facts.knows(runtime) {
		t.Problem, t.Next = "the engine does not know it", howToGet(runtime, d.engine.facts.runtimes)
		return t, nil
	}
	spec, err := d.engine.normal(Spec{
		Image: image, Runtime: runtime, Argv: []string{defaultEntry + "/gate", supervisor.SelfTestMode},
		Limits: Limits{Timeout: selfTestTime, Memory: 256 << 20}, Exceptions: Exceptions{NoAddressSpace: true}, Observe: &Observe{},
	})
	var missing *MissingError
	if errors.As(err, &missing) {
		t.Problem, t.Next = "the engine does not take it", missing.Hint
		return t, nil
	}
	if err != nil {
		return t, err
	}
	t.Runtime = spec.Runtime
	res := Result{Status: Failed}
	err = d.runInto(ctx, spec, &res)
	var unfit *SupervisorError
	switch {
	case errors.As(err, &unfit):
		t.Problem, t.Next = "this gate can't be the first process of a container: "+unfit.Why, unfit.Hint
		return t, nil
	case ctx.Err() != nil:
		return t, context.Cause(ctx)
	case errors.As(err, &missing):
		return t, err
	case err != nil:
		res.Status, res.Reason = Failed, err.Error()
	}
	return t.judge(res, d.engine.facts.engine.kernel), nil
}

// judge says from the run of a self-test what a runtime is good for. engineKernel is
// what the engine says its own machine runs.
func (t SelfTest) judge(res Result, engineKernel string) SelfTest {
	t.Recorder = res.Behaviour.Recorder
	var saw supervisor.SelfTestReport
	said := json.Unmarshal(res.Stdout.Data, &saw) == nil
	if said {
		t.Kernel, t.Own = saw.Kernel, saw.Kernel != "" && saw.Kernel != engineKernel
	}
	missed := t.missed(res.Behaviour)
	switch {
	case res.Status != Exited || res.ExitCode != 0 || !said:
		t.Problem = "no program runs in its containers: " + firstOf(res.Reason, strings.TrimSpace(string(res.Stderr.Data)), "it ended without a word")
		t.Next = "look into the logs of the engine"
		if t.Isolation == MicroVM {
			t.Next = "see whether /dev/kvm is there on the engine's machine and the runtime's own check passes (kata-runtime check)"
		}
	case t.Isolation == MicroVM && !t.Own:
		t.Problem = fmt.Sprintf("it is called %s, and programs see the kernel of the host (%s) there: no virtual machine is between", t.Runtime, t.Kernel)
		t.Next = "correct its entry under \"runtimes\" in the engine's daemon.json, or call it what it is"
	case t.Recorder == "":
		t.Problem = "nothing records behaviour there"
		t.Next = "give it a kernel with seccomp user notification (Linux 5.0 and newer) or with ptrace and SECCOMP_RET_TRACE"
	case len(missed) > 0:
		t.Problem = fmt.Sprintf("its recorder (%s) misses %s", t.Recorder, strings.Join(missed, ", "))
		t.Next = "use another kernel for it, or another runtime"
	}
	return t
}

// missed are the acts of the self-test that were not recorded.
func (t SelfTest) missed(seen Behaviour) []string {
	var out []string
	for _, act := range supervisor.SelfTestActs() {
		found := false
		for _, e := range seen.Events {
			found = found || string(e.Action) == act.Action && e.Object == act.Object
		}
		if !found {
			out = append(out, act.Action+" "+act.Object)
		}
	}
	return out
}

// Describe says in a few words what a runtime is that can be used.
func (t SelfTest) Describe() string {
	kernel := "the kernel of the host"
	if t.Own {
		kernel = "a kernel of its own"
	}
	return fmt.Sprintf("%s (%s), behaviour recorded by %s", kernel, t.Kernel, t.Recorder)
}

// selfTests are the runtimes that were tried.
type selfTests struct {
	mu        sync.Mutex
	byRuntime map[string]SelfTest
}

// usable makes sure that runtimes which are neither runc nor gVisor, the two that
// gate's own tests run on, can do what a run needs. One container for each of them
// and gate.
func (t *selfTests) usable(ctx context.Context, d *Docker, spec Spec) error {
	if spec.Runtime == "runc" || spec.Runtime == "runsc" {
		return nil
	}
	if err := d.engine.checkRuntime(spec.Runtime); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	tried, done := t.byRuntime[spec.Runtime]
	if !done {
		var err error
		if tried, err = d.Try(ctx, spec.Runtime, spec.Image); err != nil {
			return err
		}
		if t.byRuntime == nil {
			t.byRuntime = map[string]SelfTest{}
		}
		t.byRuntime[spec.Runtime] = tried
	}
	if tried.Problem != "" {
		return &MissingError{What: "usable runtime", Name: spec.Runtime, Hint: tried.Problem + "; " + tried.Next}
	}
	return nil
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
