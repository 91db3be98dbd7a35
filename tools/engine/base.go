package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"github.com/aigate/gate/tools/probe"
)

const (
	// registryPatience is how long the registry may take to say a first word; a
	// machine without a way out often hangs instead of failing.
	registryPatience = 20 * time.Second
	// pullTimeout bounds the whole download, 30 MB, on a slow line.
	pullTimeout = 5 * time.Minute
	// baseSuite is the Debian release of probe.BaseImage.
	baseSuite = "bookworm"
)

// baseImage makes sure that the engine has probe.BaseImage: from the public
// registry, or, where none can be reached, made from Debian's own packages under
// the same name, so that Dockerfiles need not know.
func baseImage(ctx context.Context, say sayFunc, m machine) error {
	if probe.HasImage(ctx, probe.BaseImage) == nil {
		return nil
	}
	say("pulling %s", probe.BaseImage)
	err := pull(ctx)
	if err == nil {
		return nil
	}
	say("no registry can be reached (%s); making %s from Debian's packages with mmdebstrap", firstLine(err), probe.BaseImage)
	if err := m.system.Install(ctx, say, "mmdebstrap", "debian-archive-keyring"); err != nil {
		return err
	}
	return bootstrap(ctx)
}

// pull fetches the base image.
func pull(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	patience := time.AfterFunc(registryPatience, cancel)
	defer patience.Stop()
	return probe.Do(ctx, func(ctx context.Context, c *client.Client) error {
		stream, err := c.ImagePull(ctx, probe.BaseImage, image.PullOptions{})
		if err != nil {
			return err
		}
		defer stream.Close()
		patience.Stop()
		return streamError(stream)
	})
}

// streamError reads the engine's progress messages to their end and returns the
// error among them: the engine answers 200 before it knows.
func streamError(stream io.Reader) error {
	for d := json.NewDecoder(stream); ; {
		var message struct {
			Error string `json:"error"`
		}
		switch err := d.Decode(&message); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the engine's answer: %w", err)
		case message.Error != "":
			return errors.New(message.Error)
		}
	}
}

// bootstrap builds the base image and streams it into the engine: the tar never
// lies on a disk.
func bootstrap(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends mmdebstrap when the engine does not take its output
	cmd := exec.CommandContext(ctx, "mmdebstrap", "--quiet", "--variant=minbase", baseSuite, "-")
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := &endedReader{r: out, wait: cmd.Wait}
	err = probe.Do(ctx, func(ctx context.Context, c *client.Client) error {
		answer, err := c.ImageImport(ctx, image.ImportSource{Source: ended, SourceName: "-"}, probe.BaseImage,
			image.ImportOptions{
				Message: "made with mmdebstrap " + baseSuite,
				Changes: []string{`CMD ["bash"]`, "LABEL gate.base=mmdebstrap"},
			})
		if err != nil {
			return err
		}
		defer answer.Close()
		return streamError(answer)
	})
	if err != nil {
		return fmt.Errorf("mmdebstrap and import: %w\n%s", err, problems.String())
	}
	return nil
}

// endedReader turns a program that failed into a read error at the end of its
// output, so that half an image is never imported as a whole one.
type endedReader struct {
	r    io.Reader
	wait func() error
}

func (e *endedReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if errors.Is(err, io.EOF) {
		if failed := e.wait(); failed != nil {
			return n, fmt.Errorf("mmdebstrap: %w", failed)
		}
	}
	return n, err
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
