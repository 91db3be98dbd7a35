package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// MaxBytes is the largest payload that is read. GitHub caps webhook payloads at
// 25 MB (docs.github.com, "Webhook events and payloads").
const MaxBytes = 25 << 20

// The names of the events that gate can judge.
const (
	PullRequest       = "pull_request"
	PullRequestTarget = "pull_request_target"
	MergeGroup        = "merge_group"
	Push              = "push"
	WorkflowDispatch  = "workflow_dispatch"
	WorkflowRun       = "workflow_run" // for gate publish only
)

// Names returns the events that `gate pr` accepts.
func Names() []string {
	return []string{PullRequest, PullRequestTarget, MergeGroup, Push, WorkflowDispatch}
}

// Event is what a run needs to know of a webhook event.
type Event struct {
	Name        string
	Action      string // "synchronize", "labeled", ...
	Owner, Repo string
	Number      int    // of the pull request, or 0
	Base, Head  string // commits; Base may be empty (a new branch, a manual run)
	BaseRef     string // branch that the change is to go into
	HeadRef     string // branch of the change, chosen by its author
	HeadRepo    string // owner/name of the change's repository; "" when it is gone
	Default     string // default branch of the repository
	Labels      []string
	Label       string // the label that a "labeled" event is about
	Sender      string // who caused the event
	Author      string // of the pull request
	AuthorType  string // "User" or "Bot"
	Title, Body string // for attribution only; never shown to a judge
	RunID       int64  // of the workflow run that a workflow_run event is about
}

// Fork reports whether the change comes from another repository, or from one
// that is gone.
func (e Event) Fork() bool {
	return e.Number > 0 && !strings.EqualFold(e.HeadRepo, e.Owner+"/"+e.Repo)
}

// Fresh is why a run for the event takes nothing from what earlier runs did, "" where it
// may: what is merged, or has been, has to have run as it is now. Protected says that the
// branch of the event is protected (GITHUB_REF_PROTECTED).
func (e Event) Fresh(protected bool) string {
	switch {
	case e.Name == MergeGroup:
		return "a merge queue runs all programs"
	case e.Number > 0:
		return ""
	case protected:
		return "all programs run on a protected branch"
	case e.HeadRef == "" || e.HeadRef == e.Default:
		return "all programs run on the default branch"
	}
	return ""
}

var (
	shaPattern  = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
	slugPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
)

// payload is the part of GitHub's payloads that is read.
type payload struct {
	Action      string       `json:"action"`
	Repository  *repository  `json:"repository"`
	Sender      account      `json:"sender"`
	Label       *label       `json:"label"`
	PullRequest *pullRequest `json:"pull_request"`
	MergeGroup  *struct {
		BaseSHA string `json:"base_sha"`
		HeadSHA string `json:"head_sha"`
		BaseRef string `json:"base_ref"`
		HeadRef string `json:"head_ref"`
	} `json:"merge_group"`
	Ref         string `json:"ref"`
	Before      string `json:"before"`
	After       string `json:"after"`
	Deleted     bool   `json:"deleted"`
	WorkflowRun *struct {
		ID int64 `json:"id"`
	} `json:"workflow_run"`
}

type repository struct {
	FullName      string `json:"full_name"`
	DefaultBranch string `json:"default_branch"`
}

type account struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

type label struct {
	Name string `json:"name"`
}

type side struct {
	Ref  string      `json:"ref"`
	SHA  string      `json:"sha"`
	Repo *repository `json:"repo"`
}

type pullRequest struct {
	Number int     `json:"number"`
	Title  string  `json:"title"`
	Body   *string `json:"body"`
	User   account `json:"user"`
	Labels []label `json:"labels"`
	Head   side    `json:"head"`
	Base   side    `json:"base"`
}

// Source is what the runner says about the event, besides its payload.
type Source struct {
	Name       string // GITHUB_EVENT_NAME
	Repository string // GITHUB_REPOSITORY, owner/name
	SHA        string // GITHUB_SHA, the commit of a manual run
	Ref        string // GITHUB_REF
}

// Parse reads a payload. The error says what was expected where.
func Parse(src Source, data []byte) (Event, error) {
	if !slices.Contains(append(Names(), WorkflowRun), src.Name) {
		return Event{}, fmt.Errorf("gate has nothing to look at in a %q event (it works on %s)", src.Name, strings.Join(Names(), ", "))
	}
	if len(data) > MaxBytes {
		return Event{}, fmt.Errorf("the event has %d bytes (at most %d are read)", len(data), MaxBytes)
	}
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		return Event{}, fmt.Errorf("the event is not what GitHub sends: %w", err)
	}
	e := Event{Name: src.Name, Action: p.Action, Sender: p.Sender.Login}
	var ok bool
	if p.Repository == nil {
		return Event{}, errors.New(`the event lacks "repository"`)
	}
	if e.Owner, e.Repo, ok = strings.Cut(p.Repository.FullName, "/"); !ok || !slugPattern.MatchString(e.Owner) || !slugPattern.MatchString(e.Repo) {
		return Event{}, fmt.Errorf(`"repository.full_name" is %q (want owner/name)`, p.Repository.FullName)
	}
	if !strings.EqualFold(src.Repository, p.Repository.FullName) {
		return Event{}, fmt.Errorf("the event is about %s and the workflow runs in %q", p.Repository.FullName, src.Repository)
	}
	e.Default = p.Repository.DefaultBranch
	if p.Label != nil {
		e.Label = p.Label.Name
	}
	var err error
	switch src.Name {
	case PullRequest, PullRequestTarget:
		err = e.fromPullRequest(p.PullRequest)
	case MergeGroup:
		err = e.fromMergeGroup(p)
	case Push:
		err = e.fromPush(p)
	case WorkflowDispatch:
		e.Head, e.HeadRef = src.SHA, strings.TrimPrefix(src.Ref, "refs/heads/")
		e.BaseRef = e.Default
	case WorkflowRun:
		if p.WorkflowRun == nil || p.WorkflowRun.ID <= 0 {
			return Event{}, errors.New(`the event lacks "workflow_run.id"`)
		}
		e.RunID = p.WorkflowRun.ID
		return e, nil
	}
	if err != nil {
		return Event{}, err
	}
	return e, e.check()
}

func (e *Event) fromPullRequest(pr *pullRequest) error {
	if pr == nil || pr.Number <= 0 {
		return errors.New(`the event lacks "pull_request.number"`)
	}
	e.Number, e.Title, e.Author, e.AuthorType = pr.Number, pr.Title, pr.User.Login, pr.User.Type
	if pr.Body != nil {
		e.Body = *pr.Body
	}
	e.Base, e.BaseRef = pr.Base.SHA, pr.Base.Ref
	e.Head, e.HeadRef = pr.Head.SHA, pr.Head.Ref
	if pr.Head.Repo != nil {
		e.HeadRepo = pr.Head.Repo.FullName
	}
	if pr.Base.Repo != nil && !strings.EqualFold(pr.Base.Repo.FullName, e.Owner+"/"+e.Repo) {
		return fmt.Errorf("the pull request is for %s and the event is about %s/%s", pr.Base.Repo.FullName, e.Owner, e.Repo)
	}
	for _, l := range pr.Labels {
		e.Labels = append(e.Labels, l.Name)
	}
	if e.Base == "" {
		return errors.New(`the event lacks "pull_request.base.sha"`)
	}
	return nil
}

func (e *Event) fromMergeGroup(p payload) error {
	if p.MergeGroup == nil {
		return errors.New(`the event lacks "merge_group"`)
	}
	g := p.MergeGroup
	e.Base, e.Head = g.BaseSHA, g.HeadSHA
	e.BaseRef, e.HeadRef = strings.TrimPrefix(g.BaseRef, "refs/heads/"), strings.TrimPrefix(g.HeadRef, "refs/heads/")
	if e.Base == "" {
		return errors.New(`the event lacks "merge_group.base_sha"`)
	}
	return nil
}

func (e *Event) fromPush(p payload) error {
	if p.Deleted || strings.Trim(p.After, "0") == "" {
		return fmt.Errorf("the push deletes %s: there is nothing to look at", shown(p.Ref))
	}
	e.Head, e.HeadRef = p.After, strings.TrimPrefix(p.Ref, "refs/heads/")
	e.BaseRef = e.Default
	if strings.Trim(p.Before, "0") != "" {
		e.Base = p.Before
	}
	return nil
}

// check holds what git and the API will be given.
func (e *Event) check() error {
	if !shaPattern.MatchString(e.Head) {
		return fmt.Errorf("the head commit of the event is %s (want 40 or 64 hex digits)", shown(e.Head))
	}
	if e.Base != "" && !shaPattern.MatchString(e.Base) {
		return fmt.Errorf("the base commit of the event is %s (want 40 or 64 hex digits)", shown(e.Base))
	}
	for what, ref := range map[string]string{"base": e.BaseRef, "default": e.Default} {
		if ref != "" && !validBranch(ref) {
			return fmt.Errorf("the %s branch of the event is %s, which is no branch name", what, shown(ref))
		}
	}
	return nil
}

// validBranch accepts what git-check-ref-format(1) does, less what could be
// taken for an option.
func validBranch(s string) bool {
	if s == "" || len(s) > 255 || !utf8.ValidString(s) || strings.HasPrefix(s, "-") || strings.HasPrefix(s, "/") || strings.HasSuffix(s, "/") ||
		strings.HasSuffix(s, ".") || strings.HasSuffix(s, ".lock") || strings.Contains(s, "..") || strings.Contains(s, "@{") || strings.Contains(s, "//") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) })
}

func shown(s string) string {
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	return fmt.Sprintf("%q", s)
}
