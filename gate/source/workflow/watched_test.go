package workflow_test

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/source/workflow"
)

var gateRuns = regexp.MustCompile(`\bgate pr\b|aigate/gate|"id":"gate"`)

const own = `on:
  pull_request:
  push: {branches: [main]}
jobs:
  build:
    runs-on: x
    steps: [{run: make}]
  g:
    runs-on: x
    needs: build
    env: {A: b}
    steps:
    - uses: actions/checkout@v4
    - name: look
      run: gate pr
    - uses: aigate/gate@v1
    - run: make lint
  other:
    runs-on: x
    steps: [{run: make doc}]
`

// changed names the parts that differ.
func changed(t *testing.T, old, head string) []string {
	t.Helper()
	a, err := workflow.Watched([]byte(old), gateRuns)
	if err != nil {
		t.Fatal(err)
	}
	b, err := workflow.Watched([]byte(head), gateRuns)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for part := range maps.Keys(a) {
		if now, ok := b[part]; !ok || now != a[part] {
			out = append(out, part)
		}
	}
	return out
}

func TestWhatDecidesWhetherACheckRunsAndCountsIsAPart(t *testing.T) {
	const hooks = "repos:\n- repo: https://github.com/aigate/gate\n  rev: v1\n  hooks: [{id: gate}]\n- repo: https://github.com/psf/black\n  rev: v1\n  hooks: [{id: black}]\n"
	const lab = "stages: [t]\nvariables: {A: b}\ng:\n  stage: t\n  script: [gate pr]\nx:\n  stage: t\n  script: [make]\n"
	for name, c := range map[string]struct {
		base, from, to string
		want           bool
	}{
		"its step may fail":             {own, "run: gate pr", "run: gate pr\n      continue-on-error: true", true},
		"what it says is dropped":       {own, "run: gate pr", "run: gate pr || true", true},
		"fewer layers":                  {own, "run: gate pr", "run: gate pr --layers static", true},
		"another shell":                 {own, "run: gate pr", "run: gate pr\n      shell: 'true {0}'", true},
		"another shell for all":         {own, "jobs:", "defaults: {run: {shell: 'true {0}'}}\njobs:", true},
		"a condition of the job":        {own, "needs: build", "needs: build\n    if: false", true},
		"a condition of a needed job":   {own, "steps: [{run: make}]", "if: false\n    steps: [{run: make}]", true},
		"another job that is needed":    {own, "needs: build", "needs: [build, other]", true},
		"an empty matrix":               {own, "needs: build", "needs: build\n    strategy: {matrix: {a: []}}", true},
		"files that start nothing":      {own, "pull_request:", "pull_request: {paths-ignore: ['**']}", true},
		"no event of pull requests":     {own, "  pull_request:\n", "", true},
		"another commit is looked at":   {own, "actions/checkout@v4", "actions/checkout@v4\n      with: {ref: main}", true},
		"another program of that name":  {own, "- name: look", "- run: echo ./bin >> $GITHUB_PATH\n    - name: look", true},
		"a variable that steers it":     {own, "env: {A: b}", "env: {A: b, GATE_CACHE_DIR: ci}", true},
		"a branch of its action":        {own, "aigate/gate@v1", "aigate/gate@evil", true},
		"an action of another owner":    {own, "aigate/gate@v1", "evil/gate@v1", true},
		"its hook is gone":              {hooks, "- repo: https://github.com/aigate/gate\n  rev: v1\n  hooks: [{id: gate}]\n", "", true},
		"its hook looks at no file":     {hooks, "repos:", "exclude: '.*'\nrepos:", true},
		"its job of another system":     {lab, "script: [gate pr]", "script: [gate pr]\n  allow_failure: true", true},
		"a rule for the whole pipeline": {lab, "variables: {A: b}", "variables: {A: c}", true},
		"a version":                     {own, "actions/checkout@v4", "actions/checkout@v5", false},
		"a version of its action":       {own, "aigate/gate@v1", "aigate/gate@v2", false},
		"a name":                        {own, "name: look", "name: see", false},
		"another job":                   {own, "make doc", "make docs", false},
		"another step of its job":       {own, "- run: make lint", "- run: make lint test\n    - run: make more", false},
		"a variable of something else":  {own, "env: {A: b}", "env: {A: c, B: d}", false},
		"one more event":                {own, "on:\n", "on:\n  workflow_dispatch:\n", false},
		"a version of a hook":           {hooks, "rev: v1", "rev: v2", false},
		"another hook":                  {hooks, "hooks: [{id: black}]", "hooks: [{id: black}, {id: x}]", false},
		"another job of another system": {lab, "script: [make]", "script: [make, make x]", false},
		"a new step before, of the job": {own, "- name: look", "- uses: actions/cache@v4\n    - name: look", false},
	} {
		t.Run(name, func(t *testing.T) {
			head := strings.Replace(c.base, c.from, c.to, 1)
			if head == c.base {
				t.Fatal("nothing changed")
			}
			if got := changed(t, c.base, head); (len(got) > 0) != c.want {
				t.Errorf("changed: %v", got)
			}
		})
	}
}

func FuzzWatched(f *testing.F) {
	f.Add([]byte(own))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(_ *testing.T, text []byte) { _, _ = workflow.Watched(text, gateRuns) })
}
