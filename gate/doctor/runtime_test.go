package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox"
)

// tried answers for an engine what a self-test gave.
type tried struct {
	selfTest sandbox.SelfTest
	err      error
	image    *string
}

func (t tried) Try(_ context.Context, _, image string) (sandbox.SelfTest, error) {
	*t.image = image
	return t.selfTest, t.err
}

func TestRuntimeSaysWhatItIsGoodFor(t *testing.T) {
	with := sandbox.Info{Images: []sandbox.Image{{}, {Refs: []string{"gate-sandbox-shell:dev"}}}}
	good := sandbox.SelfTest{Runtime: "kata", Kernel: "6.1.38", Own: true, Recorder: "seccomp-notify"}
	tests := map[string]struct {
		info     sandbox.Info
		selfTest sandbox.SelfTest
		err      error
		state    State
		detail   string
		fix      string
	}{
		"one that works":           {with, good, nil, OK, "a kernel of its own (6.1.38), behaviour recorded by seccomp-notify", ""},
		"one that is not there":    {with, sandbox.SelfTest{Problem: "the engine does not know it", Next: "install it"}, nil, Missing, "does not know", "install it; or use another one with --runtime"},
		"an engine that fails":     {with, sandbox.SelfTest{}, errors.New("boom"), Missing, "boom", ""},
		"without any image to try": {sandbox.Info{}, sandbox.SelfTest{}, errors.New("no image"), OK, "not tried, because there is no sandbox image", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var image string
			got := checkRuntime(t.Context(), tried{tt.selfTest, tt.err, &image}, tt.info, "kata", Missing)
			if got.What != "runtime kata" || got.State != tt.state || !strings.Contains(got.Detail, tt.detail) || got.Fix != tt.fix {
				t.Errorf("got %+v", got)
			}
			if len(tt.info.Images) > 0 && image != "gate-sandbox-shell:dev" {
				t.Errorf("tried with image %q", image)
			}
		})
	}
}
