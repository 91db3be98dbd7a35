package eval

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/aigate/gate/gate"
)

// SchemaVersion is the version of the result document. Fields are added, never
// renamed, within a version.
const SchemaVersion = 1

// DocumentKind tells this document from the result of a scan.
const DocumentKind = "gate-eval"

// maxResult bounds a saved result, in bytes.
const maxResult = 256 << 20

// Result is the document that an evaluation produces. What a corpus says is
// third-party text, and what the rules found is hostile; every format
// escapes both.
type Result struct {
	SchemaVersion int          `json:"schema_version"`
	Kind          string       `json:"kind"`
	Tool          gate.Tool    `json:"tool"`
	Corpus        About        `json:"corpus"`
	Layers        []string     `json:"layers"`     // that ran on at least one sample, then "all"
	Incomplete    int          `json:"incomplete"` // samples of which something was not looked at
	Failed        int          `json:"failed"`     // samples that a layer should have looked at and did not get through
	Measures      []Measure    `json:"measures"`
	Rules         []RuleCount  `json:"rules"`
	Samples       []Outcome    `json:"samples"`
	Judge         *JudgeReport `json:"judge,omitempty"` // where models were measured
	Comparison    *Comparison  `json:"comparison,omitempty"`
}

// About names the corpus that was asked.
type About struct {
	Name      string `json:"name"`
	About     string `json:"about,omitempty"`
	Digest    string `json:"digest"` // SHA-256 of corpus.yaml
	Malicious int    `json:"risky"`
	Benign    int    `json:"innocent"`
}

// NewResult measures outcomes.
func NewResult(tool gate.Tool, c *Corpus, outcomes []Outcome) Result {
	r := Result{
		SchemaVersion: SchemaVersion, Kind: DocumentKind, Tool: tool,
		Corpus:   About{Name: c.Name, About: c.About, Digest: c.Digest},
		Measures: Measures(outcomes), Rules: RuleCounts(outcomes), Samples: outcomes,
	}
	for _, o := range outcomes {
		if o.Label == Malicious {
			r.Corpus.Malicious++
		} else {
			r.Corpus.Benign++
		}
		if len(o.Incomplete) > 0 {
			r.Incomplete++
		}
		if len(o.Failed) > 0 {
			r.Failed++
		}
		for layer := range o.Layers {
			if !slices.Contains(r.Layers, layer) {
				r.Layers = append(r.Layers, layer)
			}
		}
	}
	slices.SortFunc(r.Layers, func(a, b string) int {
		return cmp.Or(cmp.Compare(layerRank(a), layerRank(b)), cmp.Compare(a, b))
	})
	return r
}

// Unmeasured returns the layers that got through no sample at all: their figures
// are no figures.
func (r Result) Unmeasured() []string {
	var out []string
	for _, m := range r.Measures {
		if m.By == ByAll && m.At == Suspicious && m.Unknown > 0 && m.Recall.Of+m.FalsePositiveRate.Of == 0 {
			out = append(out, m.Layer)
		}
	}
	return out
}

// WriteJSON writes the result document.
func WriteJSON(w io.Writer, r Result) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// Decode reads a result document. Measures are counted again from the samples,
// so that a document can't contradict itself.
func Decode(in io.Reader) (Result, error) {
	var r Result
	limited := &io.LimitedReader{R: in, N: maxResult + 1}
	d := json.NewDecoder(limited)
	if err := d.Decode(&r); err != nil {
		if limited.N <= 0 {
			return Result{}, fmt.Errorf("larger than %d bytes", maxResult)
		}
		return Result{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Result{}, errors.New("something follows the document")
	}
	if r.Kind != DocumentKind {
		return Result{}, fmt.Errorf("its kind is %q, and %q is expected: write one with `gate eval --format json`", gate.Clip(r.Kind, 40), DocumentKind)
	}
	if r.SchemaVersion != SchemaVersion {
		return Result{}, fmt.Errorf("its schema_version is %d, and %d is expected", r.SchemaVersion, SchemaVersion)
	}
	for i, o := range r.Samples {
		if o.Path == "" || o.Label != Malicious && o.Label != Benign {
			return Result{}, fmt.Errorf("sample %d has no path or the label %q", i+1, gate.Clip(string(o.Label), 40))
		}
	}
	if r.Judge != nil {
		if err := r.Judge.recount(); err != nil {
			return Result{}, err
		}
	}
	r.Measures, r.Rules, r.Comparison = Measures(r.Samples), RuleCounts(r.Samples), nil
	return r, nil
}
