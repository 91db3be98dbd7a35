package action_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// audited is what the audit looks at of a workflow or an action.
type audited struct {
	On          yaml.Node
	Permissions yaml.Node
	Jobs        map[string]struct {
		Timeout int    `yaml:"timeout-minutes"`
		Uses    string // a workflow, whose jobs are audited there
		Steps   []step
	}
	Runs struct{ Steps []step } // of a composite action
}

type step struct {
	Uses string
	Run  string
	With map[string]string
}

// pinned is an action at a commit. Our own is in the examples as a branch,
// because anyone who copies them has to choose the release.
var pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$|^aigate/gate@main$|^\./`)

// audit checks a workflow for what gives an attacker a foothold: actions that can
// change, tokens that can do more than they need to or that lie around, text from
// outside in scripts, triggers with a token for strangers, caches in a release.
func audit(data []byte) (complaints []string) {
	var w audited
	if err := yaml.Unmarshal(data, &w); err != nil {
		return []string{err.Error()}
	}
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	var triggers any
	if err := w.On.Decode(&triggers); err != nil {
		return []string{err.Error()}
	}
	on := fmt.Sprint(triggers)
	if strings.Contains(on, "pull_request_target") {
		complain("pull_request_target gives strangers a token that can write")
	}
	if strings.Contains(on, "workflow_run") && !strings.Contains(string(data), "# zizmor: ignore[dangerous-triggers] ") {
		complain("workflow_run gives strangers a token that can write; say why this one does not")
	}
	if regexp.MustCompile(`toJSON\(\s*secrets\s*\)|secrets:\s*inherit`).Match(data) {
		complain("all secrets are handed on")
	}
	var allowed map[string]string
	if err := w.Permissions.Decode(&allowed); err != nil || w.Permissions.IsZero() {
		complain("permissions: are not listed one by one at the top: %v", err)
	}
	for scope, access := range allowed {
		if access == "write" {
			complain("permissions: every job may write %s", scope)
		}
	}
	for name, job := range w.Jobs {
		if job.Uses != "" && !pinned.MatchString(job.Uses) {
			complain("%s is not pinned to a commit", job.Uses)
		}
		if job.Timeout == 0 && job.Uses == "" {
			complain("job %s has no timeout-minutes", name)
		}
		for _, s := range job.Steps {
			complaints = append(complaints, s.audit(strings.Contains(on, "tags"))...)
		}
	}
	return complaints
}

func (s step) audit(release bool) (complaints []string) {
	if s.Uses != "" && !pinned.MatchString(s.Uses) {
		complaints = append(complaints, s.Uses+" is not pinned to a commit")
	}
	if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false" {
		complaints = append(complaints, "checkout without persist-credentials: false leaves its token in the checkout")
	}
	if release && strings.HasPrefix(s.Uses, "actions/setup-") && s.With["cache"] != "false" {
		complaints = append(complaints, s.Uses+" takes a cache into a release, which any workflow may have filled")
	}
	if strings.Contains(s.Run, "${{") {
		complaints = append(complaints, "an expression in a script is parsed as shell: "+s.Run)
	}
	return complaints
}

// TestActionsArePinnedAndTokensAreSmall holds what an audit of workflows
// asks for first; it needs no network and so is always there.
func TestActionsArePinnedAndTokensAreSmall(t *testing.T) {
	for _, name := range workflows(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, complaint := range audit(data) {
				t.Error(complaint)
			}
		})
	}
	var action audited
	if err := yaml.Unmarshal([]byte(read(t, "action.yml")), &action); err != nil || len(action.Runs.Steps) == 0 {
		t.Fatalf("action.yml has no steps: %v", err)
	}
	for _, s := range action.Runs.Steps {
		for _, complaint := range s.audit(false) {
			t.Errorf("action.yml: %s", complaint)
		}
	}
}

func TestTheAuditOfWorkflowsFindsWhatItIsFor(t *testing.T) {
	const head = "on: push\npermissions: {}\njobs:\n  j:\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    steps:\n"
	const setup = "actions/setup-go@d35c59abb061a4a6fb18e82ac0862c26744d6ab5"
	for name, tt := range map[string]struct{ workflow, want string }{
		"nothing":              {head + "      - uses: " + setup + "\n", ""},
		"a tag":                {head + "      - uses: actions/setup-go@v5\n", "not pinned"},
		"a short commit":       {head + "      - uses: actions/setup-go@d35c59a\n", "not pinned"},
		"a workflow of others": {"on: push\npermissions: {}\njobs:\n  j:\n    uses: acme/flows/.github/workflows/a.yml@v1\n", "not pinned"},
		"a workflow of ours":   {"on: push\npermissions: {}\njobs:\n  j:\n    uses: ./.github/workflows/a.yml\n", ""},
		"no permissions":       {strings.Replace(head, "permissions: {}\n", "", 1) + "      - run: id\n", "permissions"},
		"all permissions":      {strings.Replace(head, "permissions: {}", "permissions: write-all", 1) + "      - run: id\n", "permissions"},
		"writing by default":   {strings.Replace(head, "permissions: {}", "permissions: {contents: write}", 1) + "      - run: id\n", "permissions"},
		"a token that is left": {head + "      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683\n", "persist-credentials"},
		"no end":               {strings.Replace(head, "    timeout-minutes: 5\n", "", 1) + "      - run: id\n", "timeout-minutes"},
		"a trigger with a token": {strings.Replace(head, "on: push", "on: pull_request_target", 1) + "      - run: id\n",
			"pull_request_target"},
		"all secrets":            {head + "      - uses: " + setup + "\n        env: {S: \"${{ toJSON(secrets) }}\"}\n", "secrets"},
		"an expression in run":   {head + "      - run: |\n          echo ${{ github.head_ref }}\n", "expression"},
		"a cache in a release":   {strings.Replace(head, "on: push", "on: {push: {tags: [v1]}}", 1) + "      - uses: " + setup + "\n", "cache"},
		"none in a release":      {strings.Replace(head, "on: push", "on: {push: {tags: [v1]}}", 1) + "      - uses: " + setup + "\n        with: {cache: false}\n", ""},
		"what is not understood": {"on: push\njobs: 3\n", "cannot unmarshal"},
	} {
		got := strings.Join(audit([]byte(tt.workflow)), "\n")
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
