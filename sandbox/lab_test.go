package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"go.uber.org/goleak"

	"github.com/aigate/gate/tools/testenv"
)

// The tests run a hostile program, testdata/attacker, in an image that holds
// nothing else: whatever a container can do here, it can do in any image.

func TestMain(m *testing.M) {
	if os.Getenv(victimVar) != "" {
		os.Exit(victim())
	}
	code := m.Run()
	if lab.dir != "" {
		lab.tearDown()
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// laboratory is what all tests of the process share.
type laboratory struct {
	once       sync.Once
	err        error
	dir        string
	supervisor string // program
	image      string // reference
	state      string // folder for run locks
}

var lab laboratory

// testLab builds the programs and the image once.
func testLab(t testing.TB) *laboratory {
	t.Helper()
	testenv.Docker(t)
	lab.once.Do(func() { lab.err = lab.setUp() })
	if lab.err != nil {
		t.Fatal(lab.err)
	}
	return &lab
}

func (l *laboratory) setUp() (err error) {
	if l.dir, err = os.MkdirTemp("", "gate-sandbox-test"); err != nil {
		return err
	}
	l.state = filepath.Join(l.dir, "state")
	l.supervisor = filepath.Join(l.dir, "supervise")
	attacker := filepath.Join(l.dir, "attacker")
	for path, pkg := range map[string]string{l.supervisor: "./testdata/supervise", attacker: "./testdata/attacker"} {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
	}
	program, err := os.ReadFile(attacker)
	if err != nil {
		return err
	}
	return l.importImage(program)
}

func (l *laboratory) importImage(program []byte) error {
	sum := sha256.Sum256(program)
	// The process id keeps test processes that run side by side apart: each
	// removes its own image.
	l.image = fmt.Sprintf("gate-test-attacker:%s-%d", hex.EncodeToString(sum[:6]), os.Getpid())
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, f := range []struct {
		name    string
		mode    int64
		content []byte
	}{
		{"attacker", 0o755, program},
		{"setuid-root", 0o4755, program},
		{"image", 0o644, []byte("gate attacker\n")},
		{"etc/passwd", 0o644, []byte("root:x:0:0::/:/attacker\n")},
		{"etc/shadow", 0o600, []byte("root:secret:1::::::\n")},
		{"data/from-image", 0o644, []byte("x")},
		{".gate/gate", 0o755, []byte("#!/attacker\n")}, // must never be what starts
	} {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		if _, err := w.Write(f.content); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return withEngine(func(ctx context.Context, c *client.Client) error {
		// What an image can say for itself, and must not matter.
		changes := []string{`VOLUME ["/data"]`, "USER 0", `ENTRYPOINT ["/attacker","hello"]`, "ENV FROM_IMAGE=yes", "WORKDIR /nowhere", "HEALTHCHECK CMD /attacker hello"}
		if v, err := c.ServerVersion(ctx); err != nil {
			return err
		} else if isPodman(v) {
			changes = changes[:len(changes)-1] // it does not import health checks
		}
		res, err := c.ImageImport(ctx, image.ImportSource{Source: &buf, SourceName: "-"}, l.image, image.ImportOptions{Changes: changes})
		if err != nil {
			return err
		}
		defer res.Close()
		_, err = io.Copy(io.Discard, res)
		return err
	})
}

func (l *laboratory) tearDown() {
	err := withEngine(func(ctx context.Context, c *client.Client) error {
		if l.image != "" {
			if _, err := c.ImageRemove(ctx, l.image, image.RemoveOptions{Force: true}); err != nil {
				fmt.Fprintln(os.Stderr, "remove the test image:", err)
			}
		}
		in := &installation{path: l.supervisor, arch: runtime.GOARCH}
		if in.load() == nil {
			_ = c.VolumeRemove(ctx, in.name(), false)
		}
		return nil
	})
	if err == nil {
		err = os.RemoveAll(l.dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tear down:", err)
	}
}

func withEngine(f func(context.Context, *client.Client) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	c, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return err
	}
	defer c.Close()
	return f(ctx, c)
}

// openDocker opens an engine for a test and, behind it, checks that the test left
// nothing in it.
func openDocker(t testing.TB) *Docker {
	t.Helper()
	l := testLab(t)
	d, err := Open(t.Context(), Options{Supervisor: l.supervisor, StateDir: l.state})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left := containersOf(t, d.RunID()); len(left) > 0 {
			t.Errorf("containers left behind: %v", left)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// containersOf lists the containers of a run, those that have ended included.
func containersOf(t testing.TB, run string) []string {
	t.Helper()
	var names []string
	err := withEngine(func(ctx context.Context, c *client.Client) error {
		list, err := c.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", labelRun+"="+run))})
		for _, e := range list {
			names = append(names, e.ID[:12]+" "+e.State)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// eachRuntime runs a test on every runtime that the project supports, side by side: most of
// its time it waits, for the engine or for the end of a limit.
func eachRuntime(t *testing.T, f func(t *testing.T, runtime string)) {
	var side sync.WaitGroup
	for _, runtime := range []string{"runc", "runsc"} {
		side.Go(func() {
			t.Run(runtime, func(t *testing.T) {
				testenv.Runtime(t, runtime)
				f(t, runtime)
			})
		})
	}
	side.Wait()
}

// attack is a Spec for one command of the attacker, which is observed as every
// program is. Go reserves more addresses than it uses, so there is no limit on
// those. The time is what a busy machine may take: a test of time has its own.
func attack(runtime string, args ...string) Spec {
	return Spec{
		Image: lab.image, Runtime: runtime, Argv: append([]string{"/attacker"}, args...),
		Exceptions: Exceptions{NoAddressSpace: true},
		Limits:     Limits{Timeout: 2 * time.Minute, Memory: 256 << 20, Pids: 64},
		Observe:    &Observe{},
	}
}

// mustRun runs a Spec that has to come about.
func mustRun(t testing.TB, d *Docker, s Spec) Result {
	t.Helper()
	res, err := d.Run(t.Context(), s)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	if testing.Verbose() {
		t.Logf("%s %q exit %d in %s, %+v\n%s%s", res.Status, res.Reason, res.ExitCode, res.Duration, res.Resources,
			clip(res.Stdout.Data), clip(res.Stderr.Data))
	}
	return res
}

func clip(b []byte) string { return strings.ToValidUTF8(string(b[:min(len(b), 6000)]), "?") }

// files makes an input of regular files.
func files(contents map[string]string) func(*tar.Writer) error {
	return func(w *tar.Writer) error {
		for name, content := range contents {
			if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
				return err
			}
			if _, err := io.WriteString(w, content); err != nil {
				return err
			}
		}
		return nil
	}
}

const goarch = runtime.GOARCH
