package attack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/aigate/gate/gate"
)

// The bounds of a history. With a run a night it goes back more than five years.
const (
	MaxHistory = 32 << 20 // bytes
	maxNights  = 2000
)

// Night is one line of a history: what one run came to.
type Night struct {
	Date     time.Time     `json:"date"`
	Version  string        `json:"version"`
	Decision gate.Decision `json:"decision"`
	Runs     []NightRun    `json:"runs"` // by runtime
	// Missed and Uncontained are ids, in order, each once.
	Missed      []string `json:"missed"`
	Uncontained []string `json:"uncontained"`
}

// NightRun counts one runtime; "" is that of layers which run nothing.
type NightRun struct {
	Runtime    string `json:"runtime"`
	Attacks    int    `json:"attacks"`
	Expected   int    `json:"expected"`
	Caught     int    `json:"caught"`
	Executable int    `json:"executable"`
	Executed   int    `json:"executed"`
	Contained  int    `json:"contained"`
	Twins      int    `json:"twins"`
	// FalsePositives are twins that are called dangerous.
	FalsePositives int `json:"false_positives"`
	// Layers are the attacks that each layer catches by itself.
	Layers map[gate.Layer]int `json:"layers"`
}

// Night is the line that a result adds to a history.
func (res *Result) Night(now time.Time) Night {
	n := Night{Date: now.UTC().Truncate(time.Second), Version: res.Tool.Version, Decision: res.Decision, Runs: []NightRun{}, Missed: []string{}, Uncontained: []string{}}
	for _, s := range res.Summary {
		run := NightRun{
			Runtime: s.Runtime, Attacks: s.Attacks, Expected: s.Expected, Caught: s.Caught, Executable: s.Executable, Executed: s.Executed,
			Contained: s.Contained, Twins: s.Twins, FalsePositives: s.TwinsDangerous, Layers: map[gate.Layer]int{},
		}
		for _, l := range res.Layers {
			run.Layers[l] = 0
		}
		for _, r := range res.Attacks {
			for _, l := range r.CaughtBy {
				if r.Runtime == s.Runtime && !r.Benign {
					run.Layers[l]++
				}
			}
		}
		n.Runs = append(n.Runs, run)
	}
	for _, f := range res.Failures {
		switch f.Kind {
		case Missed:
			n.Missed = append(n.Missed, f.ID)
		case Uncontained, NotExecuted:
			n.Uncontained = append(n.Uncontained, f.ID)
		}
	}
	for _, ids := range []*[]string{&n.Missed, &n.Uncontained} {
		slices.Sort(*ids)
		*ids = slices.Compact(*ids)
	}
	return n
}

// ParseHistory reads a history strictly: one document a line, oldest first.
func ParseHistory(name string, data []byte) ([]Night, error) {
	if len(data) > MaxHistory {
		return nil, fmt.Errorf("%s has more than %d bytes", name, MaxHistory)
	}
	var nights []Night
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if len(nights) == maxNights {
			return nil, fmt.Errorf("%s has more than %d lines; keep the last of them", name, maxNights)
		}
		n, err := parseNight(text)
		if err == nil && len(nights) > 0 && n.Date.Before(nights[len(nights)-1].Date) {
			err = fmt.Errorf("the date %s is before that of the line above", n.Date.Format(time.RFC3339))
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w (want lines that gate attack --history wrote)", name, line, err)
		}
		nights = append(nights, n)
	}
	return nights, nil
}

func parseNight(text []byte) (Night, error) {
	var n Night
	if !bytes.HasSuffix(text, []byte("\n")) {
		return n, errors.New("the line does not end: the file was cut")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&n); err != nil {
		return n, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return n, errors.New("more follows behind the document")
	}
	return n, n.check()
}

// check refuses what no run writes.
func (n Night) check() error {
	if y := n.Date.Year(); y < 2020 || y > 9999 {
		return fmt.Errorf("date: %d is no year of gate", y)
	}
	if n.Decision == gate.DecisionUnknown {
		return errors.New("decision: there is none")
	}
	for _, id := range slices.Concat(n.Missed, n.Uncontained) {
		if !idPattern.MatchString(id) {
			return fmt.Errorf("%q is no attack", gate.Clip(id, maxTitle))
		}
	}
	for _, r := range n.Runs {
		if r.Runtime != "" && !runtimePattern.MatchString(r.Runtime) {
			return fmt.Errorf("%q is not a runtime", gate.Clip(r.Runtime, maxTitle))
		}
		for _, c := range []struct {
			name    string
			n, most int
		}{
			{"attacks", r.Attacks, maxAttacks}, {"expected", r.Expected, r.Attacks}, {"caught", r.Caught, r.Expected}, {"executable", r.Executable, r.Attacks},
			{"executed", r.Executed, r.Attacks}, {"contained", r.Contained, r.Executed}, {"twins", r.Twins, maxAttacks}, {"false_positives", r.FalsePositives, r.Twins},
		} {
			if c.n < 0 || c.n > c.most {
				return fmt.Errorf("%s: %d is not between 0 and %d", c.name, c.n, c.most)
			}
		}
		for l, n := range r.Layers {
			if !slices.Contains(gate.Layers(), l) || n < 0 || n > r.Attacks {
				return fmt.Errorf("layers: %q: %d", gate.Clip(string(l), maxTitle), n)
			}
		}
	}
	return nil
}

// EncodeHistory writes a history, the last nights of it where they are too many.
func EncodeHistory(nights []Night) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out) // one line a value
	for _, n := range nights[max(0, len(nights)-maxNights):] {
		if err := enc.Encode(n); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
