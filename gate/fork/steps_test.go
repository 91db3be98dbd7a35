package fork

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

// workflowTree is a tree with a workflow whose job has some steps before it reports.
func workflowTree(name string, steps ...string) fs.FS {
	text := "on: pull_request\njobs:\n  scan:\n    runs-on: ubuntu-latest\n    steps:\n    - uses: actions/checkout@v4\n"
	for _, s := range steps {
		text += "    - " + strings.ReplaceAll(s, "\n", "\n      ") + "\n"
	}
	text += "    - run: gate pr --layers static,sandbox\n    - uses: actions/upload-artifact@v4\n      with: {name: gate-result, path: gate-result.json}\n"
	return fstest.MapFS{name: &fstest.MapFile{Data: []byte(text)}}
}

func TestAJobThatRunsWhatThePullRequestChangesCannotVouchForIt(t *testing.T) {
	for name, c := range map[string]struct {
		step    string
		changed string
		role    gate.Role
		trusted bool
	}{
		"a script by its path":              {step: "run: sh ci/build.sh", changed: "ci/build.sh"},
		"a script by its name":              {step: "run: |\n  cd ci\n  ./build.sh", changed: "ci/build.sh"},
		"all scripts of a folder":           {step: "run: for s in ci/*.sh; do sh \"$s\"; done", changed: "ci/build.sh"},
		"a folder":                          {step: "run: run-parts ci/", changed: "ci/build"},
		"over two lines":                    {step: "run: |\n  sh \\\n    ci/build.sh", changed: "ci/build.sh"},
		"a module":                          {step: "run: python3 tools/gen.py", changed: "tools/gen.py"},
		"a module by its dotted name":       {step: "run: python3 -Im tools.gen", changed: "tools/gen.py"},
		"the scripts of a package":          {step: "run: npm ci", changed: "package.json"},
		"a build":                           {step: "run: make", changed: "lib/x.c"},
		"a build beside another command":    {step: "run: sudo apt-get update && make all", changed: "lib/x.c"},
		"tests":                             {step: "run: go test ./...", changed: "a_test.go"},
		"beside gate in one line":           {step: "run: sh ci/build.sh && gate scan .", changed: "ci/build.sh"},
		"an action of the repository":       {step: "uses: ./ci/act", changed: "ci/act/dist/index.js"},
		"a requirement":                     {step: "run: pip install -r requirements.txt", changed: "requirements.txt"},
		"moved away":                        {step: "run: sh ci/build.sh", changed: "ci/build.sh"},
		"nothing but gate":                  {step: "run: gate doctor", changed: "src/a.py", trusted: true},
		"a program of the machine":          {step: "run: sudo apt-get install -y git", changed: "src/a.py", trusted: true},
		"another script":                    {step: "run: sh ci/other.sh", changed: "src/a.py", trusted: true},
		"a build, and only pages changed":   {step: "run: make", changed: "docs/a.md", role: gate.RoleDocs, trusted: true},
		"another action of the repository":  {step: "uses: ./ci/act", changed: "src/a.py", trusted: true},
		"a comment about it":                {step: "run: |\n  # sh src/a.py\n  echo ready", changed: "src/a.py", trusted: true},
		"the machine's own file of a name":  {step: "run: cp /usr/share/tool/conf x", changed: "src/tool.py", trusted: true},
		"an action that runs a build":       {step: "uses: github/codeql-action/autobuild@v3", changed: "Makefile"},
		"an action that installs as asked":  {step: "{uses: ruby/setup-ruby@v1, with: {bundler-cache: true}}", changed: "Gemfile"},
		"an action that only gets Ruby":     {step: "{uses: ruby/setup-ruby@v1, with: {ruby-version: 3.4}}", changed: "Gemfile", trusted: true},
		"a generator with its settings":     {step: "run: doxygen", changed: "Doxyfile"},
		"an action that gets the toolchain": {step: "uses: actions/setup-go@v5", changed: "src/a.go", trusted: true},
	} {
		target := &gate.Target{Path: c.changed, Role: c.role}
		if name == "moved away" {
			target = &gate.Target{Path: "elsewhere.sh", OldPath: c.changed}
		}
		change := &gate.Change{Head: workflowTree("wf/gate.yml", c.step), Targets: []*gate.Target{target}}
		if err := Unverified(change, "wf/gate.yml@refs/pull/7/merge"); (err == nil) != c.trusted {
			t.Errorf("%s: %v, want trusted %v", name, err, c.trusted)
		}
	}
}

func TestWhatCanRunAChangedFileOnAWayRoundCannotVouchForIt(t *testing.T) {
	const report = "    - run: gate pr\n"
	files := map[string]string{
		"ci/lint.sh": "sh ci/sub.sh\n", "ci/x.py": "import y\n", "tools/git": "#!/bin/sh\n", "README": "text\n",
		"act/action.yml":  "runs:\n  using: composite\n  steps:\n  - run: sh ci/lint.sh\n    shell: bash\n",
		"node/action.yml": "runs: {using: node20, main: index.js}\n",
		"good/action.yml": "runs:\n  using: composite\n  steps:\n  - run: echo ready\n    shell: bash\n",
		"scan.yml":        "on: workflow_call\njobs:\n  scan:\n    steps:\n    - run: make\n" + report,
		"only.yml":        "on: workflow_call\njobs:\n  scan:\n    steps:\n" + report,
		"self.yml":        "jobs:\n  again: {uses: ./self.yml}\n",
	}
	for name, c := range map[string]struct {
		job     string // of the workflow, below its name
		top     string // beside its jobs
		changed string
		role    gate.Role
		trusted bool
	}{
		"a script that runs a changed one":        {job: "steps:\n    - run: bash ci/lint.sh\n" + report, changed: "ci/sub.sh"},
		"a module that imports a changed one":     {job: "steps:\n    - run: python3 ci/x.py\n" + report, changed: "ci/y.py"},
		"a module that a new one takes the place": {job: "steps:\n    - run: python3 ci/x.py\n" + report, changed: "ci/json.py"},
		"the same, and only pages changed":        {job: "steps:\n    - run: bash ci/lint.sh\n" + report, changed: "docs/a.md", role: gate.RoleDocs, trusted: true},
		"a workflow that is called":               {job: "uses: ./scan.yml\n", changed: "lib/x.c"},
		"a called workflow of gate alone":         {job: "uses: ./only.yml\n", changed: "lib/x.c", trusted: true},
		"workflows that call each other":          {job: "uses: ./self.yml\n", changed: "lib/x.c"},
		"a shell of its own":                      {job: "steps:\n    - {run: echo, shell: 'bash ci/a.sh {0}'}\n" + report, changed: "ci/a.sh"},
		"the shell of all steps":                  {job: "defaults: {run: {shell: 'bash ci/a.sh {0}'}}\n    steps:\n" + report, changed: "ci/a.sh"},
		"the shell of all jobs":                   {job: "steps:\n" + report, top: "defaults: {run: {shell: 'bash ci/a.sh {0}'}}\n", changed: "ci/a.sh"},
		"an argument of an action":                {job: "steps:\n    - {uses: org/retry@v1, with: {command: ./ci/a.sh}}\n" + report, changed: "ci/a.sh"},
		"a script that an action requires":        {job: "steps:\n    - {uses: actions/github-script@v7, with: {script: 'require(\"./ci/a.js\")'}}\n" + report, changed: "ci/a.js"},
		"the start file of the shell":             {job: "env: {BASH_ENV: ci/a.sh}\n    steps:\n" + report, changed: "ci/a.sh"},
		"a folder of modules":                     {job: "env: {PYTHONPATH: ci}\n    steps:\n" + report, changed: "ci/sitecustomize.py"},
		"a folder of programs":                    {job: "steps:\n    - run: echo \"$GITHUB_WORKSPACE/tools\" >> \"$GITHUB_PATH\"\n" + report, changed: "lib/x.c"},
		"the tree as a folder of programs":        {job: "steps:\n    - run: echo $PWD >> $GITHUB_PATH\n" + report, changed: "git"},
		"an action that runs a script":            {job: "steps:\n    - uses: ./act\n" + report, changed: "ci/sub.sh"},
		"an action that is a program":             {job: "steps:\n    - uses: ./node\n" + report, changed: "lib/x.js"},
		"an action that only prints":              {job: "steps:\n    - uses: ./good\n" + report, changed: "lib/x.js", trusted: true},
		"a folder of modules' programs":           {job: "steps:\n    - run: echo \"$GITHUB_WORKSPACE/node_modules/.bin\" >> $GITHUB_PATH\n" + report, changed: "node_modules/.bin/git"},
		"a folder of programs in a variable":      {job: "steps:\n    - run: echo \"PATH=$PWD/tools:$PATH\" >> $GITHUB_ENV\n" + report, changed: "tools/git"},
		"a linter, whose settings run code":       {job: "steps:\n    - run: pylint src\n" + report, changed: ".pylintrc"},
		"a command that an expression puts in":    {job: "steps:\n    - run: ${{ vars.LINT }}\n" + report, changed: "ci/a.sh"},
		"a script that an expression names":       {job: "steps:\n    - run: bash ${{ env.S }}\n" + report, changed: "ci/a.sh"},
		"a value of an expression that is shown":  {job: "steps:\n    - run: echo ${{ github.sha }}\n" + report, changed: "ci/a.sh", trusted: true},
		"the cache of another job":                {job: "steps:\n    - uses: actions/cache/restore@v4\n" + report + "  build:\n    steps:\n    - run: make\n", changed: "lib/x.c"},
		"the outputs of another job":              {job: "needs: build\n    steps:\n    - run: echo ${{ needs.build.outputs.a }}\n" + report + "  build:\n    steps:\n    - run: make\n", changed: "lib/x.c"},
		"another job that it only waits for":      {job: "needs: build\n    steps:\n" + report + "  build:\n    steps:\n    - run: make\n", changed: "lib/x.c", trusted: true},
		"the artifacts of jobs that only scan":    {job: "steps:\n    - uses: actions/download-artifact@v4\n" + report + "  shard:\n    steps:\n" + report, changed: "lib/x.c", trusted: true},
		"the container of the job":                {job: "container: {image: debian, options: --entrypoint /w/ci/a.sh}\n    steps:\n" + report, changed: "ci/a.sh"},
		"a mere word":                             {job: "env: {MODE: strict}\n    steps:\n    - run: echo ready\n" + report, changed: "lib/x.c", trusted: true},
	} {
		head := fstest.MapFS{"wf.yml": &fstest.MapFile{Data: []byte(c.top + "jobs:\n  scan:\n    " + c.job)}}
		for p, text := range files {
			head[p] = &fstest.MapFile{Data: []byte(text)}
		}
		change := &gate.Change{Head: head, Targets: []*gate.Target{{Path: c.changed, Role: c.role}}}
		if err := Unverified(change, "wf.yml"); (err == nil) != c.trusted {
			t.Errorf("%s: %v, want trusted %v", name, err, c.trusted)
		}
	}
}

func TestStepsOfOtherJobsOrAfterTheReportDoNotCount(t *testing.T) {
	text := "jobs:\n  test:\n    steps:\n    - run: make test\n  scan:\n    steps:\n    - uses: aigate/gate@v1\n    - run: make test\n"
	c := &gate.Change{Head: fstest.MapFS{"wf.yml": &fstest.MapFile{Data: []byte(text)}}, Targets: []*gate.Target{{Path: "a.c"}}}
	if err := Unverified(c, "wf.yml"); err != nil {
		t.Error(err)
	}
}

func TestAWorkflowThatCannotBeReadCannotVouchForAnything(t *testing.T) {
	for name, tree := range map[string]fs.FS{
		"no tree": nil, "no file": fstest.MapFS{}, "no YAML": fstest.MapFS{"wf.yml": &fstest.MapFile{Data: []byte("jobs: [")}},
		"steps that are no list": fstest.MapFS{"wf.yml": &fstest.MapFile{Data: []byte("jobs: {a: {steps: make}}")}},
	} {
		if Unverified(&gate.Change{Head: tree, Targets: []*gate.Target{{Path: "a.c"}}}, "wf.yml") == nil {
			t.Errorf("%s: the workflow is trusted", name)
		}
	}
}

func FuzzStepsOfAWorkflow(f *testing.F) {
	f.Add("jobs: {a: {steps: [{run: make}, {run: gate pr}]}}")
	f.Add("jobs:\n  a: &a\n    steps:\n    - {run: 'sh x\\\n y'}\n  b: *a\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := &gate.Change{Head: fstest.MapFS{"wf.yml": &fstest.MapFile{Data: []byte(text)}}, Targets: []*gate.Target{{Path: "a.c"}}}
		if err := Unverified(c, "wf.yml"); err != nil && !strings.HasPrefix(err.Error(), "unverified: ") {
			t.Error(err)
		}
	})
}
