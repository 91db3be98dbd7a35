package testenv

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/aigate/gate/sandbox/filelock"
)

// Gate returns the path of a static gate binary built from cmd/gate as it is in
// the working tree. It is built once in a test process, and test processes that
// run side by side share the result. When it does not build, the test fails.
func Gate(t testing.TB) string {
	t.Helper()
	path, err := gateBinary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// gateBinary is process-wide so that a package with many tests builds once.
var gateBinary = sync.OnceValues(buildGate)

// buildGate leaves the binary at one place of the checkout, not in a temporary
// folder: `go build` then does nothing when it is up to date, and no folder is
// left behind by each test process.
func buildGate() (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".cache", "testenv")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make room for the gate binary: %w", err)
	}
	unlock, err := filelock.Wait(filepath.Join(dir, "lock"), nil)
	if err != nil {
		return "", fmt.Errorf("wait for other builds of the gate binary: %w", err)
	}
	defer unlock()
	path := filepath.Join(dir, "gate"+exe())
	cmd := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-o", path, "./cmd/gate")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build a static gate binary: %w\n%s", err, out)
	}
	return path, nil
}

// moduleRoot is the folder of the go.mod that the test belongs to.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("ask go for the module's folder: %w", err)
	}
	mod := string(bytes.TrimSpace(out))
	if !strings.HasSuffix(mod, "go.mod") {
		return "", errors.New("find the module's folder: not inside a module")
	}
	return filepath.Dir(mod), nil
}

// exe is what the name of a program ends in on this platform.
func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
