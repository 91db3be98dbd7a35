package main

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/tools/testenv"
)

func TestTheDoctorListsOutdatedImagesForScripts(t *testing.T) {
	testenv.Docker(t)
	g := newRealGate(t, nil)
	cmd := g.command("doctor", "--outdated")
	// No image is built from this one, so that all are listed.
	cmd.Env = append(cmd.Environ(), "GATE_IMAGE_BASE=base.invalid/debian")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^(?:(?:python|node|go|shell) gate-sandbox-\w+:dev gate-sandbox-\w+:[0-9a-f]{64} [0-9a-f]{64}\n){4}$`)
	if !want.Match(out) {
		t.Errorf("images.sh cannot read\n%s", out)
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
	// Of another user, never started, two days old: no one waits for it any more.
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
