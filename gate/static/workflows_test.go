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
		"a comment":                            {"# why\n" + ci, nil},
		"a version that moves":                 {edit("checkout@v4", "checkout@v5"), nil},
		"a version of another owner":           {edit("tool@v1", "tool@v2"), nil},
		"another commit":                       {edit("@0123456789", "@1123456789"), nil},
		"an action that another workflow uses": {edit("- run: make test", "- uses: more/tools@v3\n      - run: make test"), nil},
		"a new action at a commit":             {edit("- run: make test", "- uses: new/one@0123456789012345678901234567890123456789"), nil},
		"a new action of GitHub":               {edit("- run: make test", "- uses: actions/cache@v4"), nil},
		"a new job with the rights of the old": {ci + "  lint:\n    runs-on: ubuntu-24.04\n    steps: [{run: make lint}]\n", nil},
		"a machine of the matrix":              {edit("ubuntu-latest", "${{ matrix.os }}"), nil},
		"the machine of another workflow":      {edit("ubuntu-latest", "[self-hosted, big]"), []string{"workflow/self-hosted-pull-request"}},
		"fewer rights":                         {edit("{contents: read}", "{}"), nil},
		"a right to read":                      {edit("{contents: read}", "{contents: read, issues: read}"), nil},
		"another command":                      {edit("make test", "make check"), nil},
		"an event for the owners":              {edit("[push,", "[push, workflow_dispatch,"), nil},
		"a new action by a name":               {edit("- run: make test", "- uses: new/one@v1"), []string{"workflow/new-unpinned-action"}},
		"a pin that becomes a name":            {edit("@0123456789012345678901234567890123456789", "@v1"), []string{"workflow/new-unpinned-action"}},
		"an image as an action":                {edit("- run: make test", "- uses: docker://example.com/x:1"), []string{"workflow/new-unpinned-action"}},
		"a reusable workflow of somebody else": {ci + "  lint: {uses: some/one/.github/workflows/x.yml@main}\n", []string{"workflow/new-unpinned-action"}},
		"a right to write":                     {edit("{contents: read}", "{contents: write}"), []string{"workflow/wider-permissions"}},
		"all rights":                           {edit("{contents: read}", "write-all"), []string{"workflow/wider-permissions"}},
		"no word about rights":                 {edit("permissions: {contents: read}\n", ""), []string{"workflow/wider-permissions"}},
		"a job with more rights":               {ci + "  x:\n    permissions: {id-token: write}\n    runs-on: ubuntu-latest\n", []string{"workflow/wider-permissions"}},
		"started by strangers":                 {edit("pull_request]", "pull_request_target]"), []string{"workflow/new-trigger"}},
		"started by comments":                  {edit("pull_request]", "issue_comment]"), []string{"workflow/new-trigger"}},
		"a machine of their own":               {edit("ubuntu-latest", "my-own"), []string{"workflow/new-runner"}},
		"a secret of another workflow":         {edit("- run: make test", "- run: make test\n        env: {T: '${{ secrets.RELEASE }}'}"), nil},
		"a secret for a command":               {edit("- run: make test", "- run: make test\n        env: {T: '${{ secrets.NPM_TOKEN }}'}"), []string{"workflow/secret-new-place"}},
		"a secret for another action":          {edit("- uses: other/tool@v1", "- uses: other/tool@v1\n        with: {t: '${{ secrets.NPM_TOKEN }}'}"), []string{"workflow/secret-new-place"}},
		"all secrets":                          {edit("make test", "echo '${{ toJSON(secrets) }}'"), []string{"workflow/all-secrets", "workflow/secret-new-place"}},
		"a secret whose name is worked out":    {edit("make test", "echo '${{ secrets[github.actor] }}'"), []string{"workflow/secret-new-place"}},
		"no check any more":                    {edit("      - run: gate scan --base main\n", ""), []string{"workflow/check-removed"}},
		"no YAML":                              {"on: [\n" + ci, []string{"workflow/unreadable"}},
		"two documents":                        {ci + "---\non: issues\n", []string{"workflow/unreadable"}},
		"deleted, and its check with it":       {"", []string{"workflow/check-removed"}},
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

func TestANewWorkflowIsComparedWithTheOthers(t *testing.T) {
	for name, tc := range map[string]struct {
		head string
		want []string
	}{
		"the rights of another":      {"on: push\npermissions: {contents: write}\njobs: {a: {runs-on: ubuntu-latest}}\n", nil},
		"rights that no other has":   {"on: push\npermissions: {packages: write}\njobs: {a: {runs-on: ubuntu-latest}}\n", []string{"workflow/wider-permissions"}},
		"the secret of another":      {"on: push\npermissions: {}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: x, env: {T: '${{ secrets.RELEASE }}'}}]}}\n", []string{"workflow/secret-new-place"}},
		"the same secret and action": {"on: push\npermissions: {}\njobs: {a: {runs-on: ubuntu-latest, steps: [{uses: other/publish@v2, with: {t: '${{ secrets.NPM_TOKEN }}'}}]}}\n", nil},
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
