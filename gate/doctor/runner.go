package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/aigate/gate/gate/bounded"
)

// maxRunnerFile bounds the settings of a runner, in bytes; they take some hundred.
const maxRunnerFile = 64 << 10

// runnerFix registers a runner anew so that it takes one job and is gone.
const runnerFix = "register it with ./config.sh --url URL --token TOKEN --ephemeral, on a machine or in a container that is thrown away after the job"

// checkRunner says whether the machine of this job outlives it: what one job
// leaves on a persistent runner, the next one finds. Outside of a job there is
// nothing to say. The answer is what the runner's settings claim; that no one
// keeps the machine and starts the runner again on it cannot be seen from inside.
func checkRunner(getenv func(string) string) []Diagnosis {
	if getenv("GITHUB_ACTIONS") != "true" {
		return nil
	}
	d := Diagnosis{What: "runner", State: Note, Fix: runnerFix}
	switch env := getenv("RUNNER_ENVIRONMENT"); env {
	case "github-hosted":
		return []Diagnosis{{What: "runner", State: OK, Detail: "hosted by GitHub: a fresh machine for each job"}}
	case "self-hosted":
	default:
		d.Detail = fmt.Sprintf("ephemeral or persistent is not known: RUNNER_ENVIRONMENT is %q", env)
		return []Diagnosis{d}
	}
	file, ephemeral, err := runnerSettings(getenv)
	switch {
	case err != nil:
		d.Detail = fmt.Sprintf("ephemeral or persistent is not known: %v", err)
	case ephemeral:
		d.State, d.Fix, d.Detail = OK, "", fmt.Sprintf("ephemeral, says %s: it takes one job", file)
	default:
		d.Detail = fmt.Sprintf("persistent, says %s: what a job leaves, the next one finds. No job of a fork belongs here", file)
		if getenv("ACTIONS_RUNNER_HOOK_JOB_COMPLETED") != "" {
			d.Detail += "; a hook cleans up after each job, as far as it goes"
		}
	}
	return []Diagnosis{d}
}

// runnerSettings reads the file .runner, which the runner keeps beside its work
// folder unless that was put elsewhere. It is never looked for in the work folder
// itself, which jobs fill. An ephemeral runner says so in it; a persistent one
// leaves the key out.
func runnerSettings(getenv func(string) string) (file string, ephemeral bool, err error) {
	err = errors.New("neither RUNNER_WORKSPACE nor RUNNER_TEMP names a folder")
	for _, name := range []string{"RUNNER_WORKSPACE", "RUNNER_TEMP"} {
		dir := getenv(name) // ROOT/_work/NAME
		if !filepath.IsAbs(dir) {
			continue
		}
		file = filepath.Join(filepath.Dir(filepath.Dir(filepath.Clean(dir))), ".runner")
		if ephemeral, err = readRunnerFile(file); err == nil {
			return file, ephemeral, nil
		}
	}
	return file, false, err
}

func readRunnerFile(path string) (ephemeral bool, err error) {
	data, err := bounded.ReadPath(path, maxRunnerFile)
	if err != nil {
		return false, err
	}
	var settings struct {
		AgentName string `json:"agentName"`
		Ephemeral bool   `json:"ephemeral"`
	}
	// The runner writes a byte order mark.
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &settings); err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	if settings.AgentName == "" {
		return false, fmt.Errorf("%s is not the settings of a runner: it has no agentName", path)
	}
	return settings.Ephemeral, nil
}
