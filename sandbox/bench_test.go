package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/aigate/gate/tools/testenv"
)

func eachRuntimeB(b *testing.B, f func(b *testing.B, runtime string)) {
	for _, runtime := range []string{"runc", "runsc"} {
		b.Run(runtime, func(b *testing.B) {
			testenv.Runtime(b, runtime)
			f(b, runtime)
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

// BenchmarkRun is one program that does nothing, from Spec to Result, the
// container's removal included.
func BenchmarkRun(b *testing.B) {
	eachRuntimeB(b, func(b *testing.B, runtime string) {
		d := openGate(b)
		s := attack(runtime, "exit", "0")
		if r := mustRun(b, d, s); r.Status != Exited {
			b.Fatalf("%s (%s)", r.Status, r.Reason)
		}
		for b.Loop() {
			if r := mustRun(b, d, s); r.Status != Exited {
				b.Fatalf("%s (%s)", r.Status, r.Reason)
			}
		}
	})
}

// BenchmarkDockerRun is the same with the engine's own command and the same
// confinement: what BenchmarkRun is measured against.
func BenchmarkDockerRun(b *testing.B) {
	docker, err := exec.LookPath("docker")
	if err != nil {
		testenv.Missing(b, "no docker command to compare with", "apt-get install docker.io")
	}
	eachRuntimeB(b, func(b *testing.B, runtime string) {
		l := testLab(b)
		profile := filepath.Join(b.TempDir(), "seccomp.json")
		if err := os.WriteFile(profile, []byte(seccompProfile), 0o600); err != nil {
			b.Fatal(err)
		}
		tmpfs := fmt.Sprintf("rw,nosuid,nodev,noexec,size=%d,nr_inodes=%d,uid=1000,gid=1000", 64<<20, 32<<10)
		args := []string{"run", "--rm", "--runtime", runtime, "--network", "none", "--read-only", "--user", "1000:1000",
			"--memory", "256m", "--memory-swap", "256m", "--cpus", "1", "--pids-limit", "80", "--cap-drop", "ALL",
			"--security-opt", "no-new-privileges", "--security-opt", "seccomp=" + profile, "--ipc", "none", "--cgroupns", "private",
			"--tmpfs", "/workspace:" + tmpfs, "--tmpfs", "/tmp:" + tmpfs, "--tmpfs", "/dev/shm:" + tmpfs, "--tmpfs", "/data:" + tmpfs,
			"--log-driver", "none", "--ulimit", "core=0", "--ulimit", "nofile=1024", "--hostname", "sandbox", "--no-healthcheck", "--workdir", "/",
			"--entrypoint", "/attacker", l.image, "exit", "0"}
		for b.Loop() {
			if out, err := exec.Command(docker, args...).CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
		}
	})
}

// BenchmarkWarmRun is the part of a run that is left when its container was
// started beforehand: from the job to the report.
func BenchmarkWarmRun(b *testing.B) {
	eachRuntimeB(b, func(b *testing.B, runtime string) {
		d := openGate(b)
		spec, err := attack(runtime, "exit", "0").normal()
		if err != nil {
			b.Fatal(err)
		}
		var total time.Duration
		n := 0
		for b.Loop() {
			b.StopTimer()
			box, _, err := d.boxFor(b.Context(), spec)
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			begin := time.Now()
			rep, _, err := box.session(b.Context(), spec)
			total += time.Since(begin)
			n++
			b.StopTimer()
			if err != nil || rep.exit.Code != 0 {
				b.Fatalf("%v %+v", err, rep.exit)
			}
			if err := box.close(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		b.ReportMetric(float64(total.Microseconds())/float64(n)/1000, "ms/session")
	})
}
