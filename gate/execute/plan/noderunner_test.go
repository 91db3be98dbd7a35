package plan

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

func TestTheRunnerOfAPackageIsWhatItsTestScriptComesTo(t *testing.T) {
	for name, tt := range map[string]struct {
		scripts map[string]string
		want    string // the line, "" for none
		specs   string
	}{
		"behind other commands":          {map[string]string{"test": "eslint . && c8 mocha -r ts-node/register --watch test/*.js"}, `'mocha' '-r' 'ts-node/register' "$@"`, "test/*.js"},
		"through scripts":                {map[string]string{"test": "npm run lint && npm run unit", "unit": "borp"}, `'node' '--test' "$@"`, ""},
		"through a program of Node":      {map[string]string{"test": "node bin/hotfix.js mocha test/unit/**/*.js --timeout 30000 --exit"}, `'node' 'bin/hotfix.js' 'mocha' '--timeout' '30000' '--exit' "$@"`, "test/unit/**/*.js"},
		"with options of Node":           {map[string]string{"test": "NODE_ENV=test node --experimental-vm-modules node_modules/jest/bin/jest.js --ci"}, `NODE_ENV='test' 'node' '--experimental-vm-modules' 'node_modules/jest/bin/jest.js' '--runTestsByPath' "$@"`, ""},
		"Bun's own":                      {map[string]string{"test": "bun test --timeout 9000 --coverage"}, `'bun' 'test' '--timeout' '9000' '--coverage' '--coverage-reporter=lcov' '--coverage-dir=/workspace/.gate-coverage' "$@"`, ""},
		"a program of Bun is no runner":  {map[string]string{"test": "bun run check.ts"}, "", ""},
		"Node's own":                     {map[string]string{"test": "node --import tsx --test --watch ./test/*.ts"}, `'node' '--test' '--import' 'tsx' "$@"`, "test/*.ts"},
		"a program of Node is no runner": {map[string]string{"test": "node test.js"}, "", ""},
		"what a shell works out":         {map[string]string{"test": "mocha $(find . -name x) && jest"}, `'jest' '--runTestsByPath' "$@"`, ""},
		"scripts that call each other":   {map[string]string{"test": "npm run a", "a": "npm test"}, "", ""},
		"the value of what is left out":  {map[string]string{"test": "mocha --check-leaks --reporter spec -g 'one' -R dot test/*.js"}, `'mocha' "$@"`, "test/*.js"},
		"no file behind a reporter":      {map[string]string{"test": "mocha --reporter spec"}, `'mocha' "$@"`, ""},
		"a quote in a word":              {map[string]string{"test": `mocha --config "x'y"`}, "", ""},
		"a build before it":              {map[string]string{"pretest": "npm run build", "build": "rimraf dist && tsc -p src", "test": "eslint . && mocha dist/*.js", "posttest": "xo"}, building(`( NODE_V8_COVERAGE= 'tsc' '-p' 'src' '--noEmitOnError' 'false' '--sourceMap' ) >&2`) + `'mocha' "$@"`, "dist/*.js"},
		"a build in another folder":      {map[string]string{"test": "(cd lib && node build.js 'a b') && jest"}, building(`( cd 'lib' && 'node' 'build.js' 'a b' ) >&2`) + `'jest' '--runTestsByPath' "$@"`, ""},
		"a build that only checks":       {map[string]string{"pretest": "tsc --noEmit && npm ci", "test": "jest"}, `'jest' '--runTestsByPath' "$@"`, ""},
		"scripts in a row":               {map[string]string{"test": "run-s -c build:* unit", "build:a": "rollup -c", "build:b": "cpy a b", "unit": "ava"}, building(`( NODE_V8_COVERAGE= 'rollup' '-c' ) >&2; ( NODE_V8_COVERAGE= 'cpy' 'a' 'b' ) >&2`) + `'ava' "$@"`, ""},
		"scripts side by side":           {map[string]string{"test": `concurrently "npm:lint" "npm:unit:*"`, "lint": "xo", "unit:a": "uvu"}, `'uvu' "$@"`, ""},
		"variables":                      {map[string]string{"test": "cross-env NODE_OPTIONS=--experimental-vm-modules TZ='Europe/Rome' PATH=x LD_PRELOAD=y npx jest"}, `NODE_OPTIONS="$NODE_OPTIONS "'--experimental-vm-modules' TZ='Europe/Rome' 'jest' '--runTestsByPath' "$@"`, ""},
		"arguments of a script":          {map[string]string{"test": "npm run unit -- --timeout 9 test/*.js", "unit": "mocha"}, `'mocha' '--timeout' '9' "$@"`, "test/*.js"},
		"tsx as a runner":                {map[string]string{"test": "tsx --test test/*.ts"}, `'node' '--test' '--import' 'tsx' "$@"`, "test/*.ts"},
		"a linter of a runner's folder":  {map[string]string{"test": "eslint test/mocha && ava"}, `'ava' "$@"`, ""},
		"a build that a shell works out": {map[string]string{"pretest": "tsc -p $(pwd)", "test": "ava"}, `'ava' "$@"`, ""},
		"no test script":                 {nil, "", ""},
		"it does nothing":                {map[string]string{"test": "true"}, "", ""},
		"a glob that takes for ever":     {map[string]string{"test": "mocha " + strings.Repeat("**/", 50) + "x"}, `'mocha' "$@"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, ok := runnerOf(Manifest{Scripts: tt.scripts}, nil)
			if r.line != tt.want || ok != (tt.want != "") || strings.Join(r.specs, " ") != tt.specs {
				t.Errorf("%s (%s), %v; want %s (%s)", r.line, r.specs, ok, tt.want, tt.specs)
			}
		})
	}
}

// building is what a shell does before a runner, with these steps.
func building(steps string) string {
	return steps + "; " + builtFiles
}

func TestScriptPartsThatAreNotFollowedAreNamed(t *testing.T) {
	r, ok := runnerOf(Manifest{Scripts: map[string]string{"pretest": "turbo run build && prettier . && make it", "test": "ava; rm -rf x"}}, nil)
	if want := []string{"turbo run build", "make it"}; !ok || !slices.Equal(r.left, want) {
		t.Errorf("%q (%v), want %q", r.left, ok, want)
	}
}

func TestPackagesOfAWorkspaceAreBuiltBeforeItsTests(t *testing.T) {
	got := describe(t, map[string]string{
		"*package.json": `{"workspaces": ["packages/*"], "scripts": {"test": "turbo run build && mocha 'packages/*/test/*.js'"}}`, "packages/a/test/a.js": "",
		"*packages/a/package.json": `{"name": "a", "scripts": {"build": "tsc -b"}, "devDependencies": {"b": "*"}}`,
		"*packages/b/package.json": `{"name": "b", "scripts": {"build": "node make.js"}}`,
	}, nil)
	want := `tests javascript /: sh -c ` + building(`( cd 'packages/b' && 'node' 'make.js' ) >&2; ( cd 'packages/a' && NODE_V8_COVERAGE= 'tsc' '-b' ) >&2`) + `'mocha' "$@" sh packages/a/test/a.js → packages/a/test/a.js +node_modules/a +node_modules/b`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestTestsThatABuildMakesRunWhereItPutsThem(t *testing.T) {
	got := describe(t, map[string]string{
		"*package.json": `{"scripts": {"test": "tsc && mocha 'dist/**/*.test.js'"}}`, "src/a.test.ts": "import {a} from './a';", "*src/a.ts": "export const a = 1;",
	}, nil)
	want := `tests javascript /: sh -c ` + building(`( NODE_V8_COVERAGE= 'tsc' '--noEmitOnError' 'false' '--sourceMap' ) >&2`) + `'mocha' "$@" sh dist/a.test.js dist/src/a.test.js → src/a.test.ts`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestAPartOfALibraryThatIsCalledTestIsNoTest(t *testing.T) {
	for name, tt := range map[string]struct{ script, want string }{
		"the script names others": {"tap 'test/*.js'", "module javascript /: node --input-type=module -e <import> file:///workspace/lib/test.js → lib/test.js\ntests javascript /: sh -c 'tap' \"$@\" sh test/a.js → lib/test.js"},
		"the script names it":     {"tap '*/*.js'", "tests javascript /: sh -c 'tap' \"$@\" sh lib/test.js → lib/test.js"},
		"it names none":           {"tap", "tests javascript /: sh -c 'tap' \"$@\" sh lib/test.js → lib/test.js"},
	} {
		got := describe(t, map[string]string{"*package.json": `{"scripts": {"test": "` + tt.script + `"}}`, "lib/test.js": "module.exports = 1", "*test/a.js": "require('../lib/test')"}, nil)
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}

func TestTheBaseSaysHowTestsRun(t *testing.T) {
	head := fstest.MapFS{
		"package.json": {Data: []byte(`{"scripts": {"test": "ava"}}`)}, "a.test.js": {},
		"n/package.json": {Data: []byte(`{"scripts": {"test": "uvu"}}`)}, "n/b.test.js": {},
	}
	base := fstest.MapFS{"package.json": {Data: []byte(`{"scripts": {"test": "mocha"}}`)}}
	c := &gate.Change{Head: head, Base: base, Files: slices.Sorted(maps.Keys(head)), Targets: []*gate.Target{
		{Path: "a.test.js", Language: gate.LanguageJavaScript}, {Path: "n/b.test.js", Language: gate.LanguageJavaScript},
	}}
	var got []string
	for _, u := range Make(workspace.Load(c, nil, workspace.Limits{Bytes: 1 << 20, Files: 10}), c.Targets, nil, c.Base).Units {
		got = append(got, u.Job.Line().Argv[2])
	}
	if want := []string{`'mocha' "$@"`, `'uvu' "$@"`}; !slices.Equal(got, want) { // that of a package which is new comes from itself
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzAWordOfAScriptStaysAWord(f *testing.F) {
	f.Add("mocha 'a b' \"c'd\" --config=x")
	f.Add("node -r ';id' --test x")
	f.Add("tsc -p 'a b' && A=b NODE_OPTIONS='--x y' ava $(id) `id` \\' \"$x\" >a 2>&1 &")
	// Outside of quotes there is nothing but what gate itself writes there.
	bare := regexp.MustCompile(`^(?:NODE_OPTIONS="\$NODE_OPTIONS "|[A-Za-z_]\w*=| |&&|cd|\(|\)|>&2|;)*$`)
	f.Fuzz(func(t *testing.T, script string) {
		r, ok := runnerOf(Manifest{Scripts: map[string]string{"test": script}}, nil)
		if !ok {
			return
		}
		line := strings.TrimSuffix(r.line, ` "$@"`)
		if len(r.builds) > 0 {
			line = strings.ReplaceAll(line, builtFiles, "")
		}
		parts := strings.Split(line, "'")
		if len(parts)%2 == 0 {
			t.Fatalf("a quote does not end in %s", r.line)
		}
		for i := 0; i < len(parts); i += 2 {
			if !bare.MatchString(parts[i]) {
				t.Errorf("%q is outside of quotes in %s", parts[i], r.line)
			}
		}
	})
}

// A script of the root that runs the tests of all packages is not followed: each package has its own.
func TestPackagesOfAWorkspaceAreTestedAsTheyAreByThemselves(t *testing.T) {
	for _, script := range []string{"pnpm -r test", "turbo run test", "npm test --workspaces", "pnpm run -r --parallel test", "nx run-many -t test", "lerna run test", "yarn workspaces foreach run test"} {
		got := describe(t, map[string]string{
			"*package.json": `{"workspaces": ["packages/*"], "scripts": {"test": "` + script + `"}}`, "packages/a/src/a.test.js": "",
			"*packages/a/package.json": `{"name": "a", "scripts": {"test": "tsc --noEmit && vitest run"}}`,
		}, nil)
		if want := `tests javascript /packages/a: sh -c 'vitest' 'run' '--pool=threads' '--typecheck.enabled=false' '--coverage.enabled=false' "$@" sh src/a.test.js → packages/a/src/a.test.js +node_modules/a`; got != want {
			t.Errorf("%s:\n%s\nwant\n%s", script, got, want)
		}
	}
}
