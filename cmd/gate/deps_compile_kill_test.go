package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/tools/testenv"
)

// TestAKilledCompilationLeavesNothingBehind kills gate while the packages of Go are
// compiled: the container ends with it, and there is no image and no volume.
func TestAKilledCompilationLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	testenv.Image(t, "go")
	files := map[string]string{
		"go.mod": "module example.com/compiled\n\ngo 1.21\n\nrequire github.com/rogpeppe/go-internal v1.15.0\n",
		"go.sum": "github.com/rogpeppe/go-internal v1.15.0 h1:D0RCU5rMAp+SpgkiNdrjfJ+LX4J1M32V2NeCY7EJ6hc=\ngithub.com/rogpeppe/go-internal v1.15.0/go.mod h1:DrUVZyrJU+txYW5/1kwtXQSMFio52ZOxX7yM1VHvnxs=\n",
	}
	for i := range 40 { // that many packages take longer than it takes to see the container
		files[fmt.Sprintf("p%d/p.go", i)] = fmt.Sprintf("package p%d\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n)\n\nfunc Print() { fmt.Println(http.StatusText(%d)) }\n", i, i)
	}
	g := newRealGate(t, files)
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "-m", "base"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = g.dir, g.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	g.env = append(g.env, "GATE_BUILD_NETWORK=host")
	volumes := func() string {
		out, err := exec.Command("docker", "volume", "ls", "-q", "--filter", "label=aigate.installs").Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	compiling := func() map[string]bool {
		all := installing(t)
		for id := range all {
			// It may have ended since.
			image, err := exec.Command("docker", "inspect", "-f", "{{.State.Running}} {{.Config.Image}}", id).Output()
			want, wrong := exec.Command("docker", "image", "inspect", "-f", "true {{.Id}}", images.Ref("go")).Output()
			if err != nil || wrong != nil || string(image) != string(want) {
				delete(all, id)
			}
		}
		return all
	}
	before, volumesBefore := compiling(), volumes()
	build := g.command("deps", "build")
	var said strings.Builder
	build.Stdout, build.Stderr = &said, &said
	if err := build.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = build.Wait() // it is killed
		close(ended)
	}()
	var ours []string
	for len(ours) == 0 {
		select {
		case <-ended:
			t.Fatalf("it ended before anything was compiled: %s", said.String())
		default:
		}
		for id := range compiling() {
			if !before[id] {
				ours = append(ours, id)
			}
		}
	}
	if err := build.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	for deadline := time.Now().Add(time.Minute); ; {
		left := installing(t)
		gone := true
		for _, id := range ours {
			gone = gone && !left[id]
		}
		if gone {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("containers are left: %v", left)
		}
	}
	if got := volumes(); got != volumesBefore {
		t.Errorf("volumes are left: %s", got)
	}
	if out, err := exec.Command("docker", "image", "inspect", images.DependencyRef("go", headDigest(t, g.dir))).Output(); err == nil {
		t.Errorf("there is an image all the same: %s", out)
	}
}
