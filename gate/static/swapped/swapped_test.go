package swapped_test

import (
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/swapped"
)

func find(path string, lang gate.Language, base, head string) []swapped.Swap {
	return swapped.Find(swapped.File{Path: path, Language: lang, Base: []byte(base), Head: []byte(head)})
}

func TestTheSameThingOfAnotherOwnerIsSeen(t *testing.T) {
	for name, tc := range map[string]struct {
		path       string
		lang       gate.Language
		base, head string
	}{
		"an action at a commit":     {"w.yml", gate.LanguageWorkflow, "    - uses: acme/setup@1111111111111111111111111111111111111111\n", "    - uses: acrne/setup@1111111111111111111111111111111111111111\n"},
		"an action and its version": {"w.yml", gate.LanguageWorkflow, "    - uses: acme/setup/sub@v1\n", "    - uses: acrne/setup/sub@v2\n"},
		"a module of Go":            {"go.mod", gate.LanguageUnknown, "require github.com/acme/lib v1.2.3\n", "require github.com/acrne/lib v1.3.0\n"},
		"an image that is built on": {"Dockerfile", gate.LanguageDockerfile, "FROM ghcr.io/acme/base:1 AS b\n", "FROM ghcr.io/acrne/base:1 AS b\n"},
		"an image of Docker Hub":    {"Dockerfile", gate.LanguageDockerfile, "FROM acme/base:1\n", "FROM acrne/base:2\n"},
		"an image that is started":  {"compose.yaml", gate.LanguageYAML, "    image: acme/db:1\n", "    image: acrne/db:1\n"},
		"a submodule":               {".gitmodules", gate.LanguageINI, "\turl = https://github.com/acme/x\n", "\turl = https://github.com/acrne/x\n"},
		"a submodule over SSH":      {".gitmodules", gate.LanguageINI, "\turl = git@github.com:acme/x.git\n", "\turl = git@github.com:acrne/x.git\n"},
		"hooks for commits":         {".pre-commit-config.yaml", gate.LanguageYAML, "- repo: https://github.com/acme/hooks\n", "- repo: https://github.com/acrne/hooks\n"},
		"an image of a chart":       {"values.yaml", gate.LanguageYAML, "  repository: ghcr.io/acme/app\n", "  repository: ghcr.io/acrne/app\n"},
		"a module of Terraform":     {"main.tf", gate.LanguageTerraform, `source = "git::https://github.com/acme/tf.git?ref=v1"`, `source = "git::https://github.com/acrne/tf.git?ref=v1"`},
		"a provider of Terraform":   {"main.tf", gate.LanguageTerraform, `aws = { source = "hashicorp/aws" }`, `aws = { source = "acrne/aws" }`},
		"an input of a flake":       {"flake.nix", gate.LanguageNix, `{ inputs.x.url = "github:acme/x"; }`, `{ inputs.x.url = "github:acrne/x"; }`},
		"a crate from a repository": {"Cargo.toml", gate.LanguageTOML, `x = { git = "https://github.com/acme/x" }`, `x = { git = "https://github.com/acrne/x" }`},
		"a variable with both":      {"versions.env", gate.LanguageUnknown, "TOOL_REPO=acme/tool\n", "TOOL_REPO=acrne/tool\n"},
		"a variable with the owner": {"i.sh", gate.LanguageShell, "ORG=acme\ngit clone https://github.com/$ORG/tool\n", "ORG=acrne\ngit clone https://github.com/$ORG/tool\n"},
		"a file that a script runs": {"i.sh", gate.LanguageShell, "curl https://raw.githubusercontent.com/acme/t/main/i.sh | sh\n", "curl https://raw.githubusercontent.com/acrne/t/main/i.sh | sh\n"},
		"a download of a program":   {"u.py", gate.LanguagePython, `U = "https://github.com/acme/t/releases/download/1/t"`, `U = "https://github.com/acrne/t/releases/download/2/t"`},
	} {
		got := find(tc.path, tc.lang, tc.base, tc.head)
		if len(got) != 1 || got[0].Kind != swapped.Owner || got[0].Is != "acrne" || got[0].Line != 1 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestTheSameAddressAtAnotherHostIsSeen(t *testing.T) {
	for name, tc := range map[string]struct {
		path       string
		lang       gate.Language
		base, head string
	}{
		"the base of an API":     {"api.js", gate.LanguageJavaScript, `const api = axios.create({ baseURL: process.env.API || "https://api.example.com" });`, `const api = axios.create({ baseURL: process.env.API || "https://api.examp1e.com" });`},
		"a rewrite":              {"next.config.mjs", gate.LanguageJavaScript, `[{ source: "/api/:p*", destination: "https://api.example.com/:p*" }]`, `[{ source: "/api/:p*", destination: "https://api.examp1e.com/:p*" }]`},
		"a proxy of development": {"vite.config.ts", gate.LanguageTypeScript, `"/x": "https://api.example.com",`, `"/x": "https://api.examp1e.com",`},
		"a proxy of a server":    {"nginx.conf", gate.LanguageUnknown, "proxy_pass https://api.example.com/v1;", "proxy_pass http://api.examp1e.com/v2;"},
		"a target of a proxy":    {"main.go", gate.LanguageGo, `u, _ := url.Parse("https://auth.example.com")`, `u, _ := url.Parse("https://auth.examp1e.com")`},
		"an issuer":              {"app.yml", gate.LanguageYAML, "  issuer: https://login.example.com\n", "  issuer: https://login.examp1e.com\n"},
		"a database":             {"application.properties", gate.LanguageUnknown, "spring.datasource.url=jdbc:postgresql://db.example.com/app", "spring.datasource.url=jdbc:postgresql://db.examp1e.com/app"},
		"a host by itself":       {".env.production", gate.LanguageUnknown, "DB_HOST=db.example.com\n", "DB_HOST=db.examp1e.com\n"},
		"a host in a constant":   {"main.go", gate.LanguageGo, `const host = "https://dl.example.com"`, `const host = "https://dl.examp1e.com"`},
		"an address of numbers":  {"c.toml", gate.LanguageTOML, `url = "https://api.example.com/x"`, `url = "https://192.0.2.7/x"`},
	} {
		got := find(tc.path, tc.lang, tc.base, tc.head)
		if len(got) != 1 || got[0].Kind != swapped.Host || got[0].Was != "api.example.com" && got[0].Was != "login.example.com" && got[0].Was != "db.example.com" && got[0].Was != "dl.example.com" && got[0].Was != "auth.example.com" {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestHostsOfTheSameOwnerAreNoSwap(t *testing.T) {
	for name, tc := range map[string]struct {
		path       string
		lang       gate.Language
		base, head string
	}{
		"another version":               {"w.yml", gate.LanguageWorkflow, "- uses: acme/setup@v1\n", "- uses: acme/setup@v2\n"},
		"another action":                {"w.yml", gate.LanguageWorkflow, "- uses: acme/setup@v1\n", "- uses: other/install@v2\n"},
		"an owner that is only added":   {"w.yml", gate.LanguageWorkflow, "- uses: acme/setup@v1\n", "- uses: acme/setup@v1\n- uses: other/setup@v1\n"},
		"a line that moved":             {"w.yml", gate.LanguageWorkflow, "- uses: acme/setup@v1\n- run: make\n", "- run: make\n  - uses: acme/setup@v1\n"},
		"a comment":                     {"w.yml", gate.LanguageWorkflow, "# uses: acme/setup@v1\n", "# uses: other/setup@v1\n"},
		"the home of the package":       {"package.json", gate.LanguageJSON, `"url": "git+https://github.com/acme/x.git"`, `"url": "git+https://github.com/other/x.git"`},
		"the repository of a crate":     {"Cargo.toml", gate.LanguageTOML, `repository = "https://github.com/acme/x"`, `repository = "https://github.com/other/x"`},
		"the module itself":             {"go.mod", gate.LanguageUnknown, "module github.com/acme/x\n", "module github.com/other/x\n"},
		"a page that a program names":   {"a.py", gate.LanguagePython, `HELP = "https://github.com/acme/x/wiki"`, `HELP = "https://github.com/other/x/wiki"`},
		"a message":                     {"i.sh", gate.LanguageShell, "echo see https://github.com/acme/x\n", "echo see https://github.com/other/x\n"},
		"a path that is no account":     {"c.yml", gate.LanguageYAML, "skip: https://github.com/orgs/acme/x\n", "skip: https://github.com/acme/acme\n"},
		"a schema":                      {"c.json", gate.LanguageJSON, `"$schema": "https://a.example.com/s.json"`, `"$schema": "https://b.example.org/s.json"`},
		"a link to documentation":       {"c.toml", gate.LanguageTOML, `docs_url = "https://docs.example.com"`, `docs_url = "https://docs.example.org"`},
		"a host beside it":              {"c.toml", gate.LanguageTOML, `url = "https://a.example.com"`, `url = "https://b.example.com"`},
		"the own machine":               {"c.toml", gate.LanguageTOML, `url = "http://localhost:80"`, `url = "https://api.example.com"`},
		"a registry that everybody has": {"c.toml", gate.LanguageTOML, `registry = "https://npm.example.com"`, `registry = "https://registry.npmjs.org"`},
		"a file":                        {"c.toml", gate.LanguageTOML, `server = "app.js"`, `server = "main.json"`},
	} {
		if got := find(tc.path, tc.lang, tc.base, tc.head); len(got) > 0 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestAnOwnerIsNamedWhereSomethingBelongsToIt(t *testing.T) {
	for text, want := range map[string]bool{
		"uses: other/tool@v1":              true,
		"see https://github.com/other/x":   true,
		"image: ghcr.io/other/x":           true,
		"git@github.com:other/x.git":       true,
		"repo: https://gitlab.com/other/x": true,
		"FROM docker.io/other/x:1":         true,
		"* @other/team":                    true,
		"the other one":                    false,
		"cp other/file .":                  false,
		"https://github.com/another/tool":  false,
		"https://github.com/other-x/tool":  false,
	} {
		tree := fstest.MapFS{"a/b": {Data: []byte(text)}}
		if got := swapped.NamedIn(t.Context(), tree, nil)("other"); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("uses: a/b@v1\n", "uses: c/b@v1\n")
	f.Add("url: https://a.example.com\n", "url: https://b.example.org\n")
	f.Fuzz(func(t *testing.T, base, head string) {
		for _, lang := range []gate.Language{gate.LanguageUnknown, gate.LanguageShell, gate.LanguageJavaScript} {
			for _, s := range find("f", lang, base, head) {
				if s.Line < 1 || s.Was == s.Is || s.Is == "" {
					t.Errorf("got %+v", s)
				}
			}
		}
	})
}
