package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The test binary plays a gate that is killed: with victimVar set to a runtime it
// starts a program that never ends.
const victimVar = "GATE_TEST_VICTIM"

// victim is the life of that gate. It says when its container runs.
func victim() int {
	ctx := context.Background()
	lab.image = os.Getenv("GATE_TEST_IMAGE")
	d, err := Open(ctx, Options{Supervisor: os.Getenv("GATE_TEST_SUPERVISOR"), StateDir: os.Getenv("GATE_TEST_STATE")})
	if err != nil {
		fmt.Println("open:", err)
		return 1
	}
	fmt.Println("run", d.RunID())
	s := attack(os.Getenv(victimVar), "quiet")
	s.Limits.Timeout = 10 * time.Minute
	_, err = d.Run(ctx, s)
	fmt.Println("ended:", err)
	return 1
}

// startVictim returns the process and the id of its run, when its container is
// there.
func startVictim(t *testing.T, runtime string) (*exec.Cmd, string) {
	t.Helper()
	l := testLab(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimVar+"="+runtime, "GATE_TEST_IMAGE="+l.image,
		"GATE_TEST_SUPERVISOR="+l.supervisor, "GATE_TEST_STATE="+l.state)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	id, ok := strings.CutPrefix(strings.TrimSpace(line), "run ")
	if !ok {
		t.Fatalf("the other gate says %q (%v)", line, err)
	}
	eventually(t, "the other gate's container runs", func() bool {
		list := containersOf(t, id)
		return len(list) == 1 && strings.HasSuffix(list[0], " running")
	})
	return cmd, id
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(5 * time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Errorf("it never came to pass that %s", what)
			return
		}
	}
}

func TestAKilledGateLeavesNothingBehind(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		// A neighbour that is at work all the while.
		neighbour := make(chan Result, 1)
		go func() {
			r, err := d.Run(t.Context(), attack(runtime, "memory", "1", "hold"))
			if err != nil {
				r.Reason = err.Error()
			}
			neighbour <- r
		}()
		victim, id := startVictim(t, runtime)
		container, _, _ := strings.Cut(containersOf(t, id)[0], " ")
		if processesOf(container) == 0 && localEngine(d) {
			t.Error("no process of the container is seen: the check below would prove nothing")
		}
		if err := victim.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		// No one cleans up here: the container ends by itself.
		eventually(t, "the killed gate's container is gone", func() bool { return len(containersOf(t, id)) == 0 })
		eventually(t, "its processes are gone", func() bool { return processesOf(container) == 0 })
		if _, err := d.Sweep(t.Context()); err != nil {
			t.Errorf("sweep: %v", err)
		}
		if _, err := os.Stat(filepath.Join(lab.state, id+".lock")); !os.IsNotExist(err) {
			t.Errorf("the killed gate's lock is left: %v", err)
		}
		if r := <-neighbour; r.Status != Exited || r.ExitCode != 0 {
			t.Errorf("the neighbour got %s %d (%s)", r.Status, r.ExitCode, r.Reason)
		}
	})
}

func localEngine(d *Docker) bool { return strings.HasPrefix(d.engine.api.DaemonHost(), "unix://") }

// processesOf counts the processes of this machine in the control groups of a
// container, by the first digits of its id.
func processesOf(container string) int {
	n := 0
	paths, _ := filepath.Glob("/proc/[0-9]*/cgroup")
	for _, p := range paths {
		if data, err := os.ReadFile(p); err == nil && strings.Contains(string(data), container) {
			n++
		}
	}
	return n
}

func TestTheEndOfTheContextEndsTheContainer(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			eventually(t, "the container runs", func() bool { return len(containersOf(t, d.RunID())) == 1 })
			cancel(fmt.Errorf("enough of it"))
		}()
		r, err := d.Run(ctx, attack(runtime, "quiet"))
		if err == nil || err.Error() != "enough of it" || r.Status != Killed || r.Reason != "enough of it" {
			t.Errorf("got %s (%s), error %v", r.Status, r.Reason, err)
		}
		if left := containersOf(t, d.RunID()); len(left) > 0 {
			t.Errorf("left when Run returned: %v", left)
		}
	})
}

func TestAContextThatHasEndedStartsNothing(t *testing.T) {
	d := openDocker(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := d.Run(ctx, attack("runc", "hello")); err == nil || r.Status != Killed {
		t.Errorf("got %s, error %v", r.Status, err)
	}
}
