package locks_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate/locks"
)

// lockFiles are files of every kind that name the same two dependencies, one of
// which is there before.
func lockFiles() map[string][2]string {
	return map[string][2]string{
		"package.json": {`{"dependencies": {"old": "^1"}}`, `{"dependencies": {"old": "^2", "@acme/own": "workspace:*"},
 "devDependencies": {"new": "github:example/new"}}`},
		"package-lock.json": {`{"packages": {"": {}, "node_modules/old": {"version": "1.0.0"}}}`, `{"packages": {"": {},
 "node_modules/old": {"version": "2.0.0"}, "packages/own": {}, "node_modules/@acme/own": {"link": true},
 "node_modules/old/node_modules/new": {"version": "1.0.0", "resolved": "https://evil.example.com/new.tgz", "hasInstallScript": true}}}`},
		"npm-shrinkwrap.json": {`{"dependencies": {"old": {"version": "1"}}}`, `{"dependencies": {"old": {"version": "1", "dependencies": {
 "new": {"version": "1.0.0", "resolved": "git+https://example.com/new.git"}}}}}`},
		"pnpm-lock.yaml": {"packages:\n  old@1.0.0: {}\n", "packages:\n  /old@1.0.0: {}\n  new@1.0.0(old@1.0.0):\n    resolution: {tarball: https://evil.example.com/new.tgz}\n    requiresBuild: true\n"},
		"yarn.lock":      {"# yarn lockfile v1\n\n\nold@^1:\n  version \"1.0.0\"\n", "# yarn lockfile v1\n\n\nold@^1, old@^2:\n  version \"2.0.0\"\nnew@^1:\n  version \"1.0.0\"\n  resolved \"https://evil.example.com/new.tgz\"\n"},
		"web/yarn.lock":  {"__metadata:\n  version: 8\n", "__metadata:\n  version: 8\n\n\"old@npm:^1\":\n  version: 1\n\n\"new@npm:^1\":\n  version: 1.0.0\n  resolution: \"new@npm:1.0.0\"\n\"own@workspace:.\":\n  version: 0\n"},
		"bun.lock": {"{\n  \"lockfileVersion\": 1,\n  \"packages\": {\n    \"old\": [\"old@1.0.0\", \"\", {}, \"sha512-x\"],\n  }\n}\n",
			"{\n  \"lockfileVersion\": 1,\n  \"packages\": {\n    \"old\": [\"old@2.0.0\", \"\", {}, \"sha512-x\"],\n    \"@acme/own\": [\"@acme/own@workspace:own\"],\n    \"old/new\": [\"new@git+https://u@evil.example.com/new.git\", {}, \"x\"],\n  }\n}\n"},
		"go.mod":             {"module example.com/m\n\ngo 1.21\n\nrequire old v1.0.0\n", "module example.com/m\n\ngo 1.21\n\nrequire (\n\told v1.1.0\n\tnew v1.0.0 // indirect\n)\n"},
		"requirements.txt":   {"Old==1\n", "old==2\nnew @ https://evil.example.com/new.whl\n"},
		"requirements/a.txt": {"Old==1\n", "old==2\nnew>=1\n"},
		"uv.lock":            {"", "[[package]]\nname = \"old\"\nversion = \"1\"\n\n[[package]]\nname = \"new\"\nversion = \"1.0.0\"\nsource = { git = \"https://example.com/new\" }\n"},
		"poetry.lock":        {"", "[[package]]\nname = \"old\"\nversion = \"1\"\n[[package]]\nname = \"new\"\nversion = \"1.0.0\"\n"},
		"Pipfile.lock":       {"", `{"default": {"old": {"version": "==1"}, "new": {"version": "==1.0.0", "git": "https://example.com/new"}}}`},
	}
}

func TestADependencyThatOnlyTheHeadNamesIsAdded(t *testing.T) {
	want := map[string]string{
		"package.json":        "github:example/new elsewhere github:example/new, script false, line 2",
		"package-lock.json":   "1.0.0 elsewhere https://evil.example.com/new.tgz, script true, line 3",
		"npm-shrinkwrap.json": "1.0.0 elsewhere git+https://example.com/new.git, script false, line 2",
		"pnpm-lock.yaml":      "1.0.0 elsewhere https://evil.example.com/new.tgz, script true, line 3",
		"yarn.lock":           "1.0.0 elsewhere https://evil.example.com/new.tgz, script false, line 6",
		"web/yarn.lock":       "1.0.0 elsewhere , script false, line 7",
		"bun.lock":            "git+https://u@evil.example.com/new.git elsewhere git+https://u@evil.example.com/new.git, script false, line 6",
		"go.mod":              "v1.0.0 elsewhere , script false, line 7",
		"requirements.txt":    " elsewhere https://evil.example.com/new.whl, script false, line 2",
		"requirements/a.txt":  " elsewhere , script false, line 2",
		"uv.lock":             "1.0.0 elsewhere a git source, script false, line 6",
		"poetry.lock":         "1.0.0 elsewhere , script false, line 5",
		"Pipfile.lock":        "1.0.0 elsewhere a file or repository, script false, line 1",
	}
	for name, text := range lockFiles() {
		t.Run(name, func(t *testing.T) {
			base, err := locks.Named(name, []byte(text[0]))
			if err != nil && text[0] != "" {
				t.Fatal(err)
			}
			head, err := locks.Named(name, []byte(text[1]))
			if err != nil {
				t.Fatal(err)
			}
			base = append(base, locks.Dependency{Language: locks.Language(name), Name: "old"})
			added := locks.Added(base, head)
			if len(added) != 1 || added[0].Name != "new" {
				t.Fatalf("added %+v", added)
			}
			a := added[0]
			got := fmt.Sprintf("%s elsewhere %s, script %v, line %d", a.Version, a.Elsewhere, a.Script, a.Line([]byte(text[1])))
			if diff := cmp.Diff(want[name], got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnotherVersionIsNoNewDependency(t *testing.T) {
	base := []locks.Dependency{{Language: "node", Name: "a", Version: "1"}}
	head := []locks.Dependency{{Language: "node", Name: "a", Version: "2"}, {Language: "python", Name: "a"}}
	if got := locks.Added(base, head); len(got) != 1 || got[0].Language != "python" {
		t.Errorf("%+v", got)
	}
}

func FuzzNamed(f *testing.F) {
	for name, text := range lockFiles() {
		f.Add(name, []byte(text[1]))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		all, err := locks.Named(name, data)
		if err != nil {
			return
		}
		for _, d := range locks.Added(nil, all) {
			if n := d.Line(data); n < 0 || d.Language == "" {
				t.Errorf("%+v in line %d", d, n)
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	for name, text := range lockFiles() {
		f.Add(name, []byte(text[1]))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if !slices.Contains([]string{"requirements.txt", "uv.lock", "poetry.lock", "Pipfile.lock", "package.json", ".npmrc", "pnpm-workspace.yaml"}, name) {
			return
		}
		tree := treeOf(map[string]string{name: string(data), "pnpm-lock.yaml": "x: 1\n"})
		if name != "package.json" {
			tree["package.json"] = tree[name]
		}
		paths, err := locks.Paths(tree)
		if err != nil {
			t.Fatal(err)
		}
		first, _, err := locks.Read(tree, paths)
		second, _, again := locks.Read(tree, paths)
		if (err == nil) != (again == nil) || len(first) != len(second) {
			t.Fatalf("%v, %v", err, again)
		}
		for i := range first {
			if first[i].Digest != second[i].Digest {
				t.Error("the same tree has two digests")
			}
		}
	})
}

func TestKeysOfAnotherCaseAreNotThoseOfAManifest(t *testing.T) {
	for name, text := range map[string]string{
		"package.json":      `{"dependencies": {"new": "^1"}, "DEPENDENCIES": {"other": "^1"}, "Dependencies": {}}`,
		"package-lock.json": `{"packages": {"node_modules/new": {"version": "1.0.0", "Link": true}}, "PACKAGES": {}}`,
		"Pipfile.lock":      `{"default": {"new": {"version": "==1"}}, "Default": {"other": {"version": "==1"}}}`,
	} {
		found, err := locks.Named(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 || found[0].Name != "new" {
			t.Errorf("%s names %+v", name, found)
		}
	}
}
