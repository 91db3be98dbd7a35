// Package webpage writes HTML documents that need nothing from anywhere: no script, no
// font, no picture.
//
// It promises that the content security policy of a document can allow exactly its own
// style sheet, so that even markup that got past the escaping could load nothing, and that
// a document is written as a whole or not at all.
//
// It does not know what a document shows: escaping is html/template's, and what a hostile
// text must not contain is for its caller to have removed.
package webpage

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"io"
)

// Sheet is the style sheet of a document. Embed it in what the template is given.
type Sheet struct {
	Style     template.CSS
	StyleHash string // for the content security policy
}

// NewSheet returns a style sheet, which has to be the program's own.
func NewSheet(css string) Sheet {
	sum := sha256.Sum256([]byte(css))
	return Sheet{
		Style:     template.CSS(css), //nolint:gosec // ours, embedded
		StyleHash: "sha256-" + base64.StdEncoding.EncodeToString(sum[:]),
	}
}

// Write fills in a template. It is parsed every time: a package variable would be parsed in
// every program that imports its package.
func Write(w io.Writer, text string, page any) error {
	t, err := template.New("page").Parse(text)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, page); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}
