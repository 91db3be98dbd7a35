package judge_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ollama/ollama/api"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lab/tinygguf"
	"github.com/aigate/gate/tools/testenv"
)

// TestTheFakeSpeaksLikeARealServer keeps the scripted tests honest: whatever key
// the fake sends, a real server sends too, with a value of the same type.
func TestTheFakeSpeaksLikeARealServer(t *testing.T) {
	live := testenv.Ollama(t)
	imitation := httptest.NewServer(&fake{models: []string{tinygguf.JudgeName}, version: old, all: true, chat: func(_ int, q asked, w http.ResponseWriter) {
		switch {
		case len(q.Messages) == 0:
			fmt.Fprintln(w, `{"model":"m","created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant","content":""},"done_reason":"load","done":true}`)
		case q.Model != tinygguf.JudgeName:
			fail(w, http.StatusNotFound, "model not found")
		default:
			say(w, q, safe)
		}
	}})
	defer imitation.Close()

	chat := func(model, messages string) string {
		return fmt.Sprintf(`{"model":%q,"messages":[%s],"options":{"num_predict":64,"num_ctx":4096}}`, model, messages)
	}
	const hello = `{"role":"user","content":"hello"}`
	requests := map[string]struct{ path, body string }{
		"version":         {"/api/version", ""},
		"list":            {"/api/tags", ""},
		"show":            {"/api/show", `{"model":"` + tinygguf.JudgeName + `"}`},
		"load":            {"/api/chat", chat(tinygguf.JudgeName, "")},
		"chat":            {"/api/chat", chat(tinygguf.JudgeName, hello)},
		"a missing model": {"/api/chat", chat("no-such-model", hello)},
		"running":         {"/api/ps", ""},
	}
	// The order matters: a model is running once it was used.
	for _, name := range []string{"version", "list", "show", "load", "chat", "a missing model", "running"} {
		r := requests[name]
		wantCode, want := exchange(t, live+r.path, r.body)
		code, got := exchange(t, imitation.URL+r.path, r.body)
		if code != wantCode {
			t.Errorf("%s: the fake answers %d, a real server %d", name, code, wantCode)
		}
		if len(got) == 0 || len(want) == 0 {
			t.Fatalf("%s: %d lines of %d", name, len(got), len(want))
		}
		// The first lines of a stream are parts, the last is its end.
		for _, i := range []int{0, -1} {
			g, w := got[(len(got)+i)%len(got)], want[(len(want)+i)%len(want)]
			if diff := unlike(g, w, ""); diff != "" {
				t.Errorf("%s: the fake sends %s, which a real server does not", name, diff)
			}
		}
	}
}

// exchange returns the status and the JSON lines of a response.
func exchange(t *testing.T, target, body string) (code int, lines []any) {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	for scanner := bufio.NewScanner(res.Body); scanner.Scan(); {
		var v any
		if err := json.Unmarshal(scanner.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v in %s", target, err, scanner.Bytes())
		}
		lines = append(lines, v)
	}
	return res.StatusCode, lines
}

// unlike returns the path of something in got that has no counterpart of the same
// type in want.
func unlike(got, want any, path string) string {
	if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", want) {
		return fmt.Sprintf("%s as %T instead of %T", path, got, want)
	}
	switch g := got.(type) {
	case map[string]any:
		w := want.(map[string]any)
		for key, value := range g {
			other, ok := w[key]
			if !ok {
				return path + "." + key
			}
			if diff := unlike(value, other, path+"."+key); diff != "" {
				return diff
			}
		}
	case []any:
		if w := want.([]any); len(g) > 0 && len(w) > 0 {
			return unlike(g[0], w[0], path+"[]")
		}
	}
	return ""
}

// proxied is a proxy in front of a real server that may change the n-th chat on
// its way there and back; whatever else comes back has the number 0.
func proxied(t *testing.T, live string, there func(n int, body []byte) []byte, back func(n int, res *http.Response)) string {
	t.Helper()
	target, err := url.Parse(live)
	if err != nil {
		t.Fatal(err)
	}
	type number struct{}
	transport := &http.Transport{}
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		ModifyResponse: func(res *http.Response) error {
			if back != nil {
				n, _ := res.Request.Context().Value(number{}).(int)
				back(n, res)
			}
			return nil
		},
	}
	var chats atomic.Int32
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/chat" {
			n := int(chats.Add(1))
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			if there != nil {
				body = there(n, body)
			}
			r = r.WithContext(context.WithValue(r.Context(), number{}, n))
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		front.Close()
		transport.CloseIdleConnections()
	})
	return front.URL
}

// The first two chats of a session load the model and put a first question.
const chatsToConnect = 2

func TestRealServerBehindADeadHost(t *testing.T) {
	result := scan(t, options(t, "http://127.0.0.1:1", testenv.Ollama(t)), map[string]string{"a.py": "GATE_EVIL\n"})
	if result.Verdict != gate.Dangerous || len(result.Incomplete) > 0 {
		t.Errorf("%s with gaps %+v", result.Verdict, result.Incomplete)
	}
}

// broken is a connection that is reset.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestRealServerWhoseModelIsRemovedDuringTheRun(t *testing.T) {
	live := testenv.Ollama(t)
	base, err := url.Parse(live)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	client := api.NewClient(base, &http.Client{Transport: transport})
	const passing = "gate-tiny-passing"
	if err := client.Copy(t.Context(), &api.CopyRequest{Source: tinygguf.JudgeName, Destination: passing}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // a test that fails before the removal leaves nothing behind
		_ = client.Delete(context.Background(), &api.DeleteRequest{Model: passing})
		transport.CloseIdleConnections()
	})
	removed := false
	through := proxied(t, live, func(n int, body []byte) []byte {
		if n == chatsToConnect+2 {
			removed = true
			if err := client.Delete(t.Context(), &api.DeleteRequest{Model: passing}); err != nil {
				t.Error(err)
			}
		}
		return body
	}, nil)
	o := options(t, through)
	o.Policy.Model, o.Concurrency = passing, 1
	result := scan(t, o, map[string]string{"a.py": "x = 1\n", "b.py": "x = 2\n", "c.py": "GATE_EVIL\n"})
	if !removed || result.Verdict != gate.Incomplete || len(result.Incomplete) != 2 {
		t.Fatalf("removed: %v, %s with gaps %+v, want two", removed, result.Verdict, result.Incomplete)
	}
	for _, gap := range result.Incomplete {
		if !strings.Contains(gap.Reason, "the model is gone") {
			t.Errorf("reason %q", gap.Reason)
		}
	}
}

func TestRealServerWithLessContextThanItWasAskedFor(t *testing.T) {
	const asked, got = `"num_ctx":8192`, `"num_ctx":4608`
	for name, lies := range map[string]map[string]string{ // by path
		"that claims to refuse what is too long": {"/api/version": `{"version":"0.13.0"}`},
		"that is old and has a GPU":              {"/api/ps": `{"models":[{"model":"` + tinygguf.JudgeName + `","size":1000,"size_vram":1000}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			less := proxied(t, testenv.Ollama(t), func(_ int, body []byte) []byte {
				if !bytes.Contains(body, []byte(asked)) {
					t.Errorf("a request without %s", asked)
				}
				return bytes.ReplaceAll(body, []byte(asked), []byte(got))
			}, func(_ int, res *http.Response) {
				if lie, ok := lies[res.Request.URL.Path]; ok {
					res.Body, res.ContentLength = io.NopCloser(strings.NewReader(lie)), int64(len(lie))
					res.Header.Set("Content-Length", fmt.Sprint(len(lie)))
				}
			})
			o := options(t, less)
			o.ContextTokens = 8192
			// A token a byte, and what matters in front, where a cut prompt loses it.
			result := scan(t, o, map[string]string{"a.py": "GATE_EVIL\n" + strings.Repeat("zqxj_zqxj_zqxj_zqxj_zqxj_zqxj_zqxj_zqxj_zqxj\n", 120)})
			if file := result.Files[0]; file.Verdict != gate.Dangerous || !slices.Contains(rules(file), "judge/malicious:1") || len(result.Incomplete) > 0 {
				t.Errorf("%s with %v and gaps %+v", file.Verdict, rules(file), result.Incomplete)
			}
		})
	}
}

func TestRealServerWithAModelOfNoiseNeverBreaksTheChecks(t *testing.T) {
	o := options(t, testenv.Ollama(t))
	o.Policy.Model = tinygguf.RandomName
	j := newJudge(t, o)
	c := change(map[string]string{"a.py": "x = 1\n"})
	out, err := j.Run(t.Context(), c, gate.NewFindings(c.Targets, nil))
	// Noise fails the first question of the session, and with it the session.
	if err == nil || len(out.Judgements) > 0 {
		t.Errorf("judged %+v with error %v", out.Judgements, err)
	}
}
