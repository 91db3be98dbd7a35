package action

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sethvargo/go-githubactions"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/report"
)

func TestFinishNeverPublishesARunThatFailedAsAPass(t *testing.T) {
	passed := gate.Conclude(gate.Result{
		SchemaVersion: gate.SchemaVersion, Layers: []gate.LayerResult{{Name: gate.LayerStatic, Status: gate.LayerRan}},
	}, gate.DefaultPolicy())
	overridden := passed
	overridden.Decision, overridden.Override = gate.DecisionPass, &gate.Overridden{By: "ada", Label: "gate:override", Decision: gate.DecisionBlock}
	for name, tt := range map[string]struct {
		res  gate.Result
		err  error
		want gate.Decision
		code int
	}{
		"a pass":                                 {passed, nil, gate.DecisionPass, exit.Pass},
		"a pass and a container that stays":      {passed, exit.Failed(errors.New("remove: boom")), gate.DecisionIncomplete, exit.Incomplete},
		"an override and a container that stays": {overridden, exit.Failed(errors.New("remove: boom")), gate.DecisionIncomplete, exit.Incomplete},
		"a run that began with nothing":          {gate.Result{}, exit.Failed(errors.New("no base")), gate.DecisionIncomplete, exit.Incomplete},
	} {
		t.Run(name, func(t *testing.T) {
			none := func(string) string { return "" }
			save := filepath.Join(t.TempDir(), "result.json")
			r := &run{
				Job: Job{
					Engine: engine.New(engine.Host{Stderr: io.Discard, Getenv: none, Tool: gate.Tool{Name: "gate", Version: "test"}}), Stdout: io.Discard,
					Rules: func(...static.RuleSource) ([]gate.Rule, error) { return nil, nil },
				},
				o: Options{Save: save}, action: githubactions.New(githubactions.WithWriter(io.Discard), githubactions.WithGetenv(none)),
			}
			err := r.finish(context.Background(), tt.res, gate.DefaultPolicy(), tt.err)
			code := exit.Pass
			if e, ok := errors.AsType[*exit.Error](err); ok {
				code = e.Code
			}
			data, rerr := os.ReadFile(save)
			if rerr != nil {
				t.Fatal(rerr)
			}
			got, derr := report.Decode(bytes.NewReader(data))
			if derr != nil || got.Decision != tt.want || got.Override != nil || code != tt.code {
				t.Errorf("saved %v with override %v, exit code %d (%v); want %v, %d", got.Decision, got.Override, code, derr, tt.want, tt.code)
			}
		})
	}
}
