package locks

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestAnotherVersionOfPythonThanAskedForIsNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		used  string
		want  string
	}{
		"nothing asks":                  {nil, "3.11.2", ""},
		"a pin":                         {map[string]string{".python-version": "3.12.4\n", "pyproject.toml": "[project]\nrequires-python = \">=3.8\""}, "3.11.2", ".python-version asks for Python 3.12.4; version 3.11.2 was used"},
		"a pin of the line":             {map[string]string{".python-version": "cpython-3.11.9\n"}, "3.11.2", ""},
		"one of several":                {map[string]string{".tool-versions": "nodejs 22\npython 3.13.1 3.11.0\n"}, "3.11.2", ""},
		"another interpreter":           {map[string]string{".python-version": "pypy3.10\n"}, "3.11.2", ""},
		"a newer one is required":       {map[string]string{"pyproject.toml": "[project]\nrequires-python = \">=3.12, <4\""}, "3.11.2", "pyproject.toml (requires-python) asks for Python >=3.12, <4; version 3.11.2 was used"},
		"an older one is allowed":       {map[string]string{"pyproject.toml": "[project]\nrequires-python = \">=3.9,!=3.9.1,!=3.10.*,<3.12\""}, "3.11.2", ""},
		"it is left out":                {map[string]string{"setup.cfg": "[options]\npython_requires = !=3.11.*,>=3\n"}, "3.11.2", "setup.cfg (python_requires) asks for Python !=3.11.*,>=3; version 3.11.2 was used"},
		"Poetry":                        {map[string]string{"pyproject.toml": "[tool.poetry.dependencies]\npython = \"^3.12\""}, "3.11.2", "pyproject.toml (python) asks for Python ^3.12; version 3.11.2 was used"},
		"Poetry has alternatives":       {map[string]string{"pyproject.toml": "[tool.poetry.dependencies]\npython = \"~2.7 || ~3.11\""}, "3.11.2", ""},
		"a compatible release":          {map[string]string{"setup.py": "setup(python_requires='~=3.12')"}, "3.13.0", ""},
		"an older compatible release":   {map[string]string{"setup.py": "setup(python_requires='~=3.10.2')"}, "3.11.2", "setup.py (python_requires) asks for Python ~=3.10.2; version 3.11.2 was used"},
		"environments of tox":           {map[string]string{"tox.ini": "[tox]\nenvlist =\n    py{312,3.13}-{a,b}\n    py314\n    lint\n[testenv]\nx = py311\n"}, "3.11.2", "tox.ini (environments) asks for Python 3.12 or 3.13 or 3.14; version 3.11.2 was used"},
		"one of the environments":       {map[string]string{"tox.ini": "[tox]\nenv_list = py39, py3.11\n"}, "3.11.2", ""},
		"classifiers":                   {map[string]string{"pyproject.toml": "[project]\nclassifiers = [\"Programming Language :: Python :: 3\", \"Programming Language :: Python :: 3.13\"]\n"}, "3.11.2", "pyproject.toml (classifiers) asks for Python 3.13; version 3.11.2 was used"},
		"what is not understood":        {map[string]string{"pyproject.toml": "[project]\nrequires-python = \">=3.12 or so\""}, "3.11.2", ""},
		"the version is not known":      {map[string]string{".python-version": "3.12\n"}, "", ""},
		"a requirement of many clauses": {map[string]string{"pyproject.toml": "[project]\nrequires-python = \"" + strings.Repeat(">=3.99,", 1000) + "\""}, "3.11.2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{}
			for file, text := range tt.files {
				tree[file] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := PythonVersion(tree).Other(tt.used); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheVersionOfPythonThatAnImageHas(t *testing.T) {
	for versions, want := range map[string]string{"python 3.11.2 numpy 1.24.2": "3.11.2", "node 22.1.0": "", "python": "", "python x": ""} {
		if got := PythonIn(versions); got != want {
			t.Errorf("%q has %q, want %q", versions, got, want)
		}
	}
}

func FuzzPythonVersion(f *testing.F) {
	for _, name := range []string{".python-version", ".tool-versions", "pyproject.toml", "setup.cfg", "setup.py", "tox.ini"} {
		for _, text := range []string{"3.12", "python 3.12 3.13", "[project]\nrequires-python = \">=3.12,~=3.1,^3\"", "python_requires = ==3.*", "[tox]\nenvlist = py{39,310}, py3.11\n", "Programming Language :: Python :: 3.9"} {
			f.Add(name, text)
		}
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		ask := PythonVersion(fstest.MapFS{strings.ReplaceAll(name, "/", "-"): {Data: []byte(text)}})
		if said := ask.Other("3.11.2"); len(said) > 4096 || len(ask.Versions) > 64 {
			t.Errorf("%d versions, %.200q", len(ask.Versions), said)
		}
	})
}
