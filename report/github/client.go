package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// DefaultAuthor is who GITHUB_TOKEN speaks as in a workflow.
const DefaultAuthor = "github-actions[bot]"

// Options say which repository to talk to, and how.
type Options struct {
	Token   string
	BaseURL string // of the REST API, such as https://api.github.com (GITHUB_API_URL)
	Owner   string
	Repo    string
	Author  string // login that the token speaks as; "" is DefaultAuthor
	HTTP    *http.Client
	// MaxWait bounds the time spent waiting for rate limits and between
	// retries of one request; 0 is DefaultMaxWait.
	MaxWait time.Duration
}

// DefaultMaxWait is the longest that one request waits for its repetitions.
// GitHub's secondary limits ask for a minute, typically.
const DefaultMaxWait = 2 * time.Minute

// requestTimeout bounds one attempt of one request.
const requestTimeout = 30 * time.Second

// slugPattern is what GitHub allows as owner and as repository name.
var slugPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Client talks to one repository.
type Client struct {
	api    *gh.Client
	owner  string
	repo   string
	author string
}

// New checks the options and returns a client. It sends nothing.
func New(o Options) (*Client, error) {
	if !slugPattern.MatchString(o.Owner) || !slugPattern.MatchString(strings.TrimPrefix(o.Repo, ".")) {
		return nil, fmt.Errorf("%q is not a repository of GitHub (owner/name)", o.Owner+"/"+o.Repo)
	}
	if o.Token == "" {
		return nil, errors.New("no token for the GitHub API (set GITHUB_TOKEN, and give the job the permissions that docs/action.md lists)")
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return nil, fmt.Errorf("%q is not the address of a GitHub API", o.BaseURL)
	}
	if o.Author == "" {
		o.Author = DefaultAuthor
	}
	if o.MaxWait <= 0 {
		o.MaxWait = DefaultMaxWait
	}
	transport := http.DefaultTransport
	if o.HTTP != nil && o.HTTP.Transport != nil {
		transport = o.HTTP.Transport
	}
	hc := &http.Client{
		Transport: &retrier{next: transport, maxWait: o.MaxWait},
		// A redirect of the API to another host would take the token along.
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) >= 5 || req.URL.Host != via[0].URL.Host {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
	api := gh.NewClient(hc).WithAuthToken(o.Token)
	api.BaseURL = base.JoinPath("/")
	api.UserAgent = "aigate-gate"
	return &Client{api: api, owner: o.Owner, repo: o.Repo, author: o.Author}, nil
}

// Permission returns what a user may do in the repository: "admin", "maintain",
// "write", "triage", "read" or "none".
func (c *Client) Permission(ctx context.Context, login string) (string, error) {
	// go-github v62 does not read role_name, which is finer than permission:
	// the latter calls a maintainer "write".
	var level struct {
		Permission string `json:"permission"`
		RoleName   string `json:"role_name"`
	}
	req, err := c.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/collaborators/%s/permission", c.owner, c.repo, url.PathEscape(login)), nil)
	if err != nil {
		return "", err
	}
	if _, err := c.api.Do(ctx, req, &level); err != nil {
		return "", explain("ask for the permission of "+login, err)
	}
	if level.RoleName != "" {
		return level.RoleName, nil
	}
	return level.Permission, nil
}

// PullRequest is what gate believes about a pull request because the API says
// so.
type PullRequest struct {
	Number           int
	HeadSHA, BaseSHA string
	HeadRef          string
	HeadRepo         string // owner/name; empty when the fork is gone
	BaseRef          string
	Labels           []string
	Title, Body      string
	Author           string
	Fork             bool
}

// PullRequest asks for a pull request.
func (c *Client) PullRequest(ctx context.Context, number int) (PullRequest, error) {
	pr, _, err := c.api.PullRequests.Get(ctx, c.owner, c.repo, number)
	if err != nil {
		return PullRequest{}, explain(fmt.Sprintf("read pull request %d", number), err)
	}
	out := PullRequest{
		Number:   pr.GetNumber(),
		HeadSHA:  pr.GetHead().GetSHA(),
		BaseSHA:  pr.GetBase().GetSHA(),
		HeadRef:  pr.GetHead().GetRef(),
		BaseRef:  pr.GetBase().GetRef(),
		HeadRepo: pr.GetHead().GetRepo().GetFullName(),
		Title:    pr.GetTitle(),
		Body:     pr.GetBody(),
		Author:   pr.GetUser().GetLogin(),
	}
	out.Fork = !strings.EqualFold(out.HeadRepo, c.owner+"/"+c.repo)
	for _, l := range pr.Labels {
		out.Labels = append(out.Labels, l.GetName())
	}
	if out.Number != number || out.HeadSHA == "" || out.BaseSHA == "" {
		return PullRequest{}, fmt.Errorf("read pull request %d: GitHub's answer lacks the head or the base commit", number)
	}
	return out, nil
}

// explain adds what a user can do to the errors of the API that have a usual
// cause.
func explain(doing string, err error) error {
	var api *gh.ErrorResponse
	if !errors.As(err, &api) || api.Response == nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	hint := ""
	switch api.Response.StatusCode {
	case http.StatusUnauthorized:
		hint = "the token is not valid (any more)"
	case http.StatusForbidden:
		hint = "the token lacks a permission; see docs/action.md for the ones that the job needs (a pull request from a fork gets a read-only token)"
	case http.StatusNotFound:
		hint = "it does not exist, or the token may not see it"
	case http.StatusUnprocessableEntity:
		hint = "GitHub refuses the content"
	}
	if hint == "" {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return fmt.Errorf("%s: %w: %s", doing, err, hint)
}
