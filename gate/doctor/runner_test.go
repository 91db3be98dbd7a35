package doctor

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunnerOutlivesTheJobOrNot(t *testing.T) {
	const bom = "\ufeff"
	settings := func(more string) string {
		return `{"agentId": 7, "agentName": "gpu-1", "poolName": "Default"` + more + `, "workFolder": "_work"}`
	}
	tests := map[string]struct {
		env    map[string]string
		runner string // content of the file .runner; "" for none
		state  State  // "" for no line at all
		detail string
	}{
		"outside of a job":                  {map[string]string{"GITHUB_ACTIONS": ""}, settings(""), "", ""},
		"a machine of GitHub's":             {map[string]string{"RUNNER_ENVIRONMENT": "github-hosted"}, "", OK, "hosted by GitHub"},
		"an ephemeral runner":               {nil, settings(`, "ephemeral": true`), OK, "ephemeral, says "},
		"with a byte order mark":            {nil, bom + settings(`, "Ephemeral": true`), OK, "ephemeral, says "},
		"a persistent runner":               {nil, settings(""), Note, "persistent, says "},
		"one that says so":                  {nil, settings(`, "ephemeral": false`), Note, "persistent, says "},
		"one with a hook that cleans up":    {map[string]string{"ACTIONS_RUNNER_HOOK_JOB_COMPLETED": "/clean"}, settings(""), Note, "a hook cleans up"},
		"found by the temporary folder":     {map[string]string{"RUNNER_WORKSPACE": ""}, settings(`, "ephemeral": true`), OK, "ephemeral, says "},
		"no settings to be found":           {nil, "", Note, "not known: "},
		"settings that are no JSON":         {nil, "ephemeral: true", Note, "not known: "},
		"JSON of something else":            {nil, `{"ephemeral": true}`, Note, "not known: "},
		"settings with another type":        {nil, settings(`, "ephemeral": "true"`), Note, "not known: "},
		"settings that never end":           {nil, settings(`, "x": "` + strings.Repeat("x", maxRunnerFile) + `", "ephemeral": true`), Note, "not known: "},
		"a runner that says nothing":        {map[string]string{"RUNNER_ENVIRONMENT": ""}, settings(`, "ephemeral": true`), Note, `RUNNER_ENVIRONMENT is ""`},
		"folders that the job cannot mean":  {map[string]string{"RUNNER_WORKSPACE": "..", "RUNNER_TEMP": "_temp"}, settings(`, "ephemeral": true`), Note, "names a folder"},
		"settings in the work folder alone": {map[string]string{"GITHUB_WORKSPACE": "holds a .runner of its own"}, "", Note, "not known: "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			env := map[string]string{
				"GITHUB_ACTIONS": "true", "RUNNER_ENVIRONMENT": "self-hosted",
				"RUNNER_WORKSPACE": filepath.Join(root, "_work", "shop"), "RUNNER_TEMP": filepath.Join(root, "_work", "_temp"),
			}
			maps.Copy(env, tt.env)
			if err := os.MkdirAll(filepath.Join(root, "_work", "shop", "shop"), 0o755); err != nil {
				t.Fatal(err)
			}
			write := func(path, text string) {
				if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if tt.runner != "" {
				write(".runner", tt.runner)
			}
			// What a pull request brings along never sets anything.
			for _, dir := range []string{"_work/shop/shop", "_work/shop", "_work"} {
				write(dir+"/.runner", settings(`, "ephemeral": true`))
			}
			got := checkRunner(func(name string) string { return env[name] })
			if tt.state == "" {
				if len(got) != 0 {
					t.Errorf("got %+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].State != tt.state || !strings.Contains(got[0].Detail, tt.detail) ||
				(tt.state == OK) == strings.Contains(got[0].Fix, "--ephemeral") {
				t.Errorf("got %+v", got)
			}
		})
	}
}
