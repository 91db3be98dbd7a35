package netsim

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net"
	"net/netip"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/sandbox/internal/canary"
	"github.com/aigate/gate/tools/testenv"
)

func TestNetworkSimulationNeverDials(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		n++
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(node ast.Node) bool {
			s, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			name := s.Sel.Name
			of, _ := s.X.(*ast.Ident)
			client := of != nil && of.Name == "http" && slices.Contains([]string{"Client", "Transport", "Get", "Post", "Head", "PostForm", "DefaultClient", "DefaultTransport"}, name)
			resolves := of != nil && of.Name == "net" && (strings.HasPrefix(name, "Lookup") || strings.HasPrefix(name, "Resolve") || name == "Resolver" || name == "DefaultResolver")
			// Sockets other than these would have to be looked at here.
			listens := of != nil && of.Name == "net" && strings.Contains(name, "Listen") && !slices.Contains([]string{"ListenTCP", "ListenUDP", "TCPListener"}, name)
			if strings.Contains(name, "Dial") || client || resolves || listens {
				t.Errorf("%s uses %s", file, name)
			}
			return true
		})
	}
	if n < 10 {
		t.Errorf("only %d files were looked at", n)
	}
}

func TestEverythingListensOnLoopback(t *testing.T) {
	l := newLab(t, Limits{Peers: 4})
	for i := range 8 {
		dst := netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}), 80)
		local, err := l.Peer(dst)
		if err != nil || !local.Addr().IsLoopback() {
			t.Errorf("%v: %v %v", dst, local, err)
		}
		again, err := l.Peer(dst)
		if err != nil || again != local {
			t.Errorf("%v: %v, then %v %v", dst, local, again, err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		var a net.Addr
		switch c := c.(type) {
		case *net.TCPListener:
			a = c.Addr()
		case *net.UDPConn:
			a = c.LocalAddr()
		default:
			t.Fatalf("a %T is open", c)
		}
		if ap := netip.MustParseAddrPort(a.String()); !ap.Addr().IsLoopback() {
			t.Errorf("%v listens", a)
		}
	}
	if len(l.open) != 2*(4+1) || len(l.originals) != 4 { // and the shared one
		t.Errorf("%d sockets for %d addresses", len(l.open), len(l.originals))
	}
}

func TestOneAddressPlaysBothKindsOfSocket(t *testing.T) {
	l := newLab(t, Limits{Peers: 2})
	for i := range 3 { // the third one is beyond the limit
		dst := netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}), 53)
		local, err := l.Peer(dst)
		if err != nil || !local.Addr().IsLoopback() {
			t.Fatal(local, err)
		}
		for _, network := range []string{"tcp", "udp"} {
			c, err := new(net.Dialer).DialContext(t.Context(), network, local.String())
			if err != nil {
				t.Fatal(err)
			}
			c.Close()
		}
		if original, ok := l.Original(local); ok != (i < 2) || ok && original != dst {
			t.Errorf("%v is known as %v", dst, original)
		}
	}
}

func TestThoseBeyondTheLimitOfPeersArePlayedTogether(t *testing.T) {
	l := newLab(t, Limits{Peers: 1})
	l.connect("tcp", "203.0.113.1:80").Close()
	for _, host := range []string{"203.0.113.2", "203.0.113.3"} {
		c := l.connect("tcp", host+":80")
		fmt.Fprintf(c, "GET /%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host, host)
		if text, err := io.ReadAll(c); err != nil || !bytes.HasPrefix(text, []byte("HTTP/1.1 200")) {
			t.Errorf("%q %v", text, err)
		}
		if _, ok := l.Original(netip.MustParseAddrPort(c.RemoteAddr().String())); ok {
			t.Error("the shared address claims to be one of them")
		}
	}
	if events := l.end("http"); len(events) != 2 || events[0].Peer != "203.0.113.2:0" {
		t.Errorf("%+v", events)
	}
}

func TestConnectionsAreBoundedAndTheRestIsLost(t *testing.T) {
	l := newLab(t, Limits{Connections: 2})
	first, second := l.connect("tcp", "203.0.113.1:7"), l.connect("tcp", "203.0.113.1:7")
	waitFor(t, func() bool { return len(l.slots) == 2 })
	third := l.connect("tcp", "203.0.113.1:7")
	if _, err := third.Read(make([]byte, 1)); err == nil {
		t.Error("the third one is answered")
	}
	first.Close()
	second.Close()
	l.Close()
	if l.Lost() != 1 {
		t.Errorf("%d lost", l.Lost())
	}
}

func TestAConnectionEndsAfterItsBytesAndItsTime(t *testing.T) {
	l := newLab(t, Limits{Bytes: 1000})
	flood := l.connect("tcp", "203.0.113.1:7")
	for err := error(nil); err == nil; {
		_, err = flood.Write(make([]byte, 100))
	}
	if l.Lost() == 0 {
		t.Error("what did not fit is not lost")
	}
	if found := l.end("tcp"); len(found) != 1 || found[0].Bytes != 1000 {
		t.Errorf("%+v", found)
	}
	l = newLab(t, Limits{Life: 200 * time.Millisecond})
	for _, port := range []string{"8", "25", "53", "80"} {
		slow := l.connect("tcp", "203.0.113.1:"+port)
		_, _ = io.WriteString(slow, "G")
		if _, err := io.Copy(io.Discard, slow); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("port %s: %v", port, err)
		}
	}
}

func TestAFloodOfEventsDoesNotHideASecret(t *testing.T) {
	l := newLab(t, Limits{Events: 16})
	for i := range 100 {
		l.dns.answer("a:53", "", query(fmt.Sprintf("n%d.example.com", i), typeA))
	}
	l.dns.answer("a:53", "", query(secret+".example.com", typeA))
	events := l.end("dns")
	if len(events) != 17 || l.Lost() != 84 {
		t.Errorf("%d events, %d lost", len(events), l.Lost())
	}
	if e := events[len(events)-1]; len(e.Canaries) == 0 {
		t.Errorf("%+v", e)
	}
}

func TestNamesAreBounded(t *testing.T) {
	ns := newNames(false)
	seen := map[netip.Addr]bool{}
	network := netip.MustParsePrefix("198.18.0.0/15")
	for i := range maxNames + 10 {
		a := ns.address(fmt.Sprintf("n%d.example.com", i))
		if !network.Contains(a) || seen[a] && a != sharedAddr {
			t.Fatalf("%d: %v", i, a)
		}
		seen[a] = true
	}
	if len(ns.byAddr) != maxNames || !seen[sharedAddr] {
		t.Errorf("%d names", len(ns.byAddr))
	}
}

func TestAPanicIsAGapInTheEvidence(t *testing.T) {
	l := newLab(t, Limits{})
	l.guard(func() {
		var stranger *session
		stranger.dst = netip.AddrPort{}
	})
	l.Close()
	if l.Lost() != 1 || len(l.Events()) != 1 {
		t.Errorf("%d lost, %+v", l.Lost(), l.Events())
	}
}

func TestUnsearchedDataCountsAsLost(t *testing.T) {
	l := newLab(t, Limits{})
	l.do(l.client(nil), "POST", "http://example.com/", strings.NewReader(strings.Repeat("\x1f\x8b\x08\x08aaaaaaaa", 5000)))
	l.Close()
	if l.Lost() == 0 {
		t.Error("nothing is")
	}
}

func TestAClosedInternetTakesNothing(t *testing.T) {
	l := newLab(t, Limits{})
	l.Close()
	l.Close()
	if _, err := l.Peer(netip.MustParseAddrPort("203.0.113.1:80")); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestMemoryStaysSmallAtTheLimits(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	l := newLab(t, Limits{Quiet: time.Millisecond})
	for i := range 256 {
		if _, err := l.Peer(netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}), 9)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4096 {
		l.log.add(Event{Kind: "tcp", Detail: fmt.Sprint(i), Head: make([]byte, maxHead)})
		l.names.address(fmt.Sprintf("n%d.example.com", i))
	}
	for i := range 64 {
		c := l.connect("tcp", "203.0.113.1:7")
		fmt.Fprintf(c, "%d \x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03%s", i, strings.Repeat("\x00\x10\x00\xef\xff0123456789abcdef", 100))
	}
	waitFor(t, func() bool { return len(l.slots) == 64 })
	runtime.GC()
	runtime.ReadMemStats(&after)
	used := int64(after.HeapInuse+after.StackInuse) - int64(before.HeapInuse+before.StackInuse)
	t.Logf("%d KiB", used>>10)
	if used > 16<<20 && !testenv.Raced {
		t.Errorf("%d MiB are in use", used>>20)
	}
}

func TestTheAuthorityIsTrustedInEveryRunOfTheClock(t *testing.T) {
	ca, err := NewAuthority(nil, today)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2*maxLeaves + 3 {
		c, err := ca.leaf(fmt.Sprintf("n%d.example.com", i%(maxLeaves+2)), netip.MustParseAddr("198.18.0.9"))
		if err != nil || len(c.Certificate) != 2 {
			t.Fatal(err)
		}
		if len(ca.leaves) > maxLeaves {
			t.Fatalf("%d certificates are kept", len(ca.leaves))
		}
	}
	long := strings.Repeat("a", 60) + "." + strings.Repeat("b", 60) + ".example.com"
	if _, err := ca.leaf(long, netip.Addr{}); err != nil {
		t.Error(err)
	}
	if ca.cert.NotAfter.Before(today.AddDate(35, 0, 0)) || ca.cert.NotBefore.After(today.AddDate(0, -6, 0)) {
		t.Errorf("holds from %v to %v", ca.cert.NotBefore, ca.cert.NotAfter)
	}
}

func TestTheEnvironmentNamesTheAuthority(t *testing.T) {
	env := Env("/etc/ca.pem")
	for _, key := range []string{"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT", "npm_config_cafile"} {
		if !slices.Contains(env, key+"=/etc/ca.pem") {
			t.Errorf("%s is not set", key)
		}
	}
}

func TestSniffingTellsProtocolsByTheirFirstBytes(t *testing.T) {
	tests := map[string]struct {
		p    protocol
		more bool
	}{
		"":                 {unknown, true},
		"\x16":             {unknown, true},
		"\x16\x03\x01":     {hello, false},
		"\x16\x05":         {unknown, false},
		"G":                {unknown, true},
		"GET":              {unknown, true},
		"GET /":            {request, false},
		"GETA":             {unknown, false},
		"PRI * HTTP/2.0\r": {request, false},
		"SSH-2.0-x":        {unknown, false},
		"\x00":             {unknown, false},
	}
	for text, tt := range tests {
		if p, more := sniff([]byte(text)); p != tt.p || more != tt.more {
			t.Errorf("%q: %v %v", text, p, more)
		}
	}
}

// FuzzSniff holds that more bytes never change a mind that was made up.
func FuzzSniff(f *testing.F) {
	for _, s := range []string{"GET / HTTP/1.1\r\n", "\x16\x03\x01\x02", "EHLO a", "PRI * HTTP/2.0"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, more := sniff(b)
		if more && len(b) > 16 {
			t.Errorf("%q is not enough", b)
		}
		for i := range b {
			if p, more := sniff(b[:i]); !more && p != whole {
				t.Errorf("%q: %v, in the end %v", b[:i], p, whole)
			}
		}
	})
}

// FuzzConnection holds that no bytes break a server, and that all of them are
// recorded.
func FuzzConnection(f *testing.F) {
	for _, port := range []uint16{21, 22, 25, 53, 80, 110, 143, 443, 9999} {
		f.Add(port, []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
		f.Add(port, []byte("EHLO a\r\nAUTH LOGIN\r\nYQ==\r\nYQ==\r\nMAIL FROM:<a>\r\nDATA\r\nSubject: x\r\n\r\n.\r\n"))
		f.Add(port, []byte("1 LOGIN a b\r\nUSER a\r\nPASV\r\n"))
		f.Add(port, append([]byte{0, 29}, query("example.com", typeA)...))
		f.Add(port, []byte("CONNECT a:25 HTTP/1.1\r\n\r\nEHLO b\r\n"))
	}
	m := canary.NewMatcher([]canary.Token{{ID: "aws-key", Value: secret}})
	f.Fuzz(func(t *testing.T, port uint16, data []byte) {
		n := New(Config{Canaries: m, Limits: Limits{Quiet: 5 * time.Millisecond, Idle: time.Second, Life: 2 * time.Second}})
		defer n.Close()
		local, err := n.Peer(netip.AddrPortFrom(netip.MustParseAddr("203.0.113.1"), port))
		if err != nil {
			t.Fatal(err)
		}
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", local.String())
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = c.Write(data)
			_ = c.(*net.TCPConn).CloseWrite()
		}()
		_, _ = io.Copy(io.Discard, c)
		c.Close()
		n.Close()
		for _, e := range n.Events() {
			if strings.Contains(e.Detail, "broke") {
				t.Errorf("%q: %+v", data, e)
			}
		}
	})
}
