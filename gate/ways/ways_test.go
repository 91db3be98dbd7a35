package ways

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// of reads a tree out of a map.
func of(files map[string]string) *Ways {
	var workflows []string
	for name := range files {
		if strings.HasPrefix(name, ".github/workflows/") {
			workflows = append(workflows, name)
		}
	}
	slices.Sort(workflows)
	return New(func(file string) string { return files[file] }, workflows)
}

// short is what matters of a way of running tests.
func short(t Tests) string {
	out := t.Runner + " by " + t.By
	for _, x := range []struct {
		name string
		list []string
	}{{"options", t.Options}, {"select", t.Select}, {"roots", t.Roots}, {"env", t.Env}, {"tags", t.Tags}, {"left", t.Left}} {
		if len(x.list) > 0 {
			out += fmt.Sprintf(" %s %q", x.name, x.list)
		}
	}
	if t.Dir != "" {
		out += " in " + t.Dir
	}
	if t.Program != "" {
		out += " runs " + t.Program
	}
	return out
}

func TestPythonProjectsRunTheirTests(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		dir   string
		want  string
	}{
		"nothing says so": {nil, "", " by "},
		"tox": {map[string]string{"tox.ini": "[tox]\nenvlist = py311\n[testenv]\ndeps = pytest\nsetenv =\n    PYTHONPATH = {toxinidir}/src:{env:X}\n    A = b\n    PYTHONPATH=lib\nchangedir = tests\ncommands =\n    python -m pip install x\n    py311: pytest -n auto --cov=x {posargs:tests} -m \"not slow\" \\\n        --import-mode=importlib -p no:warnings\n"},
			"", `pytest by tox.ini options ["--import-mode" "importlib" "-p" "no:warnings"] select ["-m" "not slow"] roots ["tests/lib"] env ["A=b"] in tests`},
		"an environment of tox that is called like tests": {map[string]string{"tox.ini": "[testenv]\ncommands = true\n[testenv:lint]\ncommands = pytest lint\n[testenv:py312-unit]\ncommands = coverage run --source x -m unittest discover -s t -v\n"}, "", `unittest by tox.ini roots ["t"]`},
		"tox in pyproject.toml":                           {map[string]string{"pyproject.toml": "[tool.tox.env_run_base]\nset_env = {A = \"1\", B = {replace = \"x\"}}\ncommands = [[\"pytest\", \"-o\", \"x=y\", \"--basetemp={env_tmp_dir}\", {replace = \"posargs\"}]]\n"}, "", `pytest by pyproject.toml options ["-o" "x=y"] env ["A=1"]`},
		"tox of old in it":                                {map[string]string{"pyproject.toml": "[tool.tox]\nlegacy_tox_ini = \"\"\"\n[testenv]\ncommands = pytest -s\n\"\"\"\n"}, "", `pytest by pyproject.toml options ["-s"]`},
		"nox": {map[string]string{"noxfile.py": "import nox\n\n@nox.session\ndef lint(session):\n    session.run('pytest', 'no')\n\n@nox.session(python=['3.9'])\ndef tests(session):\n    session.install('-r', 'req.txt', f'x{1}')\n    session.chdir('sub')\n    session.run(\n        'python', '-m', \"pytest\", '-k', 'not net', # x\n        *session.posargs, env={'A': 'b', 'B': str(1), **x, 'PYTHONPATH': 'lib'},\n    )\n"},
			"", `pytest by noxfile.py select ["-k" "not net"] roots ["sub/lib"] env ["A=b"] in sub`},
		"a Makefile":            {map[string]string{"Makefile": "PY ?= python3\nexport SETTINGS = x.test\nall:\n\tpytest wrong\ntest: build ; @echo\n\t@$(PY) -W error -m pytest -c my.ini $(ARGS) >log 2>&1\n"}, "", `pytest by Makefile options ["-c" "my.ini"] env ["SETTINGS=x.test"]`},
		"a target that calls":   {map[string]string{"Makefile": "check:\n\t$(MAKE) inner VERBOSE=1\ninner:\n\tcd sub && A=1 uv run --group test pytest\n"}, "", `pytest by Makefile env ["A=1"] in sub`},
		"scripts of hatch":      {map[string]string{"pyproject.toml": "[tool.hatch.envs.default.scripts]\ntest = \"pytest {args:tests} --capture=no\"\n[tool.hatch.envs.default.env-vars]\nA = \"1\"\n"}, "", `pytest by pyproject.toml options ["--capture" "no"] env ["A=1"]`},
		"scripts of PDM":        {map[string]string{"pyproject.toml": "[tool.pdm.scripts]\ntest = {cmd = [\"pytest\", \"-s\"]}\n"}, "", `pytest by pyproject.toml options ["-s"]`},
		"a workflow":            {map[string]string{".github/workflows/ci.yml": "env: {A: 1, B: \"${{ x }}\", CI: true}\njobs:\n  test:\n    defaults: {run: {working-directory: a}}\n    steps:\n      - uses: x\n      - run: |\n          pip install pytest\n          poetry run pytest -vv --deselect x::y ${{ matrix.x }}\n        env: {C: d}\n"}, "a", `pytest by .github/workflows/ci.yml select ["--deselect" "x::y"] env ["A=1" "C=d"] in a`},
		"one of another folder": {map[string]string{".github/workflows/ci.yml": "jobs: {t: {steps: [{run: pytest -s}]}}"}, "a", " by "},
		"one with aliases":      {map[string]string{".github/workflows/ci.yml": "x: &a 1\njobs: {t: {env: {A: *a}, steps: [{run: pytest -s}]}}"}, "", " by "},
		"options of settings":   {map[string]string{"pytest.ini": "[pytest]\naddopts = -q --cov\n  --strict-markers -p plug -mslow\n", "Makefile": "test:\n\tpytest -s\n"}, "", `pytest by Makefile options ["-p" "plug" "-s"] select ["-m" "slow"]`},
		"options in a list":     {map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\naddopts = [\"--ignore=x\", \"-o\", \"addopts=-x\", \"-o\", \"pythonpath=lib ../y\"]\n"}, "", ` by  options ["--ignore" "x"] roots ["lib"]`},
		"a runner of its own":   {map[string]string{"tox.ini": "[testenv]\ncommands = python runtests.py {posargs}\n"}, "", ` by tox.ini left ["python runtests.py"]`},
		"Django":                {map[string]string{"tox.ini": "[testenv]\nchangedir = site\nsetenv = A = b\ncommands = coverage run manage.py test --parallel 4 --settings a.test {posargs}\n"}, "", `django by tox.ini options ["--settings=a.test"] env ["A=b"] in site runs site/manage.py`},
		"Django by a Makefile":  {map[string]string{"Makefile": "test:\n\tcd site && A=b uv run python -W error ./manage.py test --parallel 4 --settings a.test --noinput shop\n"}, "", `django by Makefile options ["--settings=a.test"] env ["A=b"] in site runs site/manage.py`},
		"another command of it": {map[string]string{"Makefile": "test:\n\tpython manage.py migrate\n\tpython ../../manage.py test\n\tpytest -s\n"}, "", `pytest by Makefile options ["-s"]`},
		"setup.py test":         {map[string]string{"tox.ini": "[testenv]\nchangedir = lib\nsetenv = A = b\ncommands = python -W error setup.py -q test -s tests\n"}, "", `unittest by tox.ini env ["A=b"] in lib`},
		"setup.py pytest":       {map[string]string{"Makefile": "test:\n\tC=d python3 setup.py build_ext pytest --addopts=-x\n"}, "", `pytest by Makefile env ["C=d"]`},
		"another setup.py":      {map[string]string{"Makefile": "test:\n\tpython setup.py build\n\tpython ../../setup.py test\n"}, "", ` by `},
		"options of plugins":    {map[string]string{"pytest.ini": "[pytest]\naddopts = --asyncio-mode=auto --ds site.settings --reuse-db\n"}, "", ` by  options ["-o" "asyncio_mode=auto" "-o" "DJANGO_SETTINGS_MODULE=site.settings"]`},
		"an installer is none":  {map[string]string{"Makefile": "test:\n\tpip install pytest unittest\n\tpython setup.py build\n\tuv pip install pytest\n"}, "", " by "},
		"targets in a circle":   {map[string]string{"Makefile": "test: a\na: b\nb: test\n\tmake test a b\n\tpytest -s\n"}, "", `pytest by Makefile options ["-s"]`},
		"nothing leads out":     {map[string]string{"Makefile": "test:\n\tcd ../x && pytest -s\n\tcd / && pytest\n\tPYTHONPATH=../y:/z:sub pytest -s\n"}, "", `pytest by Makefile options ["-s"] roots ["sub"]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := short(of(tt.files).Python(tt.dir)); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestGoModulesRunTheirTests(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		dir   string
		want  string
	}{
		"nothing says so": {nil, "", " by "},
		"a Makefile":      {map[string]string{"Makefile": "TAGS = a b\ntest: unit\n\tDB=none CGO_ENABLED=1 GOFLAGS=-mod=vendor go test -race -v -tags '$(TAGS)' ./...\nunit:\n\t@go test ./...\n"}, "", `go test by Makefile tags ["" "a,b"]`},
		"variables":       {map[string]string{"Makefile": "test:\n\tDB=none GOFLAGS=-tags=x CGO_ENABLED=1 GOOS=linux go test ./...\n"}, "", `go test by Makefile env ["DB=none"] tags ["x"]`},
		"a workflow":      {map[string]string{".github/workflows/a.yml": "jobs: {t: {steps: [{run: gotestsum -- -tags=integration ./..., working-directory: m}, {run: go -C m test ./..., env: {A: b}}]}}"}, "m", `go test by .github/workflows/a.yml tags ["integration" ""] in m`},
		"of the root":     {map[string]string{"Makefile": "test:\n\tcd m && go test -tags x ./...\n"}, "m", `go test by Makefile tags ["x"] in m`},
		"of another one":  {map[string]string{"Makefile": "test:\n\tgo test -tags x ./...\n"}, "m", " by "},
		"no tags":         {map[string]string{"Makefile": "test:\n\tgo test -tags '; id' ./...\n\tgo build -tags y\n"}, "", `go test by Makefile tags [""]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := short(of(tt.files).Go(tt.dir)); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

func FuzzPython(f *testing.F) {
	for _, name := range []string{"tox.ini", "setup.cfg", "tox.toml", "pyproject.toml", "noxfile.py", "Makefile", "pytest.ini", ".github/workflows/x.yml"} {
		for _, text := range []string{
			"[testenv]\ncommands = pytest -m x\nsetenv = A=b\ndeps=\n  -r x\n", "[tool.tox.env_run_base]\ncommands=[[\"pytest\"]]\n", "def test(session):\n  session.run('pytest', \"\"\"x\"\"\", env={'A': 'b'", "test: x\n\tpytest $(X) ${Y}\nX = $(X) $(X)\n",
			"jobs: {a: {steps: [{run: pytest, env: {A: 1}}]}}", "[pytest]\naddopts = -p x -o a=b", "session.install(((((", "A = $(A)$(A)$(A)\ntest:\n\t$(A)\n", "test:\n\tgo -C x test -tags 'a b' ./...\n", "test:\n\tcoverage run ../x/manage.py test --settings\n",
		} {
			f.Add(name, text)
		}
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		w := of(map[string]string{name: text})
		for _, got := range []Tests{w.Python(""), w.Python("a"), w.Go(""), w.Go("a")} {
			for _, dir := range append(got.Roots, got.Dir, got.Program) {
				if !Inside(dir) || strings.HasPrefix(dir, "/") || dir == ".." || strings.HasPrefix(dir, "../") {
					t.Errorf("%q leads out of the tree", dir)
				}
			}
			for _, v := range got.Env {
				if !Settable(v) {
					t.Errorf("%q is set", v)
				}
			}
			for _, tags := range got.Tags {
				if tags != "" && !goTags.MatchString(tags) {
					t.Errorf("tags %q", tags)
				}
			}
			for _, o := range append(got.Options, got.Select...) {
				if strings.ContainsRune(o, 0) || len(o) > 1000 {
					t.Errorf("option %.100q", o)
				}
			}
		}
	})
}
