package wants

import (
	"path"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// building are names of files that say what a project consists of, how it is built, tested or
// installed, or with which settings: those of the package managers and build tools whose
// languages are run, by their manuals.
var building = map[string]bool{
	"go.mod": true, "go.sum": true, "go.work": true, "go.work.sum": true, "modules.txt": true,
	"package.json": true, "package-lock.json": true, "npm-shrinkwrap.json": true, "yarn.lock": true, "pnpm-lock.yaml": true, "pnpm-workspace.yaml": true,
	"bun.lock": true, "bunfig.toml": true, "deno.json": true, "deno.jsonc": true, "deno.lock": true, "lerna.json": true, "nx.json": true, "turbo.json": true,
	"pyproject.toml": true, "setup.py": true, "setup.cfg": true, "tox.ini": true, "tox.toml": true, "noxfile.py": true, "pytest.ini": true, "conftest.py": true,
	"manifest.in": true, "pipfile": true, "pipfile.lock": true, "poetry.lock": true, "uv.lock": true, "__init__.py": true,
	"makefile": true, "gnumakefile": true, "justfile": true, "rakefile": true, "gemfile": true, "gemfile.lock": true, "dockerfile": true, "containerfile": true,
	"cmakelists.txt": true, "meson.build": true, "build": true, "build.bazel": true, "workspace": true, "workspace.bazel": true, "module.bazel": true, "magefile.go": true,
	"cargo.toml": true, "cargo.lock": true, "pom.xml": true, "build.gradle": true, "build.gradle.kts": true, "settings.gradle": true, "settings.gradle.kts": true,
	"composer.json": true, "composer.lock": true, "taskfile.yml": true, "taskfile.yaml": true, "gruntfile.js": true, "gulpfile.js": true,
}

// buildingForm are their names that have parts of their own: settings of compilers and test
// runners (tsconfig.build.json, vite.config.ts, .babelrc, .npmrc), requirement files, and
// sources of Go, all of which in a folder are one package.
var buildingForm = regexp.MustCompile(`^(?:[jt]sconfig(?:\.[\w-]+)*\.json|[\w-]+\.config\.[cm]?[jt]s|[\w-]+\.config\.json|\.[\w-]+rc(?:\.(?:json|ya?ml|toml|[cm]?js))?|[\w-]*requirements[\w-]*\.(?:txt|in)|constraints[\w-]*\.txt|\S+\.(?:go|mk|cmake|gemspec|bzl))$`)

// Builds reports whether a file by that name changes how a project is built, tested or
// installed. Such a file is never made up: with it, the project would be another one.
func Builds(name string) bool {
	base := strings.ToLower(path.Base(name))
	return building[base] || buildingForm.MatchString(base)
}
