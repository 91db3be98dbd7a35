package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/volume"
)

func TestASweepTakesOnlyTheDead(t *testing.T) {
	d := openDocker(t)
	other, err := Open(t.Context(), Options{Supervisor: lab.supervisor, StateDir: lab.state})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	now, old := time.Now().UTC().Format(time.RFC3339), time.Now().Add(-2*abandonedAfter).UTC().Format(time.RFC3339)
	const dead, stranger = "00000000000000000000000000000dea", "00000000000000000000000000000bad"
	label := func(run, owner, created string) map[string]string {
		return map[string]string{labelRun: run, labelOwner: owner, labelRole: roleRun, labelCreated: created}
	}
	tests := []struct {
		name   string
		labels map[string]string
		start  bool
		swept  bool
	}{
		{"of a dead run", label(dead, d.engine.run.owner, now), false, true},
		{"of a dead run, still running", label(dead, d.engine.run.owner, now), true, true},
		// To the gates of other tests on this engine these are strangers', and those
		// take what is old and was never started.
		{"of this run", label(d.RunID(), d.engine.run.owner, old), true, false},
		{"of a living run beside it", label(other.RunID(), d.engine.run.owner, old), true, false},
		{"of a run whose name is no id", label("../../etc/passwd", d.engine.run.owner, old), true, false},
		{"of a stranger, just made", label(dead, stranger, now), false, false},
		{"of a stranger, running for days", label(dead, stranger, old), true, false},
		{"of a stranger, without a date", label(dead, stranger, "yesterday"), false, false},
		{"that is not gate's", map[string]string{"some": "label"}, false, false},
	}
	ids := map[string]string{}
	for _, tt := range tests {
		made, err := d.engine.api.ContainerCreate(t.Context(),
			&container.Config{Image: lab.image, Entrypoint: []string{"/attacker", "stayfor"}, Labels: tt.labels, NetworkDisabled: true},
			&container.HostConfig{NetworkMode: "none"}, nil, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		ids[tt.name] = made.ID
		defer func() {
			if err := d.engine.remove(t.Context(), made.ID); err != nil {
				t.Error(err)
			}
		}()
		if tt.start {
			if err := d.engine.api.ContainerStart(t.Context(), made.ID, container.StartOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	before, err := d.Leftovers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		if _, err := d.engine.api.ContainerInspect(t.Context(), ids[tt.name]); err != nil || slices.Contains(before.Containers, ids[tt.name]) != tt.swept {
			t.Errorf("container %s: announced %v, want %v; it must still be there: %v", tt.name, !tt.swept, tt.swept, err)
		}
	}
	swept, err := d.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		_, err := d.engine.api.ContainerInspect(t.Context(), ids[tt.name])
		if gone := errdefs.IsNotFound(err); gone != tt.swept || gone != slices.Contains(swept.Containers, ids[tt.name]) {
			t.Errorf("container %s: gone %v, reported %v, want %v (%v)", tt.name, gone, slices.Contains(swept.Containers, ids[tt.name]), tt.swept, err)
		}
	}
}

// The gates of other tests on this engine sweep this container as well, at any moment.
// Then it is tried with another one.
func TestASweepTakesWhatAStrangerNeverStartedForDays(t *testing.T) {
	d := openDocker(t)
	labels := map[string]string{
		labelRun: "00000000000000000000000000000dea", labelOwner: "00000000000000000000000000000bad", labelRole: roleRun,
		labelCreated: time.Now().Add(-2 * abandonedAfter).UTC().Format(time.RFC3339),
	}
	const tries = 20
	for range tries {
		made, err := d.engine.api.ContainerCreate(t.Context(),
			&container.Config{Image: lab.image, Entrypoint: []string{"/attacker", "stayfor"}, Labels: labels, NetworkDisabled: true},
			&container.HostConfig{NetworkMode: "none"}, nil, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		announced, err := d.Leftovers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		swept, err := d.Sweep(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.engine.api.ContainerInspect(t.Context(), made.ID); !errdefs.IsNotFound(err) {
			t.Fatalf("the container is still there: %v", err)
		}
		if slices.Contains(announced.Containers, made.ID) && slices.Contains(swept.Containers, made.ID) {
			return
		}
	}
	t.Errorf("%d containers were gone, and this gate neither announced nor swept one of them", tries)
}

func TestASweepTakesUnusedSupervisorsOfOtherBuilds(t *testing.T) {
	d := openDocker(t)
	ours, err := d.engine.supervisor.volume(t.Context(), d.engine, lab.image)
	if err != nil {
		t.Fatal(err)
	}
	now, old := time.Now().UTC().Format(time.RFC3339), time.Now().Add(-2*abandonedAfter).UTC().Format(time.RFC3339)
	tests := []struct {
		name, digest, created string
		used, swept           bool
	}{
		{"gate-supervisor-test-stale", "aa", old, false, true},
		{"gate-supervisor-test-used", "bb", old, true, false},
		{"gate-supervisor-test-young", "cc", now, false, false},
		{"gate-supervisor-test-same", d.engine.supervisor.digest, old, false, false},
	}
	for _, tt := range tests {
		labels := map[string]string{labelRole: roleSupervisor, labelDigest: tt.digest, labelCreated: tt.created}
		if _, err := d.engine.api.VolumeCreate(t.Context(), volume.CreateOptions{Name: tt.name, Labels: labels}); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := d.engine.api.VolumeRemove(t.Context(), tt.name, true); err != nil && !errdefs.IsNotFound(err) {
				t.Error(err)
			}
		}()
		if tt.used {
			made, err := d.engine.api.ContainerCreate(t.Context(), &container.Config{Image: lab.image, Entrypoint: []string{"/x"}},
				&container.HostConfig{Mounts: []mount.Mount{{Type: mount.TypeVolume, Source: tt.name, Target: "/v"}}}, nil, nil, "")
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := d.engine.remove(t.Context(), made.ID); err != nil {
					t.Error(err)
				}
			}()
		}
	}
	before, err := d.Leftovers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		if slices.Contains(before.Volumes, tt.name) != tt.swept {
			t.Errorf("volume %s: announced %v, want %v", tt.name, !tt.swept, tt.swept)
		}
	}
	swept, err := d.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		_, err := d.engine.api.VolumeInspect(t.Context(), tt.name)
		if gone := errdefs.IsNotFound(err); gone != tt.swept {
			t.Errorf("volume %s: gone %v, want %v", tt.name, gone, tt.swept)
		}
	}
	if slices.Contains(swept.Volumes, ours) {
		t.Error("it took the supervisor that is in use")
	}
}

func TestASupervisorThatVanishedIsBroughtInAgain(t *testing.T) {
	d := openDocker(t)
	if r := mustRun(t, d, attack("runc", "exit", "0")); r.Status != Exited {
		t.Fatalf("got %s (%s)", r.Status, r.Reason)
	}
	if err := d.engine.api.VolumeRemove(t.Context(), d.engine.supervisor.name(), true); err != nil {
		t.Fatal(err)
	}
	if r := mustRun(t, d, attack("runc", "exit", "0")); r.Status != Exited {
		t.Errorf("got %s (%s)", r.Status, r.Reason)
	}
	// What was made in between is ours and holds the program.
	v, err := d.engine.api.VolumeInspect(t.Context(), d.engine.supervisor.name())
	if err != nil || v.Labels[labelRole] != roleSupervisor || v.Labels[labelDigest] != d.engine.supervisor.digest {
		t.Errorf("labels %v, error %v", v.Labels, err)
	}
}

func TestTwoGatesThatStartAtOnceShareOneSupervisor(t *testing.T) {
	d1, d2 := openDocker(t), openDocker(t)
	if v, err := d1.engine.supervisor.volume(t.Context(), d1.engine, lab.image); err == nil {
		_ = d1.engine.api.VolumeRemove(t.Context(), v, true)
	}
	d1.engine.supervisor.forget()
	results := make(chan Result, 4)
	for _, d := range []*Docker{d1, d2, d1, d2} {
		go func() {
			r, err := d.Run(t.Context(), attack("runc", "exit", "0"))
			if err != nil {
				r.Reason = err.Error()
			}
			results <- r
		}()
	}
	for range 4 {
		if r := <-results; r.Status != Exited {
			t.Errorf("got %s (%s)", r.Status, r.Reason)
		}
	}
}

func TestInstallAcceptsOnlyASupervisor(t *testing.T) {
	l := testLab(t)
	for path, want := range map[string]string{
		"/nonexistent/gate":        "no such file",
		"leftovers_remove_test.go": "not a Linux program",
		"/bin/sh":                  "linked dynamically",
		"":                         "dynamically", // the test binary itself, when built with cgo
	} {
		in := installation{path: path, arch: goarch}
		err := in.load()
		if path == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
	}
	in := installation{path: l.supervisor, arch: map[string]string{"amd64": "arm64", "arm64": "amd64"}[goarch]}
	if err := in.load(); err == nil || !strings.Contains(err.Error(), "GOARCH="+in.arch) {
		t.Errorf("other architecture: %v", err)
	}
}
