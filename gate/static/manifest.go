package static

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var templateMark = regexp.MustCompile(`\{\{|\{%|<%`)

// brokenManifest reports a package.json or composer.json that is no JSON. Its scripts
// are read all the same, as a lenient tool would.
func brokenManifest(f *file, chunk []byte, firstLine int) {
	if base := path.Base(f.view.Path); base != "package.json" && base != "composer.json" {
		return
	}
	if firstLine != 1 || len(chunk) >= chunkSize || len(bytes.TrimSpace(chunk)) == 0 || templateMark.Match(chunk) {
		return
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(chunk, new(json.RawMessage)); errors.As(err, &syntax) {
		at := min(max(0, int(syntax.Offset)-1), len(chunk))
		f.report(checkBrokenManifest, firstLine+bytes.Count(chunk[:at], []byte{'\n'}), syntax.Error(), "")
	}
}
