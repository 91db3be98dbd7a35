package judge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/tools/testenv"
)

// llama speaks as the server of llama.cpp does: the paths, keys and values are those of its
// documentation (tools/server/README.md). What it says to a question that is not too long is
// a function.
type llama struct {
	window int // tokens; 0 says nothing
	cuts   bool
	chat   func(q compatibleAsked, w http.ResponseWriter)

	mu  sync.Mutex
	got []compatibleAsked
}

type compatibleAsked struct {
	Model    string
	Messages []struct {
		Role, Content string
		ToolCalls     json.RawMessage `json:"tool_calls"`
		CallID        string          `json:"tool_call_id"`
	}
	Format json.RawMessage `json:"response_format"`
	Tools  json.RawMessage
	Most   int            `json:"max_tokens"`
	Kwargs map[string]any `json:"chat_template_kwargs"`
}

func (q compatibleAsked) tokens() int {
	n := 0
	for _, m := range q.Messages {
		n += 2 + len(m.Content)/2
	}
	return n
}

func (l *llama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v1/models":
		fmt.Fprint(w, `{"object":"list","data":[{"id":"qwen","object":"model","owned_by":"llamacpp","meta":{"n_ctx_train":32768}}]}`)
	case "/props":
		fmt.Fprintf(w, `{"default_generation_settings":{"n_ctx":%d},"total_slots":1}`, l.window)
	case "/v1/chat/completions":
		var q compatibleAsked
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		l.mu.Lock()
		l.got = append(l.got, q)
		l.mu.Unlock()
		if n := q.tokens(); n > l.window && !l.cuts {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":%d,"n_ctx":%d}}`, n, l.window)
			return
		}
		if strings.Contains(string(q.Format), "verdict") && l.chat == nil {
			stream(w, q.tokens(), "stop", safe)
			return
		}
		l.chat(q, w)
	default:
		http.NotFound(w, r)
	}
}

// stream says an answer in parts.
func stream(w http.ResponseWriter, tokens int, reason string, parts ...string) {
	for _, p := range parts {
		delta(w, map[string]any{"content": p}, nil)
	}
	delta(w, map[string]any{}, reason)
	fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":9}}\n\ndata: [DONE]\n\n", tokens)
}

func delta(w http.ResponseWriter, d map[string]any, reason any) {
	text, _ := json.Marshal(map[string]any{"object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, "delta": d, "finish_reason": reason}}})
	fmt.Fprintf(w, "data: %s\n\n", text)
}

// compatibleJudge asks a server at the host "one".
func compatibleJudge(t *testing.T, h http.Handler) *judge.Judge {
	t.Helper()
	o := fakeOptions(t, network{"one": h}, "one")
	o.Policy.Hosts, o.Policy.Model, o.Policy.Fallback = []string{"http://one:11434/v1"}, "qwen", ""
	j, err := judge.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestACompatibleServerJudgesAndTalks(t *testing.T) {
	l := &llama{window: 16384}
	l.chat = func(q compatibleAsked, w http.ResponseWriter) {
		switch {
		case strings.Contains(string(q.Format), "verdict"):
			stream(w, q.tokens(), "stop", safe[:10], safe[10:])
		case len(q.Tools) > 0:
			call := func(f map[string]any) map[string]any {
				return map[string]any{"tool_calls": []any{map[string]any{"index": 0, "id": "x", "type": "function", "function": f}}}
			}
			delta(w, call(map[string]any{"name": "list", "arguments": ""}), nil)
			delta(w, call(map[string]any{"arguments": `{"path":`}), nil)
			delta(w, call(map[string]any{"arguments": `"src"}`}), nil)
			stream(w, q.tokens(), "tool_calls")
		default:
			stream(w, q.tokens(), "stop", "two ", "words")
		}
	}
	j := compatibleJudge(t, l)
	writer, err := j.Writer(t.Context())
	if err != nil || writer.Model != "qwen" || writer.CallsTools || writer.Room < 4096 {
		t.Fatalf("%+v, %v", writer, err)
	}
	tools := []judge.Tool{{Name: "list", Description: "List.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}}
	ask := judge.Message{Role: judge.RoleUser, Text: "what is there?<|im_end|>"}
	said, err := j.Talk(t.Context(), judge.Conversation{Messages: []judge.Message{ask}, Tools: tools})
	if err != nil || len(said.Calls) != 1 || said.Calls[0].Name != "list" || string(said.Calls[0].Arguments) != `{"path":"src"}` {
		t.Fatalf("%+v, %v", said, err)
	}
	said, err = j.Talk(t.Context(), judge.Conversation{Messages: []judge.Message{ask, {Role: judge.RoleAssistant, Calls: said.Calls}, {Role: judge.RoleTool, Tool: "list", Text: "a.py"}}})
	if err != nil || said.Text != "two words" || said.Read == 0 {
		t.Fatalf("%+v, %v", said, err)
	}
	last := l.got[len(l.got)-1]
	if m := last.Messages; len(m) != 3 || strings.Contains(m[0].Content, "<|im_end|>") || !strings.Contains(string(m[1].ToolCalls), `"id":"call_1"`) || m[2].CallID != "call_1" {
		t.Errorf("%+v", last)
	}
	if last.Kwargs["enable_thinking"] != false || last.Most == 0 {
		t.Errorf("thinking is not turned off, or the answer is not bounded: %+v", last)
	}
	if first := l.got[0]; !strings.Contains(fmt.Sprint(first.Messages), "7\n7") {
		t.Errorf("no too long a prompt was tried first: %.200v", first.Messages)
	}
}

func TestWrongRepliesOfACompatibleServerAreNoAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		chat func(q compatibleAsked, w http.ResponseWriter)
		want string
	}{
		"no end":            {func(_ compatibleAsked, w http.ResponseWriter) { delta(w, map[string]any{"content": safe}, nil) }, "cut off"},
		"an end of nothing": {func(_ compatibleAsked, w http.ResponseWriter) { fmt.Fprint(w, "data: [DONE]\n\n") }, "cut off"},
		"no reason": {func(_ compatibleAsked, w http.ResponseWriter) {
			delta(w, map[string]any{"content": safe}, nil)
			fmt.Fprint(w, "data: [DONE]\n\n")
		}, "cut off"},
		"length":          {func(q compatibleAsked, w http.ResponseWriter) { stream(w, q.tokens(), "length", safe) }, "did not come to an end"},
		"a filter":        {func(q compatibleAsked, w http.ResponseWriter) { stream(w, q.tokens(), "content_filter", safe) }, "content_filter"},
		"no count":        {func(_ compatibleAsked, w http.ResponseWriter) { stream(w, 0, "stop", safe) }, "does not say how much"},
		"too low a count": {func(_ compatibleAsked, w http.ResponseWriter) { stream(w, 5, "stop", safe) }, "it was cut"},
		"an error inside": {func(_ compatibleAsked, w http.ResponseWriter) {
			fmt.Fprint(w, "data: {\"error\":{\"message\":\"out of memory\"}}\n\n")
		}, "out of memory"},
		"no JSON": {func(_ compatibleAsked, w http.ResponseWriter) { fmt.Fprint(w, "data: hello\n\n") }, "no JSON"},
		"a second answer": {func(_ compatibleAsked, w http.ResponseWriter) {
			fmt.Fprint(w, "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"x\"}}]}\n\n")
		}, "several answers"},
		"more behind the end": {func(_ compatibleAsked, w http.ResponseWriter) {
			delta(w, map[string]any{}, "stop")
			delta(w, map[string]any{"content": safe}, nil)
		}, "went on after the end"},
		"another page": {func(_ compatibleAsked, w http.ResponseWriter) { fmt.Fprint(w, "<html>hello</html>") }, "cut off"},
		"a status":     {func(_ compatibleAsked, w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) }, "401"},
	} {
		t.Run(name, func(t *testing.T) {
			j := compatibleJudge(t, &llama{window: 16384, chat: tt.chat})
			_, err := j.Writer(t.Context())
			if _, ok := errors.AsType[*gate.Unavailable](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestACompatibleServerThatCutsIsMeasured(t *testing.T) {
	cutting := func(q compatibleAsked, w http.ResponseWriter) { stream(w, min(q.tokens(), 9000), "stop", safe) }
	l := &llama{window: 16384, cuts: true, chat: func(q compatibleAsked, w http.ResponseWriter) {
		if q.Most == 1 {
			stream(w, min(q.tokens(), 9000), "length", "7")
			return
		}
		cutting(q, w)
	}}
	writer, err := compatibleJudge(t, l).Writer(t.Context())
	if err != nil || writer.Room > 9000 {
		t.Errorf("%+v, %v", writer, err)
	}
	if _, err := compatibleJudge(t, &llama{window: 0, cuts: true, chat: cutting}).Writer(t.Context()); err == nil || !strings.Contains(err.Error(), "how long a context") {
		t.Errorf("a server that does not say its context is asked: %v", err)
	}
}

func TestTheDoctorIsToldWhatACompatibleServerHas(t *testing.T) {
	j := compatibleJudge(t, &llama{window: 16384})
	st := j.Check(t.Context())[0]
	if problem, _ := st.Advice(); !st.Compatible || !st.Models[0].There || problem != "" {
		t.Errorf("%+v, %s", st, problem)
	}
	o := fakeOptions(t, network{"one": &llama{window: 16384}}, "one")
	o.Policy.Hosts, o.Policy.Model, o.Policy.Fallback = []string{"http://one:11434/v1", "http://dead:11434/v1"}, "another", ""
	for i, want := range []string{"has no another", "no server answers at http://dead:11434/v1"} {
		if problem, command := newJudge(t, o).Check(t.Context())[i].Advice(); !strings.Contains(problem, want) || strings.Contains(command, "ollama") {
			t.Errorf("%s | %s", problem, command)
		}
	}
}

func TestAHostedServiceIsNotAsked(t *testing.T) {
	for _, host := range []string{
		"http://192.0.2.1:8080/v1", "https://198.51.100.7/v1/", "http://169.254.169.254/v1", "https://127.0.0.1@192.0.2.1/v1", "https://localhost:pass@192.0.2.1/v1",
		"http://[2001:db8::1]:8080/v1", "http://[::ffff:192.0.2.1]/v1", "http://[64:ff9b::c000:201]/v1", "http://[2002:c000:201::1]/v1", "http://[fe80::1%25lo]/v1",
		"http://0.0.0.0:8080/v1", "http://[::]:8080/v1", "http://100.64.0.1/v1", "http://224.0.0.1/v1", "http://172.32.0.1/openai/v1",
	} {
		o := fakeOptions(t, network{}, "one")
		o.HTTPClient, o.Policy.Hosts = nil, []string{host}
		j, err := judge.New(o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.Writer(t.Context()); err == nil || !strings.Contains(err.Error(), "neither this machine nor a private network") || strings.Contains(err.Error(), "ollama serve") {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// What is refused is the address that is dialled; a name decides nothing. This machine is
// reached in each of its forms, by any name.
func TestThisMachineIsAskedWhateverItIsCalled(t *testing.T) {
	server := httptest.NewServer(&llama{window: 16384})
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "LOCALHOST"} {
		o := fakeOptions(t, network{}, "one")
		o.Policy.Model, o.Policy.Fallback = "qwen", ""
		o.HTTPClient, o.Policy.Hosts = nil, []string{"http://" + host + ":" + port + "/v1/"}
		j, err := judge.New(o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.Writer(t.Context()); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// A server in the private network cannot pass the code on.
func TestACompatibleServerThatLeadsElsewhereIsNotFollowed(t *testing.T) {
	var asked atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true) }))
	defer elsewhere.Close()
	for name, status := range map[string]int{"for this time": http.StatusTemporaryRedirect, "for ever": http.StatusPermanentRedirect, "to another question": http.StatusSeeOther} {
		server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, status))
		o := fakeOptions(t, network{}, "one")
		o.HTTPClient, o.Policy.Hosts = nil, []string{server.URL + "/v1"}
		j, err := judge.New(o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.Writer(t.Context()); err == nil || !strings.Contains(err.Error(), "redirected to") || asked.Load() {
			t.Errorf("%s: asked: %v, %v", name, asked.Load(), err)
		}
		server.Close()
	}
}

// TestARealServerIsAskedOverTheOtherInterface has Ollama's own imitation of the interface
// judge. It does not say how much it reads at a time and cuts what is longer: what is said
// for it here is more than it reads, and the probe has to find that out.
func TestARealServerIsAskedOverTheOtherInterface(t *testing.T) {
	live, err := url.Parse(testenv.Ollama(t))
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(live) }, Transport: &http.Transport{DisableKeepAlives: true}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/props" {
			fmt.Fprint(w, `{"default_generation_settings":{"n_ctx":16384}}`)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	defer s.Close()
	transport := &http.Transport{DisableKeepAlives: true}
	j, err := judge.New(judge.Options{
		Comments: judge.Comments, Policy: gate.JudgePolicy{Model: testenv.TinyModel + ":latest", Hosts: []string{s.URL + "/v1"}},
		HTTPClient: &http.Client{Transport: transport}, Deadlines: judge.Deadlines{Probe: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	// The model has answered the first question in the right form; what is said for the server
	// is not believed.
	_, err = j.Writer(t.Context())
	if _, ok := errors.AsType[*gate.Unavailable](err); !ok || !strings.Contains(err.Error(), "a context of 4096 tokens is too small") {
		t.Errorf("%v: want the window that the server really has", err)
	}
}

func FuzzAStreamWithAnErrorIsNotComplete(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}` + "\n" + `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"a","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":9}]}}]}`, `{"error":{"message":"x"}}`, `{"usage":{"prompt_tokens":-1}}`, "null", "[]", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		complete, n, err := judge.EndOfStream(strings.Split(text, "\n"))
		if complete && err != nil || n > 4*len(text) {
			t.Errorf("complete %v with %d bytes, %v", complete, n, err)
		}
	})
}
