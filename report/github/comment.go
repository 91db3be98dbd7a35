package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v62/github"

	"github.com/aigate/gate/gate"
)

// Marker is the first line of gate's comment. Only a comment that starts with it
// and that our own author wrote is ever changed.
const Marker = "<!-- aigate/gate: sticky -->"

// maxCommentPages bounds the search for the comment, at 100 comments a page.
const maxCommentPages = 50

// Comment creates the sticky comment of a pull request, or updates it in place.
// It returns the address of the comment.
func (c *Client) Comment(ctx context.Context, number int, markdown string) (string, error) {
	body := Marker + "\n" + markdown
	const attempts = 3
	for attempt := 1; ; attempt++ {
		id, err := c.findComment(ctx, number)
		if err != nil {
			return "", err
		}
		if id != 0 {
			made, _, err := c.api.Issues.EditComment(ctx, c.owner, c.repo, id, &gh.IssueComment{Body: &body})
			var api *gh.ErrorResponse
			if errors.As(err, &api) && api.Response != nil && api.Response.StatusCode == http.StatusNotFound && attempt < attempts {
				continue // a user deleted it between the two requests
			}
			if err != nil {
				return "", explain("update the comment", err)
			}
			return made.GetHTMLURL(), nil
		}
		made, resp, err := c.api.Issues.CreateComment(ctx, c.owner, c.repo, number, &gh.IssueComment{Body: &body})
		if err == nil {
			return made.GetHTMLURL(), nil
		}
		// The server may have created it before it failed: look before trying
		// again, so that there is never a second one.
		if resp == nil || resp.StatusCode < 500 || attempt == attempts {
			return "", explain("create the comment", err)
		}
	}
}

// maxReason bounds the reason that a comment gives, in bytes.
const maxReason = 500

// Reason returns what a person gives as the reason for a label: the last of their
// comments on a pull request that begins with the label, without it and without a colon;
// "" where there is none.
func (c *Client) Reason(ctx context.Context, number int, login, label string) (string, error) {
	reason := ""
	opts := &gh.IssueListCommentsOptions{ListOptions: gh.ListOptions{PerPage: 100}}
	for range maxCommentPages {
		page, resp, err := c.api.Issues.ListComments(ctx, c.owner, c.repo, number, opts)
		if err != nil {
			return "", explain("list the comments", err)
		}
		for _, comment := range page {
			text, ok := strings.CutPrefix(strings.TrimSpace(comment.GetBody()), label)
			if ok && strings.EqualFold(comment.GetUser().GetLogin(), login) {
				reason = strings.Join(strings.Fields(strings.TrimLeft(text, ": ")), " ")
			}
		}
		if resp.NextPage == 0 {
			return gate.Clip(reason, maxReason), nil
		}
		opts.Page = resp.NextPage
	}
	return "", fmt.Errorf("the pull request has more than %d comments: the reason was not looked for in all", 100*maxCommentPages)
}

// findComment returns the id of gate's own comment, or 0.
func (c *Client) findComment(ctx context.Context, number int) (int64, error) {
	opts := &gh.IssueListCommentsOptions{ListOptions: gh.ListOptions{PerPage: 100}}
	for range maxCommentPages {
		page, resp, err := c.api.Issues.ListComments(ctx, c.owner, c.repo, number, opts)
		if err != nil {
			return 0, explain("list the comments", err)
		}
		for _, comment := range page {
			if strings.HasPrefix(comment.GetBody(), Marker) && strings.EqualFold(comment.GetUser().GetLogin(), c.author) {
				return comment.GetID(), nil
			}
		}
		if resp.NextPage == 0 {
			return 0, nil
		}
		opts.Page = resp.NextPage
	}
	return 0, fmt.Errorf("the pull request has more than %d comments: gate's own was not among them", 100*maxCommentPages)
}
