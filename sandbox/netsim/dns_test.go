package netsim

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNamesHaveOneAddressAndAreKnownByIt(t *testing.T) {
	for _, network := range []string{"udp", "tcp"} {
		l := newLab(t, Limits{})
		r := l.resolver(network)
		var first []string
		for range 2 {
			addrs, err := r.LookupHost(t.Context(), "Example.COM")
			if err != nil || len(addrs) != 1 {
				t.Fatalf("%v %v", addrs, err)
			}
			if first == nil {
				first = addrs
			}
			if !slices.Equal(first, addrs) {
				t.Errorf("%v, then %v", first, addrs)
			}
		}
		if other := newNames(false).address("example.com").String(); other != first[0] {
			t.Errorf("%s here and %s in another run", first[0], other)
		}
		back, err := r.LookupAddr(t.Context(), first[0])
		if err != nil || !slices.Equal(back, []string{"example.com."}) {
			t.Errorf("back: %v %v", back, err)
		}
		l.connect("tcp", first[0]+":4444").Close()
		if e := l.only("tcp"); e.Peer != "example.com:4444" || e.Detail != "connected, sent nothing" {
			t.Errorf("%+v", e)
		}
		var details []string
		for _, e := range l.end("dns") {
			details = append(details, e.Detail)
			if e.Peer != "192.0.2.53:53" {
				t.Errorf("peer %q", e.Peer)
			}
			if e.Detail == "A example.com" && e.Count != 2 {
				t.Errorf("%+v", e)
			}
		}
		if !slices.Contains(details, "A example.com") || !slices.Contains(details, "AAAA example.com") {
			t.Errorf("%q", details)
		}
	}
}

func TestOtherRecordsArePlausible(t *testing.T) {
	l := newLab(t, Limits{})
	r := l.resolver("udp")
	mx, err := r.LookupMX(t.Context(), "example.com")
	if err != nil || len(mx) != 1 || mx[0].Host != "mail.example.com." {
		t.Errorf("MX: %v %v", mx, err)
	}
	txt, err := r.LookupTXT(t.Context(), "example.com")
	if err != nil || len(txt) != 1 {
		t.Errorf("TXT: %v %v", txt, err)
	}
	ns, err := r.LookupNS(t.Context(), "example.com")
	if err != nil || len(ns) != 1 || ns[0].Host != "ns1.example.com." {
		t.Errorf("NS: %v %v", ns, err)
	}
	_, srv, err := r.LookupSRV(t.Context(), "xmpp", "tcp", "example.com")
	if err != nil || len(srv) != 1 || srv[0].Target != "example.com." || srv[0].Port != 443 {
		t.Errorf("SRV: %v %v", srv, err)
	}
	for name, want := range map[string]string{"app.localhost": "127.0.0.1", "metadata.google.internal": "169.254.169.254"} {
		if a := l.names.address(name).String(); a != want {
			t.Errorf("%s is %s", name, a)
		}
	}
}

func TestNamesThatCannotExistDoNot(t *testing.T) {
	l := newLab(t, Limits{})
	for _, name := range []string{"a.invalid", "wpad.example.com", "printer.local", "use-application-dns.net"} {
		_, err := l.resolver("udp").LookupHost(t.Context(), name+".")
		if no, ok := errors.AsType[*net.DNSError](err); !ok || !no.IsNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, e := range l.end("dns") {
		if !strings.HasSuffix(e.Detail, ": no such name") {
			t.Errorf("%q", e.Detail)
		}
	}
}

func TestASecretInNamesIsFound(t *testing.T) {
	b := strings.ToLower(base32Of(secret))
	tests := map[string]struct {
		names []string
		want  string
	}{
		"in one":                       {[]string{secret + ".example.com"}, "aws-key (plain)"},
		"in base32 over labels":        {[]string{b[:20] + "." + b[20:] + ".example.com"}, "aws-key (base32)"},
		"cut over many, a bit in each": {[]string{secret[:7] + ".example.com", secret[7:13] + ".example.com", secret[13:20] + ".example.com"}, "aws-key (plain)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, Limits{})
			for _, n := range tt.names {
				c := l.connect("udp", "192.0.2.53:53")
				_, _ = c.Write(query(n, typeTXT))
				_, _ = c.Read(make([]byte, 512))
			}
			found := l.end("dns")
			if !slices.ContainsFunc(found, func(e Event) bool { return slices.Contains(e.Canaries, tt.want) }) {
				t.Errorf("not found: %+v", found)
			}
		})
	}
}

func TestMalformedQuestionsAreRecordedAndNotAnswered(t *testing.T) {
	l := newLab(t, Limits{})
	good := query("example.com", typeA)
	bad := [][]byte{nil, []byte(secret), good[:len(good)-1], append([]byte{0, 1, 0x80}, good[3:]...)}
	loop := slices.Clone(good)
	loop[headerSize] = 0xc0
	for _, msg := range append(bad, loop) {
		if reply := l.dns.answer("a:53", "a:53", msg); reply != nil {
			t.Errorf("%q is answered", msg)
		}
	}
	e := l.only("dns")
	if e.Detail != "malformed question" || e.Count != 5 || !slices.Equal(e.Canaries, []string{"aws-key (plain)"}) {
		t.Errorf("%+v", e)
	}
}

func TestEDNSIsAnsweredWithEDNS(t *testing.T) {
	l := newLab(t, Limits{})
	q := query("example.com", typeA)
	q[11] = 1
	q = append(q, 0, 0, typeOPT, 16, 0, 0, 0, 0, 0, 0, 0)
	reply := l.dns.answer("a:53", "", q)
	if len(reply) < 11 || reply[11] != 1 || reply[len(reply)-9] != typeOPT {
		t.Errorf("% x", reply)
	}
}

func TestDNSOverHTTPSIsDNS(t *testing.T) {
	l := newLab(t, Limits{})
	c := l.client(nil)
	q := query("example.org", typeA)
	want := l.names.address("example.org").AsSlice()
	_, body := l.do(c, "POST", "https://dns.example.net/dns-query", strings.NewReader(string(q)), "Content-Type", "application/dns-message")
	if !strings.HasSuffix(body, string(want)) {
		t.Errorf("posted: %q", body)
	}
	resp, body := l.do(c, "GET", "https://dns.example.net/dns-query?dns="+base64.RawURLEncoding.EncodeToString(q), nil)
	if !strings.HasSuffix(body, string(want)) || resp.StatusCode != http.StatusOK {
		t.Errorf("got: %q", body)
	}
	_, body = l.do(c, "GET", "https://dns.example.net/resolve?name=example.org&type=A", nil)
	if !strings.Contains(body, l.names.address("example.org").String()) {
		t.Errorf("as JSON: %q", body)
	}
	found := slices.DeleteFunc(l.end("dns"), func(e Event) bool { return e.Peer != "dns.example.net:443" })
	if len(found) != 1 || found[0].Detail != "A example.org" || found[0].Count != 3 {
		t.Errorf("%+v", found)
	}
}

func TestTheClockOfNTPIsTheOneOfTheRun(t *testing.T) {
	l := newLab(t, Limits{})
	c := l.connect("udp", "192.0.2.123:123")
	request := make([]byte, 48)
	request[0] = 0x23
	_, _ = c.Write(request)
	reply := make([]byte, 48)
	if _, err := io.ReadFull(c, reply); err != nil {
		t.Fatal(err)
	}
	seconds := int64(binary.BigEndian.Uint32(reply[40:])) - 2208988800 + 1<<32*boolToInt(reply[40] < 0x80)
	if got := time.Unix(seconds, 0).UTC(); !got.Equal(today) {
		t.Errorf("it is %v", got)
	}
	if e := l.only("udp"); e.Detail != "NTP" || e.Peer != "192.0.2.123:123" {
		t.Errorf("%+v", e)
	}
}

func boolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func TestDatagramsAreRecordedTogether(t *testing.T) {
	l := newLab(t, Limits{})
	c := l.connect("udp", "203.0.113.9:9999")
	for _, part := range []string{"x" + secret[:9], secret[9:20] + "y"} {
		_, _ = c.Write([]byte(part))
	}
	waitFor(t, func() bool { e := l.Events(); return len(e) > 0 && e[0].Count == 2 })
	e := l.only("udp")
	if e.Count != 2 || e.Bytes != 22 || string(e.Head) != "x"+secret[:9] || !slices.Equal(e.Canaries, []string{"aws-key (plain)"}) {
		t.Errorf("%+v", e)
	}
}

// query is a question as a client sends it.
func query(name string, kind uint16) []byte {
	msg := []byte{0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0}
	msg = append(msg, wireName(name)...)
	msg = binary.BigEndian.AppendUint16(msg, kind)
	return append(msg, 0, 1)
}

// FuzzQuestion holds that no message breaks the server, and that its replies are
// well-formed and small.
func FuzzQuestion(f *testing.F) {
	for _, kind := range []uint16{typeA, typeAAAA, typeMX, typeSRV, typeTXT, typePTR, typeSOA, typeANY, 9999} {
		for _, name := range []string{"example.com", "4.3.18.198.in-addr.arpa", "", "a.invalid", strings.Repeat("label.", 40) + "com"} {
			f.Add(query(name, kind))
		}
	}
	n := New(Config{})
	f.Cleanup(func() { n.Close() })
	f.Fuzz(func(t *testing.T, msg []byte) {
		q, err := parseQuestion(msg)
		reply := n.dns.answer("a:53", "a:53", msg)
		if err != nil {
			if reply != nil {
				t.Errorf("answered % x", reply)
			}
			return
		}
		if len(reply) < headerSize+len(q.raw) || len(reply) > 2048 || reply[2]&0x80 == 0 || reply[0] != msg[0] || reply[1] != msg[1] {
			t.Errorf("replied % x", reply)
		}
		if clean(q.name, 2000) != q.name {
			t.Errorf("the name %q is not printable", q.name)
		}
	})
}
