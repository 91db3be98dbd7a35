package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/tools/testenv"
)

func TestAppArmorIsUsedWhereItIs(t *testing.T) {
	for name, tt := range map[string]struct {
		there, podman bool
		loaded        []string
		want          string
	}{
		"a machine without it":             {false, false, []string{AppArmorName}, ""},
		"a machine where ours is loaded":   {true, false, []string{"docker-default", AppArmorName}, AppArmorName},
		"a machine where it is not":        {true, false, []string{"docker-default", "gate-sandbox-old"}, "docker-default"},
		"a machine that does not say":      {true, false, nil, "docker-default"},
		"Podman where ours is loaded":      {true, true, []string{AppArmorName}, AppArmorName},
		"Podman, which has one of its own": {true, true, nil, ""},
	} {
		got := appArmorFor(tt.there, tt.podman, tt.loaded)
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		_, host := profile(confinement{apparmor: got, limits: DefaultLimits(), runtime: "runc"})
		if slices.Contains(host.SecurityOpt, "apparmor="+tt.want) != (tt.want != "") {
			t.Errorf("%s: options %q", name, host.SecurityOpt)
		}
	}
}

func TestProfilesCountOnlyIfEnforced(t *testing.T) {
	root, user, none := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(root, "profiles"), "docker-default (enforce)\ngate-sandbox (complain)\n/usr/bin/man (enforce)\n")
	write(filepath.Join(user, "policy/profiles/gate-sandbox.7/name"), "gate-sandbox\n")
	write(filepath.Join(user, "policy/profiles/gate-sandbox.7/mode"), "enforce\n")
	write(filepath.Join(user, "policy/profiles/other.8/name"), "other\n")
	write(filepath.Join(user, "policy/profiles/other.8/mode"), "complain\n")
	for dir, want := range map[string][]string{root: {"docker-default", "/usr/bin/man"}, user: {"gate-sandbox"}, none: nil} {
		if got := loadedProfiles(dir); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTheProfileForAppArmorIsOne(t *testing.T) {
	parser, err := exec.LookPath("apparmor_parser")
	if err != nil {
		parser, err = exec.LookPath("/usr/sbin/apparmor_parser")
	}
	if err != nil {
		testenv.Missing(t, "no apparmor_parser", "apt-get install -y apparmor")
	}
	cmd := exec.CommandContext(t.Context(), parser, "--skip-kernel-load", "--skip-cache", "--stdout")
	cmd.Stdin = strings.NewReader(AppArmorProfile())
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil || len(out) == 0 || !strings.Contains(string(out), AppArmorName) {
		t.Errorf("%v, %d bytes: %s", err, len(out), complaint.String())
	}
}
