package change

import (
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
)

// The tables are built once and never changed.
var (
	pathRows             = sync.OnceValue(pathTable)
	languagesByExtension = sync.OnceValue(extensionTable)
)

// pathTable has the paths that mean something by themselves, in the order in
// which they are asked.
func pathTable() []pathRow {
	return []pathRow{
		// Instructions to an agent are prose that is obeyed, wherever they lie.
		{language: gate.LanguageMarkdown, role: gate.RoleDocs,
			names: embedded.InstructionNames(), globs: embedded.InstructionGlobs()},

		// What runs on a CI system or on a commit, and what rules over it.
		{language: gate.LanguageWorkflow, role: gate.RoleCI, fixed: true, names: []string{"action.yml", "action.yaml"}},
		{language: gate.LanguageWorkflow, role: gate.RoleCI, fixed: true, exts: []string{".yml", ".yaml"},
			folders: []string{".github/workflows", ".gitea/workflows", ".forgejo/workflows"}},
		{role: gate.RoleCI, fixed: true,
			names: []string{".gitlab-ci.yml", ".travis.yml", "bitbucket-pipelines.yml", ".drone.yml", "appveyor.yml", ".appveyor.yml",
				"cloudbuild.yaml", "cloudbuild.yml", "codefresh.yml", ".woodpecker.yml", ".cirrus.yml", "buildspec.yml",
				".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "lefthook.yml", ".lefthook.yml", ".gate.yml",
				".goreleaser.yml", ".goreleaser.yaml", "renovate.json", "renovate.json5", "dependabot.yml"},
			globs: []string{"azure-pipelines*.yml", "azure-pipelines*.yaml"}},
		{language: gate.LanguageGroovy, role: gate.RoleCI, fixed: true, globs: []string{"jenkinsfile*"}},
		{language: gate.LanguageText, role: gate.RoleCI, fixed: true, names: []string{"codeowners"}},
		{language: gate.LanguageShell, role: gate.RoleCI, folders: []string{".githooks", ".husky", ".buildkite/hooks", ".mise/tasks", "mise-tasks", ".config/mise/tasks"}},
		{role: gate.RoleCI, folders: []string{".circleci", ".buildkite", ".semaphore", ".teamcity", ".woodpecker", ".gitlab", ".azure-pipelines",
			".github/workflows", ".gitea/workflows", ".forgejo/workflows", ".github/actions", ".github/scripts"}},

		// Locks, before the manifests whose names they resemble.
		{role: gate.RoleLock,
			names: []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
				"poetry.lock", "pdm.lock", "uv.lock", "pylock.toml", "pipfile.lock", "conda-lock.yml", "cargo.lock", "go.sum", "go.work.sum",
				"gemfile.lock", "composer.lock", "packages.lock.json", "flake.lock", "mix.lock", "pubspec.lock", "podfile.lock",
				"package.resolved", "pixi.lock", "devbox.lock", "cartfile.resolved", "paket.lock", "shard.lock", "jsonnetfile.lock.json", "mise.lock", "gradle.lockfile", ".terraform.lock.hcl", "module.bazel.lock", "chart.lock"}},

		// What decides which code is installed, and what runs at that moment.
		{language: gate.LanguageJSON, role: gate.RoleManifest, fixed: true,
			names: []string{"package.json", "composer.json", "deno.json", "deno.jsonc", "jsr.json", "bower.json", "lerna.json", "binding.gyp", "vcpkg.json"}},
		{language: gate.LanguagePython, role: gate.RoleManifest, fixed: true,
			names: []string{"setup.py", "hatch_build.py", "conanfile.py", "noxfile.py", "pavement.py", "wscript", "sconstruct", "sconscript"}},
		{language: gate.LanguageTOML, role: gate.RoleManifest, fixed: true,
			names: []string{"pyproject.toml", "pipfile", "cargo.toml", "bunfig.toml", "pixi.toml", "uv.toml"}},
		{language: gate.LanguageTOML, role: gate.RoleManifest, fixed: true, folders: []string{".cargo"}},
		{language: gate.LanguageINI, role: gate.RoleManifest, fixed: true,
			names: []string{"setup.cfg", ".npmrc", ".yarnrc", ".pypirc", "pip.conf", "pip.ini", "tox.ini", "nuget.config"}},
		{language: gate.LanguageYAML, role: gate.RoleManifest, fixed: true,
			names: []string{".yarnrc.yml", "pnpm-workspace.yaml", "environment.yml", "environment.yaml", "pubspec.yaml"}},
		{language: gate.LanguageText, role: gate.RoleManifest, fixed: true,
			names: []string{"go.mod", "go.work", "manifest.in", "pom.xml"},
			globs: []string{"requirements*.txt", "requirements*.in", "constraints*.txt", "*-requirements.txt", "*_requirements.txt", "*.csproj", "*.fsproj"}},
		{language: gate.LanguageText, role: gate.RoleManifest, folders: []string{"requirements"}},
		{language: gate.LanguageRuby, role: gate.RoleManifest, fixed: true,
			names: []string{"gemfile", "podfile", "fastfile", "extconf.rb"}, globs: []string{"*.gemspec"}},
		{language: gate.LanguageRust, role: gate.RoleManifest, fixed: true, names: []string{"build.rs"}},
		{language: gate.LanguageGroovy, role: gate.RoleManifest, fixed: true, names: []string{"build.gradle", "settings.gradle", "init.gradle"}},
		{language: gate.LanguageKotlin, role: gate.RoleManifest, fixed: true, names: []string{"build.gradle.kts", "settings.gradle.kts"}},
		{language: gate.LanguageScala, role: gate.RoleManifest, fixed: true, names: []string{"build.sbt", "build.sc"}},
		{language: gate.LanguageElixir, role: gate.RoleManifest, fixed: true, names: []string{"mix.exs"}},
		{language: gate.LanguageSwift, role: gate.RoleManifest, fixed: true, names: []string{"package.swift"}},

		// What builds, deploys or opens a development environment.
		{language: gate.LanguageDockerfile, role: gate.RoleInfra, fixed: true,
			names: []string{"dockerfile", "containerfile"},
			globs: []string{"dockerfile.*", "containerfile.*", "*.dockerfile", "dockerfile-*"}},
		{language: gate.LanguageTOML, role: gate.RoleInfra, fixed: true, names: []string{"makefile.toml"}}, // of cargo-make
		{language: gate.LanguagePerl, role: gate.RoleInfra, fixed: true, names: []string{"makefile.pl", "build.pl"}},
		{language: gate.LanguageMakefile, role: gate.RoleInfra, fixed: true,
			names: []string{"makefile", "gnumakefile", "bsdmakefile"}, globs: []string{"*.mk", "*.mak", "makefile.*"}},
		{language: gate.LanguageJust, role: gate.RoleInfra, fixed: true, names: []string{"justfile", ".justfile"}, globs: []string{"*.just"}},
		{language: gate.LanguageRuby, role: gate.RoleInfra, fixed: true, names: []string{"vagrantfile", "rakefile", "brewfile", "guardfile"}},
		{language: gate.LanguageShell, role: gate.RoleInfra, fixed: true,
			names: []string{".envrc", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zprofile", ".zshenv", ".zlogin", "pkgbuild"}},
		{language: gate.LanguageINI, role: gate.RoleInfra, globs: []string{"*.service", "*.timer", "*.socket", "*.desktop", "*.container", "*.kube", "*.nspawn", "*.mount", "*.automount"}},
		{role: gate.RoleInfra, fixed: true,
			names: []string{"docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "skaffold.yaml", "serverless.yml",
				"taskfile.yml", "taskfile.yaml", "procfile", "crontab", "fly.toml", "netlify.toml", "vercel.json", "wrangler.toml",
				"chart.yaml", "kustomization.yaml", "devcontainer.json", ".devcontainer.json", ".mcp.json", "mcp.json",
				"taskfile.dist.yml", "taskfile.dist.yaml"},
			globs: []string{"docker-compose.*.yml", "docker-compose.*.yaml", "compose.*.yml", "compose.*.yaml"}},
		{language: gate.LanguageDockerfile, role: gate.RoleInfra, fixed: true, names: []string{"earthfile"}},
		{language: gate.LanguageTerraform, role: gate.RoleInfra, globs: []string{"*.tf", "*.tfvars", "*.hcl"}},
		{language: gate.LanguageCMake, role: gate.RoleInfra, fixed: true, names: []string{"cmakelists.txt"}, globs: []string{"*.cmake"}},
		{language: gate.LanguageMeson, role: gate.RoleInfra, fixed: true, names: []string{"meson.build", "meson_options.txt", "meson.options"}},
		{language: gate.LanguageStarlark, role: gate.RoleInfra, fixed: true,
			names: []string{"build.bazel", "workspace.bazel", "module.bazel", "workspace", "buck", "tiltfile"}},
		{language: gate.LanguageStarlark, role: gate.RoleInfra, names: []string{"build"}},
		{language: gate.LanguageM4, role: gate.RoleInfra, fixed: true, names: []string{"configure.ac", "configure.in", "acinclude.m4", "aclocal.m4"}},
		{language: gate.LanguageShell, role: gate.RoleInfra, names: []string{"configure", "autogen", "bootstrap", "install-sh", "buildconf", "gradlew", "mvnw"}},

		// What a program reads when it starts, and runs.
		{language: gate.LanguageVim, role: gate.RoleInfra, fixed: true, names: []string{".vimrc", "_vimrc", ".exrc", ".nvimrc", ".gvimrc", ".lvimrc", "vimrc"}},
		{language: gate.LanguageDebugger, role: gate.RoleInfra, fixed: true, names: []string{".gdbinit", ".lldbinit", "gdbinit", ".cgdbrc"}},
		{language: gate.LanguageElisp, role: gate.RoleInfra, fixed: true, names: []string{".emacs", ".dir-locals.el", ".spacemacs"}},
		{language: gate.LanguageRuby, role: gate.RoleInfra, fixed: true, names: []string{".irbrc", ".pryrc", ".simplecov", "capfile", "dangerfile", "appraisals", "berksfile"}},
		{language: gate.LanguageR, role: gate.RoleInfra, fixed: true, names: []string{".rprofile", "rprofile.site"}},
		{language: gate.LanguagePython, role: gate.RoleInfra, fixed: true, names: []string{".pythonrc", "snakefile"}},
		{language: gate.LanguageXonsh, role: gate.RoleInfra, fixed: true, names: []string{".xonshrc"}},
		{language: gate.LanguageTcl, role: gate.RoleInfra, fixed: true, names: []string{".tclshrc", ".wishrc", ".expectrc"}},
		{language: gate.LanguageJSON, role: gate.RoleInfra, fixed: true,
			names: []string{".babelrc", ".eslintrc", ".prettierrc", ".stylelintrc", ".swcrc", ".mocharc", ".nycrc", ".lintstagedrc", ".huskyrc", ".releaserc"}},
		{language: gate.LanguageText, role: gate.RoleInfra, fixed: true, names: []string{".gitattributes"}},
		{language: gate.LanguageINI, role: gate.RoleInfra, fixed: true, names: []string{".gitmodules"}},
		{role: gate.RoleInfra, folders: []string{".devcontainer", ".vscode", ".idea", ".claude", ".cursor", ".gemini", ".codex"}},

		// Prose that is known by its name.
		{language: gate.LanguageText, role: gate.RoleDocs,
			names: []string{"readme", "license", "licence", "copying", "notice", "changelog", "changes", "news", "authors", "contributors", "maintainers"},
			globs: []string{"readme.*", "license.*", "licence.*", "license-*", "copying.*", "changelog.*"}},
	}
}

// extensionTable says what a file is written in. What is text and not here is
// unknown, and the policy says what happens to that.
func extensionTable() map[string]gate.Language {
	out := map[string]gate.Language{}
	for l, exts := range map[gate.Language][]string{
		gate.LanguagePython:     {".py", ".pyw", ".pyi", ".py3", ".pyx", ".wsgi", ".smk", pathFileExt},
		gate.LanguageJavaScript: {".js", ".mjs", ".cjs", ".jsx", ".es6", ".gs", ".jscad"},
		gate.LanguageTypeScript: {".ts", ".mts", ".cts", ".tsx"},
		gate.LanguageShell:      {".sh", ".bash", ".zsh", ".ksh", ".ash", ".dash", ".fish", ".bats", ".command", ".csh", ".tcsh", ".mksh", ".ebuild", ".eclass", ".install"},
		gate.LanguageGo:         {".go"},
		gate.LanguagePowerShell: {".ps1", ".psm1", ".psd1"},
		gate.LanguageRuby:       {".rb", ".rake", ".ru", ".gemspec"},
		gate.LanguagePerl:       {".pl", ".pm", ".t", ".cgi"},
		gate.LanguagePHP:        {".php", ".phtml", ".php3", ".php4", ".php5", ".php7", ".phar"},
		gate.LanguageC:          {".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".m", ".mm", ".ino"},
		gate.LanguageRust:       {".rs"},
		gate.LanguageJava:       {".java", ".jsp"},
		gate.LanguageYAML:       {".yml", ".yaml"},
		gate.LanguageJSON:       {".json", ".jsonc", ".json5", ".babelrc", ".gyp", ".gypi", ".jsonl", ".ndjson", ".geojson", ".webmanifest", ".code-workspace"},
		gate.LanguageTOML:       {".toml"},
		gate.LanguageINI:        {".ini", ".cfg", ".conf", ".properties", ".editorconfig"},
		gate.LanguageNotebook:   {".ipynb"},
		gate.LanguageBatch:      {".bat", ".cmd"},
		gate.LanguageVBScript:   {".vbs", ".vbe", ".wsf", ".wsh", ".vba", ".bas"},
		gate.LanguageAWK:        {".awk", ".gawk"},
		gate.LanguageSed:        {".sed"},
		gate.LanguageLua:        {".lua", ".luau", ".rockspec", ".wlua"},
		gate.LanguageR:          {".r", ".rprofile"},
		gate.LanguageNix:        {".nix"},
		gate.LanguageStarlark:   {".bzl", ".bazel", ".star", ".sky", ".buck"},
		gate.LanguageCSharp:     {".cs", ".csx", ".cshtml", ".razor", ".cake"},
		gate.LanguageKotlin:     {".kt", ".kts", ".ktm"},
		gate.LanguageScala:      {".scala", ".sc", ".sbt"},
		gate.LanguageSwift:      {".swift"},
		gate.LanguageElixir:     {".ex", ".exs", ".heex", ".eex", ".leex"},
		gate.LanguageTerraform:  {".tf", ".tfvars", ".hcl", ".nomad", ".pkr", ".tofu"},
		gate.LanguageGroovy:     {".groovy", ".gradle", ".gvy", ".gsh", ".jenkinsfile"},
		gate.LanguageCMake:      {".cmake"},
		gate.LanguageVim:        {".vim", ".nvim"},
		gate.LanguageElisp:      {".el", ".emacs"},
		gate.LanguageSQL:        {".sql", ".psql", ".pgsql", ".ddl", ".plsql"},
		gate.LanguageXonsh:      {".xsh"},
		gate.LanguageAssembly:   {".s", ".asm", ".nasm"},
		gate.LanguageM4:         {".m4", ".ac"},
		gate.LanguageTcl:        {".tcl", ".exp", ".tk", ".expect", ".xdc", ".sdc"},
		gate.LanguageDebugger:   {".gdb", ".lldb", ".gdbinit"},
		gate.LanguageTemplate:   {".ejs", ".erb", ".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".gotmpl", ".template", ".mustache", ".hbs", ".handlebars", ".liquid", ".njk", ".twig", ".eta", ".astro", ".mako", ".ftl", ".vm", ".pug", ".haml", ".slim"},
		gate.LanguageLiterate:   {".rmd", ".qmd", ".rnw", ".rhtml", ".rpres"},
		"applescript":           {".applescript", ".scpt"},
		"autohotkey":            {".ahk"},
		"clojure":               {".clj", ".cljs", ".cljc", ".edn", ".bb"},
		"coffeescript":          {".coffee", ".litcoffee", ".cson"},
		"crystal":               {".cr"},
		"d":                     {".d"},
		"dart":                  {".dart"},
		"erlang":                {".erl", ".hrl", ".escript"},
		"fortran":               {".f", ".f90", ".f95", ".f03", ".for"},
		"fsharp":                {".fs", ".fsx", ".fsi"},
		"haskell":               {".hs", ".lhs"},
		"jsonnet":               {".jsonnet", ".libsonnet"},
		"julia":                 {".jl"},
		"lisp":                  {".lisp", ".lsp", ".cl", ".scm", ".ss", ".rkt"},
		"nim":                   {".nim", ".nims", ".nimble"},
		"ocaml":                 {".ml", ".mli"},
		"pascal":                {".pas", ".pp", ".dpr", ".lpr"},
		"raku":                  {".raku", ".rakumod", ".p6"},
		"rego":                  {".rego"},
		"solidity":              {".sol"},
		"visualbasic":           {".vb"},
		"zig":                   {".zig"},
		gate.LanguageMarkdown:   {".md", ".markdown", ".mdx", ".mdown", ".mkd"},
		gate.LanguageHTML:       {".html", ".htm", ".xhtml", ".vue", ".svelte", ".svg", ".hta"},
		gate.LanguageWasm:       {".wasm"},
		gate.LanguageText: {".txt", ".text", ".rst", ".adoc", ".asciidoc", ".tex", ".csv", ".tsv", ".log", ".css", ".scss", ".less",
			".xml", ".xsd", ".xsl", ".po", ".pot", ".graphql", ".proto", ".diff", ".patch", ".lock", ".map"},
		gate.LanguageBinary: {".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".bmp", ".tiff", ".avif", ".pdf", ".zip", ".gz", ".tgz", ".bz2",
			".xz", ".zst", ".7z", ".rar", ".tar", ".jar", ".war", ".whl", ".egg", ".deb", ".rpm", ".apk", ".dmg", ".iso", ".exe", ".dll", ".so",
			".dylib", ".a", ".o", ".obj", ".lib", ".class", ".pyc", ".pyo", ".node", ".bin", ".dat", ".db", ".sqlite", ".pkl", ".pickle", ".npy",
			".npz", ".pt", ".pth.tar", ".onnx", ".gguf", ".safetensors", ".parquet", ".woff", ".woff2", ".ttf", ".otf", ".eot", ".mp3", ".mp4",
			".wav", ".ogg", ".webm", ".mov", ".avi", ".psd", ".key", ".p12", ".pfx", ".der"},
	} {
		for _, e := range exts {
			out[e] = l
		}
	}
	return out
}

// templateSuffixes are extensions of templates; what is before them says what the
// template becomes.
func templateSuffixes() []string {
	return []string{".in", ".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".gotmpl", ".template", ".erb", ".ejs", ".mustache", ".hbs", ".mako", ".dist", ".tftpl"}
}

// pathFileExt is the extension of files that tell Python where modules are, and
// whose lines that begin with "import" it executes. Model weights have it too.
const pathFileExt = ".pth"

// testNames are globs on base names.
func testNames() []string {
	return []string{
		"test_*.py", "*_test.py", "tests.py", "conftest.py", "*_test.go", "*-test.js", "*-test.mjs", "*-test.cjs", "*-test.ts", "*-tests.js", "*-tests.ts", "*.test.*", "*.spec.*", "*_spec.rb", "*_test.rb", "test_*.rb",
		"*_test.rs", "*test.java", "*tests.java", "*_test.c", "*_test.cc", "*_test.cpp", "*.bats", "*.t", "*_test.sh", "test_*.sh", "*.tests.ps1",
	}
}

func testFolders() []string {
	return []string{"test", "tests", "__tests__", "__mocks__", "spec", "specs", "testdata", "e2e"}
}

func docsFolders() []string { return []string{"doc", "docs", "documentation", "man"} }

func proseExtensions() []string { return []string{".rst", ".adoc", ".asciidoc", ".tex"} }
