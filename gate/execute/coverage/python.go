package coverage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/aigate/gate/gate"
)

// python is what the start of a Python program writes at its end.
type python struct {
	// Files are the lines with code and those that ran, by path in the tree.
	Files map[string][2][]int `json:"files"`
	// Full says that it stopped watching, so that a line may have run unseen.
	Full bool `json:"full"`
	// Top are the statements of the top level, as lines from and to.
	Top map[string][]gate.LineRange `json:"top"`
	// Bodies are lines that have a function beside other code, and 1 where it was called.
	Bodies map[string][][2]int `json:"bodies"`
	// Tests are how many test functions there are, and of how many a line ran.
	Tests map[string][2]int `json:"tests"`
}

var errTooLarge = fmt.Errorf("the claims are larger than %d MiB", MaxReport>>20)

// Python reads the claims of one process. When partial is true, a line that did not
// run may have.
func Python(data []byte, src Sources) (p Profile, shapes Shapes, partial bool, err error) {
	var r python
	if err := decode(data, &r); err != nil {
		return nil, nil, false, fmt.Errorf("what Python says about its lines: %w", err)
	}
	p, shapes = Profile{}, Shapes{}
	for path, claims := range r.Files {
		text, ok := src[path]
		if !ok {
			continue
		}
		total := LinesOf(text)
		if total > MaxLines {
			continue
		}
		lines := Lines{}
		for _, n := range claims[0] {
			if n >= 1 && n <= total {
				lines[n] = false
			}
		}
		for _, n := range claims[1] {
			if _, code := lines[n]; code {
				lines[n] = true
			}
		}
		p[path] = lines
		one := shape(r.Top[path], r.Tests[path], total)
		one.Bodies = bodies(r.Bodies[path], total)
		shapes[path] = one
	}
	return p, shapes, r.Full, nil
}

// decode reads one JSON document and nothing behind it.
func decode(data []byte, into any) error {
	if len(data) > MaxReport {
		return errTooLarge
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind its end")
	}
	return nil
}
