package main

import (
	"strings"
	"testing"
)

func TestTheDoctorSaysWhichAppArmorProfileConfines(t *testing.T) {
	for name, tt := range map[string]struct {
		there   bool
		profile string
		state   state
		mend    string
	}{
		"none":         {false, "", stateAbsent, ""},
		"ours":         {true, "gate-sandbox", stateOK, ""},
		"the engine's": {true, "docker-default", stateNote, "apparmor_parser -r"},
		"Podman's":     {true, "", stateNote, "apparmor_parser -r"},
	} {
		got := checkAppArmor(tt.there, tt.profile)
		if got.state != tt.state || !strings.Contains(got.mend, tt.mend) || (tt.mend == "") != (got.mend == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
