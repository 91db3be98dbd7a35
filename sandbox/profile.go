package sandbox

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/network"

	"github.com/aigate/gate/sandbox/internal/wire"
	"github.com/aigate/gate/sandbox/supervisor"
)

// seccompProfile is the default profile of Moby, tightened; see internal/seccomp,
// whose test keeps this file and its source together.
//
//go:embed seccomp.json
var seccompProfile string

// confinement is what profile needs to know besides the limits.
type confinement struct {
	image        string            // id of the image, so that a moved tag changes nothing
	volumes      []string          // folders that the image declares as volumes
	runtime      string            // OCI runtime
	volume       string            // name of the volume with the supervisor
	labels       map[string]string // of the container
	volumeLabels map[string]string
	apparmor     string // AppArmor profile; "" leaves it to the engine
	seccomp      string // system call profile as the engine takes it
	podman       bool   // the engine is Podman
	cores        int    // of the host
	limits       Limits
	exceptions   Exceptions
}

// profile is the whole confinement of a container, in one place. It is the same
// for every image and language but for the exceptions.
func profile(c confinement) (*container.Config, *container.HostConfig) {
	tmpExec := "noexec"
	if c.exceptions.ExecutableTmp {
		tmpExec = "exec" // `go test` runs the program that it has just linked
	}
	workExec, apparmor := "noexec", c.apparmor
	if c.exceptions.ExecutableWorkspace {
		// Tests start what their project has. Our own AppArmor profile denies that, so the
		// engine's takes its place.
		workExec, apparmor = "exec", ""
	}
	config := &container.Config{
		Image: c.image,
		// We are process 1 of the container: nothing of the image starts it.
		Entrypoint:   []string{defaultEntry + "/gate", supervisor.Mode},
		Cmd:          []string{},
		User:         uid + ":" + uid, // a number, so no file of the image decides who that is
		WorkingDir:   "/",
		Hostname:     hostname,
		AttachStdin:  true,
		AttachStdout: true,
		AttachStderr: true,
		OpenStdin:    true,
		StdinOnce:    true, // when gate is gone, standard input ends, and with it the container
		Tty:          false,
		Healthcheck:  &container.HealthConfig{Test: []string{"NONE"}}, // the image's would run beside us

		NetworkDisabled: true,
		Labels:          c.labels,
	}
	memory, pids := c.limits.Memory, c.limits.Pids+wire.SupervisorPids
	var ulimits []*container.Ulimit
	if !sharesKernel(c.runtime) {
		// A kernel of its own counts the processes of a user in this container
		// alone, and refuses before gVisor, which needs a dozen threads of the host
		// for each, runs into its control group and dies. Where the kernel is shared
		// this limit would count all containers; there the control group counts.
		ulimits = []*container.Ulimit{{Name: "nproc", Soft: pids, Hard: pids}}
		// The engine counts that kernel in and, for gVisor, several threads of the
		// host for one of the program's. The supervisor holds the program itself.
		memory, pids = memory+wire.KernelMemory, 32*pids+2048
	}
	if c.podman && ulimits == nil {
		// Left out, Podman puts in the largest number there is, which it may not
		// raise where it lacks a capability itself. The control group is what counts.
		ulimits = []*container.Ulimit{{Name: "nproc", Soft: podmanProcesses, Hard: podmanProcesses}}
	}
	host := &container.HostConfig{
		Runtime: c.runtime,

		// What it can reach: nothing.
		NetworkMode:  network.NetworkNone,
		DNS:          []string{"127.0.0.1"}, // or the host's resolvers and
		DNSSearch:    []string{"."},         // search domains would be readable
		IpcMode:      container.IPCModeNone,
		PidMode:      "", // its own
		UTSMode:      "",
		UsernsMode:   "",
		CgroupnsMode: container.CgroupnsModePrivate,

		// What it can change: a few folders in memory, bounded in bytes and files.
		ReadonlyRootfs: true,
		Tmpfs: map[string]string{
			supervisor.Workspace:    c.tmpfs(workExec, "0755", c.limits.Workspace, c.limits.Inodes),
			"/tmp":                  c.tmpfs(tmpExec, "1777", c.limits.Workspace, c.limits.Inodes),
			supervisor.InputFolder:  c.tmpfs("noexec", "0755", c.limits.Workspace, c.limits.Inodes), // the supervisor fills it and then fixes it
			supervisor.OutputFolder: c.tmpfs("noexec", "0755", c.limits.Workspace, c.limits.Inodes),
			"/dev/shm":              c.tmpfs("noexec", "1777", 16<<20, 64),
		},
		// The supervisor, from a volume of the engine. No path of the host.
		Mounts: []mount.Mount{{
			Type: mount.TypeVolume, Source: c.volume, Target: defaultEntry, ReadOnly: true,
			VolumeOptions: &mount.VolumeOptions{
				NoCopy: true,           // never filled from the image
				Labels: c.volumeLabels, // for an engine that lost it and makes it anew
			},
		}},

		// What it may do: what any user may, and less.
		CapDrop:     []string{"ALL"},
		Privileged:  false,
		SecurityOpt: []string{"no-new-privileges:true", "seccomp=" + c.seccomp},
		MaskedPaths: []string{
			"/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/key-users", "/proc/keys", "/proc/latency_stats",
			"/proc/sched_debug", "/proc/scsi", "/proc/timer_list", "/proc/timer_stats",
			"/sys/devices/virtual/powercap", "/sys/firmware", "/sys/kernel/vmcoreinfo",
		},
		ReadonlyPaths: []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"},

		// What it can use up.
		Resources: container.Resources{
			Memory:     memory,
			MemorySwap: memory, // of memory and swap together: no swap
			NanoCPUs:   int64(math.Round(min(c.limits.CPUs, float64(max(c.cores, 1))) * 1e9)),
			PidsLimit:  ptr(pids),
			// The program's own limits are set by the supervisor; these bind it too.
			Ulimits: append(ulimits, []*container.Ulimit{
				{Name: "core", Soft: 0, Hard: 0},
				{Name: "memlock", Soft: 64 << 10, Hard: 64 << 10},
				{Name: "msgqueue", Soft: 0, Hard: 0},
				{Name: "nofile", Soft: openFiles, Hard: openFiles},
			}...),
		},
		OomScoreAdj: 500, // when the host itself runs out of memory, this goes before other services

		// What is left of it: nothing.
		AutoRemove:    true, // also when gate is killed
		RestartPolicy: container.RestartPolicy{Name: container.RestartPolicyDisabled},
		LogConfig:     container.LogConfig{Type: "none"}, // output comes to us and is not stored
		Init:          ptr(false),
	}
	if apparmor != "" {
		host.SecurityOpt = append(host.SecurityOpt, "apparmor="+apparmor)
	}
	for _, dir := range dataFolders() {
		host.Tmpfs[dir] = c.tmpfs("noexec", "0755", 1<<20, 256)
	}
	if c.podman {
		c.podmanExceptions(host)
	}
	// A volume that an image declares would be writable disk without a bound.
	for _, dir := range c.volumes {
		host.Tmpfs[dir] = c.tmpfs("noexec", "0755", c.limits.Workspace, c.limits.Inodes)
	}
	return config, host
}

// dataFolders are where machines keep what people store on them, outside of any home: a program
// that destroys data finds some there. Each is small, in memory, and of one container.
func dataFolders() []string { return []string{"/srv", "/mnt", "/var/backups"} }

// podmanProcesses is more than all containers of a machine have together.
const podmanProcesses = 16 << 10

// tmpfs are the options of a folder in memory, of so many bytes and files.
func (c confinement) tmpfs(exec, mode string, bytes, files int64) string {
	if c.podman {
		// It does not know the others. The number of files is bounded by the limit of
		// memory alone, and what no one owns has to be everybody's.
		return fmt.Sprintf("rw,nosuid,nodev,%s,notmpcopyup,size=%d,mode=1777", exec, bytes)
	}
	return fmt.Sprintf("rw,nosuid,nodev,%s,size=%d,nr_inodes=%d,uid=%s,gid=%s,mode=%s", exec, bytes, files, uid, uid, mode)
}

// sharesKernel reports whether the programs of a runtime are processes of the
// host, so that the engine counts them as what they are. An unknown runtime is
// taken for one with a kernel of its own: there the supervisor counts as well.
func sharesKernel(runtime string) bool { return IsolationOf(runtime) == SharedKernel }

func ptr[T any](v T) *T { return &v }
