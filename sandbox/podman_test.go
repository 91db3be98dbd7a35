package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPodmanIsNotBelievedAboutRuntimes(t *testing.T) {
	for _, tt := range []struct {
		podman             bool
		settings, want, is string
	}{
		{false, "runc", "runsc", "runsc"},
		{true, "crun", "crun", "crun"},
		{true, "crun", "runc", "crun"}, // as good as the other
		{true, "runsc", "runsc", "runsc"},
		{true, "crun", "runsc", ""},
		{true, "runc", "kata", ""},
		{true, "runsc", "runc", ""},
	} {
		f := facts{podman: tt.podman, defaultRuntime: tt.settings}
		got, err := f.runtimeOf(tt.want)
		var missing *MissingError
		if got != tt.is || (tt.is == "") != errors.As(err, &missing) {
			t.Errorf("Podman %v with %s asked for %s: %q, %v", tt.podman, tt.settings, tt.want, got, err)
		}
		if missing != nil && !strings.Contains(missing.Hint, "podman --runtime "+tt.want+" system service") {
			t.Errorf("the hint names no way: %s", missing.Hint)
		}
	}
}

func TestPodmanReadsTheProfileFromAFile(t *testing.T) {
	podman := &engine{facts: facts{podman: true}, run: &runLock{dir: t.TempDir()}}
	path, err := podman.seccomp()
	if err != nil || !filepath.IsAbs(path) {
		t.Fatal(path, err)
	}
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil { // another's, or half of ours
		t.Fatal(err)
	}
	again, err := podman.seccomp()
	data, rerr := os.ReadFile(path)
	if err != nil || rerr != nil || again != path || string(data) != seccompProfile {
		t.Errorf("got %s %v, holding %d bytes %v", again, err, len(data), rerr)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	docker := &engine{}
	if inline, err := docker.seccomp(); err != nil || inline != seccompProfile {
		t.Error("Docker takes the profile itself")
	}
}

func TestPodmanGetsOptionsThatItKnows(t *testing.T) {
	_, host := profile(confinement{podman: true, limits: DefaultLimits(), runtime: "runc", seccomp: "/run/profile.json", volumes: []string{"/data"}})
	for at, options := range host.Tmpfs {
		if strings.Contains(options, "inodes") || strings.Contains(options, "uid=") || !strings.Contains(options, "noexec") || !strings.Contains(options, "size=") {
			t.Errorf("%s: %s", at, options)
		}
	}
	if len(host.Tmpfs) != 11 || !strings.HasPrefix(host.Tmpfs["/run"], "ro,") || !strings.HasPrefix(host.Tmpfs["/var/tmp"], "ro,") || host.Ulimits[0].Name != "nproc" {
		t.Errorf("folders %v, limits %v", host.Tmpfs, host.Ulimits)
	}
}
