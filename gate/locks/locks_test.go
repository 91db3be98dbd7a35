package locks_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate/locks"
)

// treeOf is a tree with these files.
func treeOf(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return tree
}

// read reads a tree and returns, for each language, its projects as lines.
func read(t *testing.T, files map[string]string) (projects map[string][]string, left []string, digests map[string]string) {
	t.Helper()
	all, leftovers, err := locks.ReadTree(treeOf(files))
	if err != nil {
		t.Fatal(err)
	}
	projects, digests = map[string][]string{}, map[string]string{}
	for _, l := range all {
		digests[l.Language] = l.Digest
		for _, p := range l.Projects {
			projects[l.Language] = append(projects[l.Language], p.Kind+" in "+p.Dir+": "+strings.Join(slices.Sorted(maps.Keys(p.Files)), " "))
		}
	}
	for _, l := range leftovers {
		left = append(left, l.Path+": "+l.Reason)
	}
	return projects, left, digests
}

const hash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestTheProjectsOfATreeAreFound(t *testing.T) {
	projects, left, _ := read(t, map[string]string{
		"pnpm-lock.yaml":                     "lockfileVersion: '9.0'\n",
		"package.json":                       `{"name": "root"}`,
		"packages/a/package.json":            `{"name": "a"}`,
		"legacy/package.json":                `{}`,
		"legacy/package-lock.json":           `{}`,
		"node_modules/x/package.json":        `{}`,
		"node_modules/x/package-lock.json":   `{}`,
		"testdata/go.sum":                    "x",
		"lonely/yarn.lock":                   "",
		"go.work":                            "go 1.21\n",
		"tool/go.mod":                        "module example.com/tool\n",
		"tool/go.sum":                        "example.com/x v1.0.0 h1:x\n",
		"lib/go.mod":                         "module example.com/lib\n",
		"services/api/requirements.txt":      "flask==3.0.0\n",
		"services/api/requirements-dev.txt":  "-r requirements.txt\npytest==8.0.0\n",
		"services/web/requirements/base.txt": "django==5.0 --hash=" + hash + "\n",
		"services/web/uv.lock":               "",
		"loose/requirements.txt":             "flask\n",
	})
	want := map[string][]string{
		"python": {"python-manifest in loose: manifest.txt", "python in services/api: requirements-dev.txt requirements.txt", "python in services/web: requirements-base.txt"},
		"node":   {"pnpm in : package.json packages/a/package.json pnpm-lock.yaml", "npm in legacy: package-lock.json package.json"},
		"go":     {"go in : go.work", "go in lib: go.mod", "go in tool: go.mod go.sum"},
	}
	if diff := cmp.Diff(want, projects); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"lonely/yarn.lock: there is no package.json beside it"}, left); diff != "" {
		t.Error(diff)
	}
}

func TestTheDigestFollowsWhatEntersABuildAndNothingElse(t *testing.T) {
	files := map[string]string{
		"package.json":      `{"name": "app", "dependencies": {"a": "1"}, "scripts": {"postinstall": "node a.js"}}`,
		"package-lock.json": `{"packages": {}}`,
		".npmrc":            "//npm.example.com/:_authToken=${TOKEN}\nscript-shell=/bin/evil\n",
		"index.js":          "1",
	}
	_, _, before := read(t, files)
	for name, c := range map[string]struct {
		file, text string
		same       bool
	}{
		"a source":               {"index.js", "2", true},
		"a script":               {"package.json", `{"name": "app", "scripts": {"postinstall": "evil"}, "dependencies": {"a": "1"}}`, true},
		"a setting that runs":    {".npmrc", "//npm.example.com/:_authToken=${TOKEN}\n", true},
		"the lock file":          {"package-lock.json", `{"packages": {"node_modules/b": {}}}`, false},
		"a dependency":           {"package.json", `{"name": "app", "dependencies": {"a": "2"}}`, false},
		"a registry":             {".npmrc", "registry=https://npm.example.com/\n", false},
		"a package of workspace": {"packages/b/package.json", `{"name": "b"}`, false},
	} {
		changed := maps.Clone(files)
		changed[c.file] = c.text
		if _, _, after := read(t, changed); (after["node"] == before["node"]) != c.same {
			t.Errorf("%s: the digest is the same: %v, want %v", name, !c.same, c.same)
		}
	}
}

func TestBuildsGetNoFileThatRuns(t *testing.T) {
	tree := treeOf(map[string]string{
		"package.json":        `{"name": "app", "scripts": {"preinstall": "EVIL"}, "pnpm": {"overrides": {"a": "2"}, "patchedDependencies": {"a": "EVIL"}}}`,
		"pnpm-lock.yaml":      "lockfileVersion: '9.0'\n",
		"pnpm-workspace.yaml": "packages: ['packages/*']\nconfigDependencies: {EVIL: '1'}\n",
		".npmrc":              "onload-script=EVIL\nnode-options=--require=EVIL\n@acme:registry=https://npm.example.com/\n",
		"requirements.txt":    "flask==3.0.0 # EVIL\n-e ./EVIL\ngit+https://example.com/EVIL.git\n",
	})
	paths, err := locks.Paths(tree)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := locks.Read(tree, paths)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	kept := ""
	for _, l := range all {
		for _, p := range l.Projects {
			for name, data := range p.Files {
				kept += string(data)
				if bytes.Contains(data, []byte("EVIL")) {
					t.Errorf("%s: %s", name, data)
				}
			}
		}
	}
	for _, want := range []string{`"overrides":{"a":"2"}`, "packages/*", "@acme:registry=https://npm.example.com/", "flask==3.0.0"} {
		if !strings.Contains(kept, want) {
			t.Errorf("%s is not among what enters the build", want)
		}
	}
}

func TestALockFileOfPythonBecomesRequirements(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		file  string
		want  string
		left  []string
	}{
		"uv": {map[string]string{"uv.lock": `version = 1

[[package]]
name = "app"
version = "0.1.0"
source = { virtual = "." }
dependencies = [{ name = "anyio" }]

[[package]]
name = "anyio"
version = "4.4.0"
source = { registry = "https://pypi.org/simple" }
sdist = { url = "https://files.example.com/anyio-4.4.0.tar.gz", hash = "` + hash + `", size = 1 }
wheels = [
    { url = "https://files.example.com/anyio-4.4.0-py3-none-any.whl", hash = "` + strings.Replace(hash, "0", "f", 1) + `", size = 1 },
]

[package.optional-dependencies]
name = "not a package"

[[package]]
name = "private"
version = "1.0"
source = { registry = "https://pkgs.example.com/simple" }
wheels = [{ url = "x", hash = "` + hash + `" }]
`}, "uv.lock.txt", "--extra-index-url https://pkgs.example.com/simple\nanyio==4.4.0 --hash=" + hash + " --hash=" + strings.Replace(hash, "0", "f", 1) + "\nprivate==1.0 --hash=" + hash + "\n",
			nil},
		"Poetry": {map[string]string{"poetry.lock": `[[package]]
name = "colorama"
version = "0.4.6"
optional = false
markers = "sys_platform == \"win32\""
files = [
    {file = "colorama-0.4.6-py2.py3-none-any.whl", hash = "` + hash + `"},
]

[[package]]
name = "extra"
version = "1"
optional = true
files = [{file = "extra.whl", hash = "` + hash + `"}]

[[package]]
name = "fork"
version = "1"
optional = false
files = []

[package.source]
type = "git"
url = "https://example.com/fork.git"
`}, "poetry.lock.txt", `colorama==0.4.6 ; sys_platform == "win32" --hash=` + hash + "\n", []string{"poetry.lock: fork is a git and comes from no index"}},
		"Pipenv": {map[string]string{"Pipfile.lock": `{"_meta": {"sources": [{"name": "ours", "url": "https://pkgs.example.com/simple"}]},
			"default": {"a": {"version": "==1.0", "hashes": ["` + hash + `"], "index": "ours"}, "b": {"version": "==2.0"}}, "develop": {}}`},
			"Pipfile.lock.txt", "--extra-index-url https://pkgs.example.com/simple\na==1.0 --hash=" + hash + "\n", []string{"Pipfile.lock: b has no hash"}},
		"requirement files": {map[string]string{
			"requirements.txt":      "# head\n-r base-requirements.txt\n-c constraints-requirements.txt\nFlask[async]==3.0.0 \\\n  --hash=" + hash + " ; python_version < '4'\n",
			"base-requirements.txt": "jinja2 == 3.1.4 ; python_version >= '3.8' # why\n", "constraints-requirements.txt": "markupsafe==2.1.5\n",
		}, "base-requirements.txt", "jinja2==3.1.4 ; python_version >= '3.8'\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			tree := treeOf(c.files)
			paths, err := locks.Paths(tree)
			if err != nil {
				t.Fatal(err)
			}
			all, left, err := locks.Read(tree, paths)
			if err != nil || len(all) != 1 || len(all[0].Projects) != 1 {
				t.Fatalf("%+v %v", all, err)
			}
			if diff := cmp.Diff(c.want, string(all[0].Projects[0].Files[c.file])); diff != "" {
				t.Error(diff)
			}
			var said []string
			for _, l := range left {
				said = append(said, l.Path+": "+l.Reason)
			}
			if name != "requirement files" && cmp.Diff(c.left, said) != "" {
				t.Error(cmp.Diff(c.left, said))
			}
		})
	}
}

func TestAFileThatIsTooLargeOrCannotBeReadIsAnError(t *testing.T) {
	tree := treeOf(map[string]string{"package-lock.json": strings.Repeat(" ", 33<<20), "package.json": "{}"})
	if _, _, err := locks.Read(tree, []string{"package-lock.json", "package.json"}); err == nil || !strings.Contains(err.Error(), "32 MiB") {
		t.Error(err)
	}
	if _, _, err := locks.Read(fstest.MapFS{}, []string{"package-lock.json", "package.json", "go.sum"}); err == nil {
		t.Error("files that are not there were read")
	}
}
