package sandbox

import (
	"context"
	"sync"
	"testing"

	"github.com/docker/docker/client"
)

// openPool opens an engine with a pool and checks that closing it leaves nothing.
func openPool(t *testing.T, depth int) *Docker {
	t.Helper()
	l := testLab(t)
	d, err := Open(t.Context(), Options{Supervisor: l.supervisor, StateDir: l.state, Pool: depth})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if left := containersOf(t, d.RunID()); len(left) > 0 {
			t.Errorf("containers left behind: %v", left)
		}
	})
	return d
}

// waitingIDs returns the containers that wait, once all have been started.
func waitingIDs(t *testing.T, d *Docker) []string {
	t.Helper()
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock()
	var ids []string
	for _, s := range d.pool.shelves {
		for i, ready := range s.waiting {
			o := <-ready
			if o.err != nil {
				t.Fatal(o.err)
			}
			ids = append(ids, o.box.id)
			again := make(chan opened, 1)
			again <- o
			s.waiting[i] = again
		}
	}
	return ids
}

func TestRunsOfAPoolHaveAContainerOfTheirOwn(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openPool(t, 2)
		spec := attack(runtime, "produce") // leaves files behind
		d.Expect(spec, 3)
		first := waitingIDs(t, d)
		if len(first) != 2 {
			t.Fatalf("%d containers wait, want 2 for three runs and a depth of 2", len(first))
		}
		var runs sync.WaitGroup
		for range 3 {
			runs.Go(func() {
				s := attack(runtime, "hello")
				s.Output = []string{"."}
				if r := mustRun(t, d, s); r.Status != Exited || len(r.Files) > 0 || r.ImageID == "" {
					t.Errorf("%s %q, files of another run: %v", r.Status, r.Reason, r.Files)
				}
			})
		}
		runs.Wait()
		if left := waitingIDs(t, d); len(left) != 0 {
			t.Errorf("%d containers wait for runs that no one announced", len(left))
		}
	})
}

func TestAContainerServesOnlyRunsOfItsOwnConfinement(t *testing.T) {
	d := openPool(t, 1)
	spec, err := attack("runc", "hello").normal()
	if err != nil {
		t.Fatal(err)
	}
	d.Expect(spec, 1)
	for name, change := range map[string]func(*Spec){
		"another image":   func(s *Spec) { s.Image = "other" },
		"another runtime": func(s *Spec) { s.Runtime = "runsc" },
		"less memory":     func(s *Spec) { s.Limits.Memory /= 2 },
		"fewer processes": func(s *Spec) { s.Limits.Pids-- },
		"another /tmp":    func(s *Spec) { s.Exceptions.ExecutableTmp = true },
		"a larger /tmp":   func(s *Spec) { s.Limits.Workspace *= 2 },
	} {
		s := spec
		change(&s)
		if b, _ := d.pool.take(t.Context(), s); b != nil {
			t.Errorf("%s was served", name)
			d.pool.retire(b)
		}
	}
	spec.Argv, spec.Env, spec.Limits.Timeout = []string{"/attacker", "exit", "4"}, []string{"A=b"}, spec.Limits.Timeout/2
	if r := mustRun(t, d, spec); r.ExitCode != 4 {
		t.Errorf("%s %q exit %d", r.Status, r.Reason, r.ExitCode)
	}
	if left := waitingIDs(t, d); len(left) != 0 {
		t.Errorf("the container that fits was not taken")
	}
}

func TestARunSurvivesTheEndOfTheContainerThatWaitedForIt(t *testing.T) {
	d := openPool(t, 1)
	spec := attack("runc", "exit", "3")
	d.Expect(spec, 1)
	ids := waitingIDs(t, d)
	err := withEngine(func(ctx context.Context, c *client.Client) error { return c.ContainerKill(ctx, ids[0], "KILL") })
	if err != nil {
		t.Fatal(err)
	}
	if r := mustRun(t, d, spec); r.Status != Exited || r.ExitCode != 3 {
		t.Errorf("%s %q exit %d", r.Status, r.Reason, r.ExitCode)
	}
}

func TestUnusedContainersAreRemovedWithTheirRun(t *testing.T) {
	d := openPool(t, 3) // its cleanup looks for what is left
	d.Expect(attack("runc", "hello"), 3)
	if n := len(waitingIDs(t, d)); n != 3 {
		t.Errorf("%d containers wait, want 3", n)
	}
}

func TestAPoolThatIsTooLargeIsRefused(t *testing.T) {
	for _, n := range []int{-1, maxPool + 1} {
		if _, err := Open(t.Context(), Options{Pool: n}); err == nil {
			t.Errorf("a pool of %d was taken", n)
		}
	}
}
