package static

import (
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/workflow"
)

// releaseScopes are the rights that publishing takes.
var releaseScopes = []string{"contents", "packages", "id-token", "pages", "attestations", "deployments"}

// registrySecret matches names of secrets that log in to a registry of packages.
var registrySecret = regexp.MustCompile(`(?i)^(?:NPM|NODE_AUTH|PYPI|TEST_?PYPI|TWINE|CARGO|CRATES?(?:_IO)?|RUBYGEMS|GEM|DOCKER(?:_?HUB)?|GHCR|VSCE|NUGET|HEX|MAVEN|SONATYPE|OSSRH)_\w*(?:TOKEN|PASSWORD|KEY|USER(?:NAME)?)$`)

// publishes matches commands and actions that publish what a repository makes.
var publishes = regexp.MustCompile(`\b(?:npm|pnpm|yarn(?:\s+npm)?|lerna|cargo|poetry|uv|flit|hatch|vsce)\s+publish\b|\btwine\s+upload\b|\bgem\s+push\b|\bdocker\s+(?:buildx\s+build|push)\b|\bhelm\s+push\b|\bgoreleaser\b|\bgh\s+release\s+(?:create|upload)\b|\bnuget\s+push\b|\bmvn\s[^\n]*\bdeploy\b|` +
	`^(?:pypa/gh-action-pypi-publish|softprops/action-gh-release|docker/build-push-action|goreleaser/goreleaser-action|changesets/action|actions/(?:deploy-pages|attest\S*|create-release)|ncipollo/release-action)$`)

// releases reports whether the file is a new workflow that publishes, and that only those start who
// may tag, release or start workflows by hand. It needs rights and logins that no other workflow has,
// and what it does with them is for the rules about commands.
func (d difference) releases() bool {
	if !d.isNew {
		return false
	}
	tagged := false
	for _, f := range d.head.Of(workflow.Trigger) {
		switch {
		case f.Name == "push" && strings.HasPrefix(f.Value, "tags") && !strings.Contains(f.Value, "branches"), f.Name == "release":
			tagged = true
		case f.Name == "workflow_dispatch":
		default:
			return false
		}
	}
	return tagged && slices.ContainsFunc(d.head.Facts, func(f workflow.Fact) bool {
		return (f.Kind == workflow.Command || f.Kind == workflow.Action) && publishes.MatchString(f.Name)
	})
}

// popularOwners publish actions that many thousand repositories use. Their tags are watched by many eyes; names of
// others are not.
var popularOwners = []string{
	"actions", "github", "docker", "codecov", "aws-actions", "azure", "google-github-actions", "hashicorp", "golangci", "goreleaser", "pnpm", "oven-sh", "astral-sh",
	"pypa", "ruby", "shivammathur", "peter-evans", "softprops", "peaceiris", "jamesives", "dtolnay", "swatinem", "taiki-e", "gradle", "sigstore", "anchore", "reviewdog",
	"pre-commit", "denoland", "cachix", "determinatesystems", "changesets", "cypress-io", "microsoft", "sonarsource", "snyk", "step-security", "slackapi", "release-drafter",
	"googleapis", "amannn", "helm", "cloudflare", "coverallsapp", "superfly", "webfactory", "subosito", "erlef", "julia-actions", "r-lib", "haskell-actions", "ncipollo",
	"ossf", "aquasecurity", "hadolint", "bufbuild", "arduino", "mymindstorm", "android-actions", "maxim-lobanov", "apple-actions", "browser-actions", "treosh",
}

// released matches the names of versions, as against branches.
var released = regexp.MustCompile(`^v?\d+(?:\.\d+){0,3}$|^release/v\d+$`)

// wellKnown reports whether an action is one of an owner that everybody knows.
func wellKnown(action string) bool {
	owner, _, ok := strings.Cut(strings.ToLower(action), "/")
	return ok && slices.Contains(popularOwners, owner)
}

// strangers reports whether an outsider starts the workflow with its secrets and rights.
func (d difference) strangers() bool {
	return slices.ContainsFunc(d.head.Of(workflow.Trigger), func(f workflow.Fact) bool { return slices.Contains(privileged, f.Name) })
}

// firstUse reports whether a secret is one that no workflow of the base names, and goes to a command of the
// repository or an action that everybody knows. An owner has to make it first, for this purpose: nothing that
// is in use gets into other hands. What commands do with it is for the rules about commands.
func (d difference) firstUse(fact workflow.Fact) bool {
	plain := fact.Name != workflow.AllScopes && !strings.ContainsAny(fact.Name, "[*$({")
	to := fact.Value == "a command" || fact.Value == "env" || strings.HasPrefix(fact.Value, "./") || wellKnown(fact.Value)
	if !plain || !to || d.strangers() {
		return false
	}
	if fact.Name == "GITHUB_TOKEN" {
		return wellKnown(fact.Value) // what it may do is a matter of rights
	}
	return !d.knows(func(o workflow.Fact) bool {
		return o.Kind == workflow.Secret && (o.Name == fact.Name || o.Name == workflow.AllScopes)
	})
}

// publishingJob reports whether a job is new, publishes what the repository makes with tools that everybody
// knows, and is started by those who may push.
func (d difference) publishingJob(job string) bool {
	in := func(f workflow.Fact) bool { return f.Job == job }
	if job == "" || d.strangers() || has(d.old, in) {
		return false
	}
	return slices.ContainsFunc(d.head.Facts, func(f workflow.Fact) bool {
		return in(f) && (f.Kind == workflow.Command || f.Kind == workflow.Action) && publishes.MatchString(f.Name)
	})
}

// attests matches the actions that sign a statement about what a job built, with an identity that the run gets for it.
var attests = regexp.MustCompile(`^actions/attest(?:-build-provenance|-sbom)?$`)

// attestingJob reports whether a job that could write to the repository or its packages before attests what it
// builds now, for those who may push. The rights serve no action that the base doesn't use, but those of
// owners that everybody knows.
func (d difference) attestingJob(job string) bool {
	if job == "" || d.strangers() || !has(d.old, func(o workflow.Fact) bool {
		return o.Kind == workflow.Permission && (o.Job == job || o.Job == "") && o.Value == workflow.LevelWrite &&
			(o.Name == "contents" || o.Name == "packages" || o.Name == workflow.AllScopes)
	}) || !has(d.old, func(o workflow.Fact) bool { return o.Job == job }) {
		return false
	}
	attested := false
	for _, f := range d.head.Facts {
		if f.Job != job || f.Kind != workflow.Action {
			continue
		}
		if !wellKnown(f.Name) && !d.knows(func(o workflow.Fact) bool { return o.Kind == f.Kind && o.Name == f.Name }) {
			return false
		}
		attested = attested || attests.MatchString(f.Name)
	}
	return attested
}

// uploadsScan matches the actions of GitHub that upload what a scan of the code finds.
var uploadsScan = regexp.MustCompile(`^github/codeql-action/(?:analyze|upload-sarif)$`)

// scanningJob reports whether a job is new, uploads what a scan finds, and consists of actions
// that everybody knows: without a command that could use the right for something else. Rights
// of a whole workflow are those of its jobs: each has to be like that.
func (d difference) scanningJob(job string) bool {
	in := func(f workflow.Fact) bool { return f.Job == job || job == "" }
	if job == "" && !d.isNew || d.strangers() || has(d.old, in) {
		return false
	}
	uploads := false
	for _, f := range d.head.Facts {
		switch {
		case !in(f):
		case f.Kind == workflow.Command, f.Kind == workflow.Action && !wellKnown(f.Name):
			return false
		case f.Kind == workflow.Action:
			uploads = uploads || uploadsScan.MatchString(f.Name)
		}
	}
	return uploads
}
