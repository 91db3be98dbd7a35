package attackrun

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/attack"
)

// Write saves a result and renders it. The error has the exit code of its decision.
func (o Output) Write(stdout io.Writer, res attack.Result) error {
	err := o.save(res)
	if err != nil {
		err = exit.Failed(fmt.Errorf("write: %w", err))
	}
	return errors.Join(err, o.render(stdout, res))
}

// save writes the document that --from reads.
func (o Output) save(res attack.Result) error {
	if o.Save == "" {
		return nil
	}
	data, err := res.Encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(o.Save, data)
}

func (o Output) render(stdout io.Writer, res attack.Result) error {
	var out bytes.Buffer
	var err error
	switch o.Format {
	case "json":
		var data []byte
		data, err = res.Encode()
		out.Write(data)
	case "markdown":
		err = res.WriteMarkdown(&out)
	default:
		err = res.WriteText(&out)
	}
	switch {
	case err != nil:
	case o.File != "":
		err = atomicfile.Write(o.File, out.Bytes())
	default:
		_, err = stdout.Write(out.Bytes())
	}
	if err != nil {
		return exit.Failed(fmt.Errorf("write the result: %w", err))
	}
	return exit.For(res.Decision, nil)
}
