package guard_test

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate/static/guard"
)

const workflow = `on:
  pull_request:
    branches: [main]
jobs:
  build:
    runs-on: ubuntu-latest
    steps: [{run: make}]
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: go install github.com/aigate/gate/cmd/gate@v1.2.0
      - run: gate pr --layers static,sandbox
      - uses: aigate/gate@v1
        with: {layers: "static,sandbox"}
`

const gitlab = "gate:\n  stage: test\n  script:\n    - gate scan --base origin/main .\n"

const hooks = `repos:
- repo: local
  hooks:
  - {id: gate, name: gate, entry: gate scan --staged, language: system, pass_filenames: false}
- repo: https://github.com/aigate/gate
  rev: v1.0.0
  hooks: [{id: gate, args: [--layers, "static,judge"]}]
`

const circle = "jobs:\n  gate:\n    docker: [{image: x}]\n    steps: [checkout, {run: gate scan --base origin/main}]\nworkflows: {all: {jobs: [gate]}}\n"

const makefile = "all: build\n\ncheck:\n\tgate scan --base main .\n\nclean:\n\trm -rf out\n"

const hook = "#!/bin/sh\nset -e\ngate scan --staged\nnpm test\n"

func TestChangesThatMakeGateRunLessAreALoss(t *testing.T) {
	for name, tc := range map[string]struct {
		form      guard.Form
		base      string
		old, new  string
		lossBegin string
	}{
		"a failure that does not count":        {guard.Settings, workflow, "  gate:\n", "  gate:\n    continue-on-error: true\n", "continue-on-error"},
		"a failure that an expression ignores": {guard.Settings, workflow, "- run: gate pr", "- continue-on-error: ${{ 1 == 1 }}\n        run: gate pr", "continue-on-error"},
		"a condition":                          {guard.Settings, workflow, "- run: gate pr", "- if: github.actor != 'x'\n        run: gate pr", "if"},
		"a condition of a job before":          {guard.Settings, strings.Replace(workflow, "  gate:\n", "  gate:\n    needs: build\n", 1), "  build:\n", "  build:\n    if: false\n", "needs"},
		"a job before":                         {guard.Settings, workflow, "  gate:\n", "  gate:\n    needs: [build]\n", "needs"},
		"another branch only":                  {guard.Settings, workflow, "[main]", "[never]", "on"},
		"a branch less by a pattern":           {guard.Settings, workflow, "[main]", "[main, '!main']", "on"},
		"files that are left out":              {guard.Settings, workflow, "    branches: [main]\n", "    branches: [main]\n    paths-ignore: ['**']\n", "on"},
		"no event of a change":                 {guard.Settings, workflow, "  pull_request:\n    branches: [main]\n", "  schedule: [{cron: '0 0 * * *'}]\n", "on"},
		"closed changes only":                  {guard.Settings, workflow, "    branches: [main]\n", "    types: [closed]\n", "on"},
		"a shell that runs nothing":            {guard.Settings, workflow, "- run: gate pr", "- shell: 'true {0}'\n        run: gate pr", "shell"},
		"a shell that only reads":              {guard.Settings, workflow, "- run: gate pr", "- shell: 'bash -n -e {0}'\n        run: gate pr", "shell"},
		"a shell for all steps":                {guard.Settings, workflow, "jobs:\n", "defaults: {run: {shell: 'bash {0}'}}\njobs:\n", "shell"},
		"another folder":                       {guard.Settings, workflow, "- run: gate pr", "- working-directory: docs\n        run: gate pr", "working-directory"},
		"an or":                                {guard.Settings, workflow, "static,sandbox\n      - uses", "static,sandbox || true\n      - uses", "||"},
		"an or that ends well":                 {guard.Settings, workflow, "static,sandbox\n      - uses", "static,sandbox || exit 0\n      - uses", "exit 0"},
		"a pipe":                               {guard.Settings, workflow, "static,sandbox\n      - uses", "static,sandbox | tee log\n      - uses", "|"},
		"behind a condition":                   {guard.Settings, workflow, "run: gate pr", "run: test -n \"$X\" && gate pr", "behind"},
		"in an if":                             {guard.Settings, workflow, "run: gate pr", "run: if gate pr; then echo good; fi #", "if"},
		"in a function":                        {guard.Settings, workflow, "run: gate pr --layers static,sandbox", "run: 'x() { gate pr --layers static,sandbox; }'", "in braces"},
		"in a here-document":                   {guard.Settings, workflow, "run: gate pr --layers static,sandbox", "run: |\n          cat <<E\n          gate pr --layers static,sandbox\n          E", "no longer"},
		"only said":                            {guard.Settings, workflow, "run: gate pr", "run: echo gate pr", "no longer"},
		"an end before":                        {guard.Settings, workflow, "run: gate pr --layers static,sandbox", "run: |\n          exit 0\n          gate pr --layers static,sandbox", "exit 0"},
		"errors off":                           {guard.Settings, workflow, "run: gate pr --layers static,sandbox", "run: |\n          set +e\n          gate pr --layers static,sandbox\n          echo", "set +e"},
		"a layer less":                         {guard.Settings, workflow, "gate pr --layers static,sandbox", "gate pr --layers static", "--layers"},
		"no comment on the change":             {guard.Settings, workflow, "gate pr", "gate pr --publish=false", "--publish"},
		"another gate":                         {guard.Settings, workflow, "run: gate pr", "run: ./bin/gate pr", "the program"},
		"another event":                        {guard.Settings, workflow, "run: gate pr", "run: GITHUB_EVENT_PATH=ci/e.json gate pr", "GITHUB_EVENT_PATH"},
		"a cache of the change":                {guard.Settings, workflow, "jobs:\n", "env: {GATE_CACHE_DIR: ci/cache}\njobs:\n", "GATE_CACHE_DIR"},
		"programs of the checkout":             {guard.Settings, workflow, "- run: go install", "- run: echo $PWD/bin >> $GITHUB_PATH\n      - run: go install", "before it"},
		"a gate that is copied":                {guard.Settings, workflow, "- run: gate pr", "- run: cp ci/x /usr/local/bin/gate\n      - run: gate pr", "before it"},
		"a branch of gate":                     {guard.Settings, workflow, "gate/cmd/gate@v1.2.0", "gate/cmd/gate@evil", "before it"},
		"another commit":                       {guard.Settings, workflow, "actions/checkout@v4", "actions/checkout@v4\n        with: {ref: main}", "looks at"},
		"a reset before":                       {guard.Settings, workflow, "- run: gate pr", "- run: git reset -q --hard origin/main\n      - run: gate pr", "before it"},
		"a branch of the action":               {guard.Settings, workflow, "aigate/gate@v1\n", "aigate/gate@evil\n", "another version"},
		"an input less":                        {guard.Settings, workflow, `{layers: "static,sandbox"}`, `{layers: static}`, "layers"},
		"another command of the action":        {guard.Settings, workflow, `{layers: "static,sandbox"}`, `{layers: "static,sandbox", command: images}`, "command"},
		"a matrix without runs":                {guard.Settings, workflow, "  gate:\n", "  gate:\n    strategy: {matrix: {a: []}}\n", "strategy"},
		"by hand":                              {guard.Settings, gitlab, "  stage", "  when: manual\n  stage", "when"},
		"a rule":                               {guard.Settings, gitlab, "  stage", "  rules: [{if: '$X', when: never}]\n  stage", "rules"},
		"a job that may fail":                  {guard.Settings, gitlab, "  stage", "  allow_failure: {exit_codes: [1]}\n  stage", "allow_failure"},
		"a job that nothing runs":              {guard.Settings, gitlab, "gate:", ".gate:", "in a job"},
		"a template with a condition":          {guard.Settings, gitlab, "gate:\n", ".x: {when: never}\ngate:\n  extends: .x\n", "when"},
		"a merged key":                         {guard.Settings, gitlab, "gate:\n", ".x: &x {allow_failure: true}\ngate:\n  <<: *x\n", "allow_failure"},
		"afterwards":                           {guard.Settings, gitlab, "script:", "after_script:", "in after_script"},
		"no pipeline for it":                   {guard.Settings, gitlab, "gate:", "workflow: {rules: [{when: never}]}\ngate:", "workflow"},
		"fewer paths":                          {guard.Settings, gitlab, "main .", "main docs", "looks at"},
		"from itself":                          {guard.Settings, gitlab, "origin/main", "HEAD", "--base"},
		"no workflow has the job":              {guard.Settings, circle, "[gate]", "[other]", "in a job"},
		"a workflow filters the job":           {guard.Settings, circle, "[gate]", "[{gate: {filters: {branches: {only: x}}}}]", "filters"},
		"an entry that runs something else":    {guard.PreCommit, hooks, "entry: gate", "entry: true gate", "no longer"},
		"no entry":                             {guard.PreCommit, hooks, "id: gate, args", "id: other, args", "no longer"},
		"all files left out":                   {guard.PreCommit, hooks, "repos:", "exclude: '.*'\nrepos:", "exclude"},
		"no file left":                         {guard.PreCommit, hooks, "language: system", "language: system, files: '^never$'", "files"},
		"by hand in pre-commit":                {guard.PreCommit, hooks, "language: system", "language: system, stages: [manual]", "stages"},
		"skipped by the service":               {guard.PreCommit, hooks, "repos:", "ci: {skip: [gate]}\nrepos:", "ci"},
		"a layer less in pre-commit":           {guard.PreCommit, hooks, "static,judge", "static", "--layers"},
		"an or in a recipe":                    {guard.Recipes, makefile, "main .", "main . || :", "||"},
		"a dash in a recipe":                   {guard.Recipes, makefile, "\tgate", "\t-gate", "||"},
		"ignored in all recipes":               {guard.Recipes, makefile, "all:", ".IGNORE:\nall:", ".IGNORE"},
		"a hook without gate":                  {guard.Shell, hook, "gate scan --staged\n", "", "no longer"},
		"a hook with a comment":                {guard.Shell, hook, "gate scan", "# gate scan", "no longer"},
		"in a shell of its own":                {guard.Shell, "sh -c 'gate scan --staged'\n", "--staged'", "--staged || true'", "||"},
		"a shell that is ignored":              {guard.Shell, "sh -c 'gate scan --staged'\n", "--staged'", "--staged' || true", "||"},
		"another way that is not known":        {guard.Shell, "\"$TOOLS/gate\" scan\n\"$RUN\" gate scan\n", "\"$RUN\" gate", "\"$RUN\" true gate", "no longer"},
		"a script of npm":                      {guard.Scripts, `{"scripts": {"lint": "gate scan --base main"}}`, "main\"", "main || true\"", "||"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(tc.base, tc.old) {
				t.Fatalf("no %q", tc.old)
			}
			got := guard.Compare(tc.form, []byte(tc.base), []byte(strings.Replace(tc.base, tc.old, tc.new, 1)))
			if len(got) == 0 || !strings.HasPrefix(got[0].What, tc.lossBegin) {
				t.Errorf("got %+v, want %s", got, tc.lossBegin)
			}
		})
	}
}

func TestChangesThatLeaveGateAloneAreNoLoss(t *testing.T) {
	for name, tc := range map[string]struct {
		form           guard.Form
		base, old, new string
	}{
		"a comment":                     {guard.Settings, workflow, "jobs:", "# why\njobs:"},
		"another version of the action": {guard.Settings, workflow, "aigate/gate@v1\n", "aigate/gate@v2.1.0\n"},
		"a commit of the action":        {guard.Settings, workflow, "aigate/gate@v1\n", "aigate/gate@0123456789012345678901234567890123456789\n"},
		"another release of gate":       {guard.Settings, workflow, "@v1.2.0", "@v1.3.0"},
		"a layer more":                  {guard.Settings, workflow, "gate pr --layers static,sandbox", "gate pr --layers static,judge,sandbox"},
		"a branch more":                 {guard.Settings, workflow, "[main]", "[main, dev]"},
		"all branches":                  {guard.Settings, workflow, "  pull_request:\n    branches: [main]\n", "  pull_request:\n"},
		"an event more":                 {guard.Settings, workflow, "  pull_request:\n", "  push: {branches: [main]}\n  pull_request:\n"},
		"a condition of another job":    {guard.Settings, workflow, "  build:\n", "  build:\n    if: github.ref == 'x'\n"},
		"a condition of another step":   {guard.Settings, workflow, "- run: go install", "- if: failure()\n        run: echo\n      - run: go install"},
		"a condition that holds":        {guard.Settings, workflow, "- run: gate pr", "- if: ${{ always() }}\n        run: gate pr"},
		"the usual shell":               {guard.Settings, workflow, "- run: gate pr", "- shell: bash\n        run: gate pr"},
		"a shell with errors on":        {guard.Settings, workflow, "jobs:\n", "defaults: {run: {shell: 'bash -euo pipefail {0}'}}\njobs:\n"},
		"a step more":                   {guard.Settings, workflow, "- run: go install", "- uses: actions/setup-go@v5\n      - run: go install"},
		"programs of the user":          {guard.Settings, workflow, "- run: go install", "- run: echo \"$HOME/.local/bin\" >> $GITHUB_PATH\n      - run: go install"},
		"a variable":                    {guard.Settings, workflow, "jobs:\n", "env: {NODE_ENV: test, GITHUB_TOKEN: '${{ github.token }}'}\njobs:\n"},
		"more of the history":           {guard.Settings, workflow, "actions/checkout@v4", "actions/checkout@v4\n        with: {fetch-depth: 0}"},
		"the head of the change":        {guard.Settings, workflow, "actions/checkout@v4", "actions/checkout@v4\n        with: {ref: '${{ github.event.pull_request.head.sha }}'}"},
		"another report":                {guard.Settings, workflow, "gate pr", "gate pr --verbose --save out.json"},
		"a summary":                     {guard.Settings, workflow, "run: gate pr", "run: gate pr --sarif x.sarif"},
		"a name for the job":            {guard.Settings, workflow, "  gate:\n", "  security:\n    name: gate\n"},
		"an or that fails":              {guard.Settings, workflow, "static,sandbox\n      - uses", "static,sandbox || exit 1\n      - uses"},
		"a stage":                       {guard.Settings, gitlab, "stage: test", "stage: check"},
		"another job":                   {guard.Settings, gitlab, "gate:", "x: {script: [make], allow_failure: true}\ngate:"},
		"a hook more":                   {guard.PreCommit, hooks, "repos:\n", "repos:\n- repo: https://github.com/psf/black\n  rev: 24.1.0\n  hooks: [{id: black}]\n"},
		"a folder left out":             {guard.PreCommit, hooks, "repos:", "exclude: '^vendor/'\nrepos:"},
		"another release in pre-commit": {guard.PreCommit, hooks, "v1.0.0", "v1.1.0"},
		"the stage that it had":         {guard.PreCommit, hooks, "language: system", "language: system, stages: [pre-commit]"},
		"another recipe":                {guard.Recipes, makefile, "rm -rf out", "rm -rf out || true"},
		"a target":                      {guard.Recipes, makefile, "check:", "check: build"},
		"another test in a hook":        {guard.Shell, hook, "npm test", "npm run test:all || exit 1"},
		"another script of npm":         {guard.Scripts, `{"scripts": {"lint": "gate scan", "a": "b"}}`, `"b"`, `"b || true"`},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(tc.base, tc.old) {
				t.Fatalf("no %q", tc.old)
			}
			if got := guard.Compare(tc.form, []byte(tc.base), []byte(strings.Replace(tc.base, tc.old, tc.new, 1))); len(got) > 0 {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestAStepThatMovedToAnotherFileIsNotLost(t *testing.T) {
	if got := guard.Compare(guard.Settings, []byte(workflow), nil, []byte(workflow)); len(got) > 0 {
		t.Errorf("moved as it was: %+v", got)
	}
	if got := guard.Compare(guard.Settings, []byte(workflow), nil); len(got) != 2 {
		t.Errorf("gone: %+v", got)
	}
}

func TestALossHasTheLineOfTheCommand(t *testing.T) {
	got := guard.Compare(guard.Recipes, []byte(makefile), []byte(strings.Replace(makefile, "main .", "main . || :", 1)))
	if len(got) != 1 || got[0].Line != 4 {
		t.Errorf("got %+v, want line 4", got)
	}
}

func FuzzCompare(f *testing.F) {
	for _, s := range []string{workflow, gitlab, hooks, circle, makefile, hook} {
		f.Add(int(guard.Settings), []byte(s), []byte(workflow))
		f.Add(int(guard.Shell), []byte(hook), []byte(s))
	}
	f.Fuzz(func(t *testing.T, form int, base, head []byte) {
		if got := guard.Compare(guard.Form(form), base, base); len(got) > 0 {
			t.Errorf("a text against itself loses %+v", got)
		}
		guard.Compare(guard.Form(form), base, head)
	})
}
