package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aigate/gate/tools/testenv"
)

// BenchmarkRun measures one program that does nothing, three ways in turn, so
// that a busy machine burdens all of them alike:
//
//	run     from Spec to Result, the container's removal included
//	docker  the engine's own command with the same confinement
//	warm    what is left of a run when its container was started beforehand
//
// It reports medians in milliseconds and what of them is a ratio; ns/op is the
// sum of all and means nothing.
func BenchmarkRun(b *testing.B) {
	docker, err := exec.LookPath("docker")
	if err != nil {
		testenv.Missing(b, "no docker command to compare with", "apt-get install docker.io")
	}
	for _, runtime := range []string{"runc", "runsc"} {
		b.Run(runtime, func(b *testing.B) {
			testenv.Runtime(b, runtime)
			d := openGate(b)
			spec, err := attack(runtime, "exit", "0").normal()
			if err != nil {
				b.Fatal(err)
			}
			args := dockerArgs(b, runtime)
			var run, bare, warm series
			for b.Loop() {
				run.time(func() error {
					_, err := d.Run(b.Context(), spec)
					return err
				})
				bare.time(func() error { return exec.CommandContext(b.Context(), docker, args...).Run() })
				box, _, err := d.boxFor(b.Context(), spec)
				if err != nil {
					b.Fatal(err)
				}
				warm.time(func() error {
					_, _, err := box.session(b.Context(), spec)
					return err
				})
				if err := box.close(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			for name, s := range map[string]*series{"run": &run, "docker": &bare, "warm": &warm} {
				if s.err != nil {
					b.Fatalf("%s: %v", name, s.err)
				}
				b.ReportMetric(s.median().Seconds()*1000, name+"-ms")
			}
			b.ReportMetric(run.median().Seconds()/bare.median().Seconds(), "run/docker")
			b.ReportMetric(warm.median().Seconds()/bare.median().Seconds(), "warm/docker")
		})
	}
}

// openGate opens an engine with gate itself as the supervisor, which starts more
// slowly than the one of the tests: what is measured is the product.
func openGate(b *testing.B) *Docker {
	l := testLab(b)
	d, err := Open(b.Context(), Options{Supervisor: testenv.Gate(b), StateDir: l.state})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := d.Close(); err != nil {
			b.Error(err)
		}
	})
	return d
}

// series is how long something took, each time.
type series struct {
	took []time.Duration
	err  error // the first one
}

func (s *series) time(f func() error) {
	begin := time.Now()
	err := f()
	s.took = append(s.took, time.Since(begin))
	if s.err == nil {
		s.err = err
	}
}

func (s *series) median() time.Duration {
	slices.Sort(s.took)
	return s.took[len(s.took)/2]
}

// dockerArgs are the profile in the terms of the engine's command.
func dockerArgs(b *testing.B, runtime string) []string {
	seccomp := filepath.Join(b.TempDir(), "seccomp.json")
	if err := os.WriteFile(seccomp, []byte(seccompProfile), 0o600); err != nil {
		b.Fatal(err)
	}
	tmpfs := fmt.Sprintf("rw,nosuid,nodev,noexec,size=%d,nr_inodes=%d,uid=1000,gid=1000", 64<<20, 32<<10)
	return []string{"run", "--rm", "--runtime", runtime, "--network", "none", "--read-only", "--user", "1000:1000",
		"--memory", "256m", "--memory-swap", "256m", "--cpus", "1", "--pids-limit", "1344", "--cap-drop", "ALL",
		"--security-opt", "no-new-privileges", "--security-opt", "seccomp=" + seccomp, "--ipc", "none", "--cgroupns", "private",
		"--tmpfs", "/workspace:" + tmpfs, "--tmpfs", "/tmp:" + tmpfs, "--tmpfs", "/dev/shm:" + tmpfs, "--tmpfs", "/data:" + tmpfs,
		"--log-driver", "none", "--ulimit", "core=0", "--ulimit", "nofile=1024", "--hostname", "sandbox", "--no-healthcheck", "--workdir", "/",
		"--entrypoint", "/attacker", lab.image, "exit", "0"}
}
