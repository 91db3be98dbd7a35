package evalrun

import (
	"bytes"
	"io"
	"os"

	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/lab/eval"
)

// readResult reads the result to compare with; without a name there is none.
func readResult(name string) (*eval.Result, error) {
	if name == "" {
		return nil, nil
	}
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	res, err := eval.Decode(in)
	return &res, err
}

// write saves a result and renders it.
func (o *Options) write(stdout io.Writer, res eval.Result) error {
	if o.Save != "" {
		var saved bytes.Buffer
		if err := eval.WriteJSON(&saved, res); err != nil {
			return err
		}
		if err := atomicfile.Write(o.Save, saved.Bytes()); err != nil {
			return err
		}
	}
	render := writers()[o.Format]
	if o.Output == "" {
		return render(stdout, res)
	}
	var out bytes.Buffer
	if err := render(&out, res); err != nil {
		return err
	}
	return atomicfile.Write(o.Output, out.Bytes())
}
