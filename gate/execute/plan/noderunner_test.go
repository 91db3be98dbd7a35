package plan

import (
	"strings"
	"testing"
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
		"with options of Node":           {map[string]string{"test": "NODE_ENV=test node --experimental-vm-modules node_modules/jest/bin/jest.js --ci"}, `'node' '--experimental-vm-modules' 'node_modules/jest/bin/jest.js' '--runTestsByPath' "$@"`, ""},
		"Bun's own":                      {map[string]string{"test": "bun test --timeout 9000 --coverage"}, `'bun' 'test' '--timeout' '9000' '--coverage' '--coverage-reporter=lcov' '--coverage-dir=/workspace/.gate-coverage' "$@"`, ""},
		"a program of Bun is no runner":  {map[string]string{"test": "bun run check.ts"}, "", ""},
		"Node's own":                     {map[string]string{"test": "node --import tsx --test --watch ./test/*.ts"}, `'node' '--test' '--import' 'tsx' "$@"`, "test/*.ts"},
		"a program of Node is no runner": {map[string]string{"test": "node test.js"}, "", ""},
		"what a shell works out":         {map[string]string{"test": "mocha $(find . -name x) && jest"}, `'jest' '--runTestsByPath' "$@"`, ""},
		"scripts that call each other":   {map[string]string{"test": "npm run a", "a": "npm test"}, "", ""},
		"a quote in a word":              {map[string]string{"test": `mocha --config "x'y"`}, "", ""},
		"no test script":                 {nil, "", ""},
		"it does nothing":                {map[string]string{"test": "true"}, "", ""},
		"a glob that takes for ever":     {map[string]string{"test": "mocha " + strings.Repeat("**/", 50) + "x"}, `'mocha' "$@"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, ok := runnerOf(Manifest{Scripts: tt.scripts})
			if r.line != tt.want || ok != (tt.want != "") || strings.Join(r.specs, " ") != tt.specs {
				t.Errorf("%s (%s), %v; want %s (%s)", r.line, r.specs, ok, tt.want, tt.specs)
			}
		})
	}
}

func FuzzAWordOfAScriptStaysAWord(f *testing.F) {
	f.Add("mocha 'a b' \"c'd\" --config=x")
	f.Add("node -r ';id' --test x")
	f.Fuzz(func(t *testing.T, script string) {
		r, ok := runnerOf(Manifest{Scripts: map[string]string{"test": script}})
		if !ok {
			return
		}
		words := strings.TrimSuffix(r.line, ` "$@"`)
		for part := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(words, "'"), "'"), "' '") {
			if strings.Contains(part, "'") {
				t.Errorf("%q leaves its quotes in %s", part, r.line)
			}
		}
	})
}
