package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTargetsAreNamesAndPorts(t *testing.T) {
	for text, want := range map[string][]Target{
		"api.example.com": {{"api.example.com", 443}, {"api.example.com", 80}}, "API.Example.com:8443": {{"api.example.com", 8443}},
		" a.b.co ": {{"a.b.co", 443}, {"a.b.co", 80}},
		"":         {}, "localhost": {}, "example.com:0": {}, "example.com:70000": {}, "example.com:x": {}, "*.example.com": {}, "192.0.2.1": {}, "192.0.2.1:443": {},
		"[::1]:443": {}, "::1": {}, "example.com:443:1": {}, "https://example.com": {}, "example.com/x": {}, "exa mple.com": {}, "-a.example.com": {},
		"169.254.169.254": {}, "0x7f.1": {}, "2130706433": {}, "a.example.com.": {}, strings.Repeat("a.", 130) + "com": {},
	} {
		got, err := Parse(text)
		if !slices.Equal(got, want) || (err == nil) != (len(want) > 0) {
			t.Errorf("%q: %v %v, want %v", text, got, err, want)
		}
	}
}

func TestAddressesAreReachedOnlyIfPublic(t *testing.T) {
	for _, a := range []string{
		"127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "169.254.0.1", "100.64.0.1", "100.127.255.255",
		"0.0.0.0", "0.1.2.3", "255.255.255.255", "224.0.0.1", "239.1.1.1", "240.0.0.1", "192.0.0.170", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
		"::", "::1", "fe80::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1",
		"2002:7f00:1::", "2001::1", "2001:db8::1", "100::1",
	} {
		if Public(netip.MustParseAddr(a)) {
			t.Errorf("%s is not public", a)
		}
	}
	for _, a := range []string{"93.184.216.34", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:2800:220:1::1"} {
		if !Public(netip.MustParseAddr(a)) {
			t.Errorf("%s is a public address", a)
		}
	}
}

// outside is a host on loopback that stands for a public one.
type egressRelay struct {
	addrs  []string // that the name leads to
	server string
	dialed []netip.AddrPort
}

func (o *egressRelay) options(limits Limits) Options {
	return Options{
		Limits: limits,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			var out []netip.Addr
			for _, a := range o.addrs {
				out = append(out, netip.MustParseAddr(a))
			}
			return out, nil
		},
		Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			o.dialed = append(o.dialed, to)
			var d net.Dialer
			return d.DialContext(ctx, "tcp", o.server)
		},
	}
}

// ask lets a program talk through a proxy for one target and returns the answer and
// what is on record.
func ask(t *testing.T, p *Proxy, to Target, talk func(net.Conn) string) (string, Record) {
	t.Helper()
	mine, program := net.Pipe()
	done := make(chan struct{})
	go func() { p.Serve(t.Context(), to, mine); close(done) }()
	answer := talk(program)
	_ = program.Close()
	<-done
	records := p.Records()
	if len(records) == 0 {
		t.Fatal("nothing is on record")
	}
	return answer, records[len(records)-1]
}

func says(text string) func(net.Conn) string {
	return func(c net.Conn) string {
		if _, err := io.WriteString(c, text); err != nil {
			return ""
		}
		answer, _ := io.ReadAll(c)
		return string(answer)
	}
}

const get = "GET /x HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"

func TestEgressProxyPassesOnlyAllowedRequests(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "hello %s", r.URL.Path) }))
	defer server.Close()
	api, good, own := Target{"api.example.com", 80}, []string{"93.184.216.34"}, fmt.Sprintf(get, "api.example.com")
	tests := map[string]struct {
		addrs   []string
		to      Target
		says    string
		answer  string
		refused string
	}{
		"the host of the list":              {good, api, own, "hello /x", ""},
		"with its port":                     {good, api, fmt.Sprintf(get, "API.example.com:80"), "hello /x", ""},
		"another host":                      {good, Target{"evil.example.com", 80}, fmt.Sprintf(get, "evil.example.com"), "", "does not name"},
		"another port":                      {good, Target{"api.example.com", 8080}, own, "", "does not name"},
		"another name in the request":       {good, api, fmt.Sprintf(get, "evil.example.com"), "", "it is for \"evil.example.com\""},
		"another port in the request":       {good, api, fmt.Sprintf(get, "api.example.com:22"), "", "it is for api.example.com:22"},
		"a tunnel":                          {good, api, "CONNECT api.example.com:80 HTTP/1.1\r\nHost: api.example.com:80\r\n\r\n", "", "tunnel"},
		"something else than HTTP":          {good, api, "EHLO me\r\n\r\n", "", "neither TLS nor HTTP"},
		"nothing":                           {good, api, "", "", "said nothing"},
		"a name that leads to loopback":     {[]string{"127.0.0.1"}, api, own, "", "no public address"},
		"a name that leads to the metadata": {[]string{"169.254.169.254"}, api, own, "", "no public address"},
		"a name with one private address":   {[]string{"93.184.216.34", "10.0.0.1"}, api, own, "", "no public address"},
		"a mapped private address":          {[]string{"::ffff:10.0.0.1"}, api, own, "", "no public address"},
		"a name without an address":         {nil, api, own, "", "no address"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := &egressRelay{addrs: tt.addrs, server: server.Listener.Addr().String()}
			answer, r := ask(t, New([]Target{api}, o.options(Limits{})), tt.to, func(c net.Conn) string {
				if tt.says == "" {
					return ""
				}
				return says(tt.says)(c)
			})
			if !strings.Contains(answer, tt.answer) || tt.answer == "" && answer != "" {
				t.Errorf("the program was answered %q", answer)
			}
			if (tt.refused == "") != (r.Refused == "") || !strings.Contains(r.Refused, tt.refused) || (tt.refused == "") != (len(o.dialed) == 1) || r.Target != tt.to {
				t.Errorf("on record is %+v, dialed %v", r, o.dialed)
			}
			if tt.refused == "" && (r.Address != "93.184.216.34:80" || r.Up == 0 || r.Down == 0 || o.dialed[0].String() != r.Address) {
				t.Errorf("on record is %+v, dialed %v", r, o.dialed)
			}
		})
	}
}

// A name that is public when it is checked and private when it is connected to gains
// nothing: it is resolved once, and what was checked is dialed.
func TestANameThatChangesItsMindGainsNothing(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	o := &egressRelay{addrs: []string{"93.184.216.34"}, server: server.Listener.Addr().String()}
	options := o.options(Limits{})
	asked := 0
	options.Resolve = func(context.Context, string) ([]netip.Addr, error) {
		if asked++; asked > 1 {
			return []netip.Addr{netip.MustParseAddr("169.254.169.254")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
	}
	api := Target{"api.example.com", 80}
	_, r := ask(t, New([]Target{api}, options), api, says(fmt.Sprintf(get, "api.example.com")))
	if r.Refused != "" || asked != 1 || len(o.dialed) != 1 || o.dialed[0].Addr().String() != "93.184.216.34" {
		t.Errorf("asked %d times, dialed %v, %+v", asked, o.dialed, r)
	}
}

func TestAHostThatDoesNotAnswerIsOnRecord(t *testing.T) {
	o := &egressRelay{addrs: []string{"93.184.216.34"}}
	options := o.options(Limits{})
	options.Dial = func(context.Context, netip.AddrPort) (net.Conn, error) { return nil, errors.New("unreachable") }
	api := Target{"api.example.com", 80}
	if _, r := ask(t, New([]Target{api}, options), api, says(fmt.Sprintf(get, "api.example.com"))); !strings.Contains(r.Refused, "does not answer: unreachable") {
		t.Errorf("on record is %+v", r)
	}
}

func TestTLSIsPassedOnByTheNameThatItIsFor(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secure") }))
	defer server.Close()
	to := Target{"api.example.com", 443}
	for name, refused := range map[string]string{"api.example.com": "", "evil.example.com": "it is for \"evil.example.com\"", "": "it is for \"\""} {
		o := &egressRelay{addrs: []string{"93.184.216.34"}, server: server.Listener.Addr().String()}
		answer, r := ask(t, New([]Target{to}, o.options(Limits{})), to, func(c net.Conn) string {
			s := tls.Client(c, &tls.Config{ServerName: name, InsecureSkipVerify: true})
			if s.HandshakeContext(t.Context()) != nil {
				return ""
			}
			return says(fmt.Sprintf(get, "x"))(s)
		})
		if strings.Contains(answer, "secure") != (refused == "") || (refused == "") != (r.Refused == "") || !strings.Contains(r.Refused, refused) {
			t.Errorf("for %q: %q, %+v", name, answer, r)
		}
	}
}

func TestBytesConnectionsAndTimeAreBounded(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) }))
	defer server.Close()
	ours := says(fmt.Sprintf(get, "api.example.com"))
	api := Target{"api.example.com", 80}
	o := &egressRelay{addrs: []string{"93.184.216.34"}, server: server.Listener.Addr().String()}
	p := New([]Target{api}, o.options(Limits{Connections: 1, Bytes: 100_000, Dial: time.Minute, Hello: time.Minute}))
	answer, r := ask(t, p, api, ours)
	if !strings.Contains(r.Refused, "more than 100000 bytes") || len(answer) > 100_000 {
		t.Errorf("%d bytes came, %+v", len(answer), r)
	}
	if _, r = ask(t, p, api, ours); !strings.Contains(r.Refused, "more than 1 connections") {
		t.Errorf("the second connection: %+v", r)
	}
	p = New([]Target{api}, o.options(Limits{Connections: 1, Bytes: 100_000, Dial: time.Minute, Hello: 50 * time.Millisecond}))
	if _, r = ask(t, p, api, func(c net.Conn) string { b, _ := io.ReadAll(c); return string(b) }); !strings.Contains(r.Refused, "said nothing") {
		t.Errorf("silence: %+v", r)
	}
}

func FuzzTargets(f *testing.F) {
	for _, s := range []string{"api.example.com", "a.b:1", "127.0.0.1", "*.x.com", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		targets, err := Parse(s)
		if err != nil {
			return
		}
		for _, target := range targets {
			if _, isAddress := netip.ParseAddr(target.Host); isAddress == nil || target.Port == 0 {
				t.Errorf("%q gave %v", s, target)
			}
			if again, err := Parse(target.String()); err != nil || !slices.Equal(again, []Target{target}) {
				t.Errorf("%q gave %v, which gave %v %v", s, target, again, err)
			}
		}
	})
}
