package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox"
)

// tried answers for an engine what a trial gave.
type tried struct {
	trial sandbox.Trial
	err   error
	image *string
}

func (t tried) Try(_ context.Context, _, image string) (sandbox.Trial, error) {
	*t.image = image
	return t.trial, t.err
}

func TestRuntimeSaysWhatItIsGoodFor(t *testing.T) {
	with := sandbox.Info{Images: []sandbox.Image{{}, {Refs: []string{"gate-sandbox-shell:dev"}}}}
	good := sandbox.Trial{Runtime: "kata", Kernel: "6.1.38", Own: true, Recorder: "seccomp-notify"}
	tests := map[string]struct {
		info   sandbox.Info
		trial  sandbox.Trial
		err    error
		state  State
		detail string
		fix    string
	}{
		"one that works":           {with, good, nil, OK, "a kernel of its own (6.1.38), behaviour recorded by seccomp-notify", ""},
		"one that is not there":    {with, sandbox.Trial{Problem: "the engine does not know it", Next: "install it"}, nil, Missing, "does not know", "install it; or use another one with --runtime"},
		"an engine that fails":     {with, sandbox.Trial{}, errors.New("boom"), Missing, "boom", ""},
		"without any image to try": {sandbox.Info{}, sandbox.Trial{}, errors.New("no image"), OK, "not tried, because there is no sandbox image", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var image string
			got := checkRuntime(t.Context(), tried{tt.trial, tt.err, &image}, tt.info, "kata", Missing)
			if got.What != "runtime kata" || got.State != tt.state || !strings.Contains(got.Detail, tt.detail) || got.Fix != tt.fix {
				t.Errorf("got %+v", got)
			}
			if len(tt.info.Images) > 0 && image != "gate-sandbox-shell:dev" {
				t.Errorf("tried with image %q", image)
			}
		})
	}
}
