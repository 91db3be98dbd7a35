package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"
)

// BaseImage is what the sandbox images are built from, by its public name.
const BaseImage = "debian:bookworm-slim"

// Label marks the containers that are started to try a runtime, so that no one
// takes them for a leftover of the sandbox.
const Label = "gate.probe"

const (
	// questionTimeout bounds one question to the engine. A healthy engine answers
	// in milliseconds; on a machine that is busy linking it takes seconds.
	questionTimeout = time.Minute
	// runTimeout bounds one container that does nothing.
	runTimeout = 3 * time.Minute
)

// Host is where the engine is looked for: DOCKER_HOST, or the default socket of
// the platform.
func Host() string {
	if h := os.Getenv(client.EnvOverrideHost); h != "" {
		return h
	}
	return client.DefaultDockerHost
}

// Image is the reference of the sandbox image for a language.
func Image(lang string) string { return "gate-sandbox-" + lang + ":dev" }

// Do calls f with a client for the engine at [Host]. The client lives no longer
// than the call, so that no idle connection is left for a leak detector to find.
func Do(ctx context.Context, f func(context.Context, *client.Client) error) error {
	c, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return fmt.Errorf("read the engine's address from the environment: %w", err)
	}
	defer c.Close()
	return f(ctx, c)
}

// Alive returns nil when the engine answers.
func Alive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, questionTimeout)
	defer cancel()
	return Do(ctx, func(ctx context.Context, c *client.Client) error {
		_, err := c.Ping(ctx)
		return err
	})
}

// Info returns what the engine says about itself.
func Info(ctx context.Context) (info system.Info, err error) {
	ctx, cancel := context.WithTimeout(ctx, questionTimeout)
	defer cancel()
	err = Do(ctx, func(ctx context.Context, c *client.Client) error {
		info, err = c.Info(ctx)
		return err
	})
	return info, err
}

// HasImage returns nil when the engine has an image with that reference.
func HasImage(ctx context.Context, ref string) error {
	ctx, cancel := context.WithTimeout(ctx, questionTimeout)
	defer cancel()
	return Do(ctx, func(ctx context.Context, c *client.Client) error {
		_, err := c.ImageInspect(ctx, ref)
		return err
	})
}

// Runtime returns nil when a container that does nothing ran and ended well
// under the OCI runtime with that name. It needs [BaseImage] or one of the
// sandbox images in the engine.
func Runtime(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	return Do(ctx, func(ctx context.Context, c *client.Client) error {
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
		config := &container.Config{
			Image: image, Entrypoint: []string{"/bin/sh", "-c", "exit 0"}, Cmd: []string{},
			Labels: map[string]string{Label: name},
		}
		return with(ctx, c, config, &container.HostConfig{Runtime: name}, func(id string) error { return ran(ctx, c, id) })
	})
}

// anyImage returns an image with a shell, to try a runtime with.
func anyImage(ctx context.Context, c *client.Client) (string, error) {
	candidates := []string{BaseImage, Image("shell"), Image("python")}
	i := slices.IndexFunc(candidates, func(ref string) bool {
		_, err := c.ImageInspect(ctx, ref)
		return err == nil
	})
	if i < 0 {
		return "", fmt.Errorf("no image to try it with (looked for %s)", strings.Join(candidates, ", "))
	}
	return candidates[i], nil
}
