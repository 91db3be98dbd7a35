package sandbox

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestAProgramRunsAsNobodyInItsWorkspace(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "hello", "a b", "$(id)")
		s.Env = []string{"MINE=1", "HOME=/workspace"}
		s.Input = files(map[string]string{"sub/a.txt": "hello"})
		s.Dir = "sub"
		res := mustRun(t, d, s)
		if res.Status != Exited || res.ExitCode != 0 {
			t.Fatalf("got %s %d (%s)", res.Status, res.ExitCode, res.Reason)
		}
		out := string(res.Stdout.Data)
		for _, want := range []string{
			"wd /workspace/sub\n", "uid 1000 1000 gid 1000\n", "host sandbox\n", "args a b|$(id)\n",
			"MINE=1", "FROM_IMAGE=yes", "HOME=/workspace", "TMPDIR=/tmp", "file /workspace/sub/a.txt -rw-r--r--\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in\n%s", want, out)
			}
		}
		if res.Duration <= 0 || res.Resources.CPU <= 0 || res.Resources.Memory <= 0 {
			t.Errorf("nothing measured: %s %+v", res.Duration, res.Resources)
		}
		if !strings.HasPrefix(res.Engine, "docker ") && !strings.HasPrefix(res.Engine, "podman ") || res.Runtime != runtime || res.Image != lab.image || !strings.HasPrefix(res.ImageID, "sha256:") {
			t.Errorf("where it ran: %q %q %q %q", res.Engine, res.Runtime, res.Image, res.ImageID)
		}
	})
}

func TestRunsSideBySideDoNotMix(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				mine := strings.Repeat(fmt.Sprint(i), 10_000)
				s := attack(runtime, "produce", "out="+mine)
				s.Input = files(map[string]string{"in": mine})
				s.Output = []string{"in", "out"}
				r, err := d.Run(t.Context(), s)
				if err != nil || len(r.Files) != 2 || string(r.Files[0].Data) != mine || string(r.Files[1].Data) != mine {
					t.Errorf("run %d: %s (%s), %d files, %v", i, r.Status, r.Reason, len(r.Files), err)
				}
			})
		}
		wg.Wait()
	})
}
