package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox"
)

// left is an engine that has these leftovers.
type left struct {
	swept sandbox.Swept
	err   error
}

func (l left) Leftovers(context.Context) (sandbox.Swept, error) { return l.swept, l.err }

func TestLeftoversOfDeadRunsAreCounted(t *testing.T) {
	tests := map[string]struct {
		engine left
		state  State
		detail string
		fix    string
	}{
		"nothing":                    {left{}, OK, "no container or volume", ""},
		"two containers":             {left{swept: sandbox.Swept{Containers: []string{"a", "b"}}}, Note, "2 container(s) and 0 volume(s)", "gate doctor --sweep"},
		"a volume":                   {left{swept: sandbox.Swept{Volumes: []string{"v"}}}, Note, "0 container(s) and 1 volume(s)", "gate doctor --sweep"},
		"an engine that breaks down": {left{err: errors.New("connection reset")}, Note, "not known: connection reset", "docker ps"},
	}
	for name, tt := range tests {
		got := checkLeftovers(t.Context(), tt.engine)
		if got.State != tt.state || !strings.Contains(got.Detail, tt.detail) || !strings.HasPrefix(got.Fix, tt.fix) || (tt.fix == "") != (got.Fix == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
