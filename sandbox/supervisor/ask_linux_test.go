package supervisor

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// inquiry asks servers, and keeps what it was answered.
func inquiry(t *testing.T, questions []wire.Question, doors ...door) (wire.Asked, []string) {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	a := &asker{questions: questions, doors: doors, seen: func(answer []byte, to string) {
		mu.Lock()
		defer mu.Unlock()
		last := answer[max(0, len(answer)-8):]
		seen = append(seen, fmt.Sprintf("%s: %q", to, last))
	}}
	return a.run(t.Context()), seen
}

func doorOf(t *testing.T, addr net.Addr) door {
	t.Helper()
	if addr.Network() == "unix" {
		return door{network: "unix", path: addr.String()}
	}
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		t.Fatal(err)
	}
	return door{network: addr.Network(), addr: at}
}

// accepting is a server of raw connections.
func accepting(t *testing.T, network, addr string, serve func(net.Conn)) door {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), network, addr)
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() { defer c.Close(); serve(c) })
		}
	})
	t.Cleanup(func() { l.Close(); work.Wait() })
	return doorOf(t, l.Addr())
}

var getAndPost = []wire.Question{{Method: "GET", Path: "/a"}, {Method: "POST", Path: "/b"}}

func TestAServerIsAskedEachQuestion(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %d %s", r.Method, r.ContentLength, r.URL.Path)
	})
	plain, secure := httptest.NewServer(page), httptest.NewTLSServer(page)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	local := filepath.Join(t.TempDir(), "s")
	for name, tt := range map[string]struct {
		door  door
		asked wire.Asked
		want  []string
	}{
		"HTTP": {doorOf(t, plain.Listener.Addr()), wire.Asked{Places: 1, Questions: 2, Answers: 2}, []string{`GET /a: "GET 0 /a"`, `POST /b: "ST 28 /b"`}},
		"TLS":  {doorOf(t, secure.Listener.Addr()), wire.Asked{Places: 1, Questions: 2, Answers: 2}, []string{`GET /a: "GET 0 /a"`, `POST /b: "ST 28 /b"`}},
		"a greeting": {accepting(t, "tcp", "127.0.0.1:0", func(c net.Conn) {
			fmt.Fprint(c, "220 mail")
			buf := make([]byte, 100)
			n, _ := c.Read(buf)
			fmt.Fprintf(c, "%q", buf[:n])
		}), wire.Asked{Places: 1, Questions: 2, Answers: 2}, nil},
		"a local socket":  {accepting(t, "unix", local, func(c net.Conn) { fmt.Fprint(c, "hello") }), wire.Asked{Places: 1, Questions: 2, Answers: 2}, []string{`GET /a: "hello"`, `a connection: "hello"`}},
		"one that closes": {accepting(t, "tcp", "127.0.0.1:0", func(net.Conn) {}), wire.Asked{Places: 1, Questions: 2, Answers: 2}, nil},
		"one that says nothing": {
			accepting(t, "tcp", "127.0.0.1:0", func(c net.Conn) { _, _ = c.Read(make([]byte, 1<<20)); _, _ = c.Read(make([]byte, 1)) }),
			wire.Asked{Places: 1, Questions: 3, Silent: 1}, nil,
		},
		"nothing": {door{network: "tcp", addr: netip.MustParseAddrPort("127.0.0.1:1")}, wire.Asked{Places: 1, Questions: 3, Silent: 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, seen := inquiry(t, getAndPost, tt.door)
			if diff := cmp.Diff(tt.asked, asked); diff != "" {
				t.Errorf("(-want +got):\n%s\n%q", diff, seen)
			}
			for _, w := range tt.want {
				what, answer, _ := strings.Cut(w, ": ")
				if !slices.ContainsFunc(seen, func(s string) bool { return strings.HasPrefix(s, what) && strings.HasSuffix(s, answer) }) {
					t.Errorf("%q lacks %q", seen, w)
				}
			}
		})
	}
}

// What is not asked is said: more doors than the bound, and questions behind which a
// server hangs.
func TestCallsThatAreNotAskedAboutAreReported(t *testing.T) {
	t.Parallel()
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			<-r.Context().Done() // until who asks has gone
		}
	}))
	t.Cleanup(slow.Close)
	asked, _ := inquiry(t, []wire.Question{{Method: "GET", Path: "/"}, {Method: "GET", Path: "/report"}}, doorOf(t, slow.Listener.Addr()))
	if asked.Answers != 1 || !strings.Contains(asked.Missed, "did not answer all questions in time") {
		t.Errorf("%+v", asked)
	}
	closed := accepting(t, "tcp", "127.0.0.1:0", func(net.Conn) {})
	asked, _ = inquiry(t, nil, slices.Repeat([]door{closed}, 100)...)
	if asked.Places != wire.MaxPlaces || asked.Missed != "84 of its 100 ports and sockets were not asked" {
		t.Errorf("%+v", asked)
	}
	if err := asked.Check(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := &asker{questions: getAndPost, doors: []door{closed}, seen: func([]byte, string) {}}
	if asked := a.run(ctx); !strings.Contains(asked.Missed, "2 of 2 questions were not asked") {
		t.Errorf("when the time is over: %+v", asked)
	}
}
