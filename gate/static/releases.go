package static

import (
	"regexp"
	"slices"
	"strings"

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
