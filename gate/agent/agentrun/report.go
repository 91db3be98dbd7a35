package agentrun

import (
	"bytes"
	"fmt"

	"github.com/aigate/gate/gate/agent"
	"github.com/aigate/gate/gate/atomicfile"
)

// report writes how the task ended, and what the layers found in its last program.
func (o *Options) report(p Process, last Last, res agent.Result) error {
	var found, out bytes.Buffer
	if err := p.Findings(&found, last); err != nil {
		return err
	}
	switch {
	case o.Format == "json": // what the layers found is in the document
		text, err := res.Encode()
		if err != nil {
			return err
		}
		out.Write(text)
	default:
		fmt.Fprintf(&out, "%s\n\n", res.Headline())
		if last.Result != nil {
			fmt.Fprintf(&out, "What the layers found in the last program:\n%s", &found)
		}
		if err := res.WriteText(&out); err != nil {
			return err
		}
	}
	if o.Output != "" {
		return atomicfile.Write(o.Output, out.Bytes())
	}
	_, err := p.Stdout.Write(out.Bytes())
	return err
}
