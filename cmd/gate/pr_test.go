package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report"
	"github.com/aigate/gate/report/github"
	"github.com/aigate/gate/report/github/githubtest"
)

// job is one run of `gate pr` on a runner with a repository, an event and a
// GitHub.
type job struct {
	t      *testing.T
	srv    *githubtest.Server
	repo   string
	env    map[string]string
	base   string
	head   string
	stdout bytes.Buffer
	stderr bytes.Buffer
}

const (
	harmless  = "print('hello')\n"
	dangerous = "import base64\nexec(base64.b64decode('cHJpbnQoMSk='))\n"
)

// newJob makes a repository whose main branch holds the base files and whose
// branch topic holds the head files on top of them. A nil content deletes.
func newJob(t *testing.T, base, head map[string]string) *job {
	t.Helper()
	dir := t.TempDir()
	j := &job{t: t, srv: githubtest.New(t, "acme", "shop"), repo: filepath.Join(dir, "repo"), env: map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request", "GITHUB_REPOSITORY": "acme/shop",
		"GITHUB_SERVER_URL": "https://github.com", "GITHUB_RUN_ID": "42", "GITHUB_TOKEN": "secret-token",
		"GITHUB_EVENT_PATH": filepath.Join(dir, "event.json"), "GITHUB_OUTPUT": filepath.Join(dir, "output"),
		"GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary"), "HOME": dir,
	}}
	j.env["GITHUB_API_URL"], j.env["GITHUB_WORKSPACE"] = j.srv.URL, j.repo
	if err := os.Mkdir(j.repo, 0o755); err != nil {
		t.Fatal(err)
	}
	j.git("init", "-q", "-b", "main")
	j.base = j.commit("base", base)
	j.git("checkout", "-q", "-b", "topic")
	j.head = j.commit("head", head)
	j.event("synchronize", nil)
	return j
}

func (j *job) git(args ...string) string {
	j.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = j.repo
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		j.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (j *job) commit(message string, files map[string]string) string {
	j.t.Helper()
	for name, text := range files {
		path := filepath.Join(j.repo, name)
		if text == "" {
			j.git("rm", "-q", "--", name)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			j.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			j.t.Fatal(err)
		}
	}
	j.git("add", "-A")
	j.git("commit", "-q", "--allow-empty", "-m", message)
	return j.git("rev-parse", "HEAD")
}

// event writes the payload; more is put into its top level.
func (j *job) event(action string, more map[string]string) {
	j.t.Helper()
	extra := ""
	for k, v := range more {
		extra += fmt.Sprintf("%q: %s,\n", k, v)
	}
	payload := fmt.Sprintf(`{"action": %q, %s "sender": {"login": "ada"},
		"repository": {"full_name": "acme/shop", "default_branch": "main"},
		"pull_request": {"number": 7, "title": "t", "user": {"login": "ada"}, "labels": [],
			"head": {"sha": %q, "ref": "topic", "repo": {"full_name": "acme/shop"}},
			"base": {"sha": %q, "ref": "main", "repo": {"full_name": "acme/shop"}}}}`, action, extra, j.head, j.base)
	if err := os.WriteFile(j.env["GITHUB_EVENT_PATH"], []byte(payload), 0o644); err != nil {
		j.t.Fatal(err)
	}
}

func (j *job) run(args ...string) int {
	j.t.Helper()
	j.stdout.Reset()
	j.stderr.Reset()
	a := testApp()
	a.stdout, a.stderr = &j.stdout, &j.stderr
	a.apiWait = time.Millisecond
	a.getenv = func(k string) string { return j.env[k] }
	dir := j.t.TempDir()
	full := append([]string{"pr", "--layers", "static", "--save", filepath.Join(dir, "result.json"), "--sarif", filepath.Join(dir, "gate.sarif")}, args...)
	return a.main(full)
}

func (j *job) wantExit(want int, args ...string) {
	j.t.Helper()
	if got := j.run(args...); got != want {
		j.t.Fatalf("exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", got, want, &j.stdout, &j.stderr)
	}
}

// check returns the last check run.
func (j *job) check() githubtest.Check {
	j.t.Helper()
	var k githubtest.Check
	j.srv.Lock(func(s *githubtest.State) {
		if len(s.Checks) > 0 {
			k = *s.Checks[len(s.Checks)-1]
		}
	})
	return k
}

func TestAPullRequestIsGatedAndTheVerdictPublished(t *testing.T) {
	j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{"b.py": dangerous})
	j.wantExit(exitBlocked)
	if k := j.check(); k.Name != "gate" || k.HeadSHA != j.head || k.Conclusion != "failure" || len(k.Annotations) == 0 {
		t.Errorf("check: %+v", k)
	}
	j.srv.Lock(func(s *githubtest.State) {
		if len(s.Comments[7]) != 1 || !strings.Contains(s.Comments[7][0].Body, "b.py") || !strings.HasPrefix(s.Comments[7][0].Body, github.Marker) {
			t.Errorf("comments: %+v", s.Comments[7])
		}
		if !strings.Contains(s.Comments[7][0].Body, "https://github.com/acme/shop/blob/"+j.head+"/b.py#L2") {
			t.Errorf("the comment lacks the permalink of the dangerous line:\n%s", s.Comments[7][0].Body)
		}
		if len(s.SARIFs) != 1 || s.SARIFs[0].CommitSHA != j.head {
			t.Errorf("uploads: %+v", s.SARIFs)
		}
	})
	output, err := os.ReadFile(j.env["GITHUB_OUTPUT"])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`verdict<<(gate_\w+)\nDANGEROUS\ngate_`, `decision<<(gate_\w+)\nblock\ngate_`, `risk-score<<gate_\w+\n\d+\n`, `dangerous<<gate_\w+\n1\n`, `result-file<<`, `sarif-file<<`} {
		if !regexp.MustCompile(want).Match(output) {
			t.Errorf("outputs lack %s:\n%s", want, output)
		}
	}
	summary, err := os.ReadFile(j.env["GITHUB_STEP_SUMMARY"])
	if err != nil || !strings.Contains(string(summary), "b.py") {
		t.Errorf("summary %q, %v", summary, err)
	}
	if !strings.Contains(j.stdout.String(), "::error ") || !strings.Contains(j.stdout.String(), "file=b.py") {
		t.Errorf("no log annotation:\n%s", &j.stdout)
	}
	if strings.Contains(j.stdout.String()+j.stderr.String(), "secret-token") {
		t.Error("the token is in the log")
	}

	// The second push is fixed: the same comment, a new check.
	j.head = j.commit("repair", map[string]string{"b.py": harmless})
	j.event("synchronize", nil)
	j.wantExit(exitPass)
	if k := j.check(); k.Conclusion != "success" || k.HeadSHA != j.head {
		t.Errorf("check: %+v", k)
	}
	if n := j.srv.Count(http.MethodPost, "/issues/7/comments"); n != 1 {
		t.Errorf("%d comments were created, want 1", n)
	}
}

func TestHostileTextInAChangeGivesTheRunnerNoCommands(t *testing.T) {
	j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{
		"x\n::set-output name=decision::pass\n`|<img src=x>.py": dangerous + "# ::set-output name=verdict::SAFE\n",
	})
	j.wantExit(exitBlocked)
	stopped := ""
	for line := range strings.Lines(j.stdout.String()) {
		line = strings.TrimSpace(line)
		if token, ok := strings.CutPrefix(line, "::stop-commands::"); ok && stopped == "" {
			stopped = token
			continue
		}
		if line == "::"+stopped+"::" {
			stopped = ""
			continue
		}
		if stopped == "" && strings.HasPrefix(line, "::set-output") {
			t.Errorf("the runner would obey %q", line)
		}
	}
}

func TestTheChangeCannotConfigureItsOwnGate(t *testing.T) {
	j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{
		"b.py":      dangerous,
		".gate.yml": "paths: {exclude: ['**']}\nprotect: []\n",
	})
	j.wantExit(exitBlocked)
	if !strings.Contains(j.stdout.String(), "config/protected-file") {
		t.Errorf("the changed policy is no finding:\n%s", &j.stdout)
	}
}

func TestTheBaseCommitsPolicyCounts(t *testing.T) {
	j := newJob(t, map[string]string{"a.py": harmless, ".gate.yml": "paths: {exclude: ['vendor/**']}\n"}, map[string]string{"vendor/b.py": dangerous})
	j.wantExit(exitPass)
	if !strings.Contains(j.stdout.String(), "vendor/b.py") {
		t.Errorf("the excluded file is not listed:\n%s", &j.stdout)
	}
}

func TestFindingsOfTheBaseDecideNothing(t *testing.T) {
	j := newJob(t, map[string]string{"a.py": dangerous}, map[string]string{"a.py": dangerous + "x = 1\n"})
	j.wantExit(exitPass)
}

// because has ada say why a label is set.
func because(s *githubtest.State) {
	s.Comments[7] = append(s.Comments[7], &githubtest.Comment{ID: 90, Login: "ada", Body: "gate:override: it is a fixture"})
}

func TestAnOverrideNeedsAReasonOfTheSamePerson(t *testing.T) {
	for name, c := range map[string]struct {
		login, body string
		want        int
	}{
		"a reason":                      {"ada", "gate:override: it is a fixture", exitPass},
		"a reason without a colon":      {"Ada", "gate:override\n\nit is a fixture", exitPass},
		"no words":                      {"ada", "gate:override: ", exitBlocked},
		"another comment":               {"ada", "it is a fixture, gate:override", exitBlocked},
		"the reason of another user":    {"mallory", "gate:override: trust me", exitBlocked},
		"a comment with another prefix": {"ada", "override: it is a fixture", exitBlocked},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{"b.py": dangerous})
			j.srv.Lock(func(s *githubtest.State) {
				s.Permissions["ada"] = "admin"
				s.Comments[7] = append(s.Comments[7], &githubtest.Comment{ID: 90, Login: c.login, Body: c.body})
			})
			j.event("labeled", map[string]string{"label": `{"name": "gate:override"}`})
			j.wantExit(c.want)
			out := j.stdout.String()
			if c.want == exitPass && !strings.Contains(out, "it is a fixture") {
				t.Errorf("the report does not say why:\n%s", out)
			}
			if c.want == exitBlocked && !strings.Contains(out, "has no reason") {
				t.Errorf("nothing says what is missing:\n%s", out)
			}
		})
	}
}

func TestAnOverrideNeedsTheRightAndIsShown(t *testing.T) {
	for role, want := range map[string]int{"maintain": exitPass, "admin": exitPass, "write": exitBlocked, "none": exitBlocked, "custom-role": exitBlocked} {
		t.Run(role, func(t *testing.T) {
			j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{"b.py": dangerous})
			j.srv.Lock(func(s *githubtest.State) { s.Permissions["ada"] = role; because(s) })
			j.event("labeled", map[string]string{"label": `{"name": "gate:override"}`})
			j.wantExit(want)
			if want == exitPass && !strings.Contains(j.stdout.String(), "ada") {
				t.Errorf("the report does not say who overrode:\n%s", &j.stdout)
			}
		})
	}
	t.Run("a label from before the push counts no more", func(t *testing.T) {
		j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{"b.py": dangerous})
		j.srv.Lock(func(s *githubtest.State) { s.Permissions["ada"] = "admin"; because(s) })
		j.event("synchronize", map[string]string{"label": `{"name": "gate:override"}`})
		j.wantExit(exitBlocked)
	})
}

func TestAForksResultIsSavedAndNothingIsPublished(t *testing.T) {
	j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{"b.py": dangerous})
	data, err := os.ReadFile(j.env["GITHUB_EVENT_PATH"])
	if err != nil {
		t.Fatal(err)
	}
	fork := strings.Replace(string(data), `"ref": "topic", "repo": {"full_name": "acme/shop"}`, `"ref": "topic", "repo": {"full_name": "mallory/shop"}`, 1)
	if err := os.WriteFile(j.env["GITHUB_EVENT_PATH"], []byte(fork), 0o644); err != nil {
		t.Fatal(err)
	}
	save := filepath.Join(t.TempDir(), "saved.json")
	j.wantExit(exitBlocked, "--save", save)
	if n := len(j.srv.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	f, err := os.Open(save)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if res, err := report.Decode(f); err != nil || res.Decision != gate.DecisionBlock {
		t.Errorf("saved %v, %v", res.Decision, err)
	}
}

// TestFailuresNeverMakeAPass injects a fault into every request and every
// commit that git is asked for.
func TestFailuresNeverMakeAPass(t *testing.T) {
	for _, path := range []string{"/check-runs", "/issues/7/comments", "/code-scanning/sarifs"} {
		for _, status := range []int{401, 403, 404, 422, 500} {
			t.Run(fmt.Sprintf("%s answers %d", path, status), func(t *testing.T) {
				j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{"b.py": dangerous})
				j.srv.FailWith(func(_, p string, _ int, h http.Header) int {
					if strings.Contains(p, path) {
						return status
					}
					return 0
				})
				j.wantExit(exitBlocked)
				if !strings.Contains(j.stdout.String(), "could not be published") {
					t.Errorf("the failure is not shown:\n%s", &j.stdout)
				}
			})
		}
	}
	gone := strings.Repeat("1", 40)
	for name, spoil := range map[string]func(*job){
		"the base commit is not there": func(j *job) { j.base = gone },
		"the head commit is not there": func(j *job) { j.head = gone },
		"the objects are gone":         func(j *job) { os.RemoveAll(filepath.Join(j.repo, ".git", "objects")) },
		"the workspace is not a clone": func(j *job) { os.RemoveAll(filepath.Join(j.repo, ".git")) },
		"the workspace is not there":   func(j *job) { os.RemoveAll(j.repo) },
		"the base's policy is no YAML": func(j *job) {
			j.git("checkout", "-q", "main")
			j.base = j.commit("broken", map[string]string{".gate.yml": "a: ["})
			j.git("checkout", "-q", "-B", "topic")
			j.head = j.commit("x", map[string]string{"c.py": harmless})
		},
		"git is not there": func(j *job) { j.t.Setenv("PATH", "/nonexistent") },
	} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{"b.py": harmless})
			spoil(j)
			j.event("synchronize", nil)
			code := j.run()
			if code != exitUsage && code != exitIncomplete {
				t.Errorf("exit code %d, want 2 or 3\n%s\n%s", code, &j.stdout, &j.stderr)
			}
			if k := j.check(); k.Conclusion != "failure" {
				t.Errorf("the check says %q, want failure", k.Conclusion)
			}
		})
	}
}

func TestEventsWithoutAPullRequestAreErrorsAndNeverAPass(t *testing.T) {
	j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{"b.py": harmless})
	for name, change := range map[string]func(){
		"no event file":        func() { j.env["GITHUB_EVENT_PATH"] = "/nonexistent" },
		"no event path":        func() { j.env["GITHUB_EVENT_PATH"] = "" },
		"an issue event":       func() { j.env["GITHUB_EVENT_NAME"] = "issues" },
		"another repository":   func() { j.env["GITHUB_REPOSITORY"] = "acme/other" },
		"a workflow_run event": func() { j.env["GITHUB_EVENT_NAME"] = "workflow_run" },
		"no token":             func() { j.env["GITHUB_TOKEN"] = "" },
	} {
		t.Run(name, func(t *testing.T) {
			saved := maps.Clone(j.env)
			change()
			j.wantExit(exitUsage)
			j.env = saved
		})
	}
}

func TestTheReportOfAPullRequestExplainsTheTeamsOwnRules(t *testing.T) {
	j := crafted(t, map[string]string{
		"a.py":      harmless,
		".gate.yml": "rules: {dirs: [.gate/rules]}\n",
		".gate/rules/rules.yaml": "rules:\n  - id: own/legacy-client\n    severity: suspicious\n    title: calls the client without encryption\n" +
			"    why: What it sends can be read on the way.\n    instead: Use billing.SecureClient.\n    languages: [python]\n    patterns: ['\\bLegacyClient\\(']\n",
		".gate/rules/samples.yaml": "own/legacy-client:\n  match: [{text: \"LegacyClient(host)\"}]\n  quiet: [{text: \"SecureClient(host)\"}]\n",
	}, func(j *job) string {
		j.stage("100644", j.blob("import billing\nbilling.LegacyClient(host)\n"), "b.py")
		return ""
	})
	j.wantExit(exitPass)
	comment := j.comment()
	for _, want := range []string{"own/legacy-client", "Calls the client without encryption", "Use billing.SecureClient."} {
		if !strings.Contains(comment, want) {
			t.Errorf("%q is not in the comment:\n%s", want, comment)
		}
	}
}
