package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/tools/testenv"
)

// root is the checkout, seen from this package.
const root = "../.."

func TestPackagesFollowTheArrowsOfTheDesign(t *testing.T) {
	packages := list(t)
	complain(t, CheckImports(packages))
	complain(t, CheckDocs(packages))
}

func TestSourceFilesFollowTheRules(t *testing.T) {
	n := 0
	for _, path := range committed(t) {
		if !strings.HasSuffix(path, ".go") || fixture(path) {
			continue
		}
		n++
		complain(t, CheckSource(path, read(t, path)))
	}
	if n < 10 {
		t.Errorf("only %d Go files were looked at", n)
	}
}

func TestFilesNameNoFolderOfOneMachine(t *testing.T) {
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.TrimSpace(string(command(t, "go", "env", "GOMODCACHE")))
	for _, path := range committed(t) {
		// Samples of attacks name the folders that attacks name.
		if fixture(path) || strings.HasPrefix(path, "gate/static/") {
			continue
		}
		text := read(t, path)
		if bytes.IndexByte(text, 0) >= 0 {
			continue
		}
		complain(t, CheckPaths(path, string(text), checkout, modules))
	}
}

func TestDependenciesHaveTheirReason(t *testing.T) {
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(command(t, "go", "mod", "edit", "-json"), &mod); err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, r := range mod.Require {
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	if len(direct) == 0 {
		t.Fatal("go.mod requires nothing directly")
	}
	complain(t, CheckDependencies(direct, string(read(t, "docs/dependencies.md"))))
}

// fixture reports whether a file is test data: input, not source.
func fixture(path string) bool {
	return strings.HasPrefix(path, "fixtures/") || strings.Contains(path, "/testdata/") ||
		strings.Contains(path, "/samples/")
}

// list describes all packages of the module and everything that they import.
func list(t *testing.T) []Package {
	t.Helper()
	out := command(t, "go", "list", "-deps", "-json=ImportPath,Name,Doc,Standard,Imports,Deps", "./...")
	var packages []Package
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// committed returns the paths that git tracks.
func committed(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		testenv.Missing(t, "git cannot list the files of this checkout: "+err.Error(), "git clone the project")
	}
	var paths []string
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, path))
		if err == nil && info.Mode().IsRegular() { // not deleted just now, no symlink, no submodule
			paths = append(paths, path)
		}
	}
	return paths
}

func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = root
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, &problems)
	}
	return out
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func complain(t *testing.T, wrong []string) {
	t.Helper()
	for _, w := range wrong {
		t.Error(w)
	}
}
