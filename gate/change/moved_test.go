package change

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestAMoveCanMakeAFileSomethingElse(t *testing.T) {
	for _, tt := range []struct {
		before, after string
		role          gate.Role
		want          bool
	}{
		{"docs/a.sh", "src/a.sh", gate.RoleSource, true},
		{"templates/.github/workflows/a.yml", ".github/workflows/a.yml", gate.RoleCI, true},
		{"tests/fix/package.json", "package.json", gate.RoleManifest, true},
		{"src/package.json", "package.json", gate.RoleManifest, true},
		{"src/a.sh", ".husky/a.sh", gate.RoleSource, true},
		{"src/a.sh", "etc/Cron.D/a.sh", gate.RoleSource, true},
		{"src/a.sh", "lib/a.sh", gate.RoleSource, false},
		{"a.sh", "scripts/a.sh", gate.RoleSource, false},
		{"src/a.py", "src/core/a.py", gate.RoleSource, false},
		{"src/a.sh", "docs/a.sh", gate.RoleSource, false},
		{"tests/unit/a.py", "tests/integration/a.py", gate.RoleTest, false},
		{"packages/a/package.json", "libs/a/package.json", gate.RoleManifest, false},
	} {
		if got := otherPlace(tt.before, tt.after, tt.role); got != tt.want {
			t.Errorf("%s to %s: %t, want %t", tt.before, tt.after, got, tt.want)
		}
	}
}
