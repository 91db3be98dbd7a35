package locks_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate/locks"
)

// one is what a tree names for the only language that it has, the zero value for none.
func one(t *testing.T, files map[string]string) locks.Lock {
	t.Helper()
	all, _, err := locks.ReadTree(treeOf(files))
	if err != nil || len(all) > 1 {
		t.Fatal(all, err)
	}
	for _, l := range all {
		return l
	}
	return locks.Lock{}
}

func TestAChangeNamesPackagesAndTheBaseSaysWhereTheyComeFrom(t *testing.T) {
	const sum = "example.com/a v1.0.0 h1:x\n"
	for name, tt := range map[string]struct {
		base, head map[string]string
		added      []string
		file       string
		want       string // what the installer gets of that file
	}{
		"a new module of Go": {
			base:  map[string]string{"go.mod": "module m\n\nrequire example.com/a v1.0.0\n", "go.sum": sum},
			head:  map[string]string{"go.mod": "module m\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.2.0\n)\n", "go.sum": sum},
			added: []string{"example.com/b v1.2.0"}, file: "go.mod",
			want: "module m\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.2.0\n)\n",
		},
		"a raised version of Go, with a replacement that only the change has": {
			base:  map[string]string{"go.mod": "module m\n\nrequire example.com/a v1.0.0\n\nreplace example.com/k => example.com/kept v1.0.0\n", "go.sum": sum},
			head:  map[string]string{"go.mod": "module m\n\nrequire example.com/a v1.1.0\n\nreplace example.com/k => example.com/kept v1.0.0\n\nreplace example.com/a => evil.invalid/a v1.1.0\n\nreplace example.com/l => ./l\n", "go.sum": sum},
			added: []string{"example.com/a v1.1.0"}, file: "go.mod",
			want: "module m\n\nrequire example.com/a v1.1.0\n\nreplace example.com/k => example.com/kept v1.0.0\n\nreplace example.com/l => ./l\n",
		},
		"a package of Node, and a registry that only the change has": {
			base:  map[string]string{"package.json": `{"dependencies": {"a": "1"}}`, ".npmrc": "@acme:registry=https://npm.example.com/\n"},
			head:  map[string]string{"package.json": `{"dependencies": {"a": "1", "@acme/b": "^2", "evil": "git+ssh://evil.invalid/x.git"}}`, ".npmrc": "registry=https://evil.invalid/\n"},
			added: []string{"@acme/b ^2"}, file: ".npmrc", want: "@acme:registry=https://npm.example.com/\n",
		},
		"an index that only the change has": {
			base:  map[string]string{"uv.lock": ""},
			head:  map[string]string{"uv.lock": "[[package]]\nname = \"a\"\nversion = \"1.0\"\nsource = { registry = \"https://evil.invalid/simple\" }\nwheels = [{ url = \"x\", hash = \"" + hash + "\" }]\n"},
			added: []string{"a 1.0"}, file: "uv.lock.txt", want: "a==1.0 --hash=" + hash + "\n",
		},
		"nothing new":                     {base: map[string]string{"go.mod": "module m\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0\n)\n", "go.sum": sum}, head: map[string]string{"go.mod": "module m\n\nrequire example.com/a v1.0.0\n", "go.sum": sum}},
		"only addresses":                  {base: map[string]string{"package.json": `{"dependencies": {"a": "1"}}`}, head: map[string]string{"package.json": `{"dependencies": {"a": "1", "evil": "https://evil.invalid/x.tgz"}}`}},
		"a folder that is new":            {base: map[string]string{"package.json": `{"dependencies": {"a": "1"}}`, "package-lock.json": "{}"}, head: map[string]string{"package.json": `{"dependencies": {"a": "1"}}`, "package-lock.json": "{}", "x/package.json": `{"dependencies": {"b": "1"}}`, "x/yarn.lock": ""}},
		"a go.mod that cannot be read":    {base: map[string]string{"go.mod": "module m\n", "go.sum": sum}, head: map[string]string{"go.mod": "modul\"e\n", "go.sum": sum}},
		"a workspace of Go, which is not": {base: map[string]string{"go.mod": "module m\n", "go.sum": sum}, head: map[string]string{"go.mod": "module m\n\nrequire example.com/a v1.0.0\n", "go.work": "use .\n", "go.sum": sum}},
	} {
		t.Run(name, func(t *testing.T) {
			base, head := one(t, tt.base), one(t, tt.head)
			got, added, ok := locks.Extend(base, head)
			if ok != (len(tt.added) > 0) || cmp.Diff(tt.added, added) != "" {
				t.Fatalf("%v, %q, want %q", ok, added, tt.added)
			}
			if !ok {
				return
			}
			if !got.Changed || got.Digest == head.Digest || got.Digest == base.Digest {
				t.Errorf("it is taken for the lock of a base: %+v", got)
			}
			if diff := cmp.Diff(tt.want, string(got.Projects[0].Files[tt.file])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCompilersGetTheSourcesOfTheBaseWithTheModulesOfTheChange(t *testing.T) {
	base := one(t, map[string]string{"go.mod": "module m\n", "go.sum": "x\n", "a.go": "package base\n"})
	head := one(t, map[string]string{"go.mod": "module m\n\nrequire example.com/a v1.0.0\n", "go.sum": "x\n", "a.go": "package head\n"})
	got, _, ok := locks.Extend(base, head)
	if !ok {
		t.Fatal("nothing is added")
	}
	for file, want := range map[string]string{"a.go": "package base", "go.mod": "require example.com/a"} {
		if text, err := fs.ReadFile(got.Tree, file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %q, %v", file, text, err)
		}
	}
}

func FuzzWhatAChangeNamesHasNoAddress(f *testing.F) {
	f.Add("module m\n\nrequire a.b/c v1.0.0\n\nreplace a.b/c => evil.invalid/c v1.0.0\n", `{"dependencies": {"a": "git+ssh://evil.invalid"}}`, "--index-url https://evil.invalid\na==1\n")
	f.Fuzz(func(t *testing.T, mod, manifest, requirements string) {
		files := map[string]string{"go.mod": mod, "go.sum": "x", "package.json": manifest, "requirements.txt": requirements, ".npmrc": "registry=" + requirements}
		all, _, err := locks.ReadTree(treeOf(files))
		if err != nil {
			return // one of them cannot be read, and nothing is installed
		}
		for _, head := range all {
			got, _, _ := locks.Extend(locks.Lock{}, head)
			for _, p := range got.Projects {
				if _, ok := p.Files[".npmrc"]; ok {
					t.Errorf("the change names registries: %q", p.Files)
				}
				for name, data := range p.Files {
					for line := range strings.Lines(string(data)) {
						if head.Language == locks.Python && strings.HasPrefix(strings.TrimSpace(line), "-") {
							t.Errorf("%s: %q", name, line)
						}
					}
				}
			}
		}
	})
}
