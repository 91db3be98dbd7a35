package sandbox

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aigate/gate/sandbox/egress"
	"github.com/aigate/gate/sandbox/internal/wire"
)

// nowhere is for runs without a way out.
func nowhere(t testing.TB) *egressRelay {
	return newEgressRelay(t.Context(), nil, nil, egress.Options{})
}

func TestAProgramReachesOnlyTheHostsOfTheList(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		var served atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			served.Add(1)
			if r.URL.Path == "/large" {
				_, _ = w.Write(bytes.Repeat([]byte("x"), 300_000))
				return
			}
			_, _ = io.WriteString(w, "real "+r.Host)
		}))
		defer server.Close()
		d := openDocker(t)
		leads := map[string]string{"api.example.com": "93.184.216.34", "inner.example.com": "10.0.0.1"}
		d.engine.egress = egress.Options{
			Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr(leads[host])}, nil
			},
			Dial: func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
				var dialer net.Dialer
				return dialer.DialContext(ctx, "tcp", server.Listener.Addr().String())
			},
		}
		s := attack(runtime, "fetch", "http://api.example.com/x", "http://api.example.com/large", "http://inner.example.com/", "http://other.example.com/",
			"http://93.184.216.34/", "http://169.254.169.254/latest/", "http://api.example.com:8080/")
		s.Limits.Timeout = time.Minute
		s.Observe = &Observe{Internet: true, Egress: []string{"api.example.com", "inner.example.com:80"}}
		r := mustRun(t, d, s)
		out := string(r.Stdout.Data)
		for _, want := range []string{
			"http://api.example.com/x 200 20 bytes \"real api.example.com\" <nil>\n", "http://api.example.com/large 200 300000 bytes", "http://inner.example.com/ failed\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in\n%s", want, out)
			}
		}
		// What is not on the list is played as always, and nothing of it is real.
		if strings.Count(out, "real ") != 1 || served.Load() != 2 {
			t.Errorf("%d requests left:\n%s", served.Load(), out)
		}
		var refused, passed int
		for _, e := range r.Behaviour.Events {
			if e.Action != ActionEgress {
				continue
			}
			switch {
			case e.Refused && e.Object == "inner.example.com:80" && strings.Contains(e.Args[2], "no public address"):
				refused++
			case !e.Refused && e.Object == "api.example.com:80" && e.Args[0] == "93.184.216.34:80" && strings.HasPrefix(e.Args[1], "HTTP GET"):
				passed++
			default:
				t.Errorf("on record: %+v", e)
			}
		}
		if refused == 0 || passed == 0 || r.Status != Exited {
			t.Errorf("%s %q, %d passed, %d refused\n%s", r.Status, r.Reason, passed, refused, strings.Join(behaviourOf(r), "\n"))
		}
	})
}

func TestATunnelWhereThereIsNoneEndsTheRun(t *testing.T) {
	var said bytes.Buffer
	open, err := wire.Encode(wire.Open{ID: 1, Host: "evil.example.com", Port: 80})
	if err != nil {
		t.Fatal(err)
	}
	closed := nowhere(t)
	if closed.take(wire.KindOpen, open) == nil || closed.take(wire.KindUp, []byte("\x00\x00\x00\x01x")) == nil {
		t.Error("a tunnel began without a way out")
	}
	closed.close()
	x := newEgressRelay(t.Context(), &said, &Observe{Internet: true, Egress: []string{"api.example.com"}}, egress.Options{})
	for name, err := range map[string]error{
		"no JSON": x.take(wire.KindOpen, []byte("x")), "a short piece": x.take(wire.KindUp, []byte("x")),
	} {
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if err := x.take(wire.KindOpen, open); err != nil {
		t.Error(err)
	}
	if x.take(wire.KindOpen, open) == nil {
		t.Error("one number was given twice")
	}
	if err := x.take(wire.KindUp, []byte("\x00\x00\x00\x09late")); err != nil {
		t.Errorf("a piece for a connection that has ended: %v", err)
	}
	events := x.close()
	if len(events) != 1 || !events[0].Refused || !strings.Contains(events[0].Args[2], "does not name evil.example.com:80") {
		t.Errorf("on record: %+v", events)
	}
}
