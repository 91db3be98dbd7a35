package doctor

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/sandbox/images"
)

// Images returns the names of the sandbox images that can be built.
func Images() []string { return images.Languages() }

// build builds sandbox images and tells the user about each.
func build(ctx context.Context, e *engine.Engine, names []string) error {
	if len(names) == 0 {
		return nil
	}
	client, err := images.Connect()
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer client.Close()
	for _, name := range names {
		if !slices.Contains(Images(), name) {
			return exit.Usagef("--build: %q is not one of %s", name, strings.Join(Images(), ", "))
		}
		e.Noticef("building the sandbox image for %s (minutes, the first time)", name)
		info, built, err := images.Build(ctx, client, name, images.Options{Base: e.Getenv("GATE_IMAGE_BASE"), Network: e.Getenv("GATE_BUILD_NETWORK")})
		if err != nil {
			return exit.Failed(err)
		}
		if !built {
			e.Noticef("%s is current", info.Ref)
		}
	}
	return nil
}

// outdated writes a line for each sandbox image that is missing or not current: the
// language, what the engine calls the image, its name below a registry, and what its
// label says of what it is built from. It reads no policy, so that nothing in the current
// folder has a say.
func outdated(ctx context.Context, e *engine.Engine, w io.Writer) error {
	client, err := images.Connect()
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer client.Close()
	all, err := images.Outdated(ctx, client, e.Getenv("GATE_IMAGE_BASE"))
	if err != nil {
		return exit.Failed(err)
	}
	for _, i := range all {
		if _, err := fmt.Fprintln(w, i.Language, i.Ref, i.Published, i.Inputs); err != nil {
			return err
		}
	}
	return nil
}
