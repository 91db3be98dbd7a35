package action_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/aigate/gate/tools/testenv"
)

const root = "../.."

// workflows returns our own workflows and the examples.
func workflows(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.yml", "examples/*.yml"} {
		found, err := filepath.Glob(filepath.Join(root, ".github/workflows", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no workflows in %s: %v", pattern, err)
		}
		all = append(all, found...)
	}
	return all
}

func TestEveryWorkflowIsOneThatGitHubAccepts(t *testing.T) {
	// shellcheck and pyflakes are not on every machine; the result must not
	// depend on them.
	args := []string{"-config-file", filepath.Join(root, ".github/actionlint.yaml"), "-shellcheck=", "-pyflakes="}
	cmd := exec.CommandContext(t.Context(), testenv.Actionlint(t), append(args, workflows(t)...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}
