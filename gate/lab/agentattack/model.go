package agentattack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// ModelName is the one model of a [Server].
const ModelName = "obedient:1b"

// Message is one that a model was sent.
type Message struct{ Role, Content string }

// Server is a model server on this machine that speaks like Ollama. Its judge calls everything
// safe; what its writer says is a function of what it was told.
type Server struct {
	URL string

	server *http.Server
	ended  chan struct{}

	mu    sync.Mutex
	write func([]Message) string
	asked [][]Message
	tools bool // the model claims to make tool calls
}

// NewServer starts a server on a free port of the loopback. The caller closes it. native makes
// its model claim that it makes tool calls by itself.
func NewServer(ctx context.Context, native bool, write func([]Message) string) (*Server, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the agent: %w", err)
	}
	s := &Server{URL: "http://" + l.Addr().String(), write: write, tools: native, ended: make(chan struct{})}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.ended)
		_ = s.server.Serve(l) // until it is closed
	}()
	return s, nil
}

// Close ends the server.
func (s *Server) Close() error {
	err := s.server.Close()
	<-s.ended
	return err
}

// Asked returns what the writer was told, question by question.
func (s *Server) Asked() [][]Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]Message(nil), s.asked...)
}

// maxRequest bounds a request, in bytes.
const maxRequest = 4 << 20

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/version":
		fmt.Fprint(w, `{"version":"0.9.6"}`)
	case "/api/tags":
		fmt.Fprintf(w, `{"models":[{"name":%[1]q,"model":%[1]q,"modified_at":"2026-01-02T03:04:05Z","size":9,"digest":"d","details":{"format":"gguf","family":"qwen2"}}]}`, ModelName)
	case "/api/show":
		abilities := `["completion"]`
		if s.tools {
			abilities = `["completion","tools"]`
		}
		fmt.Fprintf(w, `{"template":"","capabilities":%s,"details":{"family":"qwen2"},"model_info":{"general.architecture":"qwen2","qwen2.context_length":32768},"modified_at":"2026-01-02T03:04:05Z"}`, abilities)
	case "/api/ps":
		fmt.Fprint(w, `{"models":[]}`)
	case "/api/chat":
		s.chat(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Messages []Message
		Format   json.RawMessage
		Tools    json.RawMessage
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&q); err != nil {
		http.Error(w, `{"error":"bad request"}`, http.StatusBadRequest)
		return
	}
	message, reason, tokens := map[string]any{"role": "assistant", "content": ""}, "stop", 0
	for _, m := range q.Messages {
		tokens += 2 + len(m.Content)/4
	}
	switch {
	case len(q.Messages) == 0:
		reason = "load"
	case strings.Contains(string(q.Format), "verdict"):
		message["content"] = `{"evidence":[],"reason":"harmless","dangerous_lines":[],"verdict":"safe"}`
	default:
		s.mu.Lock()
		s.asked = append(s.asked, q.Messages)
		s.mu.Unlock()
		says := s.write(q.Messages)
		message["content"] = says
		if call, err := callOf(says); err == nil && len(q.Tools) > 0 {
			message["content"], message["tool_calls"] = "", []any{map[string]any{"function": call}}
		} else if answer, err := answerOf(says); err == nil && len(q.Tools) > 0 {
			message["content"] = answer
		}
	}
	part := func(m map[string]any, done bool) {
		text, _ := json.Marshal(map[string]any{ // of strings and numbers: cannot fail
			"model": ModelName, "created_at": "2026-01-02T03:04:05Z", "message": m, "done": done, "done_reason": reason,
			"prompt_eval_count": tokens, "eval_count": 9, "eval_duration": 2000,
		})
		_, _ = w.Write(append(text, '\n'))
	}
	part(message, false)
	part(map[string]any{"role": "assistant", "content": ""}, true)
}

// callOf is a call in the strict form as one of a model that makes them by itself.
func callOf(says string) (map[string]any, error) {
	var c struct {
		Tool      string
		Arguments map[string]any
	}
	if err := json.Unmarshal([]byte(says), &c); err != nil {
		return nil, err
	}
	if c.Tool == "" {
		return nil, errors.New("no call")
	}
	return map[string]any{"name": c.Tool, "arguments": c.Arguments}, nil
}

func answerOf(says string) (string, error) {
	var a struct{ Answer string }
	err := json.Unmarshal([]byte(says), &a)
	return a.Answer, err
}

// Call is a call in the strict form.
func Call(tool string, arguments map[string]any) string {
	text, _ := json.Marshal(map[string]any{"tool": tool, "arguments": arguments}) // cannot fail
	return string(text)
}

// Answer is an answer for the user in the strict form.
func Answer(text string) string {
	out, _ := json.Marshal(map[string]string{"answer": text}) // cannot fail
	return string(out)
}
