package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/rate"
	"github.com/aigate/gate/sandbox"
)

func TestLimitedRefusesARunAboveTheLimit(t *testing.T) {
	limit := rate.New(t.TempDir(), 1)
	if err := limit.Take(); err != nil {
		t.Fatal(err)
	}
	var runner execute.Runner = limited{limit: limit} // no engine: nothing may be started
	res, err := runner.Run(t.Context(), sandbox.Spec{})
	if !errors.Is(err, execute.ErrRefused) || !strings.Contains(err.Error(), "rate.runs-per-hour") || res.Status != sandbox.Failed {
		t.Errorf("status %s, error %v", res.Status, err)
	}
}
