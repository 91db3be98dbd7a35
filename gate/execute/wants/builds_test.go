package wants_test

import (
	"testing"

	"github.com/aigate/gate/gate/execute/wants"
)

func TestFilesThatDecideHowAProjectIsBuiltAreKnown(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"tools/go.mod": true, "go.work": true, "a/b.go": true, "package.json": true, "Makefile": true, "rules.mk": true, "web/tsconfig.build.json": true, "vite.config.ts": true,
		".npmrc": true, ".babelrc.json": true, "dev-requirements.txt": true, "requirements.in": true, "pkg/__init__.py": true, "conftest.py": true, "CMakeLists.txt": true, "Dockerfile": true,
		"data/input.csv": false, "config.json": false, "settings.yaml": false, "notes.md": false, "names.txt": false, "go.module": false, "mod/go": false, "config.ini": false, "app.config": false,
	} {
		if got := wants.Builds(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
