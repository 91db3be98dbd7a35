package main

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/tools/testenv"
)

// TestAKilledInstallationLeavesNothingBehind kills gate while its installers
// wait for a registry: the container ends with it, and there is no image.
func TestAKilledInstallationLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	testenv.Image(t, "python")
	g := depsRepo(t)
	asked := make(chan struct{})
	ask := sync.OnceFunc(func() { close(asked) })
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { ask(); <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	g.env = append(g.env, "PIP_INDEX_URL="+silent.URL+"/simple/", "GATE_BUILD_NETWORK=host")
	before := installing(t)
	build := g.command("deps", "build")
	if err := build.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	during := installing(t)
	if err := build.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = build.Wait() // it was killed
	ours := map[string]bool{}
	for id := range during {
		ours[id] = !before[id]
	}
	if len(ours) == 0 {
		t.Fatal("no container was there to be left behind")
	}
	for deadline := time.Now().Add(time.Minute); ; {
		left := installing(t)
		gone := true
		for id, mine := range ours {
			// Other tests install at the same time: theirs may be among them, and end as well.
			gone = gone && (!mine || !left[id])
		}
		if gone {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("containers are left: %v", left)
		}
	}
	if out, err := exec.Command("docker", "image", "inspect", images.DependencyRef("python", headDigest(t, g.dir))).Output(); err == nil {
		t.Errorf("there is an image all the same: %s", out)
	}
}

// installing are the containers that install, as the engine lists them.
func installing(t *testing.T) map[string]bool {
	t.Helper()
	out, err := exec.Command("docker", "ps", "-aq", "--filter", "label=aigate.installs").Output()
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for id := range strings.FieldsSeq(string(out)) {
		ids[id] = true
	}
	return ids
}
