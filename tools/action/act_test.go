package action_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/change/git/gittest"
	"github.com/aigate/gate/report/github"
	"github.com/aigate/gate/report/github/githubtest"
	"github.com/aigate/gate/tools/testenv"
)

// workflow is what the repository of the test has: the action as users write it,
// and a step behind it that shows what the outputs are.
const workflow = `name: gate
on: pull_request
permissions:
  contents: read
jobs:
  gate:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      checks: write
      pull-requests: write
      security-events: write
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
          persist-credentials: false
      - uses: aigate/gate@main
        id: gate
        with:
          binary: %s
          layers: static,sandbox
          images: none
          result-file: %s
      - name: outputs
        if: always()
        env:
          OUTPUTS: ${{ toJSON(steps.gate.outputs) }}
        run: printf '%%s' "$OUTPUTS" >%s
`

// instance is the GitHub that the runner believes to work for. Nothing is there,
// so that no machine with a network asks the real one.
const instance = "github.invalid"

// pull is a pull request in a repository with the workflow, and a runner for it.
type pull struct {
	t       *testing.T
	repo    *gittest.Repo
	srv     *githubtest.Server
	dir     string // of the runner
	base    string
	outputs map[string]string
	log     string
}

func newPull(t *testing.T) *pull {
	t.Helper()
	p := &pull{t: t, repo: gittest.New(t), srv: githubtest.New(t, "acme", "shop"), dir: t.TempDir()}
	// act takes "owner/name" from the remote.
	p.repo.Git("remote", "add", "origin", "https://"+instance+"/acme/shop")
	p.repo.Write(".github/workflows/gate.yml", fmt.Sprintf(workflow, testenv.Gate(t), p.path("result.json"), p.path("outputs.json")))
	p.repo.Write("shop/__init__.py", "")
	p.repo.Write(".gate.yml", "rules: {dirs: [rules]}\n")
	p.repo.Write("rules/rules.yaml", ownRule)
	p.examples()
	p.base = p.repo.Commit("Start the shop")
	p.repo.Git("checkout", "-q", "-b", "topic")
	p.action()
	return p
}

func (p *pull) path(name string) string { return filepath.Join(p.dir, name) }

// action copies what a release of the action consists of, as the runner gets it.
func (p *pull) action() {
	p.t.Helper()
	for _, name := range []string{"action.yml", "tools/action/install.sh", "tools/action/images.sh", "tools/action/run.sh"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			p.t.Fatal(err)
		}
		to := p.path("action/" + name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o755); err != nil {
			p.t.Fatal(err)
		}
	}
}

// side is one end of a pull request, as the payload of an event has it.
func side(ref, sha, repo string) map[string]any {
	return map[string]any{"ref": ref, "sha": sha, "repo": map[string]any{"full_name": repo}}
}

// payload is that of a push to the pull request, whose head is in a repository.
func (p *pull) payload(repo string) map[string]any {
	return map[string]any{
		"action": "synchronize", "number": 7, "sender": map[string]any{"login": "ada"}, "repository": repository(),
		"pull_request": map[string]any{
			"number": 7, "title": "Sell more", "user": map[string]any{"login": "ada"}, "labels": []any{},
			"head": side("topic", p.head(), repo), "base": side("main", p.base, "acme/shop"),
		},
	}
}

func repository() map[string]any {
	return map[string]any{"full_name": "acme/shop", "default_branch": "main"}
}

func (p *pull) head() string { p.t.Helper(); return p.repo.Git("rev-parse", "HEAD") }

// push runs the workflow for the head that the branch has now, and reports
// whether the job passed.
func (p *pull) push() (passed bool) {
	p.t.Helper()
	passed = p.act("pull_request", "gate.yml", p.payload("acme/shop"))
	p.outputs = nil
	data, err := os.ReadFile(p.path("outputs.json"))
	if err == nil {
		err = json.Unmarshal(data, &p.outputs)
	}
	if err != nil {
		p.t.Fatalf("the step behind the action saw no outputs: %v\n%s", err, p.log)
	}
	return passed
}

// act runs a workflow of the repository on an event, and reports whether all jobs
// passed.
func (p *pull) act(event, workflow string, payload map[string]any, more ...string) (passed bool) {
	p.t.Helper()
	data, err := json.Marshal(payload)
	if err == nil {
		err = os.WriteFile(p.path("event.json"), data, 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	args := []string{
		event, "-e", p.path("event.json"), "-W", ".github/workflows/" + workflow, "-P", "ubuntu-latest=-self-hosted",
		"--github-instance", instance, "--local-repository", "aigate/gate@main=" + p.path("action"), "--action-cache-path", p.path("cache"),
		"--no-cache-server", "--artifact-server-addr", "127.0.0.1", "--cache-server-addr", "127.0.0.1",
		"-s", "GITHUB_TOKEN=secret-token", "--env", "GITHUB_API_URL=" + p.srv.URL,
		"--env", "DOCKER_HOST=" + testenv.Docker(p.t), "--env", "OLLAMA_HOST=127.0.0.1:1", "--env", "GIT_CONFIG_NOSYSTEM=1",
	}
	cmd := exec.CommandContext(p.t.Context(), testenv.Act(p.t), append(args, more...)...)
	cmd.Dir = p.repo.Dir
	// Whatever would go out to a network ends at a port where no one listens.
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "XDG_CACHE_HOME=" + p.path("cache"), "XDG_CONFIG_HOME=" + p.path("config"),
		"HTTP_PROXY=http://127.0.0.1:1", "HTTPS_PROXY=http://127.0.0.1:1", "NO_PROXY=127.0.0.1",
	}
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	p.log = log.String()
	if strings.Contains(p.log, "secret-token") {
		p.t.Error("the token is in the log")
	}
	return err == nil
}

// check returns the check run of the head, the last one.
func (p *pull) check() githubtest.Check {
	p.t.Helper()
	var k githubtest.Check
	p.srv.Lock(func(s *githubtest.State) {
		if len(s.Checks) == 0 {
			p.t.Fatalf("no check run was published\n%s", p.log)
		}
		k = *s.Checks[len(s.Checks)-1]
	})
	return k
}

// comment returns the only comment of the pull request.
func (p *pull) comment() string {
	p.t.Helper()
	var body string
	p.srv.Lock(func(s *githubtest.State) {
		if len(s.Comments[7]) != 1 {
			p.t.Fatalf("%d comments, want 1\n%s", len(s.Comments[7]), p.log)
		}
		body = s.Comments[7][0].Body
	})
	return body
}

func (p *pull) wantOutputs(want map[string]string) {
	p.t.Helper()
	for name, value := range want {
		if p.outputs[name] != value {
			p.t.Errorf("output %s is %q, want %q", name, p.outputs[name], value)
		}
	}
}

// ownRule is a rule of the base commit, so that the number of findings depends on
// no rule of gate's own.
const ownRule = `rules:
  - id: own/sell-off
    severity: dangerous
    title: calls sell_off
    why: it gives the shop away
    instead: leave it alone
    languages: [python]
    patterns: ['\bsell_off\(']
`

func TestTheActionGatesAPullRequestInAWorkflow(t *testing.T) {
	testenv.Image(t, "python")
	p := newPull(t)
	p.repo.Write("shop/price.py", "def price(net):\n    return net * 119 // 100\n")
	p.repo.Commit("Add the price")
	p.repo.Write("shop/hello.py", "print('hello from the shop')\n")
	p.repo.Write("shop/payload.py", strings.Repeat("sell_off(1)\n\n\n\n\n", 120)) // far enough apart to be 120 harms
	p.repo.Commit("Sell more\n\nCo-Authored-By: Claude <noreply@anthropic.com>")

	if p.push() {
		t.Fatalf("the job passed, although a file is dangerous\n%s", p.log)
	}
	p.wantOutputs(map[string]string{"verdict": "DANGEROUS", "decision": "block", "files": "3", "dangerous": "1", "result-file": p.path("result.json")})
	if len(p.outputs) != 9 || slices.Contains(slices.Collect(maps.Values(p.outputs)), "") {
		t.Errorf("outputs %q, want nine that all say something", p.outputs)
	}
	k := p.check()
	if k.Name != github.CheckName || k.Conclusion != "failure" || k.HeadSHA != p.head() {
		t.Errorf("check %s of %s: %s", k.Name, k.HeadSHA, k.Conclusion)
	}
	if len(k.Annotations) != 120 || k.Requests != 3 {
		t.Errorf("%d annotations in %d requests, want 120 in 3", len(k.Annotations), k.Requests)
	}
	if first := p.comment(); !strings.Contains(first, "payload.py") || !strings.HasPrefix(first, github.Marker) {
		t.Errorf("the comment does not name the dangerous file:\n%s", first)
	}
	for file, who := range map[string]string{"shop/hello.py": "claude-code", "shop/payload.py": "claude-code", "shop/price.py": "unknown"} {
		row := regexp.MustCompile("(?m)^\\| .*" + regexp.QuoteMeta(file) + ".*\\| .?" + who)
		if !row.MatchString(p.comment()) {
			t.Errorf("the comment does not say %s of %s:\n%.3000s", who, file, p.comment())
		}
	}
	p.wantRan("shop/hello.py", "hello from the shop")

	p.repo.Write("shop/payload.py", "print('repaired')\n")
	p.repo.Commit("Repair it")
	if !p.push() {
		t.Fatalf("the job failed, although the change is fixed\n%s", p.log)
	}
	p.wantOutputs(map[string]string{"verdict": "SAFE", "decision": "pass", "dangerous": "0", "incomplete": "0"})
	if k := p.check(); k.Conclusion != "success" || k.HeadSHA != p.head() {
		t.Errorf("check of %s: %s", k.HeadSHA, k.Conclusion)
	}
	if second := p.comment(); strings.Contains(second, "DANGEROUS") {
		t.Errorf("the comment was not updated:\n%s", second)
	}
	if created, updated := p.srv.Count(http.MethodPost, "/issues/7/comments"), p.srv.Count(http.MethodPatch, "/issues/comments/"); created != 1 || updated != 1 {
		t.Errorf("the comment was created %d times and updated %d times, want once each", created, updated)
	}
	p.wantRan("shop/payload.py", "repaired")
}

// wantRan wants the result to say that a file ran in a container and ended well.
func (p *pull) wantRan(path, printed string) {
	p.t.Helper()
	data, err := os.ReadFile(p.path("result.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	var res struct {
		Files []struct {
			Path      string
			Execution json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &res); err != nil {
		p.t.Fatal(err)
	}
	for _, f := range res.Files {
		if f.Path == path {
			if !strings.Contains(string(f.Execution), `"exited"`) || !strings.Contains(string(f.Execution), printed) {
				p.t.Errorf("%s did not run in a container: %s", path, f.Execution)
			}
			return
		}
	}
	p.t.Errorf("the result has no file %s", path)
}
