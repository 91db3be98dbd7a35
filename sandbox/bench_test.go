package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aigate/gate/tools/testenv"
)

// BenchmarkRun measures one program that does nothing, several ways in turn, so
// that a busy machine burdens all of them alike:
//
//	host      the program started by no one but the kernel
//	bwrap     by bubblewrap, unprivileged namespaces and no engine, where it is installed
//	docker    by the engine's own command with the same confinement
//	cold      from Spec to Result, the container's start and removal included
//	pooled    with a container that waited
//	observed  the same, with everything recorded
//
// It reports the median and the 95th percentile of each in milliseconds, and what
// of them is a ratio; ns/op is the sum of all and means nothing.
func BenchmarkRun(b *testing.B) {
	docker, err := exec.LookPath("docker")
	if err != nil {
		testenv.Missing(b, "no docker command to compare with", "apt-get install docker.io")
	}
	for _, runtime := range []string{"runc", "runsc"} {
		for name, argv := range map[string][]string{"true": {"/bin/true"}, "python": {"/usr/bin/python3", "-c", "pass"}} {
			b.Run(runtime+"/"+name, func(b *testing.B) {
				testenv.Runtime(b, runtime)
				benchmarkRun(b, docker, runtime, argv)
			})
		}
	}
}

// pythonImage holds the programs that are started: what people build it from has
// them at the same place as Debian, so the host can start its own.
const pythonImage = "gate-sandbox-python:dev"

func benchmarkRun(b *testing.B, docker, runtime string, argv []string) {
	d := openGate(b, 1)
	if _, err := d.engine.image(b.Context(), pythonImage); err != nil {
		testenv.Missing(b, "no image "+pythonImage, "make images")
	}
	if _, err := os.Stat(argv[0]); err != nil {
		testenv.Missing(b, "no "+argv[0]+" on the host to compare with", "apt-get install python3")
	}
	spec := attack(runtime)
	spec.Image, spec.Argv = pythonImage, argv
	plain := spec
	plain.Observe = nil
	args, bwrap := dockerArgs(b, runtime, pythonImage, argv), bwrapArgs(b, argv)
	// A container waits before the time is taken.
	pooled := func(s Spec) func() error {
		d.Expect(s, 1)
		waitForPool(b, d)
		return func() error {
			_, err := d.Run(b.Context(), s)
			return err
		}
	}
	command := func(args []string) func() error {
		return func() error { return exec.CommandContext(b.Context(), args[0], args[1:]...).Run() }
	}
	var host, bare, cold, warm, seen, jail series
	for b.Loop() {
		host.time(command(argv))
		if bwrap != nil {
			jail.time(command(bwrap))
		}
		bare.time(command(append([]string{docker}, args...)))
		cold.time(func() error {
			_, err := d.Run(b.Context(), plain)
			d.pool.work.Wait()
			return err
		})
		warm.time(pooled(plain))
		seen.time(pooled(spec))
	}
	for name, s := range map[string]*series{"host": &host, "bwrap": &jail, "docker": &bare, "cold": &cold, "pooled": &warm, "observed": &seen} {
		if s.err != nil {
			b.Fatalf("%s: %v", name, s.err)
		}
		if len(s.took) > 0 {
			b.ReportMetric(s.at(0.5).Seconds()*1000, name+"-ms")
			b.ReportMetric(s.at(0.95).Seconds()*1000, name+"-p95-ms")
		}
	}
	b.ReportMetric(cold.at(0.5).Seconds()/bare.at(0.5).Seconds(), "cold/docker")
	b.ReportMetric(warm.at(0.5).Seconds()/bare.at(0.5).Seconds(), "pooled/docker")
	b.ReportMetric((warm.at(0.5)-host.at(0.5)).Seconds()*1000, "pooled-adds-ms")
	b.ReportMetric((seen.at(0.5)-host.at(0.5)).Seconds()*1000, "observed-adds-ms")
}

// BenchmarkRecording measures what recording costs a program: one that computes,
// and one that opens and closes a file over and over, which is the worst that can
// be; a hundred thousand times, nothing else counts any more, the program's start
// neither. It reports the ratio of the program's own time, observed to not observed.
func BenchmarkRecording(b *testing.B) {
	for _, runtime := range []string{"runc", "runsc"} {
		for name, args := range map[string][]string{"compute": {"compute", "300"}, "open-and-close": {"opens", "2000"}, "open-and-close-on-and-on": {"opens", "100000"}} {
			if runtime == "runsc" && args[1] == "100000" {
				continue // a minute for each
			}
			b.Run(runtime+"/"+name, func(b *testing.B) {
				testenv.Runtime(b, runtime)
				d := openGate(b, 0)
				var with, without series
				for b.Loop() {
					spec := attack(runtime, args...)
					for _, s := range []*series{&with, &without} {
						r, err := d.Run(b.Context(), spec)
						if err != nil || r.Status != Exited {
							b.Fatalf("%s %q: %v", r.Status, r.Reason, err)
						}
						s.took = append(s.took, r.Duration)
						spec.Observe = nil
					}
				}
				b.ReportMetric(with.at(0.5).Seconds()*1000, "with-ms")
				b.ReportMetric(without.at(0.5).Seconds()*1000, "without-ms")
				b.ReportMetric(with.at(0.5).Seconds()/without.at(0.5).Seconds(), "with/without")
			})
		}
	}
}

// BenchmarkThroughput measures how many containers a second come about when as
// many run side by side as the machine has cores: the engine's own command, and
// gate with a pool.
func BenchmarkThroughput(b *testing.B) {
	docker, err := exec.LookPath("docker")
	if err != nil {
		testenv.Missing(b, "no docker command to compare with", "apt-get install docker.io")
	}
	const each = 8 // containers per measurement
	for _, runtime := range []string{"runc", "runsc"} {
		b.Run(runtime, func(b *testing.B) {
			testenv.Runtime(b, runtime)
			parallel := goruntime.NumCPU()
			d := openGate(b, parallel)
			spec, args := attack(runtime, "exit", "0"), dockerArgs(b, runtime, lab.image, []string{"/attacker", "exit", "0"})
			side := func(f func() error) func() error {
				return func() error {
					var running sync.WaitGroup
					slots, errs := make(chan struct{}, parallel), make([]error, each)
					for i := range each {
						running.Go(func() {
							slots <- struct{}{}
							defer func() { <-slots }()
							errs[i] = f()
						})
					}
					running.Wait()
					return errors.Join(errs...)
				}
			}
			var bare, ours series
			for b.Loop() {
				bare.time(side(func() error {
					if out, err := exec.CommandContext(b.Context(), docker, args...).CombinedOutput(); err != nil {
						return fmt.Errorf("docker run: %w: %s", err, out)
					}
					return nil
				}))
				ours.time(func() error {
					d.Expect(spec, each)
					err := side(func() error {
						_, err := d.Run(b.Context(), spec)
						return err
					})()
					d.pool.work.Wait() // the removal is part of it
					return err
				})
			}
			for _, s := range []*series{&bare, &ours} {
				if s.err != nil {
					b.Fatal(s.err)
				}
			}
			b.ReportMetric(each/bare.at(0.5).Seconds(), "docker/s")
			b.ReportMetric(each/ours.at(0.5).Seconds(), "gate/s")
			b.ReportMetric(bare.at(0.5).Seconds()/ours.at(0.5).Seconds(), "gate/docker")
		})
	}
}

// waitForPool returns when every container that was asked for waits.
func waitForPool(b *testing.B, d *Docker) {
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock()
	for _, s := range d.pool.shelves {
		for i, ready := range s.waiting {
			o := <-ready
			if o.err != nil {
				b.Fatal(o.err)
			}
			again := make(chan opened, 1)
			again <- o
			s.waiting[i] = again
		}
	}
}

// bwrapArgs run a program of the host under bubblewrap, which sees the host's
// programs and nothing else; nil where bubblewrap is not installed.
func bwrapArgs(b *testing.B, argv []string) []string {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		b.Log("bubblewrap is not installed and left out: apt-get install bubblewrap")
		return nil
	}
	args := []string{bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
		"--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
		"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/workspace"}
	return append(args, argv...)
}

// openGate opens an engine with gate itself as the supervisor, which starts more
// slowly than the one of the tests: what is measured is the product.
func openGate(b *testing.B, pool int) *Docker {
	l := testLab(b)
	d, err := Open(b.Context(), Options{Supervisor: testenv.Gate(b), StateDir: l.state, Pool: pool})
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

// at returns a quantile, 0 to 1.
func (s *series) at(q float64) time.Duration {
	slices.Sort(s.took)
	return s.took[min(int(q*float64(len(s.took))), len(s.took)-1)]
}

// dockerArgs are the profile in the terms of the engine's command.
func dockerArgs(b *testing.B, runtime, image string, argv []string) []string {
	seccomp := filepath.Join(b.TempDir(), "seccomp.json")
	if err := os.WriteFile(seccomp, []byte(seccompProfile), 0o600); err != nil {
		b.Fatal(err)
	}
	tmpfs := fmt.Sprintf("rw,nosuid,nodev,noexec,size=%d,nr_inodes=%d,uid=1000,gid=1000", 64<<20, 32<<10)
	args := []string{"run", "--rm", "--runtime", runtime, "--network", "none", "--read-only", "--user", "1000:1000",
		"--memory", "256m", "--memory-swap", "256m", "--cpus", "1", "--pids-limit", "1344", "--cap-drop", "ALL",
		"--security-opt", "no-new-privileges", "--security-opt", "seccomp=" + seccomp, "--ipc", "none", "--cgroupns", "private",
		"--tmpfs", "/workspace:" + tmpfs, "--tmpfs", "/tmp:" + tmpfs, "--tmpfs", "/dev/shm:" + tmpfs, "--tmpfs", "/data:" + tmpfs,
		"--log-driver", "none", "--ulimit", "core=0", "--ulimit", "nofile=1024", "--hostname", "sandbox", "--no-healthcheck", "--workdir", "/",
		"--entrypoint", argv[0], image}
	return append(args, argv[1:]...)
}
