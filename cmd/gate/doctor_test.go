package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/tools/testenv"
)

func TestTheDoctorWarnsBeforeADiskIsFull(t *testing.T) {
	dir := t.TempDir()
	local := sandbox.Info{Host: "unix:///var/run/docker.sock", Root: filepath.Join(dir, "docker")}
	remote := sandbox.Info{Host: "tcp://192.0.2.1:2376", Root: filepath.Join(dir, "docker")}
	hidden := sandbox.Info{Host: local.Host, Root: filepath.Join(dir, "in", "a", "machine")}
	work := place{what: "disk: temporary", dir: filepath.Join(dir, "not", "yet", "there"), min: minWorkSpace, mend: "empty it"}
	has := func(n int64) freeSpace {
		return func(at string) (int64, error) {
			if at != dir {
				t.Errorf("asked for the disk of %s, want that of %s, the nearest folder that exists", at, dir)
			}
			return n, nil
		}
	}
	broken := func(string) (int64, error) { return 0, errors.New("not supported") }
	never := func(at string) (int64, error) {
		t.Errorf("asked for the disk of %s, which says nothing about the engine's", at)
		return 0, nil
	}
	tests := map[string]struct {
		got    diagnosis
		state  state
		detail string
		mend   string
	}{
		"room enough for work":           {work.check(has(minWorkSpace)), stateOK, "1.0 GiB free", ""},
		"a byte too little for work":     {work.check(has(minWorkSpace - 1)), stateNote, "at least 1.0 GiB", "empty it"},
		"a disk that does not answer":    {work.check(broken), stateNote, "not supported", "df -h '" + dir + "'"},
		"room enough for images":         {checkEngineDisk(local, has(minEngineSpace)), stateOK, "5.0 GiB free", ""},
		"a byte too little for images":   {checkEngineDisk(local, has(minEngineSpace-1)), stateNote, "at least 5.0 GiB", "docker image prune"},
		"an engine on another machine":   {checkEngineDisk(remote, never), stateNote, "another machine", "on that machine"},
		"an engine in a virtual machine": {checkEngineDisk(hidden, never), stateNote, "another machine", "on that machine"},
		"an engine that does not say":    {checkEngineDisk(sandbox.Info{Host: local.Host}, never), stateNote, "not known", "on that machine"},
	}
	for name, tt := range tests {
		if tt.got.state != tt.state || !strings.Contains(tt.got.detail, tt.detail) || !strings.Contains(tt.got.mend, tt.mend) || (tt.mend == "") != (tt.got.mend == "") {
			t.Errorf("%s: %+v", name, tt.got)
		}
	}
}

func TestThisMachineKnowsItsFreeSpace(t *testing.T) {
	if n, err := diskFree(t.TempDir()); err != nil || n <= 0 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := diskFree(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("no error for a folder that is not there")
	}
}

func TestTheDoctorSaysWhetherTheRunnerOutlivesTheJob(t *testing.T) {
	const bom = "\ufeff"
	settings := func(more string) string {
		return `{"agentId": 7, "agentName": "gpu-1", "poolName": "Default"` + more + `, "workFolder": "_work"}`
	}
	tests := map[string]struct {
		env    map[string]string
		runner string // content of the file .runner; "" for none
		state  state  // "" for no line at all
		detail string
	}{
		"outside of a job":                  {map[string]string{"GITHUB_ACTIONS": ""}, settings(""), "", ""},
		"a machine of GitHub's":             {map[string]string{"RUNNER_ENVIRONMENT": "github-hosted"}, "", stateOK, "hosted by GitHub"},
		"an ephemeral runner":               {nil, settings(`, "ephemeral": true`), stateOK, "ephemeral, says "},
		"with a byte order mark":            {nil, bom + settings(`, "Ephemeral": true`), stateOK, "ephemeral, says "},
		"a persistent runner":               {nil, settings(""), stateNote, "persistent, says "},
		"one that says so":                  {nil, settings(`, "ephemeral": false`), stateNote, "persistent, says "},
		"one with a hook that cleans up":    {map[string]string{"ACTIONS_RUNNER_HOOK_JOB_COMPLETED": "/clean"}, settings(""), stateNote, "a hook cleans up"},
		"found by the temporary folder":     {map[string]string{"RUNNER_WORKSPACE": ""}, settings(`, "ephemeral": true`), stateOK, "ephemeral, says "},
		"no settings to be found":           {nil, "", stateNote, "not known: "},
		"settings that are no JSON":         {nil, "ephemeral: true", stateNote, "not known: "},
		"JSON of something else":            {nil, `{"ephemeral": true}`, stateNote, "not known: "},
		"settings with another type":        {nil, settings(`, "ephemeral": "true"`), stateNote, "not known: "},
		"settings that never end":           {nil, settings(`, "x": "` + strings.Repeat("x", maxRunnerFile) + `", "ephemeral": true`), stateNote, "not known: "},
		"a runner that says nothing":        {map[string]string{"RUNNER_ENVIRONMENT": ""}, settings(`, "ephemeral": true`), stateNote, `RUNNER_ENVIRONMENT is ""`},
		"folders that the job cannot mean":  {map[string]string{"RUNNER_WORKSPACE": "..", "RUNNER_TEMP": "_temp"}, settings(`, "ephemeral": true`), stateNote, "names a folder"},
		"settings in the work folder alone": {map[string]string{"GITHUB_WORKSPACE": "holds a .runner of its own"}, "", stateNote, "not known: "},
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
			// What a pull request brings along is nobody's settings.
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
			if len(got) != 1 || got[0].state != tt.state || !strings.Contains(got[0].detail, tt.detail) ||
				(tt.state == stateOK) == strings.Contains(got[0].mend, "--ephemeral") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// left is an engine that has these leftovers.
type left struct {
	swept sandbox.Swept
	err   error
}

func (l left) Leftovers(context.Context) (sandbox.Swept, error) { return l.swept, l.err }

func TestTheDoctorCountsWhatDeadRunsHaveLeft(t *testing.T) {
	tests := map[string]struct {
		engine left
		state  state
		detail string
		mend   string
	}{
		"nothing":                    {left{}, stateOK, "no container or volume", ""},
		"two containers":             {left{swept: sandbox.Swept{Containers: []string{"a", "b"}}}, stateNote, "2 container(s) and 0 volume(s)", "gate doctor --sweep"},
		"a volume":                   {left{swept: sandbox.Swept{Volumes: []string{"v"}}}, stateNote, "0 container(s) and 1 volume(s)", "gate doctor --sweep"},
		"an engine that breaks down": {left{err: errors.New("connection reset")}, stateNote, "not known: connection reset", "docker ps"},
	}
	for name, tt := range tests {
		got := checkLeftovers(t.Context(), tt.engine)
		if got.state != tt.state || !strings.Contains(got.detail, tt.detail) || !strings.HasPrefix(got.mend, tt.mend) || (tt.mend == "") != (got.mend == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestTheDoctorSweepsOnlyWhenItIsTold(t *testing.T) {
	testenv.Docker(t)
	testenv.Image(t, "shell")
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	// Of another user, never started, two days old: nobody waits for it any more.
	made, err := api.ContainerCreate(t.Context(), &container.Config{
		Image: images.Ref("shell"), Entrypoint: []string{"true"}, NetworkDisabled: true,
		Labels: map[string]string{
			"aigate.run": "0000000000000dea", "aigate.owner": "0000000000000bad", "aigate.role": "run",
			"aigate.created": time.Now().Add(-48 * time.Hour).UTC().Format(time.RFC3339),
		},
	}, nil, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = api.ContainerRemove(context.WithoutCancel(t.Context()), made.ID, container.RemoveOptions{Force: true})
	}()
	there := func() bool {
		_, err := api.ContainerInspect(t.Context(), made.ID)
		return err == nil
	}
	g := newRealGate(t, nil)
	doctor := func(args ...string) string {
		out, err := g.command(append([]string{"doctor", "--ollama", "127.0.0.1:9"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("gate doctor %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := doctor(); !there() || !strings.Contains(out, "of runs that have ended; the next run") || !strings.Contains(out, "gate doctor --sweep") {
		t.Errorf("there %v:\n%s", there(), out)
	}
	if out := doctor("--sweep"); there() || !strings.Contains(out, "gate: removed ") {
		t.Errorf("there %v:\n%s", there(), out)
	}
}
