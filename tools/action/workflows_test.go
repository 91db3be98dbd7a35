package action_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

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

func TestWorkflowsAreAcceptedByGitHub(t *testing.T) {
	// shellcheck and pyflakes are not on every machine; the result must not
	// depend on them.
	args := []string{"-config-file", filepath.Join(root, ".github/actionlint.yaml"), "-shellcheck=", "-pyflakes="}
	cmd := exec.CommandContext(t.Context(), testenv.Actionlint(t), append(args, workflows(t)...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}

func TestThePageAboutTheActionSaysWhatTheActionHas(t *testing.T) {
	page := read(t, "docs/action.md")
	var action struct {
		Inputs, Outputs map[string]yaml.Node
	}
	if err := yaml.Unmarshal([]byte(read(t, "action.yml")), &action); err != nil {
		t.Fatal(err)
	}
	_, inputs, _ := strings.Cut(page, "## Inputs")
	inputs, outputs, _ := strings.Cut(inputs, "## Outputs")
	outputs, _, _ = strings.Cut(outputs, "## ")
	for name := range action.Inputs {
		if !strings.Contains(inputs, "`"+name+"`") {
			t.Errorf("docs/action.md does not describe the input %s", name)
		}
	}
	for name := range action.Outputs {
		if !strings.Contains(outputs, "`"+name+"`") {
			t.Errorf("docs/action.md does not describe the output %s", name)
		}
	}
	if len(action.Inputs) == 0 || len(action.Outputs) == 0 {
		t.Error("action.yml was not understood")
	}
	for _, link := range regexp.MustCompile(`\]\(([^)#]+)\)`).FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join(root, "docs", link[1])); err != nil {
			t.Errorf("a link of docs/action.md leads nowhere: %v", err)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
