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
