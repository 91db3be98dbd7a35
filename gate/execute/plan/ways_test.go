package plan

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

func TestTestsOfPythonRunAsTheirProjectRunsThem(t *testing.T) {
	const test = "import pytest\ndef test_x(): pass"
	const imports = "import unittest, lib\nclass T(unittest.TestCase): pass"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"what leaves tests out does not count for a test that the change touches", map[string]string{"*pytest.ini": "[pytest]\naddopts = -m 'not slow' -s --cov\n", "test_a.py": test},
			`tests python /: python {"mode":"main","roots":[""],"target":"pytest"} -q --color=no -p no:cacheprovider -o addopts= -s test_a.py → test_a.py`},
		{"and does for others", map[string]string{"*pytest.ini": "[pytest]\naddopts = -m 'not slow'\n", "*test_lib.py": test + "\nimport lib", "lib.py": "X = 1"},
			`module python /: python {"mode":"import","roots":[""],"target":"lib"} → lib.py
tests python /: python {"mode":"main","roots":[""],"target":"pytest"} -q --color=no -p no:cacheprovider -o addopts= -m not slow test_lib.py → lib.py`},
		{"but for none where the change touches tests", map[string]string{"*pytest.ini": "[pytest]\naddopts = -m 'not slow'\n", "*test_lib.py": test + "\nimport lib", "lib.py": "X = 1", "test_a.py": test},
			`module python /: python {"mode":"import","roots":[""],"target":"lib"} → lib.py
tests python /: python {"mode":"main","roots":[""],"target":"pytest"} -q --color=no -p no:cacheprovider -o addopts= test_a.py test_lib.py → lib.py test_a.py`},
		{"a plugin and a file that are there", map[string]string{"*tox.ini": "[testenv]\ncommands = pytest -p lib.plug -p gone -c here.ini --ignore=x\n", "*lib/plug.py": "", "*here.ini": "", "test_a.py": test},
			`tests python /: python {"mode":"main","roots":[""],"target":"pytest"} -q --color=no -p no:cacheprovider -o addopts= -p lib.plug -c here.ini --ignore x test_a.py → test_a.py`},
		{"the folder of the command", map[string]string{"*tox.ini": "[testenv]\nchangedir = t\ncommands = pytest\n", "t/test_a.py": test},
			`tests python /t: python {"mode":"main","roots":[""],"target":"pytest"} -q --color=no -p no:cacheprovider -o addopts= test_a.py → t/test_a.py`},
		{"but not for tests that lie elsewhere", map[string]string{"*tox.ini": "[testenv]\nchangedir = t\ncommands = pytest\n", "*t/x": "", "u/test_a.py": test},
			`tests python /: python {"mode":"main","roots":[""],"target":"pytest"} -q --color=no -p no:cacheprovider -o addopts= u/test_a.py → u/test_a.py`},
		{"unittest as the project's runner", map[string]string{"*Makefile": "test:\n\tpython -m unittest discover -s t\n", "*setup.cfg": "[tool:pytest]\n", "t/test_a.py": imports},
			`tests python /: python {"mode":"main","roots":["","t"],"target":"unittest"} -v t/test_a.py → t/test_a.py`},
		{"Django's manage.py", map[string]string{"*Makefile": "test:\n\tcd site && python manage.py test --settings=a.test --parallel\n", "*site/manage.py": "", "*setup.cfg": "[tool:pytest]\n", "site/shop/tests.py": "from django.test import TestCase\nclass ShopTest(TestCase): pass"},
			`tests python /site: python {"mode":"file","roots":["site",""],"target":"site/manage.py","dotted":true} test --noinput --settings=a.test shop/tests.py → site/shop/tests.py`},
		{"pytest in place of a manage.py that is not there", map[string]string{"*Makefile": "test:\n\tpython manage.py test\n", "tests.py": "from django.test import TestCase\nclass ShopTest(TestCase): pass"},
			`tests python /: python {"mode":"main","roots":[""],"target":"pytest"} -q --color=no -p no:cacheprovider -o addopts= tests.py → tests.py`},
		{"pytest for what imports it", map[string]string{"*Makefile": "test:\n\tpython -m unittest\n", "test_a.py": test},
			`tests python /: python {"mode":"main","roots":[""],"target":"pytest"} -q --color=no -p no:cacheprovider -o addopts= test_a.py → test_a.py`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := describe(t, tt.files, nil); got != tt.want {
				t.Errorf("%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestTestsOfGoHaveTheTagsOfTheirModule(t *testing.T) {
	head := fstest.MapFS{
		"Makefile": {Data: []byte("test:\n\tgo test ./...\n\tDB=none go test -tags integration,slow ./...\n")}, "go.mod": {Data: []byte("module m")},
		"m/go.mod": {Data: []byte("module m/m")}, "m/a.go": {Data: []byte("//go:build integration\n\npackage m")},
		"a.go": {Data: []byte("package m")}, "a_test.go": {Data: []byte("//go:build integration\n\npackage m\n\nfunc TestX() {}")},
	}
	for name, tt := range map[string]struct {
		targets []string
		want    string
	}{
		"a file that wants them":         {[]string{"a.go", "a_test.go"}, "GOFLAGS=-tags=integration,slow"},
		"one that is built without them": {[]string{"a.go"}, ""},
		"a file of another module":       {[]string{"m/a.go"}, "its build constraints exclude Linux"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &gate.Change{Head: head, Files: []string{"Makefile", "a.go", "a_test.go", "go.mod", "m/a.go", "m/go.mod"}}
			for _, file := range tt.targets {
				c.Targets = append(c.Targets, &gate.Target{Path: file, Language: gate.LanguageGo})
			}
			p := Make(workspace.Load(c, nil, workspace.Limits{Bytes: 1 << 20, Files: 10}), c.Targets, nil, nil)
			got := p.Reasons[tt.targets[0]].Reason
			if len(p.Units) > 0 {
				env := p.Units[0].Job.Line().Env
				if at := slices.IndexFunc(env, func(v string) bool { return strings.HasPrefix(v, "GOFLAGS=") }); at >= 0 {
					got = env[at]
				}
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
