package images

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/containerd/errdefs"
)

// Wanted is an image that this package would build, and what another way to get it has
// to bring.
type Wanted struct {
	Language  string
	Ref       string // what it is called in the engine
	Published string // name and tag below a registry, the same for all architectures
	Inputs    string // what its label LabelInputs says, for the engine's architecture
}

// Published returns the name and the tag that the image for a language has in a
// registry. The tag is a digest of all that it is built from besides the architecture:
// anyone who knows what to expect knows where to find it, and an older gate finds an older
// image. base is as in [Options].
func Published(language, base string) (string, error) {
	if !slices.Contains(Languages(), language) {
		return "", fmt.Errorf("no image for %q is published", language)
	}
	_, digest, err := inputs(language, orDefault(base), "")
	return "gate-sandbox-" + language + ":" + digest, err
}

// Outdated returns the images for languages that the engine has not got, or that
// [Build] would build again. base is as in [Options].
func Outdated(ctx context.Context, e Engine, base string) ([]Wanted, error) {
	arch, err := engineArch(ctx, e)
	if err != nil {
		return nil, err
	}
	var all []Wanted
	for _, language := range Languages() {
		_, digest, err := inputs(language, orDefault(base), arch.docker)
		if err != nil {
			return nil, err
		}
		have, err := Inspect(ctx, e, Ref(language))
		switch {
		case err == nil && have.Inputs == digest && !have.Old(time.Now()):
			continue
		case err != nil && !errdefs.IsNotFound(err):
			return nil, err
		}
		name, err := Published(language, base)
		if err != nil {
			return nil, err
		}
		all = append(all, Wanted{Language: language, Ref: Ref(language), Published: name, Inputs: digest})
	}
	return all, nil
}
