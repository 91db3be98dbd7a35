package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/system"

	"github.com/aigate/gate/sandbox/internal/wire"
	"github.com/aigate/gate/tools/testenv"
)

// What programs can try is in the probes. This is the rest: what the engine made
// of the literal.
func TestTheEngineTakesTheWholeProfile(t *testing.T) {
	testenv.Needs(t, testenv.Descriptions)
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		spec, err := attack(runtime, "hello").normal()
		if err != nil {
			t.Fatal(err)
		}
		spec.Limits.CPUs = 0.5
		b, _, err := d.engine.instanceFor(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := b.close(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		c, err := d.engine.api.ContainerInspect(t.Context(), b.id)
		if err != nil {
			t.Fatal(err)
		}
		h := c.HostConfig
		memory := spec.Limits.Memory
		if runtime == "runsc" {
			memory += wire.KernelMemory
		}
		for name, ok := range map[string]bool{
			"no network":              h.NetworkMode == "none" && c.Config.NetworkDisabled && len(h.PortBindings) == 0,
			"read-only root":          h.ReadonlyRootfs,
			"no path of the host":     len(h.Binds) == 0 && !slices.ContainsFunc(c.Mounts, func(m container.MountPoint) bool { return m.Type != "volume" || m.RW }),
			"one volume":              len(c.Mounts) == 1,
			"no capabilities":         slices.Equal(h.CapDrop, []string{"ALL"}) && len(h.CapAdd) == 0 && !h.Privileged,
			"no new privileges":       slices.Contains(h.SecurityOpt, "no-new-privileges:true"),
			"our system calls":        slices.Contains(h.SecurityOpt, "seccomp="+seccompProfile),
			"user 1000":               c.Config.User == "1000:1000" && len(h.GroupAdd) == 0,
			"memory without swap":     h.Memory == memory && h.MemorySwap == memory && (h.OomKillDisable == nil || !*h.OomKillDisable),
			"half a core":             h.NanoCPUs == 5e8,
			"processes":               h.PidsLimit != nil && *h.PidsLimit >= spec.Limits.Pids && *h.PidsLimit < 5000,
			"processes, by gVisor":    (runtime == "runsc") == slices.ContainsFunc(h.Ulimits, func(u *container.Ulimit) bool { return u.Name == "nproc" && u.Hard < 100 }),
			"namespaces of its own":   h.PidMode == "" && h.UTSMode == "" && h.IpcMode == "none" && h.CgroupnsMode == "private",
			"no devices":              len(h.Devices) == 0 && len(h.DeviceRequests) == 0 && len(h.DeviceCgroupRules) == 0,
			"nothing stored":          h.LogConfig.Type == "none",
			"removed with its end":    h.AutoRemove && h.RestartPolicy.IsNone(),
			"our process 1":           (h.Init == nil || !*h.Init) && c.Path == "/.gate/gate" && slices.Equal(c.Args, []string{"__supervise"}),
			"no health check":         slices.Equal(c.Config.Healthcheck.Test, []string{"NONE"}),
			"memory for its files":    strings.Contains(h.Tmpfs["/workspace"], "noexec") && strings.Contains(h.Tmpfs["/tmp"], ",noexec,") && strings.Contains(h.Tmpfs["/tmp"], "nr_inodes="),
			"the image's volumes too": strings.Contains(h.Tmpfs["/data"], "nr_inodes="),
			"masked":                  slices.Contains(h.MaskedPaths, "/proc/kcore") && slices.Contains(h.MaskedPaths, "/sys/firmware"),
			"no core dumps":           slices.ContainsFunc(h.Ulimits, func(u *container.Ulimit) bool { return u.Name == "core" && u.Hard == 0 }),
			"labels":                  c.Config.Labels[labelRun] == d.RunID() && c.Config.Labels[labelRole] == roleRun && c.Config.Labels[labelCreated] != "",
		} {
			if !ok {
				t.Errorf("not there: %s", name)
			}
		}
	})
}

func TestDeltasAloneLoosenTheProfile(t *testing.T) {
	base := confinement{limits: DefaultLimits(), runtime: "runc", cores: 4, seccomp: seccompProfile}
	_, strict := profile(base)
	base.exceptions = Exceptions{ExecutableTmp: true, NoAddressSpace: true}
	_, loose := profile(base)
	for dir, options := range strict.Tmpfs {
		if !strings.Contains(options, ",noexec,") {
			t.Errorf("%s is %s", dir, options)
		}
	}
	if loose.Tmpfs["/tmp"] != strings.Replace(strict.Tmpfs["/tmp"], ",noexec,", ",exec,", 1) {
		t.Errorf("/tmp is %s", loose.Tmpfs["/tmp"])
	}
	loose.Tmpfs["/tmp"] = strict.Tmpfs["/tmp"]
	base.exceptions, base.apparmor = Exceptions{ExecutableWorkspace: true}, AppArmorName
	if _, tests := profile(base); tests.Tmpfs[Workspace] != strings.Replace(strict.Tmpfs[Workspace], ",noexec,", ",exec,", 1) || tests.Tmpfs["/tmp"] != strict.Tmpfs["/tmp"] ||
		len(tests.SecurityOpt) != len(strict.SecurityOpt) {
		t.Errorf("the workspace is %s, with %q", tests.Tmpfs[Workspace], tests.SecurityOpt)
	}
	a, errA := json.Marshal(strict)
	b, errB := json.Marshal(loose)
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Error("the exceptions change more than /tmp")
	}
}

func TestAnExecutableWorkspaceRunsWhatIsThereAndNothingElseIs(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "probes", "run from tmp", "run from workspace", "run from shm")
		s.Exceptions.ExecutableWorkspace = true
		out := string(mustRun(t, d, s).Stdout.Data)
		if !strings.Contains(out, "run from workspace\tfiles\t\tok\n") || strings.Count(out, "\tok") != 1 {
			t.Errorf("got %q", out)
		}
	})
}

func TestExecutableTmpRunsWhatIsWrittenThere(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "probes", "run from tmp", "run from workspace", "run from shm")
		s.Exceptions.ExecutableTmp = true
		out := string(mustRun(t, d, s).Stdout.Data)
		if !strings.Contains(out, "run from tmp\tfiles\t\tok\n") || strings.Count(out, "\tok") != 1 {
			t.Errorf("got %q", out)
		}
	})
}

func TestAShareOfACoreIsHeld(t *testing.T) {
	testenv.Runtime(t, "runc")
	d := openDocker(t)
	s := attack("runc", "loop")
	s.Limits.CPUs, s.Limits.Timeout = 0.2, 2*time.Second
	if r := mustRun(t, d, s); r.Status != Timeout || r.Resources.CPU > 800*time.Millisecond {
		t.Errorf("got %s after %s of processor time", r.Status, r.Resources.CPU)
	}
}

func TestAnImagesVolumeIsMemoryAndBounded(t *testing.T) {
	testenv.Runtime(t, "runc")
	testenv.Needs(t, testenv.WritableFolders)
	d := openDocker(t)
	s := attack("runc", "disk", "/data")
	s.Limits.Workspace = 8 << 20
	if r := mustRun(t, d, s); !strings.HasPrefix(string(r.Stdout.Data), "full after MiB 8 ") {
		t.Errorf("got %q (%s)", clip(r.Stdout.Data), r.Reason)
	}
}

func TestAnEngineIsReadForWhatItIs(t *testing.T) {
	good := system.Info{ServerVersion: "20.10.24", NCPU: 4, Architecture: "x86_64", OSType: "linux",
		SecurityOptions: []string{"name=apparmor", "name=seccomp,profile=default"},
		Runtimes:        map[string]system.RuntimeWithStatus{"runsc": {}, "runc": {}}}
	f, err := factsOf(good)
	if err != nil || f.name != "docker 20.10.24" || f.arch != "amd64" || !f.apparmor || strings.Join(f.runtimes, " ") != "runc runsc" {
		t.Errorf("got %+v, %v", f, err)
	}
	_, host := profile(confinement{apparmor: appArmorFor(f.apparmor, f.podman, nil), seccomp: seccompProfile, limits: DefaultLimits(), runtime: "runc"})
	if !slices.Contains(host.SecurityOpt, "apparmor=docker-default") {
		t.Error("AppArmor is there and not used")
	}
	good.Architecture = "s390x"
	if _, err := factsOf(good); err == nil {
		t.Error("an architecture without a guard was taken")
	}
}

func TestInfoNamesWhatTheEngineHas(t *testing.T) {
	d := openDocker(t)
	i, err := d.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(i.Engine, "docker ") && !strings.HasPrefix(i.Engine, "podman ") || i.Host == "" || i.Cores < 1 || i.Memory < 1 || !slices.Contains(i.Runtimes, "runc") || i.CgroupVersion == "" {
		t.Errorf("got %+v", i)
	}
	for _, img := range i.Images {
		if img.Labels[labelImage] == "" || img.Created.IsZero() || img.Size <= 0 || img.ID == "" {
			t.Errorf("image %+v", img)
		}
	}
}

func TestAnEngineThatIsNotThereIsAnError(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := Open(ctx, Options{Host: "unix:///nonexistent/docker.sock", StateDir: t.TempDir()})
	if err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "/nonexistent/docker.sock") {
		t.Errorf("got %v", err)
	}
	if _, err := Open(ctx, Options{RunID: "../x"}); err == nil || !strings.Contains(err.Error(), "run id") {
		t.Errorf("got %v", err)
	}
}
