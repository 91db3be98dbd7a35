package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aigate/gate/sandbox/supervisor/probe"
)

const (
	probesWithin = 2 * time.Minute
	leastProbes  = 200 // fewer lines mean that something ended early
)

// Probe tries, in a container of an image like any other, what checkers of
// container escapes look for, and returns what came of each probe. reach are
// further addresses that it tries to come to, as pairs of network and address. The
// supervisor has to be gate itself, which has the probes in a hidden mode.
func (d *Docker) Probe(ctx context.Context, image, runtime string, reach []string) ([]probe.Outcome, error) {
	res, err := d.Run(ctx, Spec{
		Image: image, Runtime: runtime, Argv: append([]string{defaultEntry + "/gate", probe.Mode}, reach...),
		Limits:     Limits{Timeout: probesWithin},
		Exceptions: Exceptions{NoAddressSpace: true}, // it is a Go program, and reserves more than it uses
		Observe:    &Observe{},
	})
	if err != nil {
		return nil, fmt.Errorf("probe image %s on %s: %w", image, runtime, err)
	}
	if res.Status != Exited || res.ExitCode != 0 || res.Stdout.Truncated {
		return nil, fmt.Errorf("probe image %s on %s: it ended as %s with code %d: %s", image, runtime, res.Status, res.ExitCode,
			cmp.Or(res.Reason, fmt.Sprintf("%.200q", res.Stderr.Data)))
	}
	var out []probe.Outcome
	for line := range strings.Lines(string(res.Stdout.Data)) {
		o, err := probe.Parse(line)
		if err != nil {
			return nil, fmt.Errorf("probe image %s on %s: %w", image, runtime, err)
		}
		out = append(out, o)
	}
	if len(out) < leastProbes {
		return nil, fmt.Errorf("probe image %s on %s: only %d probes spoke", image, runtime, len(out))
	}
	return out, nil
}
