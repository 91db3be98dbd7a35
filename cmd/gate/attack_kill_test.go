package main

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"

	"github.com/aigate/gate/gate/lab/hostwatch"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/tools/testenv"
)

// containersOfOwner lists the containers of the gates that share a state folder, by
// the states that they are in.
func containersOfOwner(t *testing.T, owner string) map[string]string {
	t.Helper()
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	list, err := api.ContainerList(context.Background(), container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", "aigate.owner="+owner))})
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, c := range list {
		states[c.ID] = c.State
	}
	return states
}

// within waits for a condition, looking every few milliseconds.
func within(t *testing.T, most time.Duration, ok func() bool) bool {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(most)
	for !ok() {
		select {
		case <-tick.C:
		case <-end:
			return false
		}
	}
	return true
}

func TestAnAttackThatIsKilledAtAnyMomentLeavesNothing(t *testing.T) {
	for _, runtime := range []string{"runc", "runsc"} {
		testenv.Runtime(t, runtime)
	}
	for _, lang := range []string{"python", "node", "go", "shell"} {
		testenv.Image(t, lang)
	}
	suite, err := filepath.Abs("../../fixtures/attacks")
	if err != nil {
		t.Fatal(err)
	}
	// Everything that this gate may touch of the machine lies here: its home, in
	// which attacks would find keys, and the folder for temporary files.
	g := newRealGate(t, nil)
	state, temp := t.TempDir(), t.TempDir()
	g.env = append(g.env, "HOME="+g.dir, "XDG_CONFIG_HOME="+g.dir, "XDG_STATE_HOME="+state, "XDG_CACHE_HOME="+state, "XDG_RUNTIME_DIR="+state, "TMPDIR="+temp)
	machine, err := hostwatch.Start(t.Context(), g.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer machine.Close()
	args := []string{"attack", suite, "--only", "escape-*,resources-*,persistence-*", "--layers", "sandbox", "--runtime", "runc,runsc", "--parallel", "2", "--timeout", "3s", "--quiet"}
	seen := map[string]*sandbox.Audit{} // containers at work, by their ids
	for i := range testenv.Rounds(4, 10) {
		cmd := g.command(args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		owner, known := "", len(seen)
		look := func() bool {
			for id := range containersOfOwner(t, owner) {
				seen[id] = &sandbox.Audit{Container: id, Marks: []string{id}}
			}
			return len(seen) > known
		}
		running := within(t, 4*time.Minute, func() bool {
			if text, err := os.ReadFile(filepath.Join(state, "gate", "owner")); err == nil {
				owner = string(text)
			}
			return owner != "" && look()
		})
		if !running {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			t.Fatalf("nothing ran: %s", &stderr)
		}
		<-time.After(time.Duration(rand.IntN(2500)) * time.Millisecond)
		look()
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		// A container ends and goes with the gate that it belongs to. One that was made
		// and not started yet when that died has nothing running in it that could
		// notice: the next gate removes it.
		var left map[string]string
		if !within(t, 4*time.Minute, func() bool {
			left = containersOfOwner(t, owner)
			maps.DeleteFunc(left, func(_, state string) bool { return state == "created" })
			return len(left) == 0
		}) {
			t.Errorf("kill %d: containers are left: %v", i, left)
		}
	}
	// The next gate takes away what was never started, and the locks of the dead ones.
	if out, err := g.command("doctor", "--sweep").CombinedOutput(); err != nil && !strings.Contains(string(out), "sandbox") {
		t.Errorf("sweep: %v\n%s", err, out)
	}
	owner, err := os.ReadFile(filepath.Join(state, "gate", "owner"))
	if err != nil {
		t.Fatal(err)
	}
	if left := containersOfOwner(t, string(owner)); len(left) > 0 {
		t.Errorf("containers are left after a sweep: %v", left)
	}
	d, err := sandbox.Open(t.Context(), sandbox.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var remains []sandbox.Leftover
	if !within(t, 4*time.Minute, func() bool {
		remains, err = d.Remains(t.Context(), slices.Collect(maps.Values(seen)))
		return err != nil || len(remains) == 0
	}) || err != nil {
		t.Errorf("left of the containers: %v, %v", remains, err)
	}
	if changed, err := machine.Look(); err != nil || len(changed) > 0 {
		t.Errorf("this machine has changed: %v, %v", changed, err)
	}
	if entries, err := os.ReadDir(temp); err != nil || len(entries) > 0 {
		t.Errorf("temporary files are left: %v, %v", entries, err)
	}
	locks, err := filepath.Glob(filepath.Join(state, "gate", "*.lock"))
	if err != nil || len(locks) > 0 {
		t.Errorf("locks of dead gates are left: %v, %v", locks, err)
	}
}

func TestLeftoversOfAContainerAreReported(t *testing.T) {
	testenv.Runtime(t, "runc")
	ref := testenv.Image(t, "shell")
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	made, err := api.ContainerCreate(t.Context(), &container.Config{Image: ref, Entrypoint: []string{"/bin/sh", "-c", "sleep 600"}, Cmd: []string{}},
		&container.HostConfig{NetworkMode: "none"}, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = api.ContainerRemove(context.Background(), made.ID, container.RemoveOptions{Force: true})
	}()
	if err := api.ContainerStart(t.Context(), made.ID, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	c, err := api.ContainerInspect(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Dir(c.GraphDriver.Data["MergedDir"])
	d, err := sandbox.Open(t.Context(), sandbox.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	remains, err := d.Remains(t.Context(), []*sandbox.Audit{
		{Container: made.ID, Marks: []string{made.ID, mark}}, {Container: strings.Repeat("0", 64), Marks: []string{strings.Repeat("0", 64)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range remains {
		if r.Container != made.ID {
			t.Errorf("%+v", r)
		}
	}
	for _, want := range []string{"the container itself", "process ", "a mount", "a file"} {
		if !slices.ContainsFunc(remains, func(r sandbox.Leftover) bool { return strings.HasPrefix(r.What, want) }) {
			t.Errorf("%q is not among %+v", want, remains)
		}
	}
}
