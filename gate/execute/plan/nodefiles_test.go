package plan

import (
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate/execute/workspace"
)

func TestRunnersFindTheirTestsWithoutBeingToldByName(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		manifest string
		tests    []string
		others   []string
	}{
		"tap":                     {`{"scripts": {"test": "tap"}}`, []string{"test/functions/clean.js", "tests/a.mjs", "lib/__tests__/a.js", "lib/a.spec.js"}, []string{"test/fixtures/a.js", "functions/clean.js", "lib/test-data.json", "contest/a.js"}},
		"tap with settings":       {`{"scripts": {"test": "tap"}, "tap": {"include": ["check/*.js"]}}`, []string{"check/a.js"}, []string{"test/a.js"}},
		"ava":                     {`{"scripts": {"test": "ava"}}`, []string{"test/a.js", "test/deep/a.js", "src/test.js", "test-a.js"}, []string{"test/_a.js", "test/helpers/a.js", "src/a.js"}},
		"ava with settings":       {`{"scripts": {"test": "ava"}, "ava": {"files": ["test/*.js", "!test/x.js"]}}`, []string{"test/a.js"}, []string{"src/test.js", "test/deep/a.js"}},
		"jest":                    {`{"scripts": {"test": "jest"}}`, []string{"a.test.js", "lib/__tests__/a.js"}, []string{"test/a.js"}},
		"jest with settings":      {`{"scripts": {"test": "jest"}, "jest": {"testMatch": ["<rootDir>/test/**/*.js"]}}`, []string{"test/a.js"}, []string{"lib/a.js"}},
		"mocha":                   {`{"scripts": {"test": "mocha"}}`, []string{"test/a.js"}, []string{"test/deep/a.js", "lib/a.js"}},
		"folders for mocha":       {`{"scripts": {"test": "mocha --require test/support/env test/ test/acceptance/"}}`, []string{"test/app.js", "test/acceptance/a.js"}, []string{"test/support/env.js", "test/deep/a.js"}},
		"folders, all below":      {`{"scripts": {"test": "mocha --recursive test"}}`, []string{"test/app.js", "test/deep/a.js"}, []string{"lib/app.js"}},
		"Node's own":              {`{"scripts": {"test": "node --test"}}`, []string{"test/deep/a.js", "a_test.js", "lib/test-a.js"}, []string{"lib/a.js"}},
		"words of names, no one":  {`{"scripts": {"test": "vitest run test"}}`, []string{"a.test.ts"}, []string{"test/a.ts"}},
		"settings of no use":      {`{"scripts": {"test": "ava"}, "ava": {"files": {"a": 1}}}`, []string{"test/a.js"}, nil},
		"no runner that is known": {`{"scripts": {"test": "make check"}}`, []string{"a.test.js"}, []string{"test/a.js"}},
	} {
		t.Run(name, func(t *testing.T) {
			base := fstest.MapFS{"package.json": {Data: []byte(tt.manifest)}}
			runners := nodeRunners{tree: &workspace.Tree{}, asks: asked{base: base}, seen: map[string]nodeRunner{}}
			for _, f := range tt.tests {
				if !runners.isTest("", f) {
					t.Errorf("%s is no test", f)
				}
			}
			for _, f := range tt.others {
				if runners.isTest("", f) {
					t.Errorf("%s is a test", f)
				}
			}
		})
	}
}
