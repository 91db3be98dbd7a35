package github

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	gh "github.com/google/go-github/v62/github"
)

// maxSARIF is the largest upload, in bytes after gzip, that code scanning takes.
// Source: docs.github.com, "SARIF support for code scanning".
const maxSARIF = 10 << 20

// UploadSARIF sends a SARIF document to code scanning. GitHub answers before it
// has read it.
func (c *Client) UploadSARIF(ctx context.Context, commitSHA, ref string, doc []byte) (string, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(doc); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	if packed.Len() > maxSARIF {
		return "", fmt.Errorf("the SARIF document has %d bytes after gzip (GitHub takes %d)", packed.Len(), maxSARIF)
	}
	id, _, err := c.api.CodeScanning.UploadSarif(ctx, c.owner, c.repo, &gh.SarifAnalysis{
		CommitSHA: gh.String(commitSHA),
		Ref:       gh.String(ref),
		Sarif:     gh.String(base64.StdEncoding.EncodeToString(packed.Bytes())),
		ToolName:  gh.String(CheckName),
	})
	// go-github reports 202, which is the success of this call, as an error.
	var accepted *gh.AcceptedError
	if err != nil && !errors.As(err, &accepted) {
		return "", explain("upload to code scanning", err)
	}
	return id.GetURL(), nil
}
