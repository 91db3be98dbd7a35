package static_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestNamesOfDependencies(t *testing.T) {
	const npm, pip, golang, any = "supply-chain/npm-lookalike", "supply-chain/pip-lookalike", "supply-chain/go-lookalike", "supply-chain/pip-unpinned"
	const crates, alias, outside, host = "supply-chain/cargo-lookalike", "supply-chain/npm-alias", "supply-chain/go-replace-outside", "supply-chain/lock-host"
	const lock = `{"packages": {"a": {"resolved": "https://registry.npmjs.org/a.tgz"},
"b": {"resolved": "https://registry.npmjs.org/b.tgz"},
"c": {"resolved": "https://packages.invalid/c.tgz"}}}`
	for _, c := range []struct {
		name, path, text string
		want             []string // rule:line, of the rules above
	}{
		{"a letter too few", "package.json", `{"dependencies": {"expres": "^4.0.0"}}`, []string{npm + ":1 suspicious"}},
		{"no separator", "web/package.json", "{\n\"devDependencies\": {\n\"express\": \"^5.1.0\",\n\"crossenv\": \"6.1.1\"}}", []string{npm + ":4 suspicious"}},
		{"an alias of such a name", "package.json", `{"dependencies": {"express": "npm:expres@4"}}`, []string{alias + ":1 suspicious", npm + ":1 suspicious"}},
		{"another package under a popular name", "package.json", `{"overrides": {"debug": "npm:unheard-of-thing@1.0.0"}}`, []string{alias + ":1 suspicious"}},
		{"a build of the popular package", "package.json", `{"dependencies": {"rollup": "npm:@rollup/wasm-node@4", "string-width-cjs": "npm:string-width@4"}}`, nil},
		{"a letter too few in a crate", "Cargo.toml", "[package]\nname = \"serd\"\n[dependencies]\nserd = \"1\"\ntokio = { version = \"1\" }\n", []string{crates + ":4 suspicious"}},
		{"such a crate under another name", "Cargo.toml", "[dev-dependencies]\njson = { package = \"serde_jsn\", version = \"1\" }\n[dependencies.reqwuest]\nversion = \"1\"\n", []string{crates + ":2 suspicious", crates + ":3 suspicious"}},
		{"a crate of the workspace", "Cargo.toml", "[dependencies]\nserd = { path = \"serd\" }\n", nil},
		{"a folder outside of the repository", "go.mod", "module example.com/a\n\nreplace golang.org/x/crypto => ../../x/crypto\n", []string{outside + ":3 suspicious"}},
		{"a folder above, of the same owner", "go.mod", "module example.com/a/b\n\nreplace example.com/a => ../\n", nil},
		{"a folder of the repository", "examples/x/go.mod", "module example.com/a\n\nreplace golang.org/x/crypto => ../../third_party/crypto\n", nil},
		{"a package from another host than the others", "package-lock.json", lock, []string{host + ":3 suspicious"}},
		{"an address in the lock of Bun", "bun.lock", "{\"packages\": {\n\"a\": [\"a@1.0.0\", \"https://packages.invalid/a.tgz\", {}, \"sha512-x\"],\n\"b\": [\"b@1.0.0\", \"\", {}, \"sha512-x\"]}}", []string{host + ":2 suspicious"}},
		{"an address in the lock of Deno", "deno.lock", "{\"remote\": {\n  \"https://deno.land/std/a.ts\": \"00\",\n  \"https://packages.invalid/b.ts\": \"00\"}}", []string{host + ":3 suspicious"}},
		{"a source in the lock of Bundler", "gemfile.lock", "GEM\n  remote: https://rubygems.org/\n  specs:\nGEM\n  remote: https://packages.invalid/\n", []string{host + ":5 suspicious"}},
		{"a registry of the team", "package-lock.json", strings.ReplaceAll(lock, "registry.npmjs.org", "packages.invalid"), nil},
		{"popular names", "package.json", `{"dependencies": {"express": "^4.0.0", "preact": "^10.0.0", "left-pad": "1.3.0"}}`, nil},
		{"a package of the workspace", "package.json", `{"dependencies": {"exprss": "workspace:*"}}`, nil},
		{"other keys", "package.json", `{"scripts": {"expres": "node a.js"}, "jets": true}`, nil},
		{"swapped letters", "requirements.txt", "requests==2.32.5\nreqeusts==2.0.1\n", []string{pip + ":2 suspicious"}},
		{"a list of a project", "pyproject.toml", "[project]\ndependencies = [\n  \"django>=5\",\n  \"djnago>=5\",\n]\n", []string{pip + ":4 suspicious"}},
		{"a table of a project", "pyproject.toml", "[tool.poetry.dependencies]\npython = \"^3.12\"\nreqeusts = \"*\"\n\n[tool.x]\ndjnago = 1\n", []string{pip + ":3 suspicious"}},
		{"a list of a setup script", "setup.py", "setup(name='a', install_requires=['numpy', 'pandsa>=2'])\n", []string{pip + ":1 suspicious"}},
		{"digits for letters", "requirements-dev.txt", "col0rama==1.0\n", []string{pip + ":1 suspicious"}},
		{"a requirement without a version", "requirements.txt", "flask\nclick==8.1.8\n", []string{any + ":1 note"}},
		{"a module of Go", "go.mod", "module example.com/a\n\nrequire (\n\tgithub.com/sirupsem/logrus v1.9.3\n\tgithub.com/spf13/cobra v1.10.1\n)\n", []string{golang + ":4 suspicious"}},
		{"a major version of a module", "go.mod", "require github.com/jackc/pgx/v5 v5.7.1\n", nil},
		{"another file", "notes.txt", "reqeusts==2.0.1\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{c.path: &fstest.MapFile{Data: []byte(c.text)}}
			found := run(t, newScanner(t, nil), tree, &gate.Target{Path: c.path, Language: gate.LanguageText, Role: role(c.path)}).found[c.path]
			var got []string
			for _, f := range found {
				if slices.Contains([]string{npm, pip, golang, any, crates, alias, outside, host}, f.Rule) {
					got = append(got, f.Rule+":"+string(rune('0'+f.Line))+" "+f.Severity.String())
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// role is what a manifest or a lock is for.
func role(name string) gate.Role {
	if strings.Contains(name, "lock") {
		return gate.RoleLock
	}
	return gate.RoleManifest
}
