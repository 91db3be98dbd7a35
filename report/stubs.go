package report

import (
	"io"

	"github.com/aigate/gate/gate"
)

func renderHTML(io.Writer, gate.Result, Options) error  { return nil }
func renderSARIF(io.Writer, gate.Result, Options) error { return nil }
func renderJUnit(io.Writer, gate.Result, Options) error { return nil }
