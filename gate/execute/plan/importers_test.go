package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

// testsOf are the files that runs of tests get for a changed file: those of one run joined
// by spaces.
func testsOf(t *testing.T, files map[string]string, target string) []string {
	t.Helper()
	return testsOfLines(t, files, target, gate.LineSet{})
}

// testsOfLines are those of a file in which only some lines were edited.
func testsOfLines(t *testing.T, files map[string]string, target string, lines gate.LineSet) []string {
	t.Helper()
	tree := fstest.MapFS{}
	language := gate.LanguageJavaScript
	if strings.HasSuffix(target, ".py") {
		language = gate.LanguagePython
	}
	c := &gate.Change{Head: tree, Targets: []*gate.Target{{Path: target, Language: language, Kind: gate.ChangeModified, Lines: lines}}}
	for p, text := range files {
		tree[p] = &fstest.MapFile{Data: []byte(text)}
		c.Files = append(c.Files, p)
	}
	slices.Sort(c.Files)
	var out []string
	for _, u := range Make(workspace.Load(c, nil, workspace.Limits{Bytes: 1 << 20, Files: 1000}), c.Targets, nil, nil).Units {
		if u.Kind == Tests {
			out = append(out, strings.Join(slices.DeleteFunc(slices.Clone(u.Job.Args), func(a string) bool { return !strings.Contains(a, "test") || strings.HasPrefix(a, "-") }), " "))
		}
	}
	return out
}

// TestTheTestsThatMostLikelyRunAnEditComeFirst: of many tests that reach a file only some run.
func TestTheTestsThatMostLikelyRunAnEditComeFirst(t *testing.T) {
	files := map[string]string{"package.json": `{"main": "app.js"}`, "app.js": "require('./lib/route')\n", "lib/route.js": "exports.common = 1\nexports.special = 2\n"}
	for i := range 14 {
		files[fmt.Sprintf("test/a%02d.test.js", i)] = "require('../app').common()\n"
	}
	files["test/route.1.test.js"] = "require('../app')\n"
	files["test/sync-route.test.js"] = "require('../app')\n"
	files["test/zoo.test.js"] = "require('../app').special()\n"
	for name, tt := range map[string]struct {
		line  int
		first string
	}{
		"names, then what is mentioned rarely":         {2, "test/route.1.test.js test/sync-route.test.js test/zoo.test.js test/a00.test.js"},
		"what nearly all of them mention says nothing": {1, "test/route.1.test.js test/sync-route.test.js test/a00.test.js test/a01.test.js"},
	} {
		t.Run(name, func(t *testing.T) {
			got := testsOfLines(t, files, "lib/route.js", gate.OnlyLines(gate.LineRange{tt.line, tt.line}))
			if len(got) != 2 || got[0]+" "+got[1][:len("test/a00.test.js")] != tt.first {
				t.Errorf("%q, want %q at first", got, tt.first)
			}
		})
	}
}

func TestTestsThatReachAFileThroughOthersRunWhereThereAreNoNearerOnes(t *testing.T) {
	for name, tt := range map[string]struct {
		files  map[string]string
		target string
		want   []string
	}{
		"through the entry of a package": {map[string]string{
			"package.json": `{"name": "lib", "main": "./lib/main.js", "scripts": {"test": "mocha test/*.js"}}`,
			"lib/main.js":  "import core from './core.js'\n", "lib/core.js": "import deep from './deep.js'\n", "lib/deep.js": "1\n",
			"test/a.js": "import lib from 'lib'\n", "test/b.js": "import './other.js'\n", "test/c.js": "const lib = require('..')\n",
		}, "lib/deep.js", []string{"test/a.js test/c.js"}},
		"through an index": {map[string]string{
			"src/index.ts": "export * from \"./util/index.js\"\n", "src/util/index.ts": "export { x } from './x.js'\n", "src/util/x.ts": "export const x = 1\n",
			"src/all.test.ts": "import { x } from '.'\n", "src/none.test.ts": "import { x } from '../util/x'\n",
		}, "src/util/x.ts", []string{"src/all.test.ts"}},
		"a nearer one is enough": {map[string]string{
			"lib/core.js": "require('./deep')\n", "lib/deep.js": "1\n", "far.test.js": "require('./lib/core')\n", "near.test.js": "require('./lib/deep')\n",
		}, "lib/deep.js", []string{"near.test.js"}},
		"another file of that name": {map[string]string{
			"a/util.js": "1\n", "b/util.js": "2\n", "b/b.test.js": "require('./util')\n", "a/a.test.js": "require('./util.js')\n",
		}, "a/util.js", []string{"a/a.test.js"}},
		"in a circle": {map[string]string{"a.js": "require('./b')\n", "b.js": "require('./a')\n", "c.test.js": "1\n"}, "a.js", nil},
		"tests for another runner do not count, and run apart": {map[string]string{
			"package.json": `{"scripts": {"test": "mocha test/unit/*.js && karma start"}}`,
			"lib/core.js":  "import './deep.js'\n", "lib/deep.js": "1\n", "test/specs/deep.spec.js": "import d from '../../lib/deep'\n", "test/unit/core.js": "import '../../lib/core.js'\n",
		}, "lib/deep.js", []string{"test/specs/deep.spec.js", "test/unit/core.js"}},
		"in Python": {map[string]string{
			"p/__init__.py": "from .core import (\n    run,\n)\n", "p/core.py": "from ._deep import x\n", "p/_deep.py": "x = 1\n",
			"tests/test_run.py": "import p\n", "tests/test_other.py": "import os\n",
		}, "p/_deep.py", []string{"tests/test_run.py"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := testsOf(t, tt.files, tt.target); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
