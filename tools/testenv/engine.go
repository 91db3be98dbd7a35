package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
)

const (
	engineMend = "go run ./tools/engine up"
	imagesMend = "go run ./sandbox/images/build"

	// pingTimeout bounds one question to the engine. A healthy engine answers
	// in milliseconds; a machine that is busy linking needs a few seconds.
	pingTimeout = 20 * time.Second
	// runTimeout bounds the start of one container that does nothing.
	runTimeout = 60 * time.Second
)

// probeLabel marks the containers that this package starts to try a runtime, so
// that nobody takes them for a leftover of the sandbox.
const probeLabel = "gate.testenv"

// Docker returns the address of a live container engine, in the form of
// DOCKER_HOST, or ends the test with [Missing].
func Docker(t testing.TB) string {
	t.Helper()
	host := engineHost()
	err := withEngine(t.Context(), func(ctx context.Context, c *client.Client) error {
		_, err := c.Ping(ctx)
		return err
	})
	if err != nil {
		Missing(t, fmt.Sprintf("no container engine answers at %s: %v", host, err), engineMend)
	}
	return host
}

// engineHost is where the engine is looked for: DOCKER_HOST, or the default
// socket of the platform.
func engineHost() string {
	if h := os.Getenv(client.EnvOverrideHost); h != "" {
		return h
	}
	return client.DefaultDockerHost
}

// Runtime ends the test with [Missing] unless a container really runs under the
// OCI runtime with that name. The answer is kept for the rest of the process.
func Runtime(t testing.TB, name string) {
	t.Helper()
	Docker(t)
	try, _ := runtimes.LoadOrStore(name, sync.OnceValue(func() error { return tryRuntime(name) }))
	if err := try.(func() error)(); err != nil {
		Missing(t, fmt.Sprintf("containers do not run under %s: %v", name, err), engineMend)
	}
}

// runtimes remembers, per name, what became of the first try: a func() error.
// Process-wide because a try costs half a second and its answer does not change.
var runtimes sync.Map

// Image returns the reference of the sandbox image for a language (python, node,
// go or shell), or ends the test with [Missing].
func Image(t testing.TB, lang string) string {
	t.Helper()
	Docker(t)
	ref := imageRef(lang)
	err := withEngine(t.Context(), func(ctx context.Context, c *client.Client) error {
		_, err := c.ImageInspect(ctx, ref)
		return err
	})
	if err != nil {
		Missing(t, fmt.Sprintf("image %s cannot be used: %v", ref, err), imagesMend)
	}
	return ref
}

func imageRef(lang string) string { return "gate-sandbox-" + lang + ":dev" }

// withEngine calls f with a client that lives no longer than the call, so that
// no idle connection is left for a leak detector to find.
func withEngine(ctx context.Context, f func(context.Context, *client.Client) error) error {
	c, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return fmt.Errorf("read the engine's address from the environment: %w", err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return f(ctx, c)
}

// tryRuntime starts a container that does nothing and waits for its success.
func tryRuntime(name string) error {
	c, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return fmt.Errorf("read the engine's address from the environment: %w", err)
	}
	defer c.Close()
	// Not the context of a test: the answer is shared by all tests of the process.
	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	defer cancel()

	info, err := c.Info(ctx)
	if err != nil {
		return fmt.Errorf("ask the engine for its runtimes: %w", err)
	}
	if _, ok := info.Runtimes[name]; !ok {
		return errors.New("the engine does not know this runtime")
	}
	image, err := anyImage(ctx, c)
	if err != nil {
		return err
	}
	made, err := c.ContainerCreate(ctx,
		&container.Config{
			Image: image, Entrypoint: []string{"/bin/sh", "-c", "exit 0"}, Cmd: []string{},
			Labels: map[string]string{probeLabel: name},
		},
		&container.HostConfig{Runtime: name, NetworkMode: "none"}, nil, nil, "")
	if err != nil {
		return fmt.Errorf("create a container: %w", err)
	}
	// WithoutCancel: a try that ran into its deadline is removed all the same.
	defer c.ContainerRemove(context.WithoutCancel(ctx), made.ID, container.RemoveOptions{Force: true})
	done, failed := c.ContainerWait(ctx, made.ID, container.WaitConditionNextExit)
	if err := c.ContainerStart(ctx, made.ID, container.StartOptions{}); err != nil {
		return fmt.Errorf("start a container: %w", err)
	}
	select {
	case err := <-failed:
		return fmt.Errorf("wait for a container: %w", err)
	case r := <-done:
		if r.StatusCode != 0 {
			return fmt.Errorf("a container that does nothing ended with status %d", r.StatusCode)
		}
		return nil
	}
}

// anyImage returns an image with a shell, to try a runtime with.
func anyImage(ctx context.Context, c *client.Client) (string, error) {
	candidates := []string{imageRef("shell"), imageRef("python"), "debian:bookworm-slim"}
	i := slices.IndexFunc(candidates, func(ref string) bool {
		_, err := c.ImageInspect(ctx, ref)
		return err == nil
	})
	if i < 0 {
		return "", fmt.Errorf("no image to try it with (looked for %s)", strings.Join(candidates, ", "))
	}
	return candidates[i], nil
}
