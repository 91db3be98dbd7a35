//go:build unix

package judge_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/ollama/server"
	"github.com/aigate/gate/tools/testenv"
)

// ownServer starts a real server for one test, which may kill it.
func ownServer(t *testing.T) *server.Server {
	t.Helper()
	for _, bin := range []string{os.Getenv("GATE_OLLAMA_BIN"), filepath.Join("..", "..", ".cache", "ollama", "bin", "ollama-"+server.Version)} {
		if _, err := os.Stat(bin); bin == "" || err != nil {
			continue
		}
		s, err := server.Start(context.WithoutCancel(t.Context()), bin, t.TempDir(), "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	testenv.Missing(t, "no Ollama program", "go run ./tools/ollama up")
	return nil
}

// executioner kills the process group of a server when the first bytes of an answer
// about a file have come.
type executioner struct {
	next http.RoundTripper
	pid  int
	host string
	once sync.Once
	t    *testing.T

	mu    sync.Mutex
	chats int
}

func (x *executioner) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := x.next.RoundTrip(req)
	if err != nil || req.URL.Path != "/api/chat" || req.URL.Host != x.host {
		return res, err
	}
	x.mu.Lock()
	x.chats++
	mid := x.chats > chatsToConnect
	x.mu.Unlock()
	if mid {
		res.Body = &dying{res.Body, x}
	}
	return res, nil
}

type dying struct {
	io.ReadCloser
	x *executioner
}

func (d *dying) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if n > 0 {
		d.x.once.Do(func() {
			if err := syscall.Kill(-d.x.pid, syscall.SIGKILL); err != nil {
				d.x.t.Error(err)
			}
		})
	}
	return n, err
}

// The server of its own may go on waiting for the person who hung up, in the way of others.
func TestRealServerThatDiesInTheMiddleOfAnAnswer(t *testing.T) {
	dying := proxied(t, ownServer(t).URL, nil, func(n int, res *http.Response) {
		if n > chatsToConnect {
			res.Body = struct {
				io.Reader
				io.Closer
			}{io.MultiReader(io.LimitReader(res.Body, 200), broken{}), res.Body}
		}
	})
	result := scan(t, options(t, dying), map[string]string{"a.py": "x = 1\n"})
	if result.Verdict != gate.Incomplete || !strings.Contains(result.Incomplete[0].Reason, "connection broke") {
		t.Errorf("%s with gaps %+v", result.Verdict, result.Incomplete)
	}
}

func TestRealServerThatIsKilledInTheMiddleOfAnAnswer(t *testing.T) {
	live := testenv.Ollama(t)
	for name, tt := range map[string]struct {
		others []string
		want   gate.Verdict
	}{
		"and no one is left":        {nil, gate.Incomplete},
		"and another one goes on":   {[]string{live}, gate.Dangerous},
		"and the other one is dead": {[]string{"http://127.0.0.1:1"}, gate.Incomplete},
	} {
		t.Run(name, func(t *testing.T) {
			own := ownServer(t)
			o := options(t, append([]string{own.URL}, tt.others...)...)
			o.HTTPClient.Transport = &executioner{next: o.HTTPClient.Transport, pid: own.PID, host: strings.TrimPrefix(own.URL, "http://"), t: t}
			o.Concurrency = 1
			// The rambling answer is long enough to be killed in, whatever the machine.
			result := scan(t, o, map[string]string{"a.py": "GATE_RAMBLE\n", "b.py": "x = 1\n", "c.py": "GATE_EVIL\n"})
			if result.Verdict != tt.want || len(result.Incomplete) == 0 {
				t.Errorf("%s with gaps %+v", result.Verdict, result.Incomplete)
			}
			for _, f := range result.Files {
				if f.Verdict == gate.Safe && (tt.want == gate.Incomplete || f.Path == "a.py") {
					t.Errorf("%s is SAFE", f.Path)
				}
			}
			if tt.want == gate.Incomplete && len(result.Incomplete) < 3 {
				t.Errorf("gaps %+v, want one for each file", result.Incomplete)
			}
		})
	}
}
