package action_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
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

// runner is one run of a script as the runner starts it.
type runner struct {
	t         *testing.T
	program   string // the script
	workspace string
	outside   string // a folder that no pull request controls
	env       map[string]string
	stdout    string
	output    string // what the step wrote to GITHUB_OUTPUT
}

// marker is what the stand-ins for gate print, to show which of them ran.
const marker = "this is the stand-in"

func newRunner(t *testing.T, event string) *runner {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{t: t, program: "install.sh", workspace: filepath.Join(dir, "work space"), outside: filepath.Join(dir, "outside")}
	for _, d := range []string{r.workspace, r.outside, filepath.Join(dir, "temp")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	source, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	r.env = map[string]string{
		"GITHUB_EVENT_NAME": event, "GITHUB_WORKSPACE": r.workspace, "GITHUB_ACTION_PATH": source,
		"GITHUB_OUTPUT": filepath.Join(dir, "output"), "RUNNER_TEMP": filepath.Join(dir, "temp"),
		"PATH": os.Getenv("PATH"), "HOME": dir,
	}
	return r
}

// standIn writes a program that prints the marker.
func (r *runner) standIn(path string) string {
	r.t.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+marker+"\n"), 0o755); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// run runs the script and returns its exit code.
func (r *runner) run() int {
	r.t.Helper()
	script, err := filepath.Abs(r.program)
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.CommandContext(r.t.Context(), script)
	cmd.Dir = r.workspace
	for k, v := range r.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	r.stdout = out.String()
	data, _ := os.ReadFile(r.env["GITHUB_OUTPUT"])
	r.output = string(data)
	r.t.Logf("exit code %d\n%s%s", cmd.ProcessState.ExitCode(), &out, &log)
	return cmd.ProcessState.ExitCode()
}

// wantRefused runs the script and wants one error for people, no path for the
// next step, and no program started.
func (r *runner) wantRefused(because string) {
	r.t.Helper()
	if code := r.run(); code != 2 {
		r.t.Errorf("exit code %d, want 2", code)
	}
	if !strings.HasPrefix(r.stdout, "::error title=gate::") || !strings.Contains(r.stdout, because) || strings.Count(r.stdout, "\n") != 1 {
		r.t.Errorf("printed %q, want one error about %q", r.stdout, because)
	}
	if r.output != "" || strings.Contains(r.stdout, marker) {
		r.t.Errorf("something was installed: output %q", r.output)
	}
}

// wantInstalled runs the script and wants the stand-in as what it installed.
func (r *runner) wantInstalled() string {
	r.t.Helper()
	if code := r.run(); code != 0 {
		r.t.Fatalf("exit code %d", code)
	}
	path, ok := strings.CutPrefix(strings.TrimSpace(r.output), "path=")
	if !ok || !strings.Contains(r.stdout, marker) {
		r.t.Fatalf("output %q, printed %q", r.output, r.stdout)
	}
	return path
}

func TestABinaryOutsideOfTheWorkspaceIsTaken(t *testing.T) {
	r := newRunner(t, "pull_request")
	r.env["GATE_BINARY"] = r.standIn(filepath.Join(r.outside, "gate"))
	if got := r.wantInstalled(); got != r.env["GATE_BINARY"] {
		t.Errorf("installed %s, want %s", got, r.env["GATE_BINARY"])
	}
}

func TestABinaryInTheWorkspaceOfAPullRequestIsRefused(t *testing.T) {
	link := func(r *runner, target, name string) {
		if err := os.Symlink(target, name); err != nil {
			r.t.Fatal(err)
		}
	}
	paths := map[string]func(*runner) string{
		"by its path":     func(r *runner) string { return r.standIn(filepath.Join(r.workspace, "gate")) },
		"by a short path": func(r *runner) string { r.standIn(filepath.Join(r.workspace, "gate")); return "./gate" },
		"through a link outside to it": func(r *runner) string {
			link(r, r.standIn(filepath.Join(r.workspace, "gate")), filepath.Join(r.outside, "gate"))
			return filepath.Join(r.outside, "gate")
		},
		"through a link to its folder": func(r *runner) string {
			r.standIn(filepath.Join(r.workspace, "gate"))
			link(r, r.workspace, filepath.Join(r.outside, "bin"))
			return filepath.Join(r.outside, "bin", "gate")
		},
		"through ..": func(r *runner) string {
			r.standIn(filepath.Join(r.workspace, "gate"))
			return r.outside + "/../" + filepath.Base(r.workspace) + "/gate"
		},
	}
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, "pull_request")
			r.env["GATE_BINARY"] = path(r)
			r.wantRefused("lies in the workspace")
		})
	}
	for _, event := range []string{"pull_request_target", "merge_group", "workflow_run", "issue_comment", ""} {
		t.Run("on the event "+event, func(t *testing.T) {
			r := newRunner(t, event)
			r.env["GATE_BINARY"] = r.standIn(filepath.Join(r.workspace, "gate"))
			r.wantRefused("lies in the workspace")
		})
	}
	t.Run("and taken on a push, which no one else has filled", func(t *testing.T) {
		r := newRunner(t, "push")
		r.env["GATE_BINARY"] = r.standIn(filepath.Join(r.workspace, "gate"))
		r.wantInstalled()
	})
}

func TestABinaryThatIsNotThereIsAnError(t *testing.T) {
	for name, path := range map[string]string{"no file": "/nonexistent/gate", "a folder": "/usr", "no program": "/etc/passwd"} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, "pull_request")
			r.env["GATE_BINARY"] = path
			r.wantRefused("there is no program at " + path)
		})
	}
}

func TestASourceInTheWorkspaceOfAPullRequestIsNotBuilt(t *testing.T) {
	r := newRunner(t, "pull_request")
	r.env["GITHUB_ACTION_PATH"] = r.workspace
	// A go that would tell.
	r.standIn(filepath.Join(r.outside, "go"))
	r.env["PATH"] = r.outside + ":" + r.env["PATH"]
	r.wantRefused("the action's source lies in the workspace")
}

// release is a host of releases with one release, v1.2.3.
func (r *runner) release(sums func(name, sum string) string) {
	r.t.Helper()
	name := fmt.Sprintf("gate_1.2.3_%s_%s", runtime.GOOS, runtime.GOARCH)
	program := []byte("#!/bin/sh\necho " + marker + "\n")
	sum := fmt.Sprintf("%x", sha256.Sum256(program))
	mux := http.NewServeMux()
	const at = "GET /aigate/gate/releases/download/v1.2.3/"
	mux.HandleFunc(at+name, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(program) })
	if sums != nil {
		mux.HandleFunc(at+"SHA256SUMS", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(sums(name, sum))) })
	}
	srv := httptest.NewServer(mux)
	r.t.Cleanup(srv.Close)
	r.env["GITHUB_SERVER_URL"], r.env["GATE_VERSION"] = srv.URL, "v1.2.3"
}

func TestAReleaseIsTakenOnlyWithItsChecksum(t *testing.T) {
	t.Run("the right one", func(t *testing.T) {
		for _, format := range []string{"%s  %s\n", "%s *%s\n"} {
			r := newRunner(t, "pull_request")
			r.release(func(name, sum string) string {
				return strings.Repeat("0", 64) + "  gate_1.2.3_plan9_mips\n" + fmt.Sprintf(format, sum, name)
			})
			if path := r.wantInstalled(); !strings.HasPrefix(path, r.env["RUNNER_TEMP"]) {
				t.Errorf("installed at %s, want it in the runner's temporary folder", path)
			}
		}
	})
	wrong := strings.Repeat("0", 64)
	for name, sums := range map[string]func(name, sum string) string{
		"a wrong one":              func(name, _ string) string { return wrong + "  " + name + "\n" },
		"none":                     func(string, string) string { return "" },
		"one of another file":      func(name, sum string) string { return sum + "  " + name + ".old\n" },
		"two, the first is right":  func(name, sum string) string { return sum + "  " + name + "\n" + wrong + "  " + name + "\n" },
		"two, both right":          func(name, sum string) string { return strings.Repeat(sum+"  "+name+"\n", 2) },
		"one that is no checksum":  func(name, _ string) string { return "x  " + name + "\n" },
		"an answer that is no sum": func(string, string) string { return "<html>sign in</html>\n" },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, "pull_request")
			r.release(sums)
			r.wantRefused("does not match the release's SHA256SUMS")
		})
	}
}

// tools leaves on the path only these of the machine's programs, and a realpath
// that is that of macOS, which has no -m.
func (r *runner) tools(names ...string) {
	r.t.Helper()
	dir := filepath.Join(r.outside, "bin")
	if err := os.Mkdir(dir, 0o755); err != nil {
		r.t.Fatal(err)
	}
	for _, name := range append(names, "bash", "curl", "awk", "wc", "mktemp", "uname", "mv", "chmod") {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(dir, name))
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	real, err := exec.LookPath("realpath")
	if err != nil {
		r.t.Fatal(err)
	}
	text := "#!/bin/sh\nif [ \"$1\" = -m ]; then exit 1; fi\nexec " + real + " -e \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "realpath"), []byte(text), 0o755); err != nil {
		r.t.Fatal(err)
	}
	r.env["PATH"] = dir
}

func TestTheToolsOfMacOSAreEnough(t *testing.T) {
	right := func(name, sum string) string { return sum + "  " + name + "\n" }
	wrong := func(name, _ string) string { return strings.Repeat("0", 64) + "  " + name + "\n" }
	r := newRunner(t, "pull_request")
	r.release(right)
	r.tools("shasum")
	r.wantInstalled()

	r = newRunner(t, "pull_request")
	r.release(wrong)
	r.tools("shasum")
	r.wantRefused("does not match the release's SHA256SUMS")

	r = newRunner(t, "pull_request")
	r.tools()
	r.env["GATE_BINARY"] = r.standIn(filepath.Join(r.workspace, "gate"))
	r.wantRefused("lies in the workspace")
}

func TestInstallNeedsAToolForChecksums(t *testing.T) {
	r := newRunner(t, "pull_request")
	r.release(func(name, sum string) string { return sum + "  " + name + "\n" })
	r.tools()
	r.wantRefused("does not match the release's SHA256SUMS")
}

func TestAReleaseThatCannotBeDownloadedIsAnError(t *testing.T) {
	t.Run("no checksums", func(t *testing.T) {
		r := newRunner(t, "pull_request")
		r.release(nil)
		r.wantRefused("could not download SHA256SUMS of release v1.2.3")
	})
	t.Run("no such release", func(t *testing.T) {
		r := newRunner(t, "pull_request")
		r.release(nil)
		r.env["GATE_VERSION"] = "v9.9.9"
		r.wantRefused("could not download gate_9.9.9_")
	})
}

func TestAVersionIsOneOfAReleaseAndNeverShell(t *testing.T) {
	for _, version := range []string{
		"main", "1.2.3", "v1", "v1.2.3; touch PWNED", "v1.2.3$(touch PWNED)", "v1.2.3`touch PWNED`",
		"v1.2.3/../../../../evil", "v1.2.3\n::set-output name=path::/bin/true", "v1.2.3 v1.2.4", "-v1.2.3",
	} {
		t.Run(version, func(t *testing.T) {
			r := newRunner(t, "pull_request")
			r.release(nil)
			r.env["GATE_VERSION"] = version
			r.wantRefused("is not a release such as v1.2.3")
			if _, err := os.Stat(filepath.Join(r.workspace, "PWNED")); err == nil {
				t.Error("a command in the version ran")
			}
		})
	}
}

func TestActionRunsItsOwnCommandsOnly(t *testing.T) {
	r := newRunner(t, "pull_request")
	program := r.standIn(filepath.Join(r.outside, "gate"))
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '[%s]' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(command, layers string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "./run.sh")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GATE=" + program, "GATE_COMMAND=" + command, "INPUT_LAYERS=" + layers,
			"INPUT_REQUIRE=static", "INPUT_RUNTIME=", "INPUT_OLLAMA=", "INPUT_MODEL=", "INPUT_RESULT_FILE=a b", "INPUT_SARIF_FILE=c", "INPUT_PUBLISH=true",
			"INPUT_SHARD=1/2; id", "INPUT_RESULTS=-d e"}
		out, err := cmd.Output()
		return string(out), err
	}
	hostile := "static; touch PWNED $(touch PWNED)"
	if out, err := run("pr", hostile); err != nil || !strings.HasPrefix(out, "[pr][--layers]["+hostile+"][--require][static]") || !strings.Contains(out, "[--save][a b]") || !strings.HasSuffix(out, "[--shard][1/2; id]") {
		t.Errorf("pr: %q, %v", out, err)
	}
	if out, err := run("publish", ""); err != nil || out != "[publish]" {
		t.Errorf("publish: %q, %v", out, err)
	}
	if out, err := run("merge", hostile); err != nil || !strings.HasPrefix(out, "[merge][--require][static]") || !strings.HasSuffix(out, "[--publish=true][--][-d e]") {
		t.Errorf("merge: %q, %v", out, err)
	}
	for _, command := range []string{"", "scan", "pr; id", "--help"} {
		if out, err := run(command, ""); err == nil || !strings.HasPrefix(out, "::error title=gate::command") {
			t.Errorf("%q: %q, %v", command, out, err)
		}
	}
}
