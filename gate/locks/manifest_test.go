package locks_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aigate/gate/gate/locks"
)

// manifests are the projects of a tree as "kind in dir" with what an installer gets.
func manifests(t *testing.T, files map[string]string) (projects map[string]string, left []string) {
	t.Helper()
	all, leftovers, err := locks.ReadTree(treeOf(files))
	if err != nil {
		t.Fatal(err)
	}
	projects = map[string]string{}
	for _, l := range all {
		for _, p := range l.Projects {
			text := string(p.Files["manifest.txt"])
			if l.Language == locks.Node {
				text = string(p.Files["package.json"])
			}
			projects[p.Kind+" in "+p.Dir] = text
		}
	}
	for _, l := range leftovers {
		left = append(left, l.Path+": "+l.Reason)
	}
	return projects, left
}

func TestManifestsOfPythonAskForWhatTestsNeed(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a project with extras and groups": {map[string]string{"pyproject.toml": `
[project]
name = "Acme_Tool"
dependencies = ["click>=8", "acme-tool[test]", "tomli; python_version < '3.11'"]
[project.optional-dependencies]
test = ["pytest", "hypothesis ~= 6.0"]
docs = ["sphinx"]
[dependency-groups]
dev = [{include-group = "typing-test"}, "ruff"]
typing-test = ["mypy"]
docs = ["furo"]
`}, "click>=8\nhypothesis ~= 6.0\nmypy\npytest\nruff\ntomli; python_version < '3.11'\n"},
		"Poetry's own words": {map[string]string{"pyproject.toml": `
[tool.poetry]
name = "x"
[tool.poetry.dependencies]
python = "^3.10"
requests = "^2.31"
zero = "^0.4.1"
exact = "1.2"
any = "*"
maybe = {version = ">=1", optional = true}
extra = {version = "~3.2", extras = ["a"]}
[tool.poetry.group.test.dependencies]
pytest = ">=8"
`}, "any\nexact==1.2\nextra>=3.2,<4\npytest>=8\nrequests>=2.31,<3\nzero>=0.4.1\n"},
		"setuptools": {map[string]string{"setup.cfg": `[metadata]
name = pkg
[options]
install_requires =
    requests>=2
    # a comment
    pkg[all]
[options.extras_require]
tests =
    pytest
docs = sphinx
`}, "pytest\nrequests>=2\n"},
		"requirement files without versions": {map[string]string{
			"requirements.txt": "-r requirements-more.txt\nflask\n-e .\n--index-url https://evil.example.com/\n", "requirements-more.txt": "django>=4 ; python_version > '3'\n",
		}, "django>=4 ; python_version > '3'\nflask\n"},
		"what tox installs for tests": {map[string]string{
			"pyproject.toml": "[project]\nname = \"x\"\n[project.optional-dependencies]\ngrpc = [\"grpcio\"]\nnever = [\"y\"]\n",
			"tox.ini":        "[testenv]\ndeps =\n    -r reqs/t.txt\n    -rgone.txt\n    .[grpc]\n    old: Django<5\n    new: Django>=5\n    {[base]deps}\n    git+https://example.com/x\ncommands = pytest\n[testenv:docs]\ndeps = sphinx\n", "reqs/t.txt": "pytest-mock\n",
		}, "Django>=5\ngrpcio\npytest-mock\n"},
		"what nox installs for tests": {map[string]string{
			"noxfile.py": "import nox\n\n@nox.session\ndef docs(session):\n    session.install('sphinx')\n    session.run('sphinx')\n\n@nox.session\ndef tests(session):\n    session.install('-e', '.', 'pytest>=8', f'x{1}')\n    session.install('-r', 'dev.txt')\n    session.run('pytest')\n",
			"dev.txt":    "hypothesis\n",
		}, "hypothesis\npytest>=8\n"},
	} {
		t.Run(name, func(t *testing.T) {
			projects, _ := manifests(t, tt.files)
			if diff := cmp.Diff(map[string]string{"python-manifest in ": tt.want}, projects); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDependenciesFromNoIndexAreNamedAndNotInstalled(t *testing.T) {
	projects, left := manifests(t, map[string]string{
		"pyproject.toml": `[project]
name = "x"
dependencies = ["good", "evil @ git+https://evil.example.com/x.git", "worse @ file:///etc", "--index-url=https://evil.example.com", "a; python_version > '3' # $(id)"]
`,
		"package.json": `{"name": "x", "dependencies": {"good": "^1.0.0", "alias": "npm:other@^2", "evil": "git+ssh://evil.example.com/x.git", "worse": "https://evil.example.com/x.tgz",
			"local": "file:../x", "short": "someone/repository"}, "scripts": {"postinstall": "id"}}`,
	})
	want := map[string]string{
		"python-manifest in ": "good\n",
		"npm-manifest in ":    `{"dependencies":{"alias":"npm:other@^2","good":"^1.0.0"},"name":"x"}`,
	}
	if diff := cmp.Diff(want, projects); diff != "" {
		t.Error(diff)
	}
	text := strings.Join(left, "\n")
	for _, part := range []string{"git+https://evil", "file:///etc", "--index-url", "$(id)", "git+ssh://", "x.tgz", "file:../x", "someone/repository"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not named in\n%s", part, text)
		}
	}
}

func TestManifestsOfNodeBelongToTheOutermostProject(t *testing.T) {
	const asks = `{"dependencies": {"a": "1"}}`
	for name, tt := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"samples in a project":             {map[string]string{"package.json": asks, "test/sample/package.json": asks}, []string{"npm-manifest in "}},
		"a workspace of pnpm":              {map[string]string{"package.json": `{}`, "pnpm-workspace.yaml": "packages: ['p/*']\n", "p/a/package.json": asks}, []string{"pnpm-manifest in "}},
		"one folder has a lock file":       {map[string]string{"package.json": asks, "docs/package.json": asks, "docs/yarn.lock": ""}, []string{"npm-manifest in ", "yarn in docs"}},
		"two projects":                     {map[string]string{"a/package.json": asks, "b/package.json": asks}, []string{"npm-manifest in a", "npm-manifest in b"}},
		"it asks for nothing":              {map[string]string{"package.json": `{"name": "x", "dependencies": {}}`}, nil},
		"the lock file comes first":        {map[string]string{"package.json": asks, "package-lock.json": "{}", "x/package.json": asks}, []string{"npm in "}},
		"packages of other people":         {map[string]string{"node_modules/a/package.json": asks}, nil},
		"it is no object":                  {map[string]string{"package.json": `[]`}, nil},
		"its dependencies are no versions": {map[string]string{"package.json": `{"dependencies": ["a"]}`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			projects, _ := manifests(t, tt.files)
			var got []string
			for p := range projects {
				got = append(got, p)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLockedLeavesOutWhatIsResolved(t *testing.T) {
	tree := fstest.MapFS{"package.json": {Data: []byte(`{"dependencies": {"a": "1"}}`)}, "web/package.json": {Data: []byte(`{}`)}, "web/yarn.lock": {}, "pyproject.toml": {Data: []byte("[project]\nname='x'\ndependencies=['y']\n")}}
	all, _, err := locks.ReadTree(tree)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for _, l := range all {
		locked, ok := l.Locked()
		if ok != (l.Language == locks.Node) || ok && (len(locked.Projects) != 1 || locked.Projects[0].Dir != "web" || locked.Digest == l.Digest) {
			t.Errorf("%s: %+v, %v", l.Language, locked, ok)
		}
	}
}

func FuzzManifestsHandOnNoOption(f *testing.F) {
	f.Add("[project]\nname='x'\ndependencies=['--pre', 'a b', 'x[y]>=1;z']\n", "{\"dependencies\":{\"a\":\"1\"}}")
	f.Fuzz(func(t *testing.T, pyproject, manifest string) {
		projects, _ := manifests(t, map[string]string{"pyproject.toml": pyproject, "setup.cfg": pyproject, "requirements.txt": pyproject, "package.json": manifest})
		for line := range strings.Lines(projects["python-manifest in "]) {
			if strings.HasPrefix(line, "-") || strings.Contains(line, "://") || strings.Contains(line, "@") {
				t.Errorf("pip gets %q", line)
			}
		}
	})
}
