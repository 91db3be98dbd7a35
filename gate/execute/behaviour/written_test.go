package behaviour_test

import (
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/sandbox"
)

func TestAFunctionThatInstallsAServiceForItsUserIsSuspicious(t *testing.T) {
	for _, tt := range []struct {
		kind behaviour.Kind
		path string
		want gate.Severity
	}{
		{behaviour.Script, "/tmp/.config/systemd/user/lamp.service", gate.SeverityDangerous},
		{behaviour.Exercise, "/tmp/.config/systemd/user/lamp.service", gate.SeveritySuspicious},
		{behaviour.Exercise, "/tmp/.config/autostart/lamp.desktop", gate.SeveritySuspicious},
		{behaviour.Exercise, "/etc/systemd/system/lamp.service", gate.SeverityDangerous},
		{behaviour.Exercise, "/tmp/.ssh/authorized_keys", gate.SeverityDangerous},
	} {
		found := behaviour.Findings(behaviour.Run{Kind: tt.kind, Seen: sandbox.Behaviour{
			Events: []sandbox.Event{{Action: sandbox.ActionWrite, Object: tt.path, Count: 1}},
		}})
		if len(found) != 1 || found[0].Severity != tt.want {
			t.Errorf("%s writes %s: %v, want one %s", tt.kind, tt.path, found, tt.want)
		}
	}
}
