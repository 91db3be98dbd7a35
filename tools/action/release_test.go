package action_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// built runs the release script of a checkout for these platforms and returns the
// folder with what it made.
func built(t *testing.T, checkout, version string, platforms ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dist")
	script := filepath.Join(checkout, "tools", "release.sh")
	cmd := exec.CommandContext(t.Context(), script, append([]string{version, dir}, platforms...)...)
	cmd.Dir = t.TempDir() // from anywhere
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return dir
}

// host serves the files of a folder as the release v1.2.3.
func (r *runner) host(dir string) {
	r.t.Helper()
	const at = "/aigate/gate/releases/download/v1.2.3/"
	srv := httptest.NewServer(http.StripPrefix(at, http.FileServer(http.Dir(dir))))
	r.t.Cleanup(srv.Close)
	r.env["GITHUB_SERVER_URL"], r.env["GATE_VERSION"] = srv.URL, "v1.2.3"
}

func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

func TestActionInstallsWhatTheReleaseScriptBuilds(t *testing.T) {
	source, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := built(t, source, "v1.2.3", platform())
	r := newRunner(t, "pull_request")
	r.host(dir)
	if code := r.run(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	path, ok := strings.CutPrefix(strings.TrimSpace(r.output), "path=")
	if !ok || !strings.HasPrefix(path, r.env["RUNNER_TEMP"]) || strings.TrimSpace(r.stdout) != "gate v1.2.3" {
		t.Fatalf("output %q, printed %q", r.output, r.stdout)
	}
	if out, err := exec.CommandContext(t.Context(), path, "rules", "explain", "file/submodule").CombinedOutput(); err != nil {
		t.Errorf("the installed gate does not work: %v\n%s", err, out)
	}
	t.Run("unless a byte of it is another", func(t *testing.T) {
		name := filepath.Join(dir, fmt.Sprintf("gate_1.2.3_%s_%s", runtime.GOOS, runtime.GOARCH))
		program, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		program[len(program)/2] ^= 1
		if err := os.WriteFile(name, program, 0o755); err != nil {
			t.Fatal(err)
		}
		r := newRunner(t, "pull_request")
		r.host(dir)
		r.wantRefused("does not match the release's SHA256SUMS")
	})
}

func TestTwoBuildsOfAReleaseAreTheSameBytes(t *testing.T) {
	source, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	// A checkout elsewhere, without a history, built later by a user who sets
	// what people set for their own builds.
	other := filepath.Join(t.TempDir(), "somewhere else")
	for _, name := range []string{"cmd", "gate", "report", "sandbox"} {
		if err := os.CopyFS(filepath.Join(other, name), os.DirFS(filepath.Join(source, name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "tools/release.sh"} {
		data, err := os.ReadFile(filepath.Join(source, name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(other, name)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(other, name), data, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	sums := func(checkout string) string {
		data, err := os.ReadFile(filepath.Join(built(t, checkout, "v1.2.3", platform()), "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	first := sums(source)
	t.Setenv("GOFLAGS", "-trimpath=false -buildvcs=true")
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("GOOS", "plan9")
	if second := sums(other); first != second || first == "" {
		t.Errorf("the first build is\n%sthe second is\n%s", first, second)
	}
}

func TestTheFilesOfAReleaseAreNamedAsTheActionAsksForThem(t *testing.T) {
	// A go that builds nothing, so that all platforms take no time.
	tools := t.TempDir()
	stub := "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\nprintf '#!/bin/sh\\necho " + marker + " of %s/%s\\n' \"$GOOS\" \"$GOARCH\" >\"$2\"\n"
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools+":"+os.Getenv("PATH"))
	dir := built(t, source, "v1.2.3")
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 6 {
		t.Fatalf("made %v, want five programs and their checksums: %v", files, err)
	}
	for _, tt := range []struct{ system, machine, platform string }{
		{"Linux", "x86_64", "linux/amd64"},
		{"Linux", "aarch64", "linux/arm64"},
		{"Darwin", "x86_64", "darwin/amd64"},
		{"Darwin", "arm64", "darwin/arm64"},
		{"MINGW64_NT-10.0-26100", "x86_64", "windows/amd64"},
	} {
		t.Run(tt.platform, func(t *testing.T) {
			r := newRunner(t, "pull_request")
			r.host(dir)
			uname := "#!/bin/sh\ncase $1 in -s) echo " + tt.system + " ;; -m) echo " + tt.machine + " ;; esac\n"
			if err := os.WriteFile(filepath.Join(r.outside, "uname"), []byte(uname), 0o755); err != nil {
				t.Fatal(err)
			}
			r.env["PATH"] = r.outside + ":" + r.env["PATH"]
			path := r.wantInstalled()
			if !strings.Contains(r.stdout, "of "+tt.platform) {
				t.Errorf("printed %q, want the program for %s", r.stdout, tt.platform)
			}
			program, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(sums, fmt.Appendf(nil, "%x  gate_1.2.3_", sha256.Sum256(program))) {
				t.Errorf("%s is not in the checksums: %v", path, err)
			}
		})
	}
	t.Run("and for other systems there is none", func(t *testing.T) {
		r := newRunner(t, "pull_request")
		r.host(dir)
		if err := os.WriteFile(filepath.Join(r.outside, "uname"), []byte("#!/bin/sh\necho Plan9\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		r.env["PATH"] = r.outside + ":" + r.env["PATH"]
		r.wantRefused("there is no release for Plan9")
	})
}

func TestTheReleaseScriptRefusesWhatIsNoRelease(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "gate_0.0.1_linux_amd64"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no version":                 {nil, "is not a version"},
		"a branch":                   {[]string{"main", t.TempDir()}, "is not a version"},
		"a state between two":        {[]string{"v1.2.3-4-gabcdef-dirty;id", t.TempDir()}, "is not a version"},
		"an option":                  {[]string{"--help"}, "is not a version"},
		"a folder with old files":    {[]string{"v1.2.3", full}, "is not empty"},
		"a platform without release": {[]string{"v1.2.3", t.TempDir(), "plan9/mips"}, "no platform"},
	} {
		cmd := exec.CommandContext(t.Context(), "../release.sh", tt.args...)
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}
