package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
)

// Engine is who answers at [Host], by its own word: "docker 20.10.24" or
// "podman 4.3.1".
func Engine(ctx context.Context) (name string, podman bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, questionTimeout)
	defer cancel()
	err = Do(ctx, func(ctx context.Context, c *client.Client) error {
		v, err := c.ServerVersion(ctx)
		if err != nil {
			return fmt.Errorf("ask the engine for its version: %w", err)
		}
		name = "docker " + v.Version
		for _, part := range v.Components {
			if part.Name == "Podman Engine" {
				name, podman = "podman "+part.Version, true
			}
		}
		return nil
	})
	return name, podman, err
}

// askEngine calls ask with a client and an image, after a plain container could be made:
// from then on a refusal is the engine's answer. The error is trouble with the
// engine, which says nothing about what it can do.
func askEngine(ctx context.Context, ask func(ctx context.Context, c *client.Client, image string) (bool, error)) (able bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	err = Do(ctx, func(ctx context.Context, c *client.Client) error {
		image, err := anyImage(ctx, c)
		if err != nil {
			return err
		}
		if err := with(ctx, c, trialOf(image), &container.HostConfig{}, func(string) error { return nil }); err != nil {
			return err
		}
		able, err = ask(ctx, c, image)
		return err
	})
	return able, err
}

// CountsFiles tries whether a folder in memory can be bounded in files.
func CountsFiles(ctx context.Context) (bool, error) {
	return askEngine(ctx, func(ctx context.Context, c *client.Client, image string) (bool, error) {
		host := &container.HostConfig{Tmpfs: map[string]string{"/opt": "size=64k,nr_inodes=8"}}
		return accepted(with(ctx, c, trialOf(image), host, func(id string) error { return ran(ctx, c, id) }))
	})
}

// GivesFolders tries whether a folder in memory that lies over one of the image can
// be written to by a program that is not root, by one way or another.
func GivesFolders(ctx context.Context) (bool, error) {
	return askEngine(ctx, func(ctx context.Context, c *client.Client, image string) (bool, error) {
		var able bool
		for _, options := range []string{"size=64k,uid=1000,mode=0755", "size=64k,mode=1777"} {
			config := trialOf(image)
			config.User, config.Cmd = "1000:1000", []string{": >/opt/file"}
			host := &container.HostConfig{Tmpfs: map[string]string{"/opt": options}}
			given, err := accepted(with(ctx, c, config, host, func(id string) error { return ran(ctx, c, id) }))
			if err != nil {
				return false, err
			}
			able = able || given
		}
		return able, nil
	})
}

// DescribesAsAsked tries whether the engine describes a container in the words that
// it was asked for with.
func DescribesAsAsked(ctx context.Context) (bool, error) {
	return askEngine(ctx, func(ctx context.Context, c *client.Client, image string) (same bool, err error) {
		config := trialOf(image)
		config.NetworkDisabled = true
		host := &container.HostConfig{CapDrop: []string{"ALL"}, IpcMode: container.IPCModeNone, MaskedPaths: []string{"/proc/kcore"}}
		err = with(ctx, c, config, host, func(id string) error {
			d, err := c.ContainerInspect(ctx, id)
			if err != nil {
				return fmt.Errorf("inspect a container: %w", err)
			}
			same = d.HostConfig != nil && d.Config != nil && d.Config.NetworkDisabled && slices.Equal(d.HostConfig.CapDrop, host.CapDrop) &&
				d.HostConfig.IpcMode == host.IpcMode && slices.Equal(d.HostConfig.MaskedPaths, host.MaskedPaths)
			return nil
		})
		return same, err
	})
}

// programWithin is how long the program of a container that has started may take to run.
const programWithin = 10 * time.Second

// ListsProcesses tries whether the engine lists the processes of a container with
// their arguments. A container counts as started a moment before its program runs,
// on a busy machine a long one, so the question is asked until the program is there.
func ListsProcesses(ctx context.Context) (bool, error) {
	return askEngine(ctx, func(ctx context.Context, c *client.Client, image string) (lists bool, err error) {
		config := trialOf(image)
		config.Cmd = []string{"sleep 600; :"}
		err = with(ctx, c, config, &container.HostConfig{}, func(id string) error {
			if err := c.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
				return fmt.Errorf("start a container: %w", err)
			}
			for end := time.Now().Add(programWithin); !lists && time.Now().Before(end); {
				top, err := c.ContainerTop(ctx, id, nil)
				if err != nil {
					return ctx.Err() // it cannot
				}
				lists = slices.ContainsFunc(top.Processes, func(p []string) bool { return strings.Contains(strings.Join(p, " "), "sleep 600") })
			}
			return ctx.Err()
		})
		return lists, err
	})
}

// KeepsLastWords tries whether what a container writes before it ends arrives while
// it is still being written to. That can go well by chance, so it is tried more than
// once.
func KeepsLastWords(ctx context.Context) (bool, error) {
	return askEngine(ctx, func(ctx context.Context, c *client.Client, image string) (bool, error) {
		for range 3 {
			arrives, err := lastWords(ctx, c, image)
			if err != nil || !arrives {
				return false, err
			}
		}
		return true, nil
	})
}

func lastWords(ctx context.Context, c *client.Client, image string) (arrives bool, err error) {
	config := trialOf(image)
	config.Cmd = []string{"read -r line; echo the last words"}
	config.OpenStdin, config.StdinOnce, config.AttachStdin, config.AttachStdout = true, true, true, true
	err = with(ctx, c, config, &container.HostConfig{}, func(id string) error {
		at, err := c.ContainerAttach(ctx, id, container.AttachOptions{Stream: true, Stdin: true, Stdout: true})
		if err != nil {
			return fmt.Errorf("attach to a container: %w", err)
		}
		defer at.Close()
		stop := context.AfterFunc(ctx, at.Close)
		defer stop()
		if err := c.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
			return fmt.Errorf("start a container: %w", err)
		}
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			_, _ = at.Conn.Write(bytes.Repeat([]byte("more than any buffer holds\n"), 1<<17)) // it ends with the container
		}()
		said, err := io.ReadAll(at.Reader)
		arrives = err == nil && bytes.Contains(said, []byte("the last words"))
		at.Close()
		<-sent
		return ctx.Err()
	})
	return arrives, err
}

// TakesRuntimes tries whether a container gets the runtime that it asks for: an
// engine that does not refuse one which is not there takes its own for all.
func TakesRuntimes(ctx context.Context) (bool, error) {
	return askEngine(ctx, func(ctx context.Context, c *client.Client, image string) (bool, error) {
		host := &container.HostConfig{Runtime: "gate-no-such-runtime"}
		ignored, err := accepted(with(ctx, c, trialOf(image), host, func(string) error { return nil }))
		return !ignored, err
	})
}

// DefaultRuntime is the runtime that the engine takes by itself.
func DefaultRuntime(ctx context.Context) (string, error) {
	info, err := Info(ctx)
	return info.DefaultRuntime, err
}

// trialOf is a container for a trial, which does nothing.
func trialOf(image string) *container.Config {
	return &container.Config{Image: image, Entrypoint: []string{"/bin/sh", "-c"}, Cmd: []string{":"}, Labels: map[string]string{Label: "trial"}}
}

// errRefused is the error of a container that the engine refused to make or to run,
// or that failed.
var errRefused = errors.New("the engine refused it")

// accepted reads an error as an answer.
func accepted(err error) (bool, error) {
	if errors.Is(err, errRefused) {
		return false, nil
	}
	return err == nil, err
}

// with makes a container without a network, calls f and removes it.
func with(ctx context.Context, c *client.Client, config *container.Config, host *container.HostConfig, f func(id string) error) (err error) {
	host.NetworkMode = "none"
	made, err := c.ContainerCreate(ctx, config, host, nil, nil, "")
	if err != nil {
		return refusal(ctx, "create", err)
	}
	defer func() { // WithoutCancel: what ran into its deadline is removed all the same
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), questionTimeout)
		defer cancel()
		if failed := c.ContainerRemove(ctx, made.ID, container.RemoveOptions{Force: true}); failed != nil {
			err = errors.Join(err, fmt.Errorf("remove a container: %w", failed))
		}
	}()
	return f(made.ID)
}

// ran starts a container and returns nil when it ended well.
func ran(ctx context.Context, c *client.Client, id string) error {
	done, failed := c.ContainerWait(ctx, id, container.WaitConditionNextExit)
	if err := c.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
		return refusal(ctx, "start", err)
	}
	select {
	case err := <-failed:
		return fmt.Errorf("wait for a container: %w", err)
	case r := <-done:
		if r.StatusCode != 0 {
			return fmt.Errorf("%w: it ended with status %d", errRefused, r.StatusCode)
		}
		return nil
	}
}

// refusal says that the engine answered no; an engine that did not answer is trouble.
func refusal(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil || client.IsErrConnectionFailed(err) {
		return fmt.Errorf("%s a container: %w", what, err)
	}
	return fmt.Errorf("%s a container: %w: %w", what, errRefused, err)
}
