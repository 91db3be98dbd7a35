package relocked_test

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate/static/relocked"
)

const (
	npmLock = `{"lockfileVersion": 3, "packages": {"": {}, "node_modules/lodash": {
  "version": "4.17.21",
  "resolved": "https://registry.npmjs.org/lodash/-/lodash-4.17.21.tgz",
  "integrity": "sha512-AA=="}}}`
	yarnOne = `# yarn lockfile v1

lodash@^4.17.21:
  version "4.17.21"
  resolved "https://registry.yarnpkg.com/lodash/-/lodash-4.17.21.tgz#abc"
  integrity sha512-AA==
`
	yarnTwo = `__metadata:
  version: 8
  cacheKey: 10c0

"lodash@npm:^4.17.21":
  version: 4.17.21
  resolution: "lodash@npm:4.17.21"
  checksum: 10c0/aaaa
`
	yarnGit = `"x@https://github.com/acme/x.git":
  version: 1.0.0
  resolution: "x@https://github.com/acme/x.git#commit=aaa"
  checksum: 10c0/aaaa
`
	cargoLock = `[[package]]
name = "serde"
version = "1.0.190"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "aaaa"
`
	poetry = `[[package]]
name = "requests"
version = "2.31.0"
files = [
    {file = "requests-2.31.0-py3-none-any.whl", hash = "sha256:aaaa"},
]
`
	uv = `[[package]]
name = "gitpython"
version = "3.1.0"
source = { registry = "https://pypi.org/simple" }
wheels = [
    { url = "https://files.pythonhosted.org/packages/70/8e/gitpython-3.1.0-py3-none-any.whl", hash = "sha256:aaaa" },
]
`
	pnpm = `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      lodash:
        specifier: ^4.17.21
        version: 4.17.21
packages:
  lodash@4.17.21:
    resolution: {integrity: sha512-AA==}
`
	composer = `{"packages": [{"name": "monolog/monolog", "version": "2.9.1",
 "dist": {"type": "zip", "url": "https://api.github.com/repos/Seldaek/monolog/zipball/def", "reference": "def"}}]}`
	flake = `{"nodes": {"nixpkgs": {
 "locked": {"owner": "NixOS", "repo": "nixpkgs", "rev": "abc", "narHash": "sha256-A"},
 "original": {"owner": "NixOS", "repo": "nixpkgs"}}}}`
	indirect = `{"nodes": {"nixpkgs": {
 "locked": {"owner": "NixOS", "repo": "nixpkgs", "rev": "abc"},
 "original": {"id": "nixpkgs", "type": "indirect"}}}}`
	ci = "      - uses: actions/checkout@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa # v4.1.0\n"
)

// edit is a change of a lock file, as pairs of texts.
type edit struct {
	file, base string
	pairs      []string
	declared   string
	want       relocked.Kind
}

func (e edit) head() string { return strings.NewReplacer(e.pairs...).Replace(e.base) }

func TestAnEntryThatKeepsItsVersionAndGetsOtherContentIsFound(t *testing.T) {
	for name, e := range map[string]edit{
		"npm":                                   {"package-lock.json", npmLock, []string{"sha512-AA", "sha512-BB"}, "", relocked.Digest},
		"npm, in a folder":                      {"web/package-lock.json", npmLock, []string{"sha512-AA", "sha512-BB"}, "", relocked.Digest},
		"npm, none":                             {"package-lock.json", npmLock, []string{"sha512-AA==", ""}, "", relocked.Gone},
		"npm, a repository":                     {"package-lock.json", npmLock, []string{"registry.npmjs.org/lodash/-/lodash-4.17.21.tgz", "codeload.github.com/evil/lodash/tar.gz/abc", "sha512-AA", "sha512-BB"}, "", relocked.Digest},
		"npm, another package":                  {"package-lock.json", npmLock, []string{"lodash/-/lodash", "l0dash-utils/-/l0dash-utils", "sha512-AA", "sha512-BB"}, "", relocked.Package},
		"npm, a new version of another package": {"package-lock.json", npmLock, []string{"lodash/-/lodash", "l0dash-utils/-/l0dash-utils", "4.17.21", "4.17.22", "sha512-AA", "sha512-BB"}, "", relocked.Package},
		"npm, an alias for the other text":      {"package-lock.json", npmLock, []string{`"version"`, `"name": "l0dash-utils", "version"`, "lodash/-/lodash", "l0dash-utils/-/l0dash-utils", "sha512-AA", "sha512-BB"}, "", relocked.Digest},
		"Yarn 1":                                {"yarn.lock", yarnOne, []string{"sha512-AA", "sha512-BB"}, "", relocked.Digest},
		"Yarn 1, a package":                     {"yarn.lock", yarnOne, []string{"com/lodash/-/lodash", "com/l0dash-utils/-/l0dash-utils", "sha512-AA", "sha512-BB"}, "", relocked.Package},
		"Yarn 2":                                {"yarn.lock", yarnTwo, []string{"10c0/aaaa", "10c0/bbbb"}, "", relocked.Digest},
		"Yarn 2, a package":                     {"yarn.lock", yarnTwo, []string{`"lodash@npm:4`, `"l0dash-utils@npm:4`, "10c0/aaaa", "10c0/bbbb"}, "", relocked.Package},
		"Yarn 2, a fork":                        {"yarn.lock", yarnGit, []string{"x.git#commit=aaa", "x.git#commit=bbb", "acme/x.git#", "evil/x.git#", "10c0/aaaa", "10c0/bbbb"}, "", relocked.Digest},
		"Cargo":                                 {"Cargo.lock", cargoLock, []string{"aaaa", "bbbb"}, "", relocked.Digest},
		"Cargo, repository":                     {"Cargo.lock", cargoLock, []string{"registry+https://github.com/rust-lang/crates.io-index", "git+https://github.com/evil/serde#abc", "checksum = \"aaaa\"\n", ""}, "", relocked.Gone},
		"Poetry":                                {"poetry.lock", poetry, []string{"aaaa", "bbbb"}, "", relocked.Digest},
		"Poetry, none":                          {"poetry.lock", poetry, []string{`, hash = "sha256:aaaa"`, ""}, "", relocked.Gone},
		"uv":                                    {"uv.lock", uv, []string{"aaaa", "bbbb"}, "", relocked.Digest},
		"pnpm":                                  {"pnpm-lock.yaml", pnpm, []string{"sha512-AA", "sha512-BB"}, "", relocked.Digest},
		"pnpm, a package":                       {"pnpm-lock.yaml", pnpm, []string{"version: 4.17.21", "version: l0dash-utils@4.17.21", "  lodash@4.17.21", "  l0dash-utils@4.17.21", "sha512-AA", "sha512-BB"}, "", relocked.Package},
		"Go":                                    {"go.sum", "github.com/pkg/errors v0.9.1 h1:AAAA=\n", []string{"AAAA", "BBBB"}, "", relocked.Digest},
		"pip":                                   {"requirements.txt", "requests==2.31.0 \\\n    --hash=sha256:aaaa\n", []string{"aaaa", "bbbb"}, "", relocked.Digest},
		"Pipenv":                                {"Pipfile.lock", `{"default": {"requests": {"version": "==2.31.0", "hashes": ["sha256:aaaa"]}}}`, []string{"aaaa", "bbbb"}, "", relocked.Digest},
		"Composer, an owner":                    {"composer.lock", composer, []string{"Seldaek/monolog/zipball/def", "evil/monolog/zipball/abc"}, "", relocked.Package},
		"Nix":                                   {"flake.lock", flake, []string{`"locked": {"owner": "NixOS"`, `"locked": {"owner": "N1xOS"`}, "", relocked.Package},
		"Nix, indirect":                         {"flake.lock", indirect, []string{"NixOS", "N1xOS"}, "", relocked.Package},
		"Bun":                                   {"bun.lock", `{"packages": {` + "\n" + `  "lodash": ["lodash@4.17.21", "", {}, "sha512-AA=="],` + "\n}}", []string{"AA==", "BB=="}, "", relocked.Digest},
		"Deno":                                  {"deno.lock", `{"npm": {"lodash@4.17.21": {"integrity": "sha512-AA=="}}}`, []string{"AA==", "BB=="}, "", relocked.Digest},
		"Bundler":                               {"Gemfile.lock", "CHECKSUMS\n  rack (2.2.3) sha256=aaaa\n", []string{"aaaa", "bbbb"}, "", relocked.Digest},
		"NuGet":                                 {"packages.lock.json", `{"dependencies": {"net8.0": {"A": {"resolved": "1.0.0", "contentHash": "aa=="}}}}`, []string{"aa==", "bb=="}, "", relocked.Digest},
		"an action":                             {".github/workflows/ci.yml", ci, []string{"aaaa", "bbbb"}, "", relocked.Digest},
	} {
		t.Run(name, func(t *testing.T) {
			got := relocked.Find(e.file, []byte(e.base), []byte(e.head()), func(string) bool { return false })
			if len(got) != 1 || got[0].Kind != e.want || got[0].Line < 1 {
				t.Errorf("got %+v, want one %s", got, e.want)
			}
		})
	}
}

func TestAnHonestUpdateOfALockFileIsNoChangeOfAnEntry(t *testing.T) {
	for name, e := range map[string]edit{
		"npm, a new version":              {"package-lock.json", npmLock, []string{"4.17.21", "4.17.22", "sha512-AA", "sha512-BB"}, "", ""},
		"npm, another algorithm":          {"package-lock.json", npmLock, []string{"sha512-AA", "sha1-BB"}, "", ""},
		"npm, another registry":           {"package-lock.json", npmLock, []string{"registry.npmjs.org", "npm.example.com/api"}, "", ""},
		"npm, an alias of a dependency":   {"package-lock.json", npmLock, []string{"node_modules/lodash", "node_modules/lodash-cjs", `"version"`, `"name": "lodash", "version"`}, "", ""},
		"npm, a declared alias":           {"package-lock.json", npmLock, []string{"lodash/-/lodash", "lodash-es/-/lodash-es", "4.17.21", "4.17.22"}, "npm:lodash-es", ""},
		"npm, neither digest nor address": {"package-lock.json", npmLock, []string{`"https://registry.npmjs.org/lodash/-/lodash-4.17.21.tgz"`, `""`, "sha512-AA==", ""}, "", ""},
		"Yarn 1, an alias":                {"yarn.lock", yarnOne, []string{"lodash@^4.17.21:", "\"lodash-cjs@npm:lodash@^4.17.20\", lodash@^4.17.21:"}, "", ""},
		"Yarn 2, another kind of cache":   {"yarn.lock", yarnTwo, []string{"10c0", "11"}, "", ""},
		"Yarn 2, a commit":                {"yarn.lock", yarnGit, []string{"commit=aaa", "commit=bbb", "10c0/aaaa", "10c0/bbbb"}, "", ""},
		"Yarn 2, a declared fork":         {"yarn.lock", yarnGit, []string{"acme/x.git#commit=aaa", "ours/x.git#commit=bbb", "10c0/aaaa", "10c0/bbbb"}, "ours/x", ""},
		"Cargo, a new version":            {"Cargo.lock", cargoLock, []string{"190", "191", "aaaa", "bbbb"}, "", ""},
		"Cargo, a declared repository":    {"Cargo.lock", cargoLock, []string{"registry+https://github.com/rust-lang/crates.io-index", "git+https://github.com/serde-rs/serde#abc", "checksum = \"aaaa\"\n", ""}, "serde-rs/serde", ""},
		"Cargo, in the workspace":         {"Cargo.lock", cargoLock, []string{"source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"aaaa\"\n", ""}, "", ""},
		"Poetry, one file more":           {"poetry.lock", poetry, []string{"files = [\n", "files = [\n    {file = \"requests-2.31.0.tar.gz\", hash = \"sha256:bbbb\"},\n"}, "", ""},
		"uv, in the workspace":            {"uv.lock", uv, []string{`{ registry = "https://pypi.org/simple" }`, `{ editable = "." }`, `hash = "sha256:aaaa"`, ""}, "", ""},
		"pnpm, a new version":             {"pnpm-lock.yaml", pnpm, []string{"4.17.21", "4.17.22", "sha512-AA", "sha512-BB"}, "", ""},
		"pnpm, an alias":                  {"pnpm-lock.yaml", pnpm, []string{"specifier: ^4", "specifier: npm:lodash-es@^4", "version: 4.17.21", "version: lodash-es@4.17.21"}, "", ""},
		"pnpm, peers":                     {"pnpm-lock.yaml", pnpm, []string{"version: 4.17.21", "version: 4.17.21(react@18.0.0)"}, "", ""},
		"Go, one more":                    {"go.sum", "github.com/pkg/errors v0.9.1 h1:AAAA=\n", []string{"=\n", "=\ngithub.com/pkg/errors v0.9.1/go.mod h1:BBBB=\n"}, "", ""},
		"pip, one file more":              {"requirements.txt", "requests==2.31.0 --hash=sha256:aaaa\n", []string{"aaaa", "aaaa --hash=sha256:bbbb"}, "", ""},
		"Composer, a new version":         {"composer.lock", composer, []string{"2.9.1", "2.9.2", "Seldaek", "monolog"}, "", ""},
		"Nix, a new commit":               {"flake.lock", flake, []string{"abc", "def", "sha256-A", "sha256-B"}, "", ""},
		"Nix, another input":              {"flake.lock", flake, []string{"NixOS", "DeterminateSystems"}, "", ""},
		"an action of a major version":    {".github/workflows/ci.yml", strings.Replace(ci, "v4.1.0", "v4", 1), []string{"aaaa", "bbbb"}, "", ""},
		"an action that is updated":       {".github/workflows/ci.yml", ci, []string{"aaaa", "bbbb", "v4.1.0", "v4.2.0"}, "", ""},
		"a text":                          {"notes.txt", "requests==2.31.0 --hash=sha256:aaaa\n", []string{"aaaa", "bbbb"}, "", ""},
		"no lock file any more":           {"package-lock.json", npmLock, []string{"{", "["}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if e.head() == e.base {
				t.Fatal("the case changes nothing")
			}
			if got := relocked.Find(e.file, []byte(e.base), []byte(e.head()), func(what string) bool { return what == e.declared }); len(got) > 0 {
				t.Errorf("got %+v", got)
			}
		})
	}
}
