package static_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

// ci is a workflow of the base.
const ci = `on: [push, pull_request]
permissions: {contents: read}
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: other/tool@v1
      - uses: pin/ned@0123456789012345678901234567890123456789
      - uses: other/publish@v2
        with: {token: '${{ secrets.NPM_TOKEN }}'}
      - run: make test
      - run: gate scan --base main
`

// release is another one, with more rights.
const release = `on: {push: {tags: ['v*']}}
permissions: {contents: write}
jobs:
  release:
    runs-on: [self-hosted, big]
    steps: [{uses: more/tools@v3}, {run: make release, env: {T: '${{ secrets.RELEASE }}'}}]
`

func TestAWorkflowIsJudgedByWhatItNewlyMayDo(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	edit := func(old, new string) string {
		if !strings.Contains(ci, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(ci, old, new, 1)
	}
	for name, tc := range map[string]struct {
		head string
		want []string // suspicious; nothing is a note at most
	}{
		"a comment":                                   {"# why\n" + ci, nil},
		"a version that moves":                        {edit("checkout@v4", "checkout@v5"), nil},
		"a version of another owner":                  {edit("tool@v1", "tool@v2"), nil},
		"another commit":                              {edit("@0123456789", "@1123456789"), nil},
		"an action that another workflow uses":        {edit("- run: make test", "- uses: more/tools@v3\n      - run: make test"), nil},
		"a new action at a commit":                    {edit("- run: make test", "- uses: new/one@0123456789012345678901234567890123456789"), nil},
		"a new action of GitHub":                      {edit("- run: make test", "- uses: actions/cache@v4"), nil},
		"a new job with the rights of the old":        {ci + "  lint:\n    runs-on: ubuntu-24.04\n    steps: [{run: make lint}]\n", nil},
		"a machine of the matrix":                     {edit("ubuntu-latest", "${{ matrix.os }}"), nil},
		"the machine of another workflow":             {edit("ubuntu-latest", "[self-hosted, big]"), []string{"workflow/self-hosted-pull-request"}},
		"fewer rights":                                {edit("{contents: read}", "{}"), nil},
		"a right to read":                             {edit("{contents: read}", "{contents: read, issues: read}"), nil},
		"another command":                             {edit("make test", "make check"), nil},
		"an event for the owners":                     {edit("[push,", "[push, workflow_dispatch,"), nil},
		"a new action by a name":                      {edit("- run: make test", "- uses: new/one@v1"), []string{"workflow/new-unpinned-action"}},
		"a pin that becomes a name":                   {edit("@0123456789012345678901234567890123456789", "@v1"), []string{"workflow/new-unpinned-action"}},
		"an image as an action":                       {edit("- run: make test", "- uses: docker://example.com/x:1"), []string{"supply-chain/image-new-host", "workflow/new-unpinned-action"}},
		"a reusable workflow of a third party":        {ci + "  lint: {uses: some/one/.github/workflows/x.yml@main}\n", []string{"workflow/new-unpinned-action"}},
		"a right to write":                            {edit("{contents: read}", "{contents: write}"), []string{"workflow/wider-permissions"}},
		"all rights":                                  {edit("{contents: read}", "write-all"), []string{"workflow/wider-permissions"}},
		"no word about rights":                        {edit("permissions: {contents: read}\n", ""), []string{"workflow/wider-permissions"}},
		"a job with more rights":                      {ci + "  x:\n    permissions: {id-token: write}\n    runs-on: ubuntu-latest\n", []string{"workflow/wider-permissions"}},
		"started by strangers":                        {edit("pull_request]", "pull_request_target]"), []string{"workflow/new-trigger"}},
		"started by comments":                         {edit("pull_request]", "issue_comment]"), []string{"workflow/new-trigger", "workflow/own-check"}},
		"a machine of their own":                      {edit("ubuntu-latest", "my-own"), []string{"workflow/new-runner"}},
		"a secret of another workflow":                {edit("- run: make test", "- run: make test\n        env: {T: '${{ secrets.RELEASE }}'}"), nil},
		"a secret for a command":                      {edit("- run: make test", "- run: make test\n        env: {T: '${{ secrets.NPM_TOKEN }}'}"), []string{"workflow/secret-new-place"}},
		"a secret for another action":                 {edit("- uses: other/tool@v1", "- uses: other/tool@v1\n        with: {t: '${{ secrets.NPM_TOKEN }}'}"), []string{"workflow/secret-new-place"}},
		"all secrets":                                 {edit("make test", "echo '${{ toJSON(secrets) }}'"), []string{"workflow/all-secrets", "workflow/secret-new-place"}},
		"a secret whose name is worked out":           {edit("make test", "echo '${{ secrets[github.actor] }}'"), []string{"workflow/secret-new-place"}},
		"a new secret for an action of a known owner": {edit("- run: make test", "- uses: codecov/codecov-action@v4\n        with: {token: '${{ secrets.CODECOV_TOKEN }}'}"), nil},
		"a new secret for a script of the repository": {edit("- run: make test", "- run: ci/deploy.sh\n        env: {K: '${{ secrets.DOCS_KEY }}'}"), nil},
		"a new secret for an unknown action":          {edit("- run: make test", "- uses: new/one@v1\n        with: {token: '${{ secrets.CODECOV_TOKEN }}'}"), []string{"workflow/new-unpinned-action", "workflow/secret-new-place"}},
		"a known secret for a known owner":            {edit("- run: make test", "- uses: codecov/codecov-action@v4\n        with: {token: '${{ secrets.NPM_TOKEN }}'}"), []string{"workflow/secret-new-place"}},
		"a new secret that strangers reach":           {edit("pull_request]", "issue_comment]") + "      - run: make\n        env: {K: '${{ secrets.DOCS_KEY }}'}\n", []string{"workflow/new-trigger", "workflow/own-check", "workflow/secret-new-place"}},
		"a branch of a known owner":                   {edit("- run: make test", "- uses: docker/login-action@main"), []string{"workflow/new-unpinned-action"}},
		"a job that pushes an image":                  {ci + "  image:\n    permissions: {packages: write}\n    runs-on: ubuntu-latest\n    steps: [{uses: docker/login-action@v3, with: {password: '${{ secrets.GITHUB_TOKEN }}'}}, {uses: docker/build-push-action@v6}]\n", nil},
		"a job that publishes pages":                  {ci + "  pages:\n    permissions: {pages: write, id-token: write}\n    runs-on: ubuntu-latest\n    steps: [{uses: actions/deploy-pages@v4}]\n", nil},
		"a job with rights for a release":             {ci + "  rel:\n    permissions: {contents: write}\n    runs-on: ubuntu-latest\n    steps: [{uses: softprops/action-gh-release@v2}]\n", nil},
		"a job with rights to merge":                  {ci + "  rel:\n    permissions: {pull-requests: write}\n    runs-on: ubuntu-latest\n    steps: [{uses: softprops/action-gh-release@v2}]\n", []string{"workflow/wider-permissions"}},
		"no check any more":                           {edit("      - run: gate scan --base main\n", ""), []string{"workflow/check-removed"}},
		"gate may fail":                               {edit("- run: gate scan", "- continue-on-error: true\n        run: gate scan"), []string{"workflow/own-check"}},
		"gate is only named":                          {edit("- run: gate scan", "- run: echo gate scan"), []string{"workflow/own-check"}},
		"no YAML":                                     {"on: [\n" + ci, []string{"workflow/own-check", "workflow/unreadable"}},
		"two documents":                               {ci + "---\non: issues\n", []string{"workflow/unreadable"}},
		"deleted, and its check with it":              {"", []string{"workflow/check-removed"}},
	} {
		t.Run(name, func(t *testing.T) {
			base := fstest.MapFS{".github/workflows/ci.yml": {Data: []byte(ci)}, ".github/workflows/release.yml": {Data: []byte(release)}}
			head := fstest.MapFS{".github/workflows/release.yml": {Data: []byte(release)}}
			target := &gate.Target{Path: ".github/workflows/ci.yml", Language: gate.LanguageWorkflow, Role: gate.RoleCI, Kind: gate.ChangeDeleted}
			if tc.head != "" {
				head[target.Path] = &fstest.MapFile{Data: []byte(tc.head)}
				target.Kind = gate.ChangeModified
			}
			got := changedIn(t, base, head, target)
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAWorkflowThatGitHubNoLongerReadsRunsNoGate(t *testing.T) {
	const name = ".github/workflows/gate.yml"
	base := fstest.MapFS{name: {Data: []byte(ci)}}
	for to, want := range map[string][]string{
		name + ".txt":                    {"workflow/own-check"},
		".github/workflows/security.yml": nil,
	} {
		head := fstest.MapFS{to: {Data: []byte(ci)}}
		target := &gate.Target{Path: to, OldPath: name, Language: gate.LanguageText, Role: gate.RoleCI, Kind: gate.ChangeRenamed}
		if got := changedIn(t, base, head, target); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", to, got, want)
		}
	}
}

func TestAHookOfGitThatIsNotExecutableRunsNoGate(t *testing.T) {
	const name = ".githooks/pre-commit"
	text := []byte("#!/bin/sh\ngate scan --staged\n")
	base := fstest.MapFS{name: {Data: text, Mode: 0o755}}
	head := fstest.MapFS{name: {Data: text, Mode: 0o644}}
	target := &gate.Target{Path: name, Language: gate.LanguageShell, Role: gate.RoleCI, Kind: gate.ChangeMode, Mode: 0o644}
	if got, want := changedIn(t, base, head, target), []string{"workflow/own-check"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestASecretThatEveryStepHadMayGoToOneOfThem(t *testing.T) {
	const name = ".github/workflows/a.yml"
	const secret = "env: {T: '${{ secrets.NPM_TOKEN }}'}"
	text := func(workflow, job, step string) string {
		return "on: push\npermissions: {}\n" + workflow + "\njobs:\n  a:\n    runs-on: ubuntu-latest\n    " + job + "\n    steps:\n      - run: make\n        " + step + "\n"
	}
	for why, c := range map[string]struct {
		base, head string
		want       bool
	}{
		"from the workflow to a step": {text(secret, "", ""), text("", "", secret), false},
		"from the workflow to a job":  {text(secret, "", ""), text("", secret, ""), false},
		"from the job to a step":      {text("", secret, ""), text("", "", secret), false},
		"from a step to the job":      {text("", "", secret), text("", secret, ""), true},
	} {
		got := scanEdit(t, fstest.MapFS{name: {Data: []byte(c.base)}}, fstest.MapFS{name: {Data: []byte(c.head)}})
		found := slices.ContainsFunc(got.found[name], func(f gate.Finding) bool { return f.Rule == "workflow/secret-new-place" })
		if found != c.want {
			t.Errorf("%s: %v, want it found: %v", why, got.found[name], c.want)
		}
	}
}

func TestAnIdentityThatTheBaseGivesAPublicTriggerIsNoNewsOfAnotherStep(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	const name = ".github/workflows/review.yml"
	text := func(on, version, rights string) *fstest.MapFile {
		return &fstest.MapFile{Mode: 0o644, Data: []byte("on: [" + on + "]\njobs:\n  review:\n    uses: actions/tool/.github/workflows/r.yml@" + version + "\n    permissions:\n      contents: read\n" + rights)}
	}
	const identity = "      id-token: write\n"
	base := text("issue_comment", "v1", identity)
	for why, c := range map[string]struct {
		base, head *fstest.MapFile
		want       bool
	}{
		"another version":    {base, text("issue_comment", "v2", identity), false},
		"the trigger":        {text("push", "v1", identity), base, true},
		"the permission":     {text("issue_comment", "v1", ""), base, true},
		"both":               {text("push", "v1", ""), text("issue_comment", "v2", identity), true},
		"twice, once is old": {base, text("issue_comment", "v2", identity+"  more:\n    permissions:\n"+identity), true},
	} {
		got := scanEdit(t, fstest.MapFS{name: c.base}, fstest.MapFS{name: c.head})
		found := slices.ContainsFunc(got.found[name], func(f gate.Finding) bool {
			return f.Rule == "workflow/oidc-untrusted" && f.InChange && f.Severity == gate.SeveritySuspicious
		})
		if found != c.want {
			t.Errorf("%s: %v, want it suspicious: %v", why, got.found[name], c.want)
		}
	}
}

func TestARightToAttestIsForJobsThatAttestWhatTheyRelease(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	const name = ".github/workflows/release.yml"
	text := func(rights, job, steps string) *fstest.MapFile {
		return &fstest.MapFile{Mode: 0o644, Data: []byte("on: {push: {tags: ['v*']}}\npermissions: {contents: " + rights + "}\njobs:\n  release:\n    runs-on: ubuntu-latest\n" + job + "    steps:\n      - uses: actions/checkout@v4\n" + steps + "      - run: make release\n")}
	}
	const identity = "    permissions: {contents: write, id-token: write, attestations: write}\n"
	const attest = "      - uses: actions/attest-build-provenance@v1\n        with: {subject-path: out}\n"
	for why, c := range map[string]struct {
		base, head *fstest.MapFile
		want       bool
	}{
		"what is released":     {text("write", "", ""), text("read", identity, attest), false},
		"nothing is attested":  {text("write", "", ""), text("read", identity, ""), true},
		"nothing was released": {text("read", "", ""), text("read", identity, attest), true},
		"beside a stranger's":  {text("write", "", ""), text("read", identity, attest+"      - uses: some/tool@v1\n"), true},
	} {
		got := scanEdit(t, fstest.MapFS{name: c.base}, fstest.MapFS{name: c.head})
		found := slices.ContainsFunc(got.found[name], func(f gate.Finding) bool { return f.Rule == "workflow/wider-permissions" })
		if found != c.want {
			t.Errorf("%s: %v, want it found: %v", why, got.found[name], c.want)
		}
	}
}

func TestANewWorkflowIsComparedWithTheOthers(t *testing.T) {
	for name, tc := range map[string]struct {
		head string
		want []string
	}{
		"the rights of another":        {"on: push\npermissions: {contents: write}\njobs: {a: {runs-on: ubuntu-latest}}\n", nil},
		"a scan of the code":           {"on: push\njobs: {a: {runs-on: ubuntu-latest, permissions: {contents: read, security-events: write}, steps: [{uses: actions/checkout@v4}, {uses: github/codeql-action/init@v3}, {uses: github/codeql-action/analyze@v3}]}}\n", nil},
		"rights of a whole scan":       {"on: push\npermissions: {contents: read, security-events: write}\njobs: {a: {runs-on: ubuntu-latest, steps: [{uses: actions/checkout@v4}, {uses: github/codeql-action/init@v3}, {uses: github/codeql-action/analyze@v3}]}}\n", nil},
		"rights of a scan and a build": {"on: push\npermissions: {security-events: write}\njobs: {a: {runs-on: ubuntu-latest, steps: [{uses: github/codeql-action/analyze@v3}]}, b: {runs-on: ubuntu-latest, steps: [{run: make}]}}\n", []string{"workflow/wider-permissions"}},
		"a scan and a command":         {"on: push\njobs: {a: {runs-on: ubuntu-latest, permissions: {security-events: write}, steps: [{run: make}, {uses: github/codeql-action/analyze@v3}]}}\n", []string{"workflow/wider-permissions"}},
		"rights for a scan, and none":  {"on: push\njobs: {a: {runs-on: ubuntu-latest, permissions: {security-events: write}, steps: [{uses: actions/checkout@v4}]}}\n", []string{"workflow/wider-permissions"}},
		"rights that no other has":     {"on: push\npermissions: {packages: write}\njobs: {a: {runs-on: ubuntu-latest}}\n", []string{"workflow/wider-permissions"}},
		"the secret of another":        {"on: push\npermissions: {}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: x, env: {T: '${{ secrets.RELEASE }}'}}]}}\n", []string{"workflow/secret-new-place"}},
		"a release of what is tagged":  {"on: {push: {tags: ['v*']}}\npermissions: {id-token: write}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: npm publish --provenance, env: {T: '${{ secrets.NPM_AUTH_TOKEN }}'}}]}}\n", nil},
		"a release of every push":      {"on: [push]\npermissions: {id-token: write}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: npm publish}]}}\n", []string{"workflow/wider-permissions"}},
		"a tag that publishes nothing": {"on: {push: {tags: ['v*']}}\npermissions: {id-token: write}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: make}]}}\n", []string{"workflow/wider-permissions"}},
		"another secret in a release":  {"on: {push: {tags: ['v*']}}\npermissions: {}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: npm publish, env: {T: '${{ secrets.RELEASE }}'}}]}}\n", []string{"workflow/secret-new-place"}},
		"the same secret and action":   {"on: push\npermissions: {}\njobs: {a: {runs-on: ubuntu-latest, steps: [{uses: other/publish@v2, with: {t: '${{ secrets.NPM_TOKEN }}'}}]}}\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			base := fstest.MapFS{".github/workflows/ci.yml": {Data: []byte(ci)}, ".github/workflows/release.yml": {Data: []byte(release)}}
			head := fstest.MapFS{".github/workflows/new.yml": {Data: []byte(tc.head)}}
			target := &gate.Target{Path: ".github/workflows/new.yml", Language: gate.LanguageWorkflow, Role: gate.RoleCI, Kind: gate.ChangeAdded}
			if got := changedIn(t, base, head, target); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestOtherForgesAreJudgedTheSame(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	for _, tc := range []struct {
		path, base, head string
		want             []string
	}{
		{".gitlab-ci.yml", "a: {image: 'python:3.12', script: [make]}\n", "a: {image: 'python:3.13', script: [make, make test]}\n", nil},
		{".gitlab-ci.yml", "a: {image: 'acme/x:1', script: [make]}\n", "a: {image: 'acme/x:2', script: [make]}\n", nil},
		{".gitlab-ci.yml", "a: {script: [make]}\n", "# why\na: {script: [make]}\nb: {image: node, script: [make]}\n", nil},
		{".gitlab-ci.yml", "a: {script: [make]}\n", "include: /ci/more.yml\na: {script: [make]}\n", nil},
		{".gitlab-ci.yml", "a: {script: [make]}\n", "a: {image: 'other/x:1', script: [make]}\n", []string{"workflow/new-unpinned-action"}},
		{".gitlab-ci.yml", "a: {script: [make]}\n", "include: [{remote: 'https://ci.example.com/x.yml'}]\na: {script: [make]}\n", []string{"workflow/new-unpinned-action"}},
		{".gitlab-ci.yml", "a: {script: [make]}\n", "include: [{project: other/ci, ref: main, file: x.yml}]\na: {script: [make]}\n", []string{"workflow/new-unpinned-action"}},
		{".gitlab-ci.yml", "a: {script: [make]}\n", "include: [{project: other/ci, ref: 0123456789012345678901234567890123456789, file: x.yml}]\na: {script: [make]}\n", nil},
		{".gitlab-ci.yml", "a: {script: [make]}\n", "a: {tags: [prod], script: [make]}\n", []string{"workflow/new-runner"}},
		{".gitlab-ci.yml", "a: {script: [make]}\n", "a: {id_tokens: {T: {aud: x}}, script: [make]}\n", []string{"workflow/wider-permissions"}},
		{".gitlab-ci.yml", "a: {script: [make]}\n", "a: {secrets: {DB: {vault: x}}, script: [make]}\n", []string{"workflow/secret-new-place"}},
		{".gitlab-ci.yml", "include: [{template: Security/SAST.gitlab-ci.yml}]\na: {script: [make]}\n", "a: {script: [make]}\n", []string{"workflow/check-removed"}},
		{".gitlab-ci.yml", "a: {script: [make, gitleaks detect]}\n", "a: {script: [make]}\n", []string{"workflow/check-removed"}},
		{".gitlab-ci.yml", "a: {script: [make]}\n", "a: [\n", []string{"workflow/unreadable"}},
		{".gitlab-ci.yml", "a: {script: [make]}\n", "spec: {inputs: {}}\n---\na: {script: [make]}\n", nil},
		{".circleci/config.yml", "jobs: {a: {docker: [{image: 'cimg/go:1.22'}]}}\n", "orbs: {node: circleci/node@5.0.2}\njobs: {a: {resource_class: large, docker: [{image: 'cimg/node:20'}]}}\n", nil},
		{".circleci/config.yml", "jobs: {}\n", "orbs: {x: other/x@volatile}\njobs: {}\n", []string{"workflow/new-unpinned-action"}},
		{".circleci/config.yml", "workflows: {w: {jobs: [{a: {}}]}}\n", "workflows: {w: {jobs: [{a: {context: [prod]}}]}}\n", []string{"workflow/secret-new-place"}},
		{".circleci/config.yml", "jobs: {a: {}}\n", "jobs: {a: {resource_class: acme/own}}\n", []string{"workflow/new-runner"}},
		{"azure-pipelines.yml", "steps: [{bash: make}]\n", "pool: {vmImage: ubuntu-latest}\nsteps: [{bash: make all}, {task: NodeTool@0}]\n", nil},
		{"azure-pipelines.yml", "steps: [{bash: make}]\n", "pool: Own\nsteps: [{bash: make}]\n", []string{"workflow/new-runner"}},
		{"azure-pipelines.yml", "steps: [{bash: make}]\n", "variables: [{group: prod}]\nsteps: [{bash: make}]\n", []string{"workflow/secret-new-place"}},
		{"azure-pipelines.yml", "steps: [{bash: make}]\n", "resources: {repositories: [{repository: t, name: other/t, ref: refs/heads/main}]}\nsteps: [{bash: make}]\n", []string{"workflow/new-unpinned-action"}},
		{"bitbucket-pipelines.yml", "pipelines: {default: [{step: {script: [make]}}]}\n", "pipelines: {default: [{step: {oidc: true, script: [make, {pipe: 'other/x:1'}]}}]}\n", []string{"workflow/new-unpinned-action", "workflow/wider-permissions"}},
		{".drone.yml", "steps: [{image: golang, commands: [make]}]\n", "steps: [{image: golang, privileged: true, commands: [make], environment: {T: {from_secret: t}}}]\n", []string{"container-escape/compose-privileged", "workflow/secret-new-place", "workflow/wider-permissions"}},
		{".buildkite/pipeline.yml", "steps: [{command: make}]\n", "steps: [{command: make, plugins: [{'other/x#v1': {}}]}]\n", []string{"workflow/new-unpinned-action"}},
		{".travis.yml", "script: make\n", "import: other/x:y.yml@main\nscript: make\n", []string{"workflow/new-unpinned-action"}},
		{".github/dependabot.yml", "version: 2\nupdates: [{package-ecosystem: npm, directory: /}]\n", "version: 2\nupdates: [{package-ecosystem: npm, directory: /}, {package-ecosystem: gomod, directory: /}]\n", nil},
		{".github/dependabot.yml", "updates: [{package-ecosystem: pip}]\n", "updates: [{package-ecosystem: pip, insecure-external-code-execution: allow}]\n", []string{"workflow/wider-permissions"}},
		{"renovate.json", `{"extends": ["config:base"]}`, `{"extends": ["config:recommended", ":dependencyDashboard"], "labels": ["deps"]}`, nil},
		{"renovate.json", `{"extends": ["config:base"]}`, `{"extends": ["config:base"], "automerge": true}`, []string{"workflow/wider-permissions"}},
		{"renovate.json5", "{extends: ['config:base']}", "{\n// why\nextends: ['config:base', 'github>other/presets'],\n}", []string{"workflow/new-unpinned-action"}},
	} {
		t.Run(tc.path+" "+tc.head, func(t *testing.T) {
			target := &gate.Target{Path: tc.path, Language: gate.LanguageYAML, Role: gate.RoleCI, Kind: gate.ChangeModified}
			got := changedIn(t, fstest.MapFS{tc.path: {Data: []byte(tc.base)}}, fstest.MapFS{tc.path: {Data: []byte(tc.head)}}, target)
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestOwnersAndSettingsAreComparedWithTheBase(t *testing.T) {
	for _, tc := range []struct {
		name, path, base, head string
		want                   []string
	}{
		{"a comment", ".github/CODEOWNERS", "* @a\n", "# who\n* @a\n", nil},
		{"an owner of one folder less", ".github/CODEOWNERS", "* @a\n/src/ @a @b\n", "* @a\n/src/ @b\n", nil},
		{"an owner known from elsewhere", ".github/CODEOWNERS", "* @a\n/src/ @b\n", "* @a @b\n", nil},
		{"a first file with owners", ".github/CODEOWNERS", "", "* @a\n", nil},
		{"a new owner", ".github/CODEOWNERS", "* @a\n", "* @a @new\n", []string{"config/new-owner"}},
		{"a folder without owners", ".github/CODEOWNERS", "* @a\n", "* @a\n/src/\n", []string{"config/owners-removed"}},
		{"fewer patterns", ".github/CODEOWNERS", "* @a\n", "/docs/ @a\n", []string{"config/owners-removed"}},
		{"deleted", ".github/CODEOWNERS", "* @a\n", "-", []string{"config/owners-removed"}},
		{"one that counts before the base's", ".github/CODEOWNERS", "", "/none @a\n", nil},
		{"a file that doesn't count", "docs/CODEOWNERS", "* @a\n", "/none @b\n", nil},
		{"more protection", ".github/settings.yml", "branches: [{name: main, protection: {required_pull_request_reviews: {required_approving_review_count: 1}}}]\n",
			"branches: [{name: main, protection: {enforce_admins: true, required_pull_request_reviews: {required_approving_review_count: 2}}}]\n", nil},
		{"another description", ".github/settings.yml", "repository: {description: a}\n", "repository: {description: b}\n", nil},
		{"fewer reviews", ".github/settings.yml", "branches: [{name: main, protection: {required_pull_request_reviews: {required_approving_review_count: 2}}}]\n",
			"branches: [{name: main, protection: {required_pull_request_reviews: {required_approving_review_count: 1}}}]\n", []string{"config/protection-weakened"}},
		{"no protection", ".github/settings.yml", "branches: [{name: main, protection: {enforce_admins: true}}]\n", "branches: [{name: main, protection: null}]\n", []string{"config/protection-weakened"}},
		{"a user may write", ".github/settings.yml", "collaborators: []\n", "collaborators: [{username: x, permission: push}]\n", []string{"config/protection-weakened"}},
		{"a team may read", ".github/settings.yml", "teams: []\n", "teams: [{name: x, permission: pull}]\n", nil},
		{"a team without a permission", ".github/settings.yml", "teams: []\n", "teams: [{name: x}]\n", []string{"config/protection-weakened"}},
		{"a file that is no YAML", ".github/settings.yml", "a: b\n", "a: [\n", []string{"workflow/unreadable"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree := func(text string) fstest.MapFS {
				out := fstest.MapFS{"src/a.go": {Data: []byte("package a\n")}, ".github/CODEOWNERS": {Data: []byte("* @root\n")}}
				if tc.path == ".github/CODEOWNERS" {
					delete(out, tc.path)
				}
				if text != "" && text != "-" {
					out[tc.path] = &fstest.MapFile{Data: []byte(text)}
				}
				return out
			}
			target := &gate.Target{Path: tc.path, Language: gate.LanguageYAML, Role: gate.RoleCI, Kind: gate.ChangeModified}
			if tc.head == "-" {
				target.Kind = gate.ChangeDeleted
			}
			if got := changedIn(t, tree(tc.base), tree(tc.head), target); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAFileThatCountsBeforeTheBasesTakesItsOwnersAway(t *testing.T) {
	base := fstest.MapFS{"CODEOWNERS": {Data: []byte("* @a\n")}, "src/a.go": {Data: []byte("package a\n")}}
	head := fstest.MapFS{"CODEOWNERS": base["CODEOWNERS"], "src/a.go": base["src/a.go"], ".github/CODEOWNERS": {Data: []byte("/none @a\n")}}
	target := &gate.Target{Path: ".github/CODEOWNERS", Language: gate.LanguageText, Role: gate.RoleCI, Kind: gate.ChangeAdded}
	if got, want := changedIn(t, base, head, target), []string{"config/owners-removed"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// changedIn returns the rules of what is suspicious or worse in a change of one file,
// sorted.
func changedIn(t *testing.T, base, head fstest.MapFS, target *gate.Target) []string {
	t.Helper()
	found := gate.NewFindings([]*gate.Target{target}, nil)
	if _, err := newScanner(t, nil).Run(t.Context(), &gate.Change{Base: base, Head: head, Targets: []*gate.Target{target}}, found); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range found.Of(target.Path) {
		if f.Severity >= gate.SeveritySuspicious && !slices.Contains(out, f.Rule) {
			out = append(out, f.Rule)
		}
	}
	slices.Sort(out)
	return out
}
