package eval

import (
	"slices"

	"github.com/aigate/gate/gate"
)

// Comparison is what differs between two results. Only layers that ran in both
// are compared.
type Comparison struct {
	OldTool    gate.Tool      `json:"old_tool"`
	SameCorpus bool           `json:"same_corpus"`
	Measures   []MeasureDiff  `json:"measures"` // those that differ
	Samples    []SampleChange `json:"samples"`  // those that are seen otherwise
	Added      []string       `json:"added"`    // samples that the old result lacks, or labels otherwise
	Removed    []string       `json:"removed"`
	Judge      []JudgeDiff    `json:"judge,omitempty"` // figures that differ
}

// MeasureDiff is one measure in both results.
type MeasureDiff struct {
	Layer                string `json:"layer"`
	By                   string `json:"by"`
	Group                string `json:"group"`
	At                   Level  `json:"at"`
	OldRecall            Share  `json:"old_recall"`
	Recall               Share  `json:"recall"`
	OldFalsePositiveRate Share  `json:"old_false_positive_rate"`
	FalsePositiveRate    Share  `json:"false_positive_rate"`
}

// SampleChange is a sample of which a layer says something else than before.
type SampleChange struct {
	Path     string        `json:"path"`
	Language gate.Language `json:"language"`
	Label    Label         `json:"label"`
	Category string        `json:"category"`
	Layer    string        `json:"layer"`
	From     Level         `json:"from"`
	To       Level         `json:"to"`
	// Worse reports whether a malicious sample is found less, or a benign one
	// more, at a level that counts.
	Worse bool `json:"worse"`
}

// Compare says what is different in now.
func Compare(old, now Result) Comparison {
	c := Comparison{OldTool: old.Tool, SameCorpus: old.Corpus.Digest == now.Corpus.Digest,
		Measures: []MeasureDiff{}, Samples: []SampleChange{}, Added: []string{}, Removed: []string{}}
	layers := now.Layers
	if len(layers) == 2 { // one layer, and "all", which would repeat it
		layers = layers[:1]
	}
	before := map[string]Outcome{}
	for _, o := range old.Samples {
		before[o.Path] = o
	}
	for _, o := range now.Samples {
		was, ok := before[o.Path]
		if !ok || was.Label != o.Label {
			c.Added = append(c.Added, o.Path)
			continue
		}
		delete(before, o.Path)
		for _, layer := range layers {
			a, inOld := was.Layers[layer]
			b, inNew := o.Layers[layer]
			if !inOld || !inNew || a.Severity == b.Severity {
				continue
			}
			c.Samples = append(c.Samples, SampleChange{Path: o.Path, Language: o.Language, Label: o.Label, Category: o.Category,
				Layer: layer, From: a.Severity, To: b.Severity, Worse: worse(o.Label, a.Severity, b.Severity)})
		}
	}
	for _, o := range old.Samples {
		if _, left := before[o.Path]; left {
			c.Removed = append(c.Removed, o.Path)
		}
	}
	c.measures(old, now, layers)
	c.Judge = compareJudge(old.Judge, now.Judge)
	return c
}

func worse(label Label, from, to Level) bool {
	if label == Malicious {
		return to < from && from >= Suspicious
	}
	return to > from && to >= Suspicious
}

func (c *Comparison) measures(old, now Result, layers []string) {
	for _, m := range now.Measures {
		if !slices.Contains(layers, m.Layer) {
			continue
		}
		i := slices.IndexFunc(old.Measures, func(o Measure) bool {
			return o.Layer == m.Layer && o.By == m.By && o.Group == m.Group && o.At == m.At
		})
		if i < 0 {
			continue
		}
		o := old.Measures[i]
		if o.Recall.Value != m.Recall.Value || o.FalsePositiveRate.Value != m.FalsePositiveRate.Value {
			c.Measures = append(c.Measures, MeasureDiff{m.Layer, m.By, m.Group, m.At, o.Recall, m.Recall, o.FalsePositiveRate, m.FalsePositiveRate})
		}
	}
}

// Worse reports whether any sample is seen worse than before, or the judge can be
// manipulated more.
func (c *Comparison) Worse() bool {
	return slices.ContainsFunc(c.Judge, func(d JudgeDiff) bool { return d.Worse }) || slices.ContainsFunc(c.Samples, func(s SampleChange) bool { return s.Worse })
}
