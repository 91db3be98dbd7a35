package change

import (
	"sync"

	"github.com/aigate/gate/gate"
)

// The tables are built once and never changed.
var (
	pathRows             = sync.OnceValue(pathTable)
	interpreters         = sync.OnceValue(interpreterTable)
	languagesByExtension = sync.OnceValue(extensionTable)
)

// pathTable has the paths that mean something by themselves, in the order in
// which they are asked.
func pathTable() []pathRow {
	return []pathRow{
		// Instructions to an agent are prose that is obeyed, wherever they lie.
		{language: gate.LanguageMarkdown, role: gate.RoleDocs,
			names: []string{"agents.md", "claude.md", "claude.local.md", "gemini.md", "skill.md", "copilot-instructions.md", "llms.txt",
				".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".goosehints", ".aider.conf.md", "conventions.md"},
			globs: []string{"*.mdc", "*.instructions.md", "*.prompt.md", "*.chatmode.md"}},

		// What runs on a CI system or on a commit, and what rules over it.
		{language: gate.LanguageWorkflow, role: gate.RoleCI, fixed: true, names: []string{"action.yml", "action.yaml"}},
		{language: gate.LanguageWorkflow, role: gate.RoleCI, fixed: true, exts: []string{".yml", ".yaml"},
			folders: []string{".github/workflows", ".gitea/workflows", ".forgejo/workflows"}},
		{role: gate.RoleCI, fixed: true,
			names: []string{".gitlab-ci.yml", ".travis.yml", "bitbucket-pipelines.yml", ".drone.yml", "appveyor.yml", ".appveyor.yml",
				"cloudbuild.yaml", "cloudbuild.yml", "codefresh.yml", ".woodpecker.yml", ".cirrus.yml", "buildspec.yml",
				".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "lefthook.yml", ".lefthook.yml", ".gate.yml",
				".goreleaser.yml", ".goreleaser.yaml", "renovate.json", "renovate.json5", "dependabot.yml"},
			globs: []string{"azure-pipelines*.yml", "azure-pipelines*.yaml", "jenkinsfile*"}},
		{language: gate.LanguageText, role: gate.RoleCI, fixed: true, names: []string{"codeowners"}},
		{language: gate.LanguageShell, role: gate.RoleCI, folders: []string{".githooks", ".husky"}},
		{role: gate.RoleCI, folders: []string{".circleci", ".buildkite", ".semaphore", ".teamcity", ".woodpecker", ".gitlab", ".azure-pipelines",
			".github/workflows", ".gitea/workflows", ".forgejo/workflows", ".github/actions", ".github/scripts"}},

		// Locks, before the manifests whose names they resemble.
		{role: gate.RoleLock,
			names: []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
				"poetry.lock", "pdm.lock", "uv.lock", "pylock.toml", "pipfile.lock", "conda-lock.yml", "cargo.lock", "go.sum", "go.work.sum",
				"gemfile.lock", "composer.lock", "packages.lock.json", "flake.lock", "mix.lock", "pubspec.lock", "podfile.lock",
				"package.resolved", "gradle.lockfile", ".terraform.lock.hcl", "module.bazel.lock", "chart.lock"}},

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
		{role: gate.RoleManifest, fixed: true,
			names: []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "build.sbt", "mix.exs", "package.swift"}},

		// What builds, deploys or opens a development environment.
		{language: gate.LanguageDockerfile, role: gate.RoleInfra, fixed: true,
			names: []string{"dockerfile", "containerfile"},
			globs: []string{"dockerfile.*", "containerfile.*", "*.dockerfile", "dockerfile-*"}},
		{language: gate.LanguageMakefile, role: gate.RoleInfra, fixed: true,
			names: []string{"makefile", "gnumakefile", "bsdmakefile", "justfile", ".justfile"}, globs: []string{"*.mk", "*.mak", "makefile.*"}},
		{language: gate.LanguageRuby, role: gate.RoleInfra, fixed: true, names: []string{"vagrantfile", "rakefile", "brewfile", "guardfile"}},
		{language: gate.LanguageShell, role: gate.RoleInfra, fixed: true,
			names: []string{".envrc", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zprofile", ".zshenv", ".zlogin", "pkgbuild"}},
		{language: gate.LanguageINI, role: gate.RoleInfra, globs: []string{"*.service", "*.timer", "*.socket", "*.desktop"}},
		{role: gate.RoleInfra, fixed: true,
			names: []string{"docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "skaffold.yaml", "serverless.yml",
				"taskfile.yml", "taskfile.yaml", "procfile", "crontab", "fly.toml", "netlify.toml", "vercel.json", "wrangler.toml",
				"chart.yaml", "kustomization.yaml", "devcontainer.json", ".devcontainer.json", ".mcp.json", "mcp.json",
				"cmakelists.txt", "meson.build", "build.bazel", "workspace.bazel", "module.bazel", "earthfile", "tiltfile"},
			globs: []string{"docker-compose.*.yml", "docker-compose.*.yaml", "compose.*.yml", "compose.*.yaml", "*.tf", "*.tfvars", "*.hcl"}},
		{language: gate.LanguageText, role: gate.RoleInfra, fixed: true, names: []string{".gitattributes"}},
		{language: gate.LanguageINI, role: gate.RoleInfra, fixed: true, names: []string{".gitmodules"}},
		{role: gate.RoleInfra, folders: []string{".devcontainer", ".vscode", ".idea", ".claude", ".cursor", ".gemini", ".codex"}},

		// Prose that is known by its name.
		{language: gate.LanguageText, role: gate.RoleDocs,
			names: []string{"readme", "license", "licence", "copying", "notice", "changelog", "changes", "news", "authors", "contributors", "maintainers"},
			globs: []string{"readme.*", "license.*", "licence.*", "license-*", "copying.*", "changelog.*"}},
	}
}

// interpreterTable has the programs that a first line "#!" can name, without
// version.
func interpreterTable() map[string]gate.Language {
	return map[string]gate.Language{
		"sh": gate.LanguageShell, "bash": gate.LanguageShell, "dash": gate.LanguageShell, "zsh": gate.LanguageShell,
		"ksh": gate.LanguageShell, "mksh": gate.LanguageShell, "ash": gate.LanguageShell, "fish": gate.LanguageShell, "bats": gate.LanguageShell,
		"python": gate.LanguagePython, "pythonw": gate.LanguagePython, "pypy": gate.LanguagePython, "uv": gate.LanguagePython, "ipython": gate.LanguagePython,
		"node": gate.LanguageJavaScript, "nodejs": gate.LanguageJavaScript, "bun": gate.LanguageTypeScript, "deno": gate.LanguageTypeScript,
		"ts-node": gate.LanguageTypeScript, "tsx": gate.LanguageTypeScript,
		"ruby": gate.LanguageRuby, "perl": gate.LanguagePerl, "php": gate.LanguagePHP,
		"pwsh": gate.LanguagePowerShell, "powershell": gate.LanguagePowerShell, "make": gate.LanguageMakefile, "gmake": gate.LanguageMakefile,
	}
}

// extensionTable says what a file is written in. What is text and not here is
// unknown, and the policy says what becomes of that.
func extensionTable() map[string]gate.Language {
	out := map[string]gate.Language{}
	for l, exts := range map[gate.Language][]string{
		gate.LanguagePython:     {".py", ".pyw", ".pyi", ".py3", ".pyx", pathFileExt},
		gate.LanguageJavaScript: {".js", ".mjs", ".cjs", ".jsx", ".es6"},
		gate.LanguageTypeScript: {".ts", ".mts", ".cts", ".tsx"},
		gate.LanguageShell:      {".sh", ".bash", ".zsh", ".ksh", ".ash", ".dash", ".fish", ".bats", ".command"},
		gate.LanguageGo:         {".go"},
		gate.LanguagePowerShell: {".ps1", ".psm1", ".psd1"},
		gate.LanguageRuby:       {".rb", ".rake", ".ru", ".gemspec"},
		gate.LanguagePerl:       {".pl", ".pm", ".t", ".cgi"},
		gate.LanguagePHP:        {".php", ".phtml", ".php3", ".php4", ".php5", ".php7", ".inc"},
		gate.LanguageC:          {".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".m", ".mm", ".ino"},
		gate.LanguageRust:       {".rs"},
		gate.LanguageJava:       {".java", ".jsp"},
		gate.LanguageYAML:       {".yml", ".yaml"},
		gate.LanguageJSON:       {".json", ".jsonc", ".json5", ".jsonl", ".ndjson", ".geojson", ".webmanifest", ".code-workspace"},
		gate.LanguageTOML:       {".toml"},
		gate.LanguageINI:        {".ini", ".cfg", ".conf", ".properties", ".editorconfig"},
		gate.LanguageNotebook:   {".ipynb"},
		gate.LanguageMarkdown:   {".md", ".markdown", ".mdx", ".mdown", ".mkd"},
		gate.LanguageHTML:       {".html", ".htm", ".xhtml", ".vue", ".svelte", ".svg", ".hta"},
		gate.LanguageWasm:       {".wasm"},
		gate.LanguageText: {".txt", ".text", ".rst", ".adoc", ".asciidoc", ".tex", ".csv", ".tsv", ".log", ".css", ".scss", ".less",
			".xml", ".xsd", ".xsl", ".po", ".pot", ".sql", ".graphql", ".proto", ".diff", ".patch", ".lock", ".map"},
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

// pathFileExt is the extension of files that tell Python where modules are, and
// whose lines that begin with "import" it executes. Model weights have it too.
const pathFileExt = ".pth"

// testNames are globs on base names.
func testNames() []string {
	return []string{
		"test_*.py", "*_test.py", "tests.py", "conftest.py", "*_test.go", "*.test.*", "*.spec.*", "*_spec.rb", "*_test.rb", "test_*.rb",
		"*_test.rs", "*test.java", "*tests.java", "*_test.c", "*_test.cc", "*_test.cpp", "*.bats", "*.t", "*_test.sh", "test_*.sh", "*.tests.ps1",
	}
}

func testFolders() []string {
	return []string{"test", "tests", "__tests__", "__mocks__", "spec", "specs", "testdata", "e2e"}
}

func docsFolders() []string { return []string{"doc", "docs", "documentation", "man"} }

func proseExtensions() []string { return []string{".rst", ".adoc", ".asciidoc", ".tex"} }
