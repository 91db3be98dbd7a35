package behaviour

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestDataToAHostThatTheBaseNeverNames(t *testing.T) {
	const old = "api.example.com"
	sent, none := ruleNewHost.ID+sus, ""
	for name, tt := range map[string]struct {
		events string
		want   string
	}{
		"a form":                              {"resolve A collect.example.com\nrequest POST https://collect.example.com/in <<<a=1", sent},
		"a form without a body":               {"resolve A collect.example.com\nrequest POST https://collect.example.com/in", sent},
		"a file":                              {"resolve A collect.example.com\nrequest PUT http://collect.example.com/in <<<abc", sent},
		"a question with a body":              {"resolve A collect.example.com\nrequest GET http://collect.example.com/in <<<abc", sent},
		"a question":                          {"resolve A collect.example.com\nrequest GET http://collect.example.com/in <<<GET http://collect.example.com/in\r\nHost: x", none},
		"a connection without data":           {"resolve A collect.example.com\nconnect 198.18.3.7:443", none},
		"bytes":                               {"resolve A collect.example.com\ntraffic collect.example.com:9999 · tcp · text <<<abc", sent},
		"bytes to an address":                 {"traffic 192.0.2.7:9999 · tcp · text <<<abc", sent},
		"the time":                            {"traffic pool.example.org:123 · udp · NTP <<<abc", none},
		"mail":                                {"mail from a to b · mail.example.org:25", sent},
		"a form for a host of the base":       {"resolve A api.example.com\nrequest POST https://api.example.com/in <<<a=1", none},
		"a form for the own machine":          {"request POST http://localhost:8080/in <<<a=1", none},
		"a request that names another host":   {"resolve A collect.example.com\nrequest POST http://api.example.com/in <<<a=1", sent},
		"a question beside a form for others": {"resolve A cdn.example.org\nrequest GET http://cdn.example.org/x <<<GET http\nresolve A api.example.com\nrequest POST https://api.example.com/in <<<a=1", none},
	} {
		t.Run(name, func(t *testing.T) {
			for _, kind := range []Kind{Script, Module, Tests, Hook, Exercise} {
				r := runOf(t, kind, tt.events)
				r.NewHost = func(host string) bool { return host != old && host != "localhost" }
				if got := rulesOf(Findings(r)); strings.Contains(got, ruleNewHost.ID) != (tt.want != none) || !strings.Contains(got, tt.want) {
					t.Errorf("as %s: %s", kind, got)
				}
				r.NewHost = nil
				if got := rulesOf(Findings(r)); strings.Contains(got, ruleNewHost.ID) {
					t.Errorf("as %s, without a base: %s", kind, got)
				}
			}
		})
	}
}

func TestAQuestionThatSaysWhatStandsInNoFile(t *testing.T) {
	const head = "GET / HTTP/1.1|Host: collect.example.com|"
	for events, told := range map[string]bool{
		"request GET http://collect.example.com/fixed/path?fixed-name=fixed-value":                                   false,
		"request GET http://collect.example.com/c?v=README.md-LICENSE":                                               true,
		"request GET http://collect.example.com/path/fixed-value_fixed.path":                                         false,
		"request GET http://collect.example.com/path/stolen-fixed":                                                   true,
		"request GET http://collect.example.com/path/s-t-o-l-e-n":                                                    true,
		"request HEAD http://collect.example.com/%23%20tool%0Acounts":                                                true,
		"request GET http://collect.example.com/fixed/path?page=2&since=2026-11-22":                                  false,
		"request GET http://api.example.com/c?v=README.md-LICENSE":                                                   false,
		"request GET http://collect.example.com/ <<<" + head + "User-Agent: curl/8.1.2":                              false,
		"request GET http://collect.example.com/ <<<" + head + "User-Agent: README-LICENSE":                          true,
		"request GET http://collect.example.com/ <<<" + head + "User-Agent: curl/8.1.2 README-LICENSE":               true,
		"request GET http://collect.example.com/ <<<" + head + "Cookie: s=README-LICENSE":                            true,
		"request GET http://collect.example.com/ <<<" + head + "X-Trace: README-LICENSE":                             true,
		"request GET http://collect.example.com/ <<<" + head + "Accept: text/whatever":                               false,
		"request GET http://collect.example.com/ <<<" + head + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==":         false,
		"request GET http://collect.example.com/ <<<" + head + "Sec-WebSocket-Key: UkVBRE1FLm1kLUxJQ0VOU0UtY29uZg==": true,
	} {
		r := runOf(t, Script, events)
		for i, e := range r.Seen.Events {
			r.Seen.Events[i].Data = bytes.ReplaceAll(e.Data, []byte("|"), []byte("\r\n"))
		}
		r.NewHost = func(host string) bool { return host != "api.example.com" }
		r.Literal = func(text []byte) bool { return strings.HasPrefix(string(text), "fixed") }
		if got := rulesOf(Findings(r)); strings.Contains(got, ruleNewHost.ID) != told {
			t.Errorf("%q: %s", events, got)
		}
	}
}

func TestANameThatStandsInNoFileCarriesData(t *testing.T) {
	for events, told := range map[string]bool{
		"resolve A n7kq2xw9d.cdn.example.com\nresolve A nb4hzt6fq.cdn.example.com":               true,
		"resolve A cdn-7kq2xw9d4hzt.cdn.example.com\nresolve A cdn-b4hz8t6fqw1x.cdn.example.com": true,
		"resolve A 7kq2xw9db4hzt6fqm3xk8wzr.cdn.example.com":                                     true,
		"resolve A n7kq2xw9d.cdn.example.com\nresolve AAAA n7kq2xw9d.cdn.example.com":            false,
		"resolve A storage.example.com\nresolve A logging.example.com":                           false,
		"resolve A eu-west-1.storage.example.com\nresolve A us-east-1.monitoring.example.com":    false,
		"resolve A fixed7kq2xw9d.cdn.example.com\nresolve A fixedb4hzt6fq.cdn.example.com":       false,
		"resolve A n7kq2xw9d.api.example.org\nresolve A nb4hzt6fq.api.example.org":               false,
		"resolve A 20261122.cdn.example.com\nresolve A 20261123.cdn.example.com":                 false,
	} {
		r := runOf(t, Script, events)
		r.NewHost = func(host string) bool { return !strings.HasSuffix(host, "example.org") }
		r.Literal = func(text []byte) bool { return strings.HasPrefix(string(text), "fixed") }
		if got := rulesOf(Findings(r)); strings.Contains(got, ruleDNS.ID+sus) != told {
			t.Errorf("%q: %s", events, got)
		}
		r.NewHost = nil
		if got := rulesOf(Findings(r)); strings.Contains(got, ruleDNS.ID) {
			t.Errorf("%q without a base: %s", events, got)
		}
	}
}

func TestPortsOfOneHostMayBeLetters(t *testing.T) {
	for n, many := range map[int]bool{manyPorts: true, manyPorts - 1: false} {
		var events strings.Builder
		events.WriteString("resolve A cdn.example.com\n")
		for i := range n {
			fmt.Fprintf(&events, "connect 198.18.3.7:%d\n", 2000+7*i)
		}
		if got := rulesOf(Findings(runOf(t, Script, events.String()))); strings.Contains(got, ruleScan.ID+sus) != many {
			t.Errorf("%d ports: %s", n, got)
		}
	}
}

func TestNamesOfAddressesMayBeLetters(t *testing.T) {
	for events, many := range map[string]bool{
		"resolve PTR 1.2.0.192.in-addr.arpa\nresolve PTR 2.2.0.192.in-addr.arpa\nresolve PTR 3.2.0.192.in-addr.arpa\nresolve PTR 4.2.0.192.in-addr.arpa": true,
		"resolve PTR 1.2.0.192.in-addr.arpa\nresolve PTR 2.2.0.192.in-addr.arpa":                                                                         false,
		"resolve PTR 1.0.0.10.in-addr.arpa\nresolve PTR 2.0.0.10.in-addr.arpa\nresolve PTR 3.0.0.10.in-addr.arpa\nresolve PTR 4.0.0.10.in-addr.arpa":     false,
	} {
		r := runOf(t, Script, events)
		if got := rulesOf(Findings(r)); strings.Contains(got, ruleManyNames.ID) != many {
			t.Errorf("%q: %s", events, got)
		}
	}
}

func TestARecipeMaySendDataAnywhere(t *testing.T) {
	r := runOf(t, Hook, "resolve A collect.example.com\nrequest POST https://collect.example.com/in <<<a=1")
	r.Recipe, r.NewHost = true, func(string) bool { return true }
	if got := rulesOf(Findings(r)); !strings.Contains(got, ruleNewHost.ID+not) {
		t.Error(got)
	}
}

func TestManyNamesAreASearch(t *testing.T) {
	lookups := func(n int) string {
		var events strings.Builder
		for i := range n {
			fmt.Fprintf(&events, "resolve A n%d.example.org\nresolve AAAA n%d.example.org\n", i, i)
		}
		return events.String()
	}
	has := func(r Run) bool { return strings.Contains(rulesOf(Findings(r)), ruleManyNames.ID+sus) }
	if has(runOf(t, Script, lookups(manyNames-1))) {
		t.Errorf("%d names are too many", manyNames-1)
	}
	many := runOf(t, Script, lookups(manyNames))
	if !has(many) {
		t.Errorf("%d names are not many", manyNames)
	}
	many.NewHost = func(string) bool { return false }
	if has(many) {
		t.Error("names of the base count")
	}
	many.Recipe, many.NewHost = true, nil
	for _, f := range Findings(many) {
		if f.Rule == ruleManyNames.ID && f.Severity != gate.SeverityNote {
			t.Errorf("in a recipe it is %s", f.Severity)
		}
	}
}

func TestHostOfAPeer(t *testing.T) {
	for peer, want := range map[string]string{
		"example.com:443": "example.com", "tcp:192.0.2.7:80": "192.0.2.7", "[2001:db8::1]:443": "2001:db8::1", "2001:db8::1": "2001:db8::1", "example.com": "example.com", "": "",
	} {
		if got := hostOf(peer); got != want {
			t.Errorf("%q: %q, want %q", peer, got, want)
		}
	}
}

func TestTestsMayAskWhomTheBaseNames(t *testing.T) {
	const known = "api.example.com"
	for name, tt := range map[string]struct {
		events string
		note   bool // for tests; all else stays as it is
	}{
		"a host that the base names":    {"resolve A api.example.com\nconnect 198.18.3.7:443", true},
		"one that it does not":          {"resolve A other.example.com\nconnect 198.18.3.7:443", false},
		"one of each":                   {"resolve A api.example.com\nresolve A other.example.com\nconnect 198.18.3.7:443", false},
		"and an address without a name": {"resolve A api.example.com\nconnect 203.0.113.9:443", false},
		"a request for another host":    {"resolve A api.example.com\nrequest GET http://other.example.com/ <<<x", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, kind := range []Kind{Module, Tests, Hook} {
				r := runOf(t, kind, tt.events)
				r.NamedHost = func(host string) bool { return host == known }
				if got, note := rulesOf(Findings(r)), tt.note && kind == Tests; strings.Contains(got, Connection+not) != note || strings.Contains(got, Connection+sus) == note {
					t.Errorf("as %s: %s", kind, got)
				}
				r.NamedHost = nil
				if got := rulesOf(Findings(r)); !strings.Contains(got, Connection+sus) {
					t.Errorf("as %s, without a base: %s", kind, got)
				}
			}
		})
	}
}
