package report

import (
	"bytes"
	"fmt"

	"github.com/aigate/gate/gate"
)

// Render returns a result in one format.
func Render(format string, res gate.Result, o Options) ([]byte, error) {
	var buf bytes.Buffer
	h, err := New(format, &buf, o)
	if err != nil {
		return nil, err
	}
	if err := gate.Replay(res, h); err != nil {
		return nil, fmt.Errorf("render the %s report: %w", format, err)
	}
	return buf.Bytes(), nil
}
