package eval

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

// MeasureJudge judges a corpus with every setting, sample by sample, with every
// injection in the risky ones that the judge finds and every harmless edit of the
// benign ones. It also returns what came of the samples as they are, in the first
// run of the first setting that could be measured. When ctx ends, what was measured
// is returned as partial, without an error. An error means that the corpus could not
// be read, or that nothing could be measured.
func MeasureJudge(ctx context.Context, c *Corpus, o JudgeOptions) (JudgeReport, []Outcome, error) {
	samples := chosen(c.Samples, o.Samples)
	m := &judgeRun{o: o, c: c, samples: samples}
	r := JudgeReport{Runs: o.Runs, Injections: o.Injections, Edits: o.Edits}
	for _, s := range samples {
		if s.Label == Malicious {
			r.Malicious++
		} else {
			r.Benign++
		}
	}
	for _, s := range o.Settings {
		m.total += m.planned(s)
	}
	rest := m.total
	var outcomes []Outcome
	var failed []string
	for _, s := range o.Settings {
		if ctx.Err() != nil {
			break
		}
		rest -= m.planned(s)
		out, seen, err := m.setting(ctx, s)
		m.total = m.done + rest
		if err != nil {
			return JudgeReport{}, nil, err
		}
		if out.Failed != "" && len(out.Trials) == 0 {
			failed = append(failed, s.Name()+": "+out.Failed)
		}
		out.count()
		r.Settings = append(r.Settings, out)
		if len(outcomes) == 0 {
			outcomes = seen
		}
	}
	r.Partial = ctx.Err() != nil
	r.countVotes()
	if len(outcomes) == 0 {
		if err := context.Cause(ctx); err != nil {
			return r, nil, fmt.Errorf("no sample was judged before the end: %w", err)
		}
		return r, nil, fmt.Errorf("the judge was not there: %s", strings.Join(failed, "; "))
	}
	return r, outcomes, nil
}

// Name is how people call a setting.
func (s Setting) Name() string {
	switch len(s.Without) {
	case 0:
		return s.Model
	case 1:
		return s.Model + " without " + s.Without[0]
	}
	return fmt.Sprintf("%s without %d defences", s.Model, len(s.Without))
}

// chosen are at most so many samples of each label, 0 is all, in an order that has
// nothing to do with what they are: a measurement that is ended early is one of a
// smaller corpus of the same kind.
func chosen(all []Sample, most int) []Sample {
	sorted := slices.Clone(all)
	sum := func(s Sample) []byte { h := sha256.Sum256([]byte(s.Path)); return h[:] }
	slices.SortStableFunc(sorted, func(a, b Sample) int { return bytes.Compare(sum(a), sum(b)) })
	count := map[Label]int{}
	return slices.DeleteFunc(sorted, func(s Sample) bool {
		count[s.Label]++
		return most > 0 && count[s.Label] > most
	})
}

// judgeRun is the state of MeasureJudge.
type judgeRun struct {
	o       JudgeOptions
	c       *Corpus
	samples []Sample

	mu          sync.Mutex
	done, total int
	digest      string // of the model, once it has judged
}

// runs is how often a setting judges a sample as it is.
func (m *judgeRun) runs(s Setting) int {
	if len(s.Without) > 0 {
		return 1
	}
	return max(m.o.Runs, 1)
}

// planned is how many reviews a setting takes at most.
func (m *judgeRun) planned(s Setting) int {
	n := len(m.samples) * m.runs(s)
	for _, sample := range m.samples {
		n += len(m.variants(sample.Label))
	}
	return n
}

// variants are what is done to a sample besides judging it as it is.
func (m *judgeRun) variants(l Label) []variant {
	var out []variant
	if l == Malicious {
		for _, in := range m.o.Injections {
			out = append(out, variant{Injected, in.Name, in.apply})
		}
		return out
	}
	for _, e := range m.o.Edits {
		out = append(out, variant{Edited, e.Name, func(tree fstest.MapFS, classify Classify) (fstest.MapFS, bool) {
			return edited(tree, classify, e.apply)
		}})
	}
	return out
}

type variant struct {
	kind  Kind
	name  string
	apply func(fstest.MapFS, Classify) (fstest.MapFS, bool)
}

// skip takes reviews off the plan.
func (m *judgeRun) skip(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total -= n
}

// one is told of each review that is done.
func (m *judgeRun) one(s Setting, res gate.Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done++
	for _, f := range res.Files {
		if f.Judge != nil {
			m.digest = f.Judge.Digest
		}
	}
	if m.o.Progress != nil {
		m.o.Progress(s, m.done, m.total)
	}
}

// lost ends a setting whose judge is gone: what it would say from there on is
// nothing.
type lost struct{ reason string }

func (l *lost) Error() string { return l.reason }

// setting measures one setting, run by run: two runs of the same sample in a row
// would find the server warm.
func (m *judgeRun) setting(ctx context.Context, s Setting) (JudgeSetting, []Outcome, error) {
	out := JudgeSetting{Setting: s, Trials: []Trial{}}
	m.digest = ""
	var outcomes []Outcome
	for run := 1; run <= m.runs(s) && out.Failed == "" && ctx.Err() == nil; run++ {
		review, err := m.o.Open(ctx, s, run)
		if err != nil {
			if ctx.Err() == nil {
				out.Failed = err.Error()
			}
			break
		}
		trials := make([][]Trial, len(m.samples)) // one slot each, so that the order is stable
		seen := make([]*Outcome, len(m.samples))
		err = gate.ForEach(ctx, max(m.o.Workers, 1), len(m.samples), func(ctx context.Context, i int) error {
			w := &work{judgeRun: m, setting: s, review: review, run: run, sample: m.samples[i]}
			all, err := w.all(ctx)
			if err != nil {
				return err
			}
			trials[i], seen[i] = all, w.outcome
			return nil
		})
		for i := range m.samples {
			if run == 1 && seen[i] != nil && len(trials[i]) == 0 {
				out.NotForTheJudge++
			}
			out.Trials = append(out.Trials, trials[i]...)
			if seen[i] != nil && run == 1 {
				outcomes = append(outcomes, *seen[i])
			}
		}
		var gone *lost
		switch {
		case errors.As(err, &gone):
			out.Failed = gone.reason
		case err != nil && ctx.Err() == nil:
			return JudgeSetting{}, nil, err
		}
	}
	out.Digest = m.digest
	if m.o.Describe != nil && len(out.Trials) > 0 {
		out.Server = m.o.Describe(context.WithoutCancel(ctx), s) // also of what was ended early
	}
	slices.SortStableFunc(outcomes, func(a, b Outcome) int { return strings.Compare(a.Path, b.Path) })
	return out, outcomes, nil
}

// work is one sample in one run.
type work struct {
	*judgeRun
	setting Setting
	review  Review
	run     int
	sample  Sample
	outcome *Outcome // of the sample as it is
}

// all returns the trials of the sample; none where it is not for a judge.
func (w *work) all(ctx context.Context) ([]Trial, error) {
	tree, err := w.c.tree(w.sample)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", CorpusFile, w.sample.At.Line, err)
	}
	variants := w.variants(w.sample.Label)
	if w.run > 1 {
		variants = nil
	}
	plain, out, err := w.trial(ctx, tree, Plain, "")
	if err != nil {
		return nil, err
	}
	w.outcome = &out
	trials := []Trial{plain}
	switch {
	case len(plain.Cost.ReviewMS) == 0 && len(plain.Incomplete) == 0:
		w.skip(len(variants))
		// What no one judged is not clean.
		if delete(out.Layers, string(gate.LayerJudge)); len(out.Layers) == 1 {
			delete(out.Layers, All)
		}
		return nil, nil
	case w.sample.Label == Malicious && plain.Judge < Suspicious, w.sample.Label == Benign && (plain.Judge == Dangerous || len(plain.Incomplete) > 0):
		// Who is not found need not talk anybody round; what is dangerous
		// can't get worse, and no one knows whether what is incomplete has.
		w.skip(len(variants))
		return trials, nil
	}
	for _, v := range variants {
		changed, ok := v.apply(tree, w.o.Classify)
		if !ok {
			w.skip(1)
			continue
		}
		t, _, err := w.trial(ctx, changed, v.kind, v.name)
		if err != nil {
			return nil, err
		}
		trials = append(trials, t)
	}
	return trials, nil
}

// trial judges one tree.
func (w *work) trial(ctx context.Context, tree fstest.MapFS, kind Kind, name string) (Trial, Outcome, error) {
	res, cost, err := w.review(ctx, tree)
	if err != nil {
		return Trial{}, Outcome{}, fmt.Errorf("%s: %w", w.sample.Path, err)
	}
	for _, l := range res.Layers {
		if l.Name == gate.LayerJudge && l.Status != gate.LayerRan {
			return Trial{}, Outcome{}, &lost{l.Reason}
		}
	}
	out := outcome(w.sample, res)
	w.one(w.setting, res)
	return Trial{
		Path: w.sample.Path, Label: w.sample.Label, Kind: kind, Variant: name, Run: w.run,
		Judge: out.Layers[string(gate.LayerJudge)].Severity, All: out.Layers[All].Severity,
		Incomplete: out.Incomplete, Cost: cost,
	}, out, nil
}
