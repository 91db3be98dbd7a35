package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/judge"
)

// checkJudge asks every configured Ollama server what it has.
func checkJudge(ctx context.Context, p gate.Policy) []Diagnosis {
	absent := absence(p, gate.LayerJudge)
	j, err := engine.NewJudge(judge.Options{Policy: p.Judge})
	if err != nil {
		return []Diagnosis{{What: "judge", State: absent, Detail: err.Error()}}
	}
	var all []Diagnosis
	usable := false
	for _, h := range j.Check(ctx) {
		found, ready := checkServer(h)
		all, usable = append(all, found...), usable || ready
	}
	if !usable && absent == Missing {
		all = append(all, Diagnosis{What: "judge", State: Missing, Detail: "the policy requires the judge, and no server has a model for it"})
	}
	return all
}

// checkServer says what one server has, and whether a model there can judge.
func checkServer(h judge.HostStatus) (all []Diagnosis, ready bool) {
	problem, command := h.Advice()
	if h.Err != nil {
		return []Diagnosis{{What: "judge", State: Absent, Detail: problem, Fix: command}}, false
	}
	var models []string
	for _, m := range h.Models {
		ready = ready || m.There
		switch {
		case !m.There:
			models = append(models, m.Name+" missing")
		case m.Loaded:
			models = append(models, fmt.Sprintf("%s loaded, %d of %d MB in GPU memory", m.Name, m.VRAM>>20, m.Size>>20))
			if m.Context > 0 {
				models[len(models)-1] += fmt.Sprintf(" with a context of %d tokens", m.Context)
			}
		case h.Compatible:
			models = append(models, m.Name+" (the server does not say where it is)")
		default:
			models = append(models, fmt.Sprintf("%s (%d MB)", m.Name, m.Bytes>>20))
		}
	}
	what := "Ollama " + h.Version
	if h.Compatible {
		what = "a server with the interface of OpenAI"
	}
	d := Diagnosis{What: "judge", State: OK, Detail: fmt.Sprintf("%s at %s: %s", what, h.Host, strings.Join(models, ", "))}
	if problem == "" {
		return []Diagnosis{d}, ready
	}
	d.State, d.Fix = Note, command
	return []Diagnosis{d, {What: "judge", State: Note, Detail: problem}}, ready
}
