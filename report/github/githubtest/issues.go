package githubtest

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// Issue is one issue, or what the list of issues shows of a pull request.
type Issue struct {
	Number      int
	Login       string
	Title, Body string
	State       string // "open" or "closed"
	StateReason string
	Pull        bool
}

func (i *Issue) json(s *Server) map[string]any {
	out := map[string]any{
		"number": i.Number, "title": i.Title, "body": i.Body, "state": i.State, "user": map[string]any{"login": i.Login},
		"html_url": fmt.Sprintf("https://github.com/%s/%s/issues/%d", s.State.Owner, s.State.Repo, i.Number),
	}
	if i.Pull {
		out["pull_request"] = map[string]any{"url": "https://api.github.com/pulls"}
	}
	return out
}

// issues lists issues or opens one.
func (s *Server) issues(w http.ResponseWriter, r *http.Request, in map[string]any) {
	if r.Method == http.MethodGet {
		q := r.URL.Query()
		out := []map[string]any{}
		for _, i := range s.State.Issues {
			if (q.Get("state") == "all" || i.State == orElse(q.Get("state"), "open")) && (q.Get("creator") == "" || strings.EqualFold(q.Get("creator"), i.Login)) {
				out = append(out, i.json(s))
			}
		}
		answer(w, http.StatusOK, page(w, r, out))
		return
	}
	s.nextID++
	i := &Issue{Number: int(s.nextID), Login: s.State.Login, State: "open"}
	if s.set(w, i, in) {
		s.State.Issues = append(s.State.Issues, i)
		answer(w, http.StatusCreated, i.json(s))
	}
}

// issue changes one.
func (s *Server) issue(w http.ResponseWriter, number int, in map[string]any) {
	for _, i := range s.State.Issues {
		if i.Number == number {
			if s.set(w, i, in) {
				answer(w, http.StatusOK, i.json(s))
			}
			return
		}
	}
	reject(w, http.StatusNotFound, "Not Found")
}

// set takes over what a request says; it answers where GitHub refuses it.
func (s *Server) set(w http.ResponseWriter, i *Issue, in map[string]any) bool {
	if body, ok := in["body"].(string); ok && utf8.RuneCountInString(body) > maxBody {
		reject(w, http.StatusUnprocessableEntity, "body is too long (maximum is 65536 characters)")
		return false
	}
	for key, to := range map[string]*string{"title": &i.Title, "body": &i.Body, "state": &i.State, "state_reason": &i.StateReason} {
		if text, ok := in[key].(string); ok {
			*to = text
		}
	}
	return true
}

func orElse(s, or string) string {
	if s == "" {
		return or
	}
	return s
}
