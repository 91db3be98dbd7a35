//go:build unix

package server

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/aigate/gate/sandbox/filelock"
	"github.com/aigate/gate/tools/debian"
)

// Version is the release that [Build] builds. Later module zips lack C++ headers
// that the build needs (seen with v0.17.4), so this one stays until that changes.
const Version = "v0.9.6"

// jsonHeader is the one header that the module zip leaves out.
const jsonHeader = "nlohmann/json.hpp"

// buildPackages are what the build needs on Debian and Ubuntu.
var buildPackages = []string{"g++", "nlohmann-json3-dev"}

var includeDirs = []string{"/usr/include", "/usr/local/include", "/opt/homebrew/include"}

// Build returns the path of an Ollama server program of [Version] below dir. The
// first call takes three to five minutes on two cores and needs a C++ compiler;
// later ones find the program. Progress goes to log.
func Build(ctx context.Context, dir string, log io.Writer) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "bin", "ollama-"+Version)
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	unlock, err := filelock.Wait(filepath.Join(dir, "build.lock"), nil)
	if err != nil {
		return "", fmt.Errorf("build ollama: %w", err)
	}
	defer unlock()
	if _, err := os.Stat(bin); err == nil {
		return bin, nil // another process has built it meanwhile
	}
	flags, err := cxxFlags(ctx, log)
	if err != nil {
		return "", err
	}
	src := filepath.Join(dir, "build")
	for _, d := range []string{src, filepath.Dir(bin)} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return "", fmt.Errorf("build ollama: %w", err)
		}
	}
	// A module of its own keeps the server's dependencies out of gate's.
	mod := fmt.Sprintf("module ollama-build\n\ngo 1.24.0\n\nrequire github.com/ollama/ollama %s\n", Version)
	if err := os.WriteFile(filepath.Join(src, "go.mod"), []byte(mod), 0o644); err != nil {
		return "", fmt.Errorf("build ollama: %w", err)
	}

	fmt.Fprintf(log, "building ollama %s into %s; this takes a few minutes, once\n", Version, bin)
	partial := bin + ".partial" // so that an interrupted build is never taken for a program
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=mod", "-trimpath", "-o", partial, "github.com/ollama/ollama")
	cmd.Dir = src
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "CGO_CFLAGS="+cpuFlags(), "CGO_CXXFLAGS="+flags+" "+cpuFlags(), "GOWORK=off", "GOFLAGS=")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build ollama %s: %w", Version, err)
	}
	return bin, os.Rename(partial, bin)
}

// cxxFlags returns the C++ flags for the build, after installing what they point
// to where that is possible.
func cxxFlags(ctx context.Context, log io.Writer) (string, error) {
	dir, err := headerDir()
	if _, noCompiler := exec.LookPath(cmp.Or(os.Getenv("CXX"), "g++")); err != nil || noCompiler != nil {
		if err := debian.Detect().Install(ctx, log, buildPackages...); err != nil {
			return "", fmt.Errorf("build ollama: a C++ compiler and %s are needed: %w", jsonHeader, err)
		}
		if dir, err = headerDir(); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("-I%s -I%s", dir, filepath.Join(dir, "nlohmann")), nil
}

// cpuFlags returns the optimisation flags for C and C++. Setting flags at all
// drops cgo's default -O2, without which the program is some thirty times slower;
// the vector instructions of this machine make it several times faster again.
func cpuFlags() string {
	flags := "-O2"
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		return flags
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return flags
	}
	has := strings.Fields(string(info))
	if slices.Contains(has, "avx2") && slices.Contains(has, "fma") && slices.Contains(has, "f16c") {
		flags += " -mavx2 -mfma -mf16c"
	}
	return flags
}

func headerDir() (string, error) {
	for _, dir := range includeDirs {
		if _, err := os.Stat(filepath.Join(dir, jsonHeader)); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("build ollama: no %s in %v", jsonHeader, includeDirs)
}
