package sandbox

import (
	"errors"
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox/supervisor"
	"github.com/aigate/gate/tools/testenv"
)

func TestRuntimesAreKnownByTheirNames(t *testing.T) {
	for name, want := range map[string]Isolation{
		"runc": SharedKernel, "crun": SharedKernel, "io.containerd.runc.v2": SharedKernel,
		"runsc": UserKernel, "runsc-kvm": UserKernel, "io.containerd.runsc.v1": UserKernel,
		"kata": MicroVM, "kata-runtime": MicroVM, "kata-fc": MicroVM, "kata-qemu": MicroVM, "kata-qemu-snp": MicroVM, "io.containerd.kata.v2": MicroVM,
		"io.containerd.kata-fc.v2": MicroVM, "aws.firecracker": MicroVM, "krun": MicroVM,
		"": Unfamiliar, "katana": Unfamiliar, "xrunc": Unfamiliar, "runc2": Unfamiliar, "my-runtime": Unfamiliar,
	} {
		if got := IsolationOf(name); got != want {
			t.Errorf("%q is taken for %q, want %q", name, got, want)
		}
	}
	if sharesKernel("kata") || sharesKernel("runsc") || sharesKernel("who-knows") || !sharesKernel("runc") {
		t.Error("only runtimes that are known to share the kernel may be taken for such")
	}
}

func TestAnEngineIsAskedForShimsOnlyWhereItFindsThem(t *testing.T) {
	for _, tt := range []struct {
		engine, name string
		listed, want bool
	}{
		{"docker 20.10.24", "io.containerd.kata.v2", false, false},
		{"docker 23.0.1", "io.containerd.kata.v2", false, true},
		{"docker 28.5.2", "io.containerd.kata-fc.v2", false, true},
		{"docker 28.5.2", "kata", false, false},
		{"docker 20.10.24", "kata", true, true},
		{"docker", "io.containerd.kata.v2", false, false},
		{"podman 4.3.1", "io.containerd.kata.v2", false, false},
		{"docker 28.5.2", "../kata.v2", false, false},
	} {
		f := facts{name: tt.engine, runtimes: []string{"runc"}}
		if tt.listed {
			f.runtimes = append(f.runtimes, tt.name)
		}
		if got := f.knows(tt.name); got != tt.want {
			t.Errorf("%s asked for %s: %v, want %v", tt.engine, tt.name, got, tt.want)
		}
	}
}

// whole is a self-test in which everything was recorded.
func whole(recorder, said string) Result {
	r := Result{Status: Exited, Stdout: Stream{Data: []byte(said)}, Behaviour: Behaviour{Recorder: recorder}}
	for _, a := range supervisor.SelfTestActs() {
		r.Behaviour.Events = append(r.Behaviour.Events, Event{Action: Action(a.Action), Object: a.Object, Count: 1})
	}
	return r
}

func TestATrialSaysWhatARuntimeIsGoodFor(t *testing.T) {
	const host = "6.18.1"
	missing := whole("seccomp-notify", `{"Kernel":"6.1.38"}`)
	missing.Behaviour.Events = missing.Behaviour.Events[1:]
	tests := map[string]struct {
		runtime  string
		run      Result
		problem  string // a part of it; "" is none
		next     string
		describe string
	}{
		"a virtual machine with a recorder":      {"kata", whole("seccomp-notify", `{"Kernel":"6.1.38"}`), "", "", "a kernel of its own (6.1.38), behaviour recorded by seccomp-notify"},
		"gVisor":                                 {"runsc", whole("ptrace", `{"Kernel":"4.4.0"}`), "", "", "a kernel of its own (4.4.0), behaviour recorded by ptrace"},
		"the host's kernel":                      {"crun", whole("seccomp-notify", `{"Kernel":"6.18.1"}`), "", "", "the kernel of the host (6.18.1), behaviour recorded by seccomp-notify"},
		"runc under the name of Kata":            {"kata", whole("seccomp-notify", `{"Kernel":"6.18.1"}`), "no virtual machine is between", "daemon.json", ""},
		"a stranger that shares the kernel":      {"acme", whole("seccomp-notify", `{"Kernel":"6.18.1"}`), "", "", "the kernel of the host"},
		"no recorder":                            {"kata-fc", whole("", `{"Kernel":"4.19.0"}`), "nothing records behaviour", "Linux 5.0", ""},
		"a recorder that misses things":          {"kata", missing, "misses read /etc/hostname", "another kernel", ""},
		"a virtual machine that does not start":  {"kata", Result{Status: Failed, Reason: "start the container: no /dev/kvm"}, "no /dev/kvm", "kata-runtime check", ""},
		"another runtime that does not start":    {"crun", Result{Status: Failed, Reason: "start the container: boom"}, "boom", "logs of the engine", ""},
		"a program that says something else":     {"crun", whole("ptrace", "hello"), "no program runs", "logs", ""},
		"a program that fails":                   {"crun", Result{Status: Exited, ExitCode: 2, Stderr: Stream{Data: []byte("no room\n")}}, "no room", "logs", ""},
		"a program that was ended by its limits": {"crun", Result{Status: OOM, Reason: "memory ran out"}, "memory ran out", "logs", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := SelfTest{Runtime: tt.runtime, Isolation: IsolationOf(tt.runtime)}.judge(tt.run, host)
			if (tt.problem == "") != (got.Problem == "") || !strings.Contains(got.Problem, tt.problem) || !strings.Contains(got.Next, tt.next) || (got.Problem == "") != (got.Next == "") {
				t.Errorf("got %+v", got)
			}
			if tt.problem == "" && !strings.Contains(got.Describe(), tt.describe) {
				t.Errorf("described as %q, want %q", got.Describe(), tt.describe)
			}
		})
	}
}

func TestTheRuntimesOfThisEngineStandTheTrial(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		got, err := d.Try(t.Context(), runtime, lab.image)
		recorder := map[string]string{"runc": "seccomp-notify", "runsc": "ptrace"}[runtime]
		if err != nil || got.Problem != "" || got.Recorder != recorder || got.Own != (runtime == "runsc") || got.Kernel == "" {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestARuntimeThatTheEngineLacksIsNamedWithWhatBringsIt(t *testing.T) {
	testenv.Needs(t, testenv.RuntimeSelection)
	d := openDocker(t)
	for _, name := range []string{"kata", "kata-fc", "io.containerd.kata.v2", "no-such-runtime"} {
		got, err := d.Try(t.Context(), name, lab.image)
		if err != nil || got.Problem == "" || !strings.Contains(got.Next, "daemon.json") || strings.HasPrefix(name, "kata") && !strings.Contains(got.Next, "/dev/kvm") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		_, err = d.Run(t.Context(), attack(name, "hello"))
		var missing *MissingError
		if !errors.As(err, &missing) || missing.Name != name || missing.Hint != got.Next {
			t.Errorf("a run under %s: %v", name, err)
		}
	}
}

func TestARuntimeIsTriedOnceBeforeItRunsAnything(t *testing.T) {
	testenv.Needs(t, testenv.RuntimeSelection)
	d := openDocker(t)
	// An engine that forgot to list its runtime: what it says when asked is passed on.
	d.engine.facts.runtimes = append(d.engine.facts.runtimes, "kata-qemu")
	for range 2 {
		_, err := d.Run(t.Context(), attack("kata-qemu", "hello"))
		var missing *MissingError
		if !errors.As(err, &missing) || !strings.Contains(missing.Hint, "kata-runtime check") || !strings.Contains(missing.Hint, "kata-qemu") {
			t.Fatalf("got %v", err)
		}
	}
	if len(d.selfTests.byRuntime) != 1 {
		t.Errorf("tried: %v", d.selfTests.byRuntime)
	}
}

func TestATrialSaysThatGateItselfIsBuiltInTheWrongWay(t *testing.T) {
	l := testLab(t)
	d, err := Open(t.Context(), Options{Supervisor: "/bin/sh", StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	got, err := d.Try(t.Context(), "runc", l.image)
	if err != nil || !strings.Contains(got.Problem, "linked dynamically") || !strings.Contains(got.Next, "CGO_ENABLED=0") {
		t.Errorf("%+v, %v", got, err)
	}
}
