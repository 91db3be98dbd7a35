package attack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/aigate/gate/gate"
)

// MaxResult is the largest saved result that is read, in bytes.
const MaxResult = 16 << 20

// Encode writes the result document, one row a line so that a diff of two can be
// read.
func (res Result) Encode() ([]byte, error) {
	rows, probes := res.Attacks, res.Probes
	res.Attacks, res.Probes = []Row{}, nil
	text, err := json.MarshalIndent(res, "", "  ")
	if err != nil {
		return nil, err
	}
	list, err := lines(rows)
	if err != nil {
		return nil, err
	}
	text = bytes.Replace(text, []byte("\n  \"attacks\": []"), append([]byte("\n  \"attacks\": "), list...), 1)
	if len(probes) > 0 {
		if list, err = lines(probes); err != nil {
			return nil, err
		}
		text = bytes.Replace(text, []byte("\n  \"summary\":"), append(append([]byte("\n  \"probes\": "), list...), ",\n  \"summary\":"...), 1)
	}
	return append(text, '\n'), nil
}

// lines writes a list with one element a line.
func lines[T any](list []T) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		b.WriteString("\n    ")
		b.Write(text)
	}
	if len(list) > 0 {
		b.WriteString("\n  ")
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// ParseResult reads a saved result strictly. What follows from the rows is worked
// out again, so that a result cannot contradict itself.
func ParseResult(name string, data []byte) (Result, error) {
	if len(data) > MaxResult {
		return Result{}, fmt.Errorf("%s has more than %d bytes", name, MaxResult)
	}
	var res Result
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(&res)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more follows behind the document")
		}
	}
	if err != nil {
		at := 1 + bytes.Count(data[:min(int(dec.InputOffset()), len(data))], []byte("\n"))
		return Result{}, fmt.Errorf("%s:%d: %w", name, at, err)
	}
	if res.SchemaVersion != SchemaVersion {
		return Result{}, fmt.Errorf("%s: schema_version is %d, this gate knows %d", name, res.SchemaVersion, SchemaVersion)
	}
	if err := res.check(); err != nil {
		return Result{}, fmt.Errorf("%s: %w", name, err)
	}
	baseline := res.Baseline
	res.Baseline = nil
	res.count()
	if baseline != nil {
		res.Baseline = baseline
		res.decide()
	}
	return res, nil
}

// check refuses what no run writes: names that are none, and rows that contradict
// themselves.
func (res *Result) check() error {
	layers := slices.Clone(res.Layers)
	runtimes := slices.Clone(res.Runtimes)
	for _, r := range res.Attacks {
		if !idPattern.MatchString(r.ID) {
			return fmt.Errorf("%q is no attack", gate.Clip(r.ID, maxTitle))
		}
		switch {
		case r.Contained && !r.Executed:
			return fmt.Errorf("%s is contained although it was not executed", r.ID)
		case r.Contained && len(r.Breaches) > 0:
			return fmt.Errorf("%s is contained although there are breaches", r.ID)
		case r.Executed && !r.Contained && len(r.Breaches) == 0:
			return fmt.Errorf("%s is not contained, and no breach says why", r.ID)
		}
		layers = slices.Concat(layers, r.Expected, r.Unasked, r.CaughtBy)
		if r.Runtime != "" {
			runtimes = append(runtimes, r.Runtime)
		}
	}
	for _, p := range res.Probes {
		runtimes = append(runtimes, p.Runtime)
	}
	if res.Baseline != nil {
		for _, c := range slices.Concat(res.Baseline.Regressions, res.Baseline.Improvements, res.Baseline.Gaps) {
			if !idPattern.MatchString(c.ID) {
				return fmt.Errorf("baseline: %q is no attack", gate.Clip(c.ID, maxTitle))
			}
			if c.Runtime != "" {
				runtimes = append(runtimes, c.Runtime)
			}
		}
	}
	for _, l := range layers {
		if !slices.Contains(gate.Layers(), l) {
			return fmt.Errorf("%q is not a layer", gate.Clip(string(l), maxTitle))
		}
	}
	for _, r := range runtimes {
		if !runtimePattern.MatchString(r) {
			return fmt.Errorf("%q is not a runtime", gate.Clip(r, maxTitle))
		}
	}
	return nil
}
