package github

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/report/github/githubtest"
)

func TestAnAlarmIsOneIssueUntilItIsOver(t *testing.T) {
	srv, c := client(t, 0)
	if url, err := c.AllClear(t.Context(), "fine"); err != nil || url != "" {
		t.Errorf("with no issue: %q, %v", url, err)
	}
	for _, text := range []string{"one is missed", "two are missed"} {
		if url, err := c.Alarm(t.Context(), "worse", text); err != nil || url == "" {
			t.Fatalf("%q, %v", url, err)
		}
	}
	srv.Lock(func(s *githubtest.State) {
		if len(s.Issues) != 1 || s.Issues[0].State != "open" || s.Issues[0].Body != AlarmMarker+"\ntwo are missed" || s.Issues[0].Title != "worse" {
			t.Fatalf("%+v", s.Issues)
		}
	})
	if url, err := c.AllClear(t.Context(), "all is well"); err != nil || url == "" {
		t.Fatalf("%q, %v", url, err)
	}
	srv.Lock(func(s *githubtest.State) {
		i := s.Issues[0]
		if i.State != "closed" || i.StateReason != "completed" || len(s.Comments[i.Number]) != 1 || s.Comments[i.Number][0].Body != "all is well" {
			t.Errorf("%+v, %+v", i, s.Comments[i.Number])
		}
	})
	// What comes back later is another issue.
	if _, err := c.Alarm(t.Context(), "worse", "again"); err != nil {
		t.Fatal(err)
	}
	srv.Lock(func(s *githubtest.State) {
		if len(s.Issues) != 2 || s.Issues[0].State != "closed" || s.Issues[1].State != "open" {
			t.Errorf("%+v", s.Issues)
		}
	})
}

func TestOtherUsersIssuesAreNotTouched(t *testing.T) {
	for name, other := range map[string]githubtest.Issue{
		"with our marker by another user":      {Login: "mallory", Body: AlarmMarker + "\nx"},
		"with our marker further down":         {Login: "github-actions[bot]", Body: "x\n" + AlarmMarker},
		"that is closed":                       {Login: "github-actions[bot]", Body: AlarmMarker, State: "closed"},
		"that is a pull request of the author": {Login: "github-actions[bot]", Body: AlarmMarker, Pull: true},
	} {
		t.Run(name, func(t *testing.T) {
			srv, c := client(t, 0)
			other.Number, other.Title = 5, "theirs"
			if other.State == "" {
				other.State = "open"
			}
			was := other
			srv.Lock(func(s *githubtest.State) { s.Issues = append(s.Issues, &other) })
			if url, err := c.AllClear(t.Context(), "fine"); err != nil || url != "" {
				t.Errorf("it was closed: %q, %v", url, err)
			}
			if _, err := c.Alarm(t.Context(), "worse", "text"); err != nil {
				t.Fatal(err)
			}
			srv.Lock(func(s *githubtest.State) {
				if len(s.Issues) != 2 || *s.Issues[0] != was || len(s.Comments[5]) != 0 {
					t.Errorf("%+v", *s.Issues[0])
				}
			})
		})
	}
}

func TestTheIssueIsFoundBehindManyOthers(t *testing.T) {
	srv, c := client(t, 0)
	srv.Lock(func(s *githubtest.State) {
		for i := range 250 {
			s.Issues = append(s.Issues, &githubtest.Issue{Number: i + 1, Login: "github-actions[bot]", Body: "another bot's", State: "open"})
		}
		s.Issues[240].Body = AlarmMarker
	})
	if url, err := c.Alarm(t.Context(), "worse", "text"); err != nil || !strings.HasSuffix(url, "/241") {
		t.Errorf("%q, %v", url, err)
	}
}

func TestAnIssueThatMayHaveBeenOpenedIsNotOpenedTwice(t *testing.T) {
	srv, c := client(t, time.Millisecond)
	srv.FailWith(func(method, path string, attempt int, _ http.Header) int {
		if method == http.MethodPost && strings.HasSuffix(path, "/issues") && attempt == 1 {
			srv.State.Issues = append(srv.State.Issues, &githubtest.Issue{Number: 9, Login: "github-actions[bot]", Body: AlarmMarker, State: "open"})
			return http.StatusBadGateway
		}
		return 0
	})
	if url, err := c.Alarm(t.Context(), "worse", "text"); err != nil || !strings.HasSuffix(url, "/9") {
		t.Errorf("%q, %v", url, err)
	}
	srv.Lock(func(s *githubtest.State) {
		if len(s.Issues) != 1 || s.Issues[0].Title != "worse" {
			t.Errorf("%+v", s.Issues)
		}
	})
}

func TestAnAlarmThatCannotBeRaisedIsAnErrorThatSaysWhatIsMissing(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		srv, c := client(t, time.Millisecond)
		srv.FailWith(func(m, _ string, _ int, _ http.Header) int {
			if m == method {
				return http.StatusForbidden
			}
			return 0
		})
		if _, err := c.Alarm(t.Context(), "worse", "text"); err == nil || !strings.Contains(err.Error(), "lacks a permission") {
			t.Errorf("%s: %v", method, err)
		}
	}
}
