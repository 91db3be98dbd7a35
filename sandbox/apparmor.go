package sandbox

import (
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// AppArmorName is the name of gate's own AppArmor profile for its containers.
const AppArmorName = "gate-sandbox"

//go:embed apparmor/gate-sandbox
var appArmorProfile string

// AppArmorProfile is the text of that profile, to be loaded by who is root on the
// engine's machine. gate never loads it: that is a change of the host.
func AppArmorProfile() string { return appArmorProfile }

// appArmor is the profile that containers get, "" for what the engine takes by
// itself.
func (e *engine) appArmor() string {
	var loaded []string
	if strings.HasPrefix(e.api.DaemonHost(), "unix://") { // else it is another machine's
		loaded = loadedProfiles("/sys/kernel/security/apparmor")
	}
	return appArmorFor(e.facts.apparmor, e.facts.podman, loaded)
}

// appArmorFor chooses a profile: ours where it is loaded, else the engine's, and
// none where the machine has no AppArmor.
func appArmorFor(there, podman bool, loaded []string) string {
	switch {
	case !there:
		return ""
	case slices.Contains(loaded, AppArmorName):
		return AppArmorName
	case podman:
		return "" // the name of its own profile has its version in it
	}
	return "docker-default"
}

// loadedProfiles lists the profiles that the kernel enforces, as far as this user
// may see them.
func loadedProfiles(dir string) []string {
	var out []string
	if list, err := os.ReadFile(filepath.Join(dir, "profiles")); err == nil {
		for line := range strings.Lines(string(list)) {
			if name, ok := strings.CutSuffix(strings.TrimSpace(line), " (enforce)"); ok {
				out = append(out, name)
			}
		}
		return out
	}
	folders, err := filepath.Glob(filepath.Join(dir, "policy", "profiles", "*"))
	if err != nil {
		return nil
	}
	for _, f := range folders {
		name, nerr := os.ReadFile(filepath.Join(f, "name"))
		mode, merr := os.ReadFile(filepath.Join(f, "mode"))
		if nerr == nil && merr == nil && strings.TrimSpace(string(mode)) == "enforce" {
			out = append(out, strings.TrimSpace(string(name)))
		}
	}
	return out
}
