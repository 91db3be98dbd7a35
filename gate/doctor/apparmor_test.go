package doctor

import (
	"strings"
	"testing"
)

func TestAppArmorProfileThatConfinesIsNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		there   bool
		profile string
		state   State
		fix     string
	}{
		"none":         {false, "", Absent, ""},
		"ours":         {true, "gate-sandbox", OK, ""},
		"the engine's": {true, "docker-default", Note, "apparmor_parser -r"},
		"Podman's":     {true, "", Note, "apparmor_parser -r"},
	} {
		got := checkAppArmor(tt.there, tt.profile)
		if got.State != tt.state || !strings.Contains(got.Fix, tt.fix) || (tt.fix == "") != (got.Fix == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
