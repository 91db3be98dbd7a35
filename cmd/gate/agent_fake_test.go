package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// scripted is an Ollama server whose model writes the programs of a script, one a
// question, and judges all code safe. What its answers look like is that of the
// fake in package judge, which is compared with a real server there.
type scripted struct {
	*httptest.Server
	mu      sync.Mutex
	answers []string
	asked   [][]said // conversations about programs
}

type said struct{ Role, Content string }

// newScripted starts a server. The last answer is given again and again.
func newScripted(t *testing.T, answers ...string) *scripted {
	t.Helper()
	s := &scripted{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// wrote is an answer with a program.
func wrote(language, code string) string {
	text, _ := json.Marshal(map[string]string{"language": language, "file": "task", "code": code, "notes": "As asked."})
	return string(text)
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/version":
		fmt.Fprint(w, `{"version":"0.9.6"}`)
	case "/api/tags":
		fmt.Fprint(w, `{"models":[{"name":"writer:1b","model":"writer:1b","modified_at":"2026-01-02T03:04:05Z","size":9,"digest":"d","details":{"format":"gguf","family":"qwen2"}}]}`)
	case "/api/show":
		fmt.Fprint(w, `{"template":"","details":{"family":"qwen2"},"model_info":{"general.architecture":"qwen2","qwen2.context_length":32768},"modified_at":"2026-01-02T03:04:05Z"}`)
	case "/api/ps":
		fmt.Fprint(w, `{"models":[]}`)
	case "/api/chat":
		s.chat(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *scripted) chat(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Messages []said
		Format   json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, `{"error":"bad request"}`, http.StatusBadRequest)
		return
	}
	answer, reason, tokens := "", "stop", 0
	for _, m := range q.Messages {
		tokens += 2 + len(m.Content)/4
	}
	switch {
	case len(q.Messages) == 0:
		reason = "load"
	case strings.Contains(string(q.Format), "verdict"):
		answer = `{"evidence":[],"reason":"harmless","dangerous_lines":[],"verdict":"safe"}`
	default:
		s.mu.Lock()
		answer = s.answers[min(len(s.asked), len(s.answers)-1)]
		s.asked = append(s.asked, q.Messages)
		s.mu.Unlock()
	}
	if answer == "RAMBLE" {
		answer, reason = strings.Repeat("and on ", 100), "length"
	}
	part := func(content string, done bool) {
		text, _ := json.Marshal(content)
		fmt.Fprintf(w, `{"model":"writer:1b","created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant","content":%s},"done":%t,"done_reason":%q,"prompt_eval_count":%d,"eval_count":9,"eval_duration":2000}`+"\n",
			text, done, reason, tokens)
	}
	part(answer, false)
	part("", true)
}

// questions are what the model was asked about programs: each with all before it.
func (s *scripted) questions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, talk := range s.asked {
		var b strings.Builder
		for _, m := range talk[1:] {
			fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
		}
		out = append(out, b.String())
	}
	return out
}
