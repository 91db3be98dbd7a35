package exit

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestFor(t *testing.T) {
	boom := errors.New("boom")
	for name, tt := range map[string]struct {
		decision gate.Decision
		err      error
		want     int
	}{
		"a pass":                              {gate.DecisionPass, nil, Pass},
		"a blocked change":                    {gate.DecisionBlock, nil, Blocked},
		"an incomplete run":                   {gate.DecisionIncomplete, nil, Incomplete},
		"a decision that was never made":      {gate.DecisionUnknown, nil, Incomplete},
		"a pass whose report was not written": {gate.DecisionPass, boom, Incomplete},
	} {
		t.Run(name, func(t *testing.T) {
			err := For(tt.decision, tt.err)
			code := Pass
			if e, ok := errors.AsType[*Error](err); ok {
				code = e.Code
			}
			if code != tt.want || tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("%d, %v; want %d", code, err, tt.want)
			}
		})
	}
}

func TestFailedKeepsACodeThatIsThere(t *testing.T) {
	if e, ok := errors.AsType[*Error](Failed(fmt.Errorf("open: %w", Usagef("no such flag %q", "x")))); !ok || e.Code != Usage {
		t.Errorf("%+v", e)
	}
	if e, ok := errors.AsType[*Error](Failed(errors.New("boom"))); !ok || e.Code != Incomplete {
		t.Errorf("%+v", e)
	}
	if Failed(nil) != nil {
		t.Error("no error became one")
	}
}
