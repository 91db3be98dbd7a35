package judge_test

import (
	"bytes"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

var record = flag.Bool("record", false, "write down what a real server of llama.cpp answers (make test-llama)")

// tape is a server of llama.cpp: a real one, whose answers it notes by the kind of the request, or
// what was noted of one.
type tape struct {
	t    *testing.T
	live *httputil.ReverseProxy // nil is what was noted

	mu   sync.Mutex
	seen map[string]int // requests, by kind
}

// kindOf names what a request is about.
func kindOf(r *http.Request, body string) string {
	switch {
	case r.Method == http.MethodGet:
		return strings.ReplaceAll(strings.Trim(r.URL.Path, "/"), "/", "-")
	case strings.Contains(body, `7\n7\n7`):
		return "too-long"
	case strings.Contains(body, "GATE_EVIL"):
		return "malicious"
	}
	return "safe"
}

func (k *tape) file(kind string) string { return filepath.Join("testdata", "llama", kind+".http") }

func (k *tape) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		k.t.Error(err)
	}
	kind := kindOf(r, string(body))
	k.mu.Lock()
	k.seen[kind]++
	k.mu.Unlock()
	if k.live == nil {
		noted, err := os.ReadFile(k.file(kind))
		if err != nil {
			k.t.Error(err)
		}
		status, text, _ := bytes.Cut(noted, []byte("\n"))
		if string(status) != "200" {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = w.Write(text)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	got := httptest.NewRecorder()
	k.live.ServeHTTP(got, r)
	if *record {
		status := "200"
		if got.Code != http.StatusOK {
			status = "400"
		}
		if err := os.WriteFile(k.file(kind), append([]byte(status+"\n"), got.Body.Bytes()...), 0o644); err != nil {
			k.t.Error(err)
		}
	}
	w.WriteHeader(got.Code)
	_, _ = w.Write(got.Body.Bytes())
}

// What llama.cpp 0.7.0 says is in testdata/llama; under make test-llama a real server is asked.
func TestAServerOfLlamaCppJudges(t *testing.T) {
	k := &tape{t: t, seen: map[string]int{}}
	if base := os.Getenv(testenv.LlamaVar); base != "" {
		at, err := url.Parse(strings.TrimSuffix(base, "/v1"))
		if err != nil {
			t.Fatal(err)
		}
		k.live = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) }, Transport: &http.Transport{DisableKeepAlives: true}}
	}
	s := httptest.NewServer(k)
	defer s.Close()
	o := options(t, s.URL+"/v1")
	o.ContextTokens = 0
	result := scan(t, o, map[string]string{"a.py": "print('hello')\n", "b.py": "x = 1\ny = 'GATE_EVIL'\n"})
	if len(result.Incomplete) > 0 || result.Files[0].Verdict != gate.Safe || !slices.Equal(rules(result.Files[1]), []string{"judge/malicious:2"}) {
		t.Errorf("%+v, %+v", result.Incomplete, result.Files)
	}
	for _, kind := range []string{"v1-models", "props", "too-long", "malicious", "safe"} {
		if k.seen[kind] == 0 {
			t.Errorf("the server was not asked for %s: %v", kind, k.seen)
		}
	}
}
