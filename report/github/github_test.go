package github

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/github/githubtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func client(t *testing.T, maxWait time.Duration) (*githubtest.Server, *Client) {
	t.Helper()
	srv := githubtest.New(t, "acme", "shop")
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := New(Options{Token: "t", BaseURL: srv.URL, Owner: "acme", Repo: "shop", MaxWait: maxWait, HTTP: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	return srv, c
}

func result(findings int) gate.Result {
	f := gate.FileResult{Path: "a.py", Change: gate.ChangeAdded}
	for i := range findings {
		f.Findings = append(f.Findings, gate.Finding{Rule: "shell-out/x", Layer: gate.LayerStatic, Severity: gate.SeverityDangerous, Line: 10*i + 1, EndLine: 10*i + 1, Message: "m", Evidence: "e", InChange: true})
	}
	return gate.Result{Decision: gate.DecisionBlock, Verdict: gate.Dangerous, Files: []gate.FileResult{f}}
}

func publication(findings int) Publication {
	return Publication{
		PullRequest: 7, HeadSHA: strings.Repeat("a", 40), Ref: "refs/pull/7/merge", Result: result(findings),
		Title: "DANGEROUS", Comment: "the verdict", Summary: "the summary", SARIF: []byte("{}"),
		Wanted: gate.ReportPolicy{Comment: true, Check: true, SARIF: true},
	}
}

func mustPublish(t *testing.T, c *Client, p Publication) {
	t.Helper()
	for _, part := range c.Publish(t.Context(), p) {
		if part.Err != nil {
			t.Errorf("%s: %v", part.Name, part.Err)
		}
		if part.URL == "" {
			t.Errorf("%s has no address", part.Name)
		}
	}
}

func TestTheCommentIsCreatedOnceAndThenUpdated(t *testing.T) {
	srv, c := client(t, 0)
	mustPublish(t, c, publication(1))
	p := publication(1)
	p.Comment = "the second verdict"
	mustPublish(t, c, p)
	srv.Lock(func(s *githubtest.State) {
		if len(s.Comments[7]) != 1 || s.Comments[7][0].Body != Marker+"\nthe second verdict" {
			t.Errorf("comments: %+v", s.Comments[7])
		}
	})
	if n := srv.Count("POST", "/comments"); n != 1 {
		t.Errorf("created %d comments, want 1", n)
	}
}

func TestACommentThatAnotherUserMarkedIsNotTouched(t *testing.T) {
	srv, c := client(t, 0)
	srv.Lock(func(s *githubtest.State) {
		for i := range 130 { // gate's own is on the second page
			s.Comments[7] = append(s.Comments[7], &githubtest.Comment{ID: int64(i), Login: "mallory", Body: Marker + "\nforged: SAFE"})
		}
		s.Comments[7] = append(s.Comments[7], &githubtest.Comment{ID: 500, Login: "github-actions[bot]", Body: Marker + "\nold"})
	})
	mustPublish(t, c, publication(1))
	srv.Lock(func(s *githubtest.State) {
		if len(s.Comments[7]) != 131 || s.Comments[7][0].Body != Marker+"\nforged: SAFE" || !strings.HasSuffix(s.Comments[7][130].Body, "the verdict") {
			t.Errorf("%d comments, first %q, last %q", len(s.Comments[7]), s.Comments[7][0].Body, s.Comments[7][len(s.Comments[7])-1].Body)
		}
	})
}

func TestACommentThatWasCreatedByAFailedRequestIsNotCreatedTwice(t *testing.T) {
	srv, c := client(t, 0)
	srv.FailWith(func(method, path string, attempt int, _ http.Header) int {
		if method == "POST" && strings.HasSuffix(path, "/comments") && attempt == 1 {
			srv.State.Comments[7] = append(srv.State.Comments[7], &githubtest.Comment{ID: 1, Login: "github-actions[bot]", Body: Marker + "\nhalf"})
			return http.StatusBadGateway
		}
		return 0
	})
	mustPublish(t, c, publication(1))
	srv.Lock(func(s *githubtest.State) {
		if len(s.Comments[7]) != 1 || !strings.HasSuffix(s.Comments[7][0].Body, "the verdict") {
			t.Errorf("comments: %+v", s.Comments[7])
		}
	})
}

func TestAnnotationsGoOutInBatchesOfFifty(t *testing.T) {
	for _, tt := range []struct{ findings, requests int }{{0, 1}, {50, 1}, {51, 2}, {120, 3}} {
		t.Run(fmt.Sprint(tt.findings), func(t *testing.T) {
			srv, c := client(t, 0)
			mustPublish(t, c, publication(tt.findings))
			srv.Lock(func(s *githubtest.State) {
				k := s.Checks[0]
				if len(s.Checks) != 1 || len(k.Annotations) != tt.findings || k.Requests != tt.requests || k.Status != "completed" || k.Conclusion != "failure" {
					t.Errorf("%d checks; %d annotations in %d requests, %s/%s", len(s.Checks), len(k.Annotations), k.Requests, k.Status, k.Conclusion)
				}
			})
		})
	}
}

func TestACheckWhosePublicationBreaksOffIsNotCompleted(t *testing.T) {
	srv, c := client(t, time.Millisecond)
	srv.FailWith(func(method, path string, _ int, _ http.Header) int {
		if method == "PATCH" && strings.Contains(path, "/check-runs/") {
			return http.StatusInternalServerError
		}
		return 0
	})
	parts := c.Publish(t.Context(), publication(120))
	if parts[0].Err == nil || parts[1].Err != nil || parts[2].Err != nil {
		t.Errorf("parts: %+v", parts)
	}
	srv.Lock(func(s *githubtest.State) {
		if s.Checks[0].Status == "completed" || s.Checks[0].Conclusion != "" {
			t.Errorf("check %s/%s, want it in progress", s.Checks[0].Status, s.Checks[0].Conclusion)
		}
	})
}

func TestSuccessMeansAPass(t *testing.T) {
	for d, want := range map[gate.Decision]string{
		gate.DecisionPass: "success", gate.DecisionBlock: "failure",
		gate.DecisionIncomplete: "failure", gate.DecisionUnknown: "failure", 99: "failure",
	} {
		if got := conclusion(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestFaultsOfEachPartAreShownAndStopNoOther(t *testing.T) {
	paths := map[string]string{"check": "/check-runs", "comment": "/issues/7/comments", "code scanning": "/code-scanning/sarifs"}
	for name, part := range paths {
		for _, status := range []int{401, 403, 404, 422, 500, 502, 503} {
			t.Run(fmt.Sprintf("%s answers %d", name, status), func(t *testing.T) {
				srv, c := client(t, time.Millisecond)
				srv.FailWith(func(_, path string, _ int, _ http.Header) int {
					if strings.Contains(path, part) {
						return status
					}
					return 0
				})
				for _, p := range c.Publish(t.Context(), publication(3)) {
					if failed := p.Err != nil; failed != (p.Name == name) {
						t.Errorf("%s: %v", p.Name, p.Err)
					}
				}
			})
		}
	}
}

func TestARateLimitIsWaitedFor(t *testing.T) {
	for name, header := range map[string][2]string{
		"secondary limit": {"Retry-After", "0"},
		"primary limit":   {"X-RateLimit-Remaining", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			srv, c := client(t, 10*time.Second)
			srv.FailWith(func(method, path string, attempt int, h http.Header) int {
				if method == "POST" && strings.HasSuffix(path, "/check-runs") && attempt == 1 {
					h.Set(header[0], header[1])
					return http.StatusForbidden
				}
				return 0
			})
			mustPublish(t, c, publication(1))
		})
	}
}

func TestARateLimitThatLastsTooLongIsAFailureAtOnce(t *testing.T) {
	srv, c := client(t, time.Second)
	srv.FailWith(func(_, path string, _ int, h http.Header) int {
		if strings.HasSuffix(path, "/check-runs") {
			h.Set("Retry-After", "3600")
			return http.StatusTooManyRequests
		}
		return 0
	})
	parts := c.Publish(t.Context(), publication(1))
	if parts[0].Err == nil {
		t.Error("the check was published")
	}
	if n := srv.Count("POST", "/check-runs"); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestAPermissionIsTheFineOne(t *testing.T) {
	srv, c := client(t, 0)
	srv.Lock(func(s *githubtest.State) { s.Permissions["ada"] = "maintain" })
	for login, want := range map[string]string{"ada": "maintain", "mallory": "none"} {
		if got, err := c.Permission(t.Context(), login); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", login, got, err, want)
		}
	}
}

func TestAPermalinkCannotLeaveTheRepository(t *testing.T) {
	link := Permalink("https://github.com/", "acme/shop", "abc")
	for path, want := range map[string]string{
		"a.py":       "https://github.com/acme/shop/blob/abc/a.py#L3",
		"a b/ü?#.py": "https://github.com/acme/shop/blob/abc/a%20b/%C3%BC%3F%23.py#L3",
		"x)\n[y](z":  "https://github.com/acme/shop/blob/abc/x%29%0A%5By%5D%28z#L3",
	} {
		if got := link(path, 3); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}

func TestOptionsThatCannotWorkAreRefused(t *testing.T) {
	good := Options{Token: "t", BaseURL: "https://api.github.com", Owner: "a", Repo: "b"}
	for name, change := range map[string]func(*Options){
		"no token":             func(o *Options) { o.Token = "" },
		"a host without http":  func(o *Options) { o.BaseURL = "api.github.com" },
		"an owner with a path": func(o *Options) { o.Owner = "a/../b" },
		"no repository":        func(o *Options) { o.Repo = "" },
	} {
		o := good
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
}
