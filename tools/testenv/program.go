package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Programs that `make test` builds from Go modules into bin/tools. The versions
// are those of the Makefile.
const (
	actProgram        = "act-v0.2.89"
	actionlintProgram = "actionlint-v1.7.12"
)

// Act returns the path of act, which runs workflows without GitHub, or ends the
// test with [Missing].
func Act(t testing.TB) string { t.Helper(); return program(t, actProgram) }

// Actionlint returns the path of actionlint, or ends the test with [Missing].
func Actionlint(t testing.TB) string { t.Helper(); return program(t, actionlintProgram) }

func program(t testing.TB, name string) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "bin", "tools", name)
	if _, err := os.Stat(path); err != nil {
		Missing(t, fmt.Sprintf("%s is not built: %v", name, err), "make bin/tools/"+name)
	}
	return path
}

// Neovim returns the path of Neovim, or ends the test with [Missing].
func Neovim(t testing.TB) string { t.Helper(); return installed(t, "nvim") }

// Node returns the path of Node, or ends the test with [Missing].
func Node(t testing.TB) string { t.Helper(); return installed(t, "node") }

// Chromium returns the path of Chromium or Chrome, or ends the test with [Missing].
func Chromium(t testing.TB) string {
	t.Helper()
	for _, name := range Browsers() {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return installed(t, "chromium")
}

// Browsers are the names that Chromium and Chrome have on systems of all kinds.
func Browsers() []string {
	return []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}
}

// Packages returns the folder of tools with that name, such as vscode, whose npm packages are
// there, or ends the test with [Missing].
func Packages(t testing.TB, name string) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "tools", name)
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err != nil {
		Missing(t, fmt.Sprintf("the npm packages of %s are not installed: %v", dir, err), "go run ./tools/editors up")
	}
	return dir
}

func installed(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name+" is not installed", "go run ./tools/editors up")
	}
	return path
}
