package report

import (
	_ "embed"
	"encoding/json"
	"io"

	"github.com/aigate/gate/gate"
)

//go:embed schema/result.schema.json
var resultSchema string

// Schema returns the JSON Schema (draft 2020-12) of the json format. It is also
// what [Decode] checks a document against.
func Schema() string { return resultSchema }

// renderJSON writes the result document, indented so that people and diffs can
// read it. The same result gives the same bytes.
func renderJSON(w io.Writer, r gate.Result, _ Options) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
