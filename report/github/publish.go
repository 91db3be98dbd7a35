package github

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/aigate/gate/gate"
)

// Publication is everything that is published about one run.
type Publication struct {
	PullRequest int    // 0 where there is none: then there is no comment
	HeadSHA     string // commit that was looked at
	Ref         string // full ref for code scanning, such as refs/pull/7/merge
	Result      gate.Result
	Title       string // one line
	Comment     string // Markdown, cut to what GitHub takes
	Summary     string // Markdown of the check run
	SARIF       []byte
	DetailsURL  string // of the workflow run
	Wanted      gate.ReportPolicy
}

// Part is what became of one part of a publication. A part without an error and
// without an address was not wanted.
type Part struct {
	Name string // "comment", "check", "code scanning"
	URL  string
	Err  error
}

// Publish tries every wanted part, each on its own, the check first: it is the
// one that a repository requires.
func (c *Client) Publish(ctx context.Context, p Publication) []Part {
	var parts []Part
	add := func(wanted bool, name string, publish func() (string, error)) {
		if !wanted {
			return
		}
		part := Part{Name: name}
		if err := gate.Catch(func() (err error) {
			part.URL, err = publish()
			return err
		}); err != nil {
			part.Err = err
		}
		parts = append(parts, part)
	}
	add(p.Wanted.Check, "check", func() (string, error) {
		return c.PublishCheck(ctx, Check{
			HeadSHA: p.HeadSHA, Decision: p.Result.Decision, Title: p.Title,
			Summary: p.Summary, DetailsURL: p.DetailsURL, Files: p.Result.Files,
		})
	})
	add(p.Wanted.Comment && p.PullRequest > 0, "comment", func() (string, error) {
		return c.Comment(ctx, p.PullRequest, p.Comment)
	})
	add(p.Wanted.SARIF && len(p.SARIF) > 0, "code scanning", func() (string, error) {
		return c.UploadSARIF(ctx, p.HeadSHA, p.Ref, p.SARIF)
	})
	return parts
}

// Permalink returns a function that gives the address of a line at a commit,
// for the reports.
func Permalink(serverURL, repository, sha string) func(path string, line int) string {
	return func(path string, line int) string {
		segments := strings.Split(path, "/")
		for i, s := range segments {
			segments[i] = url.PathEscape(s)
		}
		link := fmt.Sprintf("%s/%s/blob/%s/%s", strings.TrimSuffix(serverURL, "/"), repository, sha, strings.Join(segments, "/"))
		if line > 0 {
			link += fmt.Sprintf("#L%d", line)
		}
		return link
	}
}
