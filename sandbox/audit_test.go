package sandbox

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/network"
	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/tools/testenv"
)

func TestTheEngineSaysOfEveryContainerThatItIsConfined(t *testing.T) {
	testenv.Needs(t, testenv.Descriptions)
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "produce", "out=x")
		s.Audit = true
		res := mustRun(t, d, s)
		if res.Status != Exited || res.Audit == nil {
			t.Fatalf("got %s (%s), audit %v", res.Status, res.Reason, res.Audit)
		}
		a := *res.Audit
		if len(a.Container) != 64 || len(a.Marks) < 2 || a.CPUs <= 0 || a.Memory < s.Limits.Memory || a.Pids < s.Limits.Pids {
			t.Errorf("got %+v", a)
		}
		a.Container, a.Marks, a.CPUs, a.Memory, a.Pids = "", nil, 0, 0, 0
		want := Audit{Complete: true, ReadOnlyRoot: true, NoNewPrivileges: true, Seccomp: true, User: "1000:1000"}
		if diff := cmp.Diff(want, a); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		s.Audit = false
		if res := mustRun(t, d, s); res.Audit != nil {
			t.Error("the engine was asked although no one wanted that")
		}
	})
}

// described is a container as the profile makes it.
func described() container.InspectResponse {
	_, host := profile(confinement{runtime: "runc", volume: "v", cores: 4, limits: DefaultLimits()})
	return container.InspectResponse{
		ContainerJSONBase: &container.ContainerJSONBase{HostConfig: host},
		Config:            &container.Config{User: "1000:1000"},
		Mounts:            []container.MountPoint{{Type: mount.TypeVolume, Destination: defaultEntry}},
		NetworkSettings:   &container.NetworkSettings{Networks: map[string]*network.EndpointSettings{"none": {}}},
	}
}

func TestAuditReadsTheProfileFromTheEnginesDescription(t *testing.T) {
	base := auditOf("id", described())
	tests := map[string]struct {
		weaken func(*container.InspectResponse)
		want   func(*Audit)
	}{
		"as it was asked for":       {func(*container.InspectResponse) {}, func(*Audit) {}},
		"a network by its mode":     {func(c *container.InspectResponse) { c.HostConfig.NetworkMode = "host" }, func(a *Audit) { a.Networks = []string{"host"} }},
		"a network that was joined": {func(c *container.InspectResponse) { c.NetworkSettings.Networks["web"] = nil }, func(a *Audit) { a.Networks = []string{"web"} }},
		"a folder of the host": {func(c *container.InspectResponse) {
			c.Mounts = append(c.Mounts, container.MountPoint{Type: mount.TypeBind, Source: "/"})
		},
			func(a *Audit) { a.HostPaths = []string{"/"} }},
		"a volume to write to": {func(c *container.InspectResponse) {
			c.Mounts = append(c.Mounts, container.MountPoint{Type: mount.TypeVolume, Destination: "/data", RW: true})
		},
			func(a *Audit) { a.Writable = []string{"/data"} }},
		"a capability that was added": {func(c *container.InspectResponse) { c.HostConfig.CapAdd = []string{"SYS_ADMIN"} }, func(a *Audit) { a.Capabilities = []string{"SYS_ADMIN"} }},
		"some capabilities dropped": {func(c *container.InspectResponse) { c.HostConfig.CapDrop = []string{"NET_RAW"} },
			func(a *Audit) { a.Capabilities = []string{"the engine's default ones"} }},
		"no security options":    {func(c *container.InspectResponse) { c.HostConfig.SecurityOpt = nil }, func(a *Audit) { a.Seccomp, a.NoNewPrivileges = false, false }},
		"seccomp=unconfined":     {func(c *container.InspectResponse) { c.HostConfig.SecurityOpt = []string{"seccomp=unconfined"} }, func(a *Audit) { a.Seccomp, a.NoNewPrivileges = false, false }},
		"privileges as they are": {func(c *container.InspectResponse) { c.HostConfig.Privileged = true }, func(a *Audit) { a.Privileged = true }},
		"processes of the host":  {func(c *container.InspectResponse) { c.HostConfig.PidMode = "host" }, func(a *Audit) { a.Shared = []string{"pid"} }},
		"memory of a neighbour":  {func(c *container.InspectResponse) { c.HostConfig.IpcMode = "container:x" }, func(a *Audit) { a.Shared = []string{"ipc"} }},
		"a device": {func(c *container.InspectResponse) {
			c.HostConfig.Devices = []container.DeviceMapping{{PathOnHost: "/dev/kvm"}}
		}, func(a *Audit) { a.Devices = []string{"/dev/kvm"} }},
		"no limit of processes": {func(c *container.InspectResponse) { c.HostConfig.PidsLimit = nil }, func(a *Audit) { a.Pids = 0 }},
		"processes without end": {func(c *container.InspectResponse) { c.HostConfig.PidsLimit = ptr(int64(-1)) }, func(a *Audit) { a.Pids = 0 }},
		"swap":                  {func(c *container.InspectResponse) { c.HostConfig.MemorySwap *= 2 }, func(a *Audit) { a.Swap = a.Memory }},
		"swap by default":       {func(c *container.InspectResponse) { c.HostConfig.MemorySwap = 0 }, func(a *Audit) { a.Swap = -1 }},
		"no limit of memory":    {func(c *container.InspectResponse) { c.HostConfig.Memory, c.HostConfig.MemorySwap = 0, 0 }, func(a *Audit) { a.Memory = 0 }},
		"root":                  {func(c *container.InspectResponse) { c.Config.User = "" }, func(a *Audit) { a.User = "" }},
	}
	for name, tt := range tests {
		c, want := described(), *base
		tt.weaken(&c)
		tt.want(&want)
		if diff := cmp.Diff(&want, auditOf("id", c)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestASupervisorWithoutProbesIsNoContainmentThatHeld(t *testing.T) {
	d := openDocker(t)
	if out, err := d.Probe(t.Context(), lab.image, "runc", nil); err == nil || len(out) > 0 || !strings.Contains(err.Error(), "it ended as") {
		t.Errorf("%d outcomes, %v", len(out), err)
	}
}
