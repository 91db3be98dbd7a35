package github

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v62/github"
)

// AlarmMarker is the first line of gate's issue about itself. Only an issue that
// starts with it and that our own author opened is ever changed.
const AlarmMarker = "<!-- aigate/gate: alarm -->"

// maxIssuePages bounds the search for the issue, at 100 open issues a page.
const maxIssuePages = 20

// IssueRoom is the room for the text of an issue, less the marker: what GitHub
// takes for a body.
const IssueRoom = 65_536 - 512

// Alarm opens the issue that says that something is wrong, or updates the one that
// is open. It returns the address of the issue.
func (c *Client) Alarm(ctx context.Context, title, markdown string) (string, error) {
	body := AlarmMarker + "\n" + markdown
	const attempts = 3
	for attempt := 1; ; attempt++ {
		number, err := c.findAlarm(ctx)
		if err != nil {
			return "", err
		}
		if number != 0 {
			issue, _, err := c.api.Issues.Edit(ctx, c.owner, c.repo, number, &gh.IssueRequest{Title: &title, Body: &body})
			if err != nil {
				return "", explain(fmt.Sprintf("update the issue %d", number), err)
			}
			return issue.GetHTMLURL(), nil
		}
		issue, resp, err := c.api.Issues.Create(ctx, c.owner, c.repo, &gh.IssueRequest{Title: &title, Body: &body})
		if err == nil {
			return issue.GetHTMLURL(), nil
		}
		// The server may have opened it before it failed: look before trying again,
		// so that there is never a second one.
		if resp == nil || resp.StatusCode < http.StatusInternalServerError || attempt == attempts {
			return "", explain("open the issue", err)
		}
	}
}

// AllClear closes the issue, with a comment that says why, and returns its
// address; "" says that none was open.
func (c *Client) AllClear(ctx context.Context, comment string) (string, error) {
	number, err := c.findAlarm(ctx)
	if err != nil || number == 0 {
		return "", err
	}
	if _, _, err := c.api.Issues.CreateComment(ctx, c.owner, c.repo, number, &gh.IssueComment{Body: &comment}); err != nil {
		return "", explain(fmt.Sprintf("comment on the issue %d", number), err)
	}
	state, reason := "closed", "completed"
	issue, _, err := c.api.Issues.Edit(ctx, c.owner, c.repo, number, &gh.IssueRequest{State: &state, StateReason: &reason})
	if err != nil {
		return "", explain(fmt.Sprintf("close the issue %d", number), err)
	}
	return issue.GetHTMLURL(), nil
}

// findAlarm returns the number of gate's own open issue, or 0.
func (c *Client) findAlarm(ctx context.Context) (int, error) {
	opts := &gh.IssueListByRepoOptions{State: "open", Creator: c.author, Sort: "created", Direction: "asc", ListOptions: gh.ListOptions{PerPage: 100}}
	for range maxIssuePages {
		page, resp, err := c.api.Issues.ListByRepo(ctx, c.owner, c.repo, opts)
		if err != nil {
			return 0, explain("list the issues", err)
		}
		for _, issue := range page {
			if !issue.IsPullRequest() && strings.HasPrefix(issue.GetBody(), AlarmMarker) && strings.EqualFold(issue.GetUser().GetLogin(), c.author) {
				return issue.GetNumber(), nil
			}
		}
		if resp.NextPage == 0 {
			return 0, nil
		}
		opts.Page = resp.NextPage
	}
	return 0, fmt.Errorf("%s has more than %d open issues: gate's own was not among them", c.author, 100*maxIssuePages)
}
