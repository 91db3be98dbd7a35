package evalrun

import (
	"context"
	"fmt"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/judge"
)

// checkServer says what is missing before hours are spent.
func checkServer(ctx context.Context, p gate.JudgePolicy) error {
	j, err := engine.NewJudge(judge.Options{Policy: p})
	if err != nil {
		return err
	}
	missing := &gate.Unavailable{Reason: "no host is named"}
	for _, host := range j.Check(ctx) {
		problem, command := host.Advice()
		if host.Err == nil && len(host.Models) > 0 && host.Models[0].Digest != "" {
			return nil
		}
		missing = &gate.Unavailable{Reason: problem, Hint: command}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return exit.Failed(missing)
}

// describeServer says what a model that has just judged runs on.
func describeServer(ctx context.Context, p gate.JudgePolicy) string {
	j, err := engine.NewJudge(judge.Options{Policy: p})
	if err != nil {
		return ""
	}
	for _, host := range j.Check(ctx) {
		if host.Err != nil || len(host.Models) == 0 || !host.Models[0].Loaded {
			continue
		}
		m := host.Models[0]
		where := "all of it in GPU memory"
		if m.Offload > 0 {
			where = fmt.Sprintf("%d %% of it on the CPU", m.Offload)
		}
		return fmt.Sprintf("Ollama %s, %.1f GB, %s", host.Version, float64(m.Bytes)/1e9, where)
	}
	return ""
}
