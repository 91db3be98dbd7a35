package eval

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/aigate/gate/gate"
)

// JudgeReport is how well models judge a corpus in which texts try to talk them
// round about. Whatever is counted in it is counted from the trials.
type JudgeReport struct {
	Runs       int         `json:"runs"`       // of each sample as it is; what is compared for flips
	Injections []Injection `json:"injections"` // that were tried
	Edits      []Edit      `json:"edits"`      // likewise, of benign samples
	Malicious  int         `json:"risky"`      // samples that were chosen
	Benign     int         `json:"innocent"`
	// Partial says that it was ended early: what there is are whole samples, but not
	// all of them.
	Partial  bool           `json:"partial,omitempty"`
	Settings []JudgeSetting `json:"settings"`
	// Votes has an entry for every two models.
	Votes []Vote `json:"votes,omitempty"`
}

// Setting is a model with all its defences, or without some.
type Setting struct {
	Model   string   `json:"model"`
	Without []string `json:"without"` // the defences that are off
}

// JudgeSetting is what came of one setting.
type JudgeSetting struct {
	Setting
	// Digest is that of the model, as the server names it.
	Digest string `json:"digest"`
	// Server says what the model ran on; latencies of another one are others.
	Server string `json:"server,omitempty"`
	// Failed says why not every sample was judged; "" where all were.
	Failed string `json:"failed,omitempty"`
	// NotForTheJudge are samples that have nothing for a language model: binaries,
	// lock files. They are in no figure.
	NotForTheJudge int     `json:"not_for_the_judge"`
	Trials         []Trial `json:"trials"`
	// Figures has one entry for each of the Thresholds.
	Figures []JudgeFigures `json:"figures"`
	Cost    JudgeCost      `json:"cost"`
	// Calibration is what a word of the model is worth: dangerous, suspicious, nothing.
	Calibration []Calibrated `json:"calibration"`
}

// Trial is one sample put to the judge: as it is, or as a variant.
type Trial struct {
	Path  string `json:"path"`
	Label Label  `json:"label"`
	// Kind and Variant say what was done to the sample.
	Kind    Kind   `json:"kind"`
	Variant string `json:"variant,omitempty"` // name of the injection or edit
	Run     int    `json:"run"`               // from 1 on
	// Judge is the worst that the judge said, All that of all layers together.
	Judge Level `json:"judge"`
	All   Level `json:"all"`
	// Incomplete says what was not looked at. Such a sample counts as found where
	// something was found, and never as clean.
	Incomplete []string `json:"incomplete,omitempty"`
	Cost       Cost     `json:"cost"`
}

// Kind is what was done to a sample.
type Kind string

// The kinds of trials.
const (
	Plain    Kind = "plain"
	Injected Kind = "injected" // of malicious samples
	Edited   Kind = "edited"   // of benign samples
)

// Cost is what one trial took.
type Cost struct {
	ReviewMS     []int64 `json:"review_ms"` // of each file
	Questions    int     `json:"questions"`
	Answers      int     `json:"answers"`
	Invalid      int     `json:"invalid"`  // answers that had not the form, or no end
	Broken       int     `json:"broken"`   // questions whose first answer was invalid
	Repaired     int     `json:"repaired"` // of those, the ones whose second answer was good
	PromptTokens int     `json:"prompt_tokens"`
	AnswerTokens int     `json:"answer_tokens"`
}

// Review judges the files of one sample, through the same pipeline as a scan, and
// without remembering any answer. Each run has a seed of its own.
type Review func(ctx context.Context, tree fs.FS) (gate.Result, Cost, error)

// JudgeOptions say how models are measured.
type JudgeOptions struct {
	Settings []Setting
	// Open makes a setting ready; an error is why it can't be measured, and the
	// others are.
	Open func(ctx context.Context, s Setting, run int) (Review, error)
	// Describe, when set, says what a setting has run on, in one line.
	Describe func(ctx context.Context, s Setting) string
	// Runs is how often each sample is judged as it is, at least once. Settings
	// without a defence have one run.
	Runs       int
	Injections []Injection
	Edits      []Edit
	// Samples is how many samples of each label are judged, chosen by a hash of their
	// path; 0 is all.
	Samples  int
	Classify Classify
	// Workers is how many samples are judged side by side, at least one. Latencies
	// are those of one review only where it is one.
	Workers int
	// Progress, when set, is told how many reviews of how many are done; not
	// concurrently. The number of all goes down where a variant makes no sense.
	Progress func(s Setting, done, total int)
}

// Complete reports whether everything that was planned was measured.
func (r *JudgeReport) Complete() bool {
	return !r.Partial && !slices.ContainsFunc(r.Settings, func(s JudgeSetting) bool { return s.Failed != "" })
}

// recount counts everything again from the trials of a document that was read.
func (r *JudgeReport) recount() error {
	for i := range r.Settings {
		s := &r.Settings[i]
		for n, t := range s.Trials {
			kind := slices.Contains([]Kind{Plain, Injected, Edited}, t.Kind)
			if t.Path == "" || t.Label != Malicious && t.Label != Benign || !kind || t.Run < 1 {
				return fmt.Errorf("trial %d of %q has no path, or an unknown label, kind or run", n+1, gate.Clip(s.Model, 80))
			}
		}
		s.count()
	}
	r.countVotes()
	return nil
}
