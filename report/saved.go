package report

import (
	"io"
	"os"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exit"
)

// DecodeFile reads a saved result, from stdin where the name is "-". An error has the
// exit code of a mistake on the command line.
func DecodeFile(name string, stdin io.Reader) (gate.Result, error) {
	in := io.NopCloser(stdin)
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return gate.Result{}, exit.Usagef("%w", err)
		}
		in = f
	}
	defer in.Close()
	res, err := Decode(in)
	if err != nil {
		return gate.Result{}, exit.Usagef("%s is not a result of gate: %w", name, err)
	}
	return res, nil
}

// Replay writes a saved result as the run did that produced it, files included. The error
// has the exit code of the result; a result that passed has none.
func (o *Output) Replay(res gate.Result) error {
	if err := gate.Replay(res, o); err != nil {
		return exit.For(res.Decision, err)
	}
	return exit.Reported(res.Decision, o.Close())
}
