package static

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/workflow"
)

// workflows reports what a change newly lets the workflows of a repository do. What the
// base's workflows do already, wherever, is not new: only the difference counts.
type workflows struct {
	base func() []workflow.Workflow // all of the base
}

// ciReader reads the settings of one CI system.
type ciReader struct {
	github bool
	forge  workflow.Forge
}

// ciOf returns the reader of a file, false for one that configures no CI system.
func ciOf(t *gate.Target) (ciReader, bool) {
	if t.Language == gate.LanguageWorkflow {
		return ciReader{github: true}, true
	}
	forge, ok := workflow.ForgeOf(t.Path)
	return ciReader{forge: forge}, ok
}

func (r ciReader) read(tree fs.FS, name string) (workflow.Workflow, error) {
	if r.github {
		return readWorkflow(tree, name)
	}
	text, err := bounded.ReadFile(tree, name, workflow.MaxBytes)
	if err != nil {
		return workflow.Workflow{}, err
	}
	return r.forge.Read(name, text)
}

// known are the other files of the base that configure the same system: all workflows of
// GitHub, or those in the file's folder.
func (r ciReader) known(f *file) []workflow.Workflow {
	if r.github {
		return f.workflows.base()
	}
	folder := path.Dir(olderPath(f.target))
	entries, err := fs.ReadDir(f.change.Base, folder)
	if err != nil {
		return nil // the folder is new
	}
	var out []workflow.Workflow
	for _, e := range entries[:min(len(entries), maxWorkflows)] {
		name := path.Join(folder, e.Name())
		if forge, ok := workflow.ForgeOf(name); ok && forge.Name == r.forge.Name {
			if w, err := r.read(f.change.Base, name); err == nil {
				out = append(out, w)
			}
		}
	}
	return out
}

// workflowFolder is where GitHub looks for workflows.
const workflowFolder = ".github/workflows"

// maxWorkflows bounds how many of the base are read.
const maxWorkflows = 300

func newWorkflows(c *gate.Change) workflows {
	return workflows{sync.OnceValue(func() []workflow.Workflow {
		if c.Base == nil {
			return nil
		}
		entries, err := fs.ReadDir(c.Base, workflowFolder)
		if err != nil {
			return nil // there are none
		}
		var out []workflow.Workflow
		for _, e := range entries[:min(len(entries), maxWorkflows)] {
			if w, err := readWorkflow(c.Base, path.Join(workflowFolder, e.Name())); err == nil {
				out = append(out, w)
			}
		}
		return out
	})}
}

func readWorkflow(tree fs.FS, name string) (workflow.Workflow, error) {
	text, err := bounded.ReadFile(tree, name, workflow.MaxBytes)
	if err != nil {
		return workflow.Workflow{}, err
	}
	return workflow.Read(text)
}

// workflowNews reports what a changed workflow or action may do that it could not before.
func workflowNews(f *file) {
	t := f.target
	if f.change.Base == nil || t.Kind == gate.ChangeNone || t.Parent != "" {
		return
	}
	ci, ok := ciOf(t)
	if !ok {
		return
	}
	old, oldErr := ci.read(f.change.Base, olderPath(t))
	if !t.Exists() {
		if oldErr == nil {
			removedChecks(f, old, workflow.Workflow{})
		}
		f.report(checkWorkflowChanged, 0, "deleted", "")
		return
	}
	head, err := ci.read(f.change.Head, t.Path)
	if err != nil {
		f.report(checkWorkflowUnread, 0, err.Error(), "")
		return
	}
	d := difference{old: old, head: head, known: ci.known(f), isNew: oldErr != nil}
	for _, n := range d.news() {
		f.report(n.check, n.fact.Line, n.what, "")
	}
	removedChecks(f, old, head)
}

// olderPath is where a file was in the base.
func olderPath(t *gate.Target) string {
	if t.OldPath != "" {
		return t.OldPath
	}
	return t.Path
}

// checks are actions and commands that look for what should not be merged.
var checks = regexp.MustCompile(`(?i)^(?:aigate/gate|github/codeql-action/analyze|actions/dependency-review-action|ossf/scorecard-action|gitleaks/.*|trufflesecurity/.*|step-security/harden-runner|` +
	`aquasecurity/trivy-action|zizmorcore/.*|semgrep/.*|snyk/actions.*|(?:Security|Jobs)/[\w-]*(?:SAST|Secret-Detection|DAST|Scanning)[\w.-]*\.gitlab-ci\.yml)$|\b(?:gate (?:scan|pr)|gitleaks|trufflehog|zizmor|govulncheck|pip-audit|npm audit|semgrep)\b`)

// removedChecks reports the checks of the base that a workflow no longer has.
func removedChecks(f *file, old, head workflow.Workflow) {
	of := func(w workflow.Workflow) map[string]bool {
		out := map[string]bool{}
		for _, fact := range w.Facts {
			text := fact.Name
			switch fact.Kind {
			case workflow.Setting:
				text = fact.Value
			case workflow.Action, workflow.Command:
			default:
				continue
			}
			if m := checks.FindString(text); m != "" {
				out[strings.ToLower(m)] = true
			}
		}
		return out
	}
	has := of(head)
	for name := range of(old) {
		if !has[name] {
			f.report(checkWorkflowCheckRemoved, 0, gate.Clip(name, maxShownName), "")
			f.checksGone = true
		}
	}
}

// news is one thing that a workflow may newly do.
type news struct {
	check string
	fact  workflow.Fact
	what  string
}

// difference compares what a workflow may do with what it could, and with what the other
// workflows of the base do.
type difference struct {
	old, head workflow.Workflow
	known     []workflow.Workflow
	isNew     bool // there was no such file
}

// news lists what is new, in the order of the file.
func (d difference) news() []news {
	var out []news
	for _, fact := range d.head.Facts {
		if check, what := d.judge(fact); check != "" {
			n := news{check, fact, what}
			if !slices.ContainsFunc(out, func(o news) bool { return o.check == n.check && o.what == n.what }) {
				out = append(out, n)
			}
		}
	}
	return out
}

// judge returns the check that a fact is reported by, empty for what was there before.
func (d difference) judge(fact workflow.Fact) (check, what string) {
	if has(d.old, func(o workflow.Fact) bool { return same(o, fact) }) {
		return "", ""
	}
	switch fact.Kind {
	case workflow.Trigger:
		return d.trigger(fact)
	case workflow.Permission:
		return d.permission(fact)
	case workflow.Action:
		return d.action(fact)
	case workflow.Runner:
		if d.knows(func(o workflow.Fact) bool { return o.Kind == fact.Kind && o.Name == fact.Name }) || hosted(fact.Name) {
			return checkWorkflowChanged, "runs on " + fact.Name
		}
		return checkWorkflowRunner, fact.Name
	case workflow.Secret:
		return d.secret(fact)
	case workflow.Image:
		if d.knows(func(o workflow.Fact) bool { return o.Kind == fact.Kind && o.Name == fact.Name }) || pinned(fact.Value) || official(fact.Name) {
			return checkWorkflowChanged, "runs the image " + fact.Name + ":" + fact.Value
		}
		return checkWorkflowAction, "the image " + fact.Name + ":" + fact.Value
	case workflow.Command:
		return checkWorkflowChanged, "another command"
	}
	return checkWorkflowChanged, "another " + fact.Name
}

// same compares facts; the place of the job is not part of what may be done, but of
// rights and secrets.
func same(a, b workflow.Fact) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Value == b.Value && a.Job == b.Job
}

func has(w workflow.Workflow, is func(workflow.Fact) bool) bool {
	return slices.ContainsFunc(w.Facts, is)
}

// knows reports whether the file or another workflow of the base has a fact.
func (d difference) knows(is func(workflow.Fact) bool) bool {
	return has(d.old, is) || slices.ContainsFunc(d.known, func(w workflow.Workflow) bool { return has(w, is) })
}

// privileged are the events by which strangers start a workflow that has secrets and a
// token with rights.
// https://docs.github.com/en/actions/reference/security/secure-use
var privileged = []string{"pull_request_target", "workflow_run", "issue_comment", "issues", "discussion", "discussion_comment", "fork", "watch",
	"gollum", "pull_request_review", "pull_request_review_comment", "pull_request_comment"}

func (d difference) trigger(fact workflow.Fact) (string, string) {
	if slices.Contains(privileged, fact.Name) && !has(d.old, func(o workflow.Fact) bool { return o.Kind == fact.Kind && o.Name == fact.Name }) {
		return checkWorkflowTrigger, fact.Name
	}
	return checkWorkflowChanged, "started by " + fact.Name
}

// ranks orders the levels of a permission. What the settings of the repository give may be
// everything.
func rank(level string) int {
	return 1 + slices.Index([]string{workflow.LevelNone, workflow.LevelRead, workflow.LevelDefault, workflow.LevelWrite}, level)
}

// permission compares a right with the most that the old file has for its scope; a new
// file is compared with all workflows.
func (d difference) permission(fact workflow.Fact) (string, string) {
	most := 0
	take := func(o workflow.Fact) bool {
		if o.Kind == workflow.Permission && (o.Name == fact.Name || o.Name == workflow.AllScopes) {
			most = max(most, rank(o.Value))
		}
		return false
	}
	if has(d.old, take); d.isNew {
		d.knows(take)
	}
	what := fmt.Sprintf("%s: %s", fact.Name, fact.Value)
	if fact.Name == workflow.AllScopes {
		what = "everything: " + fact.Value
	}
	if fact.Value == workflow.LevelDefault {
		what = "what the settings of the repository give"
	}
	switch {
	case rank(fact.Value) <= max(most, rank(workflow.LevelRead)):
		return checkWorkflowChanged, what
	case slices.Contains(releaseScopes, fact.Name) && (d.releases() || d.publishingJob(fact.Job)):
		return checkWorkflowChanged, what + ", to publish what is tagged"
	case (fact.Name == "id-token" || fact.Name == "attestations") && d.attestingJob(fact.Job):
		return checkWorkflowChanged, what + ", to attest what is released"
	case fact.Name == "security-events" && d.scanningJob(fact.Job):
		return checkWorkflowChanged, what + ", to upload what a scan finds"
	case d.isNew && fact.Value == workflow.LevelDefault && len(d.known) == 0:
		return checkWorkflowChanged, what
	}
	return checkWorkflowRights, what
}

// action compares with the actions that any workflow of the base uses.
func (d difference) action(fact workflow.Fact) (string, string) {
	what := fact.Name + "@" + fact.Value
	first := strings.HasPrefix(fact.Name, "actions/") || strings.HasPrefix(fact.Name, "github/") || strings.HasPrefix(fact.Name, "./")
	version := ""
	uses := func(o workflow.Fact) bool {
		if o.Kind != fact.Kind || o.Name != fact.Name {
			return false
		}
		if version == "" || pinned(o.Value) {
			version = o.Value
		}
		return true
	}
	known := d.knows(uses)
	switch {
	case first, pinned(fact.Value), !known && wellKnown(fact.Name) && released.MatchString(fact.Value):
		return checkWorkflowChanged, "uses " + what
	case known && !pinned(version):
		return checkWorkflowChanged, "uses " + what
	case known:
		return checkWorkflowAction, what + ", which was pinned to a commit"
	}
	return checkWorkflowAction, what
}

var commit = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64}|sha256:[0-9a-f]{64})$`)

func pinned(version string) bool { return commit.MatchString(version) }

// hosted reports whether a label is one of GitHub's own machines, or chosen by the matrix.
func hosted(label string) bool {
	return strings.HasPrefix(label, "ubuntu-") || strings.HasPrefix(label, "windows-") || strings.HasPrefix(label, "macos-") || strings.HasPrefix(label, "${{")
}

// official reports whether an image is one of those that Docker itself curates: they have
// no name of an owner. https://docs.docker.com/docker-hub/image-library/trusted-content/
func official(image string) bool { return !strings.ContainsAny(image, "/$") }

// secret compares where a secret goes. The token that GitHub makes for a run is no secret
// of the repository: its rights are.
func (d difference) secret(fact workflow.Fact) (string, string) {
	what := fact.Name + " to " + fact.Value
	if fact.Name == "GITHUB_TOKEN" && (has(d.old, func(o workflow.Fact) bool { return o.Kind == workflow.Secret && o.Name == fact.Name }) || d.isNew) {
		return checkWorkflowChanged, what
	}
	if d.knows(func(o workflow.Fact) bool { return o.Kind == fact.Kind && o.Name == fact.Name && o.Value == fact.Value }) && !d.isNew {
		return checkWorkflowChanged, what
	}
	if fact.Value != "a command" && fact.Value != "env" && d.knows(func(o workflow.Fact) bool { return o.Kind == fact.Kind && o.Name == fact.Name && o.Value == fact.Value }) {
		return checkWorkflowChanged, what // the same action, with the same secret
	}
	if d.narrows(fact) {
		return checkWorkflowChanged, what + ", which every step had"
	}
	if registrySecret.MatchString(fact.Name) && d.releases() {
		return checkWorkflowChanged, what + ", to publish what is tagged"
	}
	if d.firstUse(fact) {
		return checkWorkflowChanged, what + ", which no workflow used before"
	}
	return checkWorkflowSecret, what
}

// narrows reports whether the base put the secret into the variables of the whole workflow, or of
// the whole job, from where one command takes it now: it goes to fewer than before.
func (d difference) narrows(fact workflow.Fact) bool {
	if fact.Value != "a command" && fact.Value != "env" {
		return false
	}
	wide := func(w workflow.Workflow, job string) bool {
		return has(w, func(o workflow.Fact) bool {
			return o.Kind == workflow.Secret && o.Name == fact.Name && o.Value == "env" && o.Job == job
		})
	}
	if fact.Value == "env" && fact.Job == "" {
		return false
	}
	return wide(d.old, "") || fact.Job != "" && wide(d.old, fact.Job)
}
