package github

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/aigate/gate/gate/bounded"
)

// Bounds of what is read from GitHub about a run that is not trusted.
const (
	maxArtifactZip  = 32 << 20 // bytes of the archive
	maxArtifactFile = 64 << 20 // bytes of the file in it
	maxArtifacts    = 100
)

// Run is a workflow run, as the API knows it.
type Run struct {
	ID       int64
	Event    string
	HeadSHA  string
	HeadRepo string // owner/name
	Path     string // of the workflow file
	Status   string
}

// Run asks for a workflow run.
func (c *Client) Run(ctx context.Context, id int64) (Run, error) {
	run, _, err := c.api.Actions.GetWorkflowRunByID(ctx, c.owner, c.repo, id)
	if err != nil {
		return Run{}, explain(fmt.Sprintf("read workflow run %d", id), err)
	}
	// go-github v62 has no field for the path of the workflow.
	var raw struct {
		Path string `json:"path"`
	}
	req, err := c.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/runs/%d", c.owner, c.repo, id), nil)
	if err != nil {
		return Run{}, err
	}
	if _, err := c.api.Do(ctx, req, &raw); err != nil {
		return Run{}, explain(fmt.Sprintf("read workflow run %d", id), err)
	}
	return Run{
		ID: run.GetID(), Event: run.GetEvent(), HeadSHA: run.GetHeadSHA(), Status: run.GetStatus(),
		HeadRepo: run.GetHeadRepository().GetFullName(), Path: raw.Path,
	}, nil
}

// PullRequestsOf returns the numbers of the pull requests whose head is a commit.
func (c *Client) PullRequestsOf(ctx context.Context, sha string) ([]int, error) {
	list, _, err := c.api.PullRequests.ListPullRequestsWithCommit(ctx, c.owner, c.repo, sha, &gh.ListOptions{PerPage: 100})
	if err != nil {
		return nil, explain("find the pull request of "+sha, err)
	}
	var out []int
	for _, pr := range list {
		if pr.GetHead().GetSHA() == sha {
			out = append(out, pr.GetNumber())
		}
	}
	return out, nil
}

// MergeBase returns the best common ancestor of two commits.
func (c *Client) MergeBase(ctx context.Context, base, head string) (string, error) {
	cmp, _, err := c.api.Repositories.CompareCommits(ctx, c.owner, c.repo, base, head, &gh.ListOptions{PerPage: 1})
	if err != nil {
		return "", explain("find where the change left its base", err)
	}
	sha := cmp.GetMergeBaseCommit().GetSHA()
	if sha == "" {
		return "", errors.New("find where the change left its base: GitHub's answer names no common ancestor")
	}
	return sha, nil
}

// The bounds of the commits that are read to find out who made them.
const (
	maxCommitPages = 10
	commitsPerPage = 100
)

// Contributors returns the accounts that wrote or committed what a head has and a base
// has not, as far as GitHub knows them. More commits than are read is an error.
func (c *Client) Contributors(ctx context.Context, base, head string) ([]string, error) {
	const doing = "find out who made the commits"
	var out []string
	seen := 0
	for page := 1; page <= maxCommitPages; page++ {
		cmp, _, err := c.api.Repositories.CompareCommits(ctx, c.owner, c.repo, base, head, &gh.ListOptions{PerPage: commitsPerPage, Page: page})
		if err != nil {
			return nil, explain(doing, err)
		}
		for _, commit := range cmp.Commits {
			out = append(out, commit.GetAuthor().GetLogin(), commit.GetCommitter().GetLogin())
		}
		seen += len(cmp.Commits)
		if len(cmp.Commits) == 0 || seen >= cmp.GetTotalCommits() {
			if seen < cmp.GetTotalCommits() {
				return nil, fmt.Errorf("%s: GitHub lists %d of %d", doing, seen, cmp.GetTotalCommits())
			}
			return slices.DeleteFunc(out, func(login string) bool { return login == "" }), nil
		}
	}
	return nil, fmt.Errorf("%s: there are more than %d of them", doing, maxCommitPages*commitsPerPage)
}

// TreeFile is one file of a commit.
type TreeFile struct {
	Path string
	Mode uint32 // as git writes it
	ID   string
	Size int64 // bytes; 0 for what is not a file
}

// Tree lists every file of a commit. A list that GitHub has cut (100,000 entries
// or 7 MB) is an error.
func (c *Client) Tree(ctx context.Context, commit string) ([]TreeFile, error) {
	tree, _, err := c.api.Git.GetTree(ctx, c.owner, c.repo, commit, true)
	if err != nil {
		return nil, explain("list the files of "+commit, err)
	}
	if tree.GetTruncated() {
		return nil, fmt.Errorf("list the files of %s: the repository is too large for GitHub's API", commit)
	}
	var out []TreeFile
	for _, e := range tree.Entries {
		if e.GetType() == "tree" {
			continue
		}
		mode, err := strconv.ParseUint(e.GetMode(), 8, 32)
		if err != nil || e.GetPath() == "" || e.GetSHA() == "" {
			return nil, fmt.Errorf("list the files of %s: GitHub's answer has an entry without path, mode or name", commit)
		}
		out = append(out, TreeFile{Path: e.GetPath(), Mode: uint32(mode), ID: e.GetSHA(), Size: int64(e.GetSize())})
	}
	return out, nil
}

// Blob returns a content of at most limit bytes.
func (c *Client) Blob(ctx context.Context, id string, limit int64) ([]byte, error) {
	req, err := c.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/git/blobs/%s", c.owner, c.repo, id), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/vnd.github.raw+json")
	w := &limitedBuffer{left: limit}
	if _, err := c.api.Do(ctx, req, w); err != nil {
		return nil, explain("read blob "+id, err)
	}
	return w.buf.Bytes(), nil
}

// limitedBuffer is a buffer that refuses more than it has room for.
type limitedBuffer struct {
	buf  bytes.Buffer
	left int64
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		return 0, errors.New("the content is larger than is read")
	}
	b.left -= int64(len(p))
	return b.buf.Write(p)
}

// Artifact returns the single file of the artifact of that name of a run. The
// artifact is hostile: its sizes are bounded, and an archive with more than that
// file is refused.
func (c *Client) Artifact(ctx context.Context, run int64, name string) ([]byte, error) {
	list, _, err := c.api.Actions.ListWorkflowRunArtifacts(ctx, c.owner, c.repo, run, &gh.ListOptions{PerPage: maxArtifacts})
	if err != nil {
		return nil, explain("list the artifacts of the run", err)
	}
	var id int64
	for _, a := range list.Artifacts {
		if a.GetName() != name || a.GetExpired() {
			continue
		}
		if id != 0 {
			return nil, fmt.Errorf("the run has two artifacts %q", name)
		}
		id = a.GetID()
	}
	if id == 0 {
		return nil, fmt.Errorf("the run has no artifact %q", name)
	}
	location, _, err := c.api.Actions.DownloadArtifact(ctx, c.owner, c.repo, id, 3)
	if err != nil {
		return nil, explain("find the artifact", err)
	}
	if location.Scheme != c.api.BaseURL.Scheme {
		return nil, fmt.Errorf("the artifact is at %s, which is not %s", location.Redacted(), c.api.BaseURL.Scheme)
	}
	data, err := download(ctx, location.String())
	if err != nil {
		return nil, fmt.Errorf("download the artifact: %w", err)
	}
	return singleFile(data)
}

// download fetches an address without any credentials: the address has its own.
func download(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer is %s", resp.Status)
	}
	return bounded.Read(resp.Body, "the answer", maxArtifactZip)
}

func singleFile(archive []byte) ([]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("open the artifact: %w", err)
	}
	if len(z.File) != 1 || !z.File[0].Mode().IsRegular() {
		return nil, fmt.Errorf("the artifact holds %d entries (want one file)", len(z.File))
	}
	f, err := z.File[0].Open()
	if err != nil {
		return nil, fmt.Errorf("open the file in the artifact: %w", err)
	}
	defer f.Close()
	return bounded.Read(f, "the file in the artifact", maxArtifactFile)
}
