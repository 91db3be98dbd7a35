package behaviour

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

var (
	ruleConnection = Rule{
		ID: Connection, Severity: gate.SeveritySuspicious,
		Title:   "Connection to an outside host",
		Message: "tried to connect to an outside host",
		Why:     "No one expects that of an import, an installation or a test: it is how packages report whom they have got and fetch what they run. Of a program it is a note, because many fetch something.",
		Instead: "Reach out only in functions that are called for it, and replace the network in tests.",
	}
	ruleAddress = Rule{
		ID: "network/observed-raw-address", Severity: gate.SeveritySuspicious,
		Title:   "Connection without a name lookup",
		Message: "connected to an address without looking up a name",
		Why:     "Services have names. Malware has addresses, so that no record of names shows it.",
		Instead: "Use the name of the service, from a setting.",
	}
	ruleScan = Rule{
		ID: "network/observed-scan", Severity: gate.SeveritySuspicious,
		Title:   "Address or port scan",
		Message: "tried many addresses or ports",
		Why:     "Looking for what answers in a network is what worms and intruders do.",
		Instead: "Name the hosts in a setting.",
	}
	ruleListen = Rule{
		ID: "network/observed-listen", Severity: gate.SeveritySuspicious,
		Title:   "Port opened to other machines",
		Message: "opened a port to other machines",
		Why:     "Of a server it is a note. An import or an installation that waits for connections is a way in.",
		Instead: "Listen on 127.0.0.1, and only in programs that are servers.",
	}
	ruleService = Rule{
		ID: "network/observed-channel", Severity: gate.SeveritySuspicious,
		Title:   "Command-and-control connection",
		Message: "used a connection typical of command and control",
		Why:     "Chat servers, anonymising networks and remote shells are seldom what a project needs.",
		Instead: "Say in the documentation what the connection is for, and keep it out of imports and tests.",
	}
	ruleDropHost = Rule{
		ID: "exfiltration/observed-drop-host", Severity: gate.SeveritySuspicious,
		Title:   "Upload to a public service",
		Message: "connected to a public upload service",
		Why:     "Collectors of web requests, text bins, tunnels and chat hooks are where stolen data goes, because they need no server of one's own.",
		Instead: "Use a service of your own, from a setting.",
	}
	ruleMail = Rule{
		ID: "exfiltration/observed-mail", Severity: gate.SeveritySuspicious,
		Title:   "Mail sent",
		Message: "tried to send mail",
		Why:     "Mail carries data past most filters. A program that a change adds rarely sends any when it is only started.",
		Instead: "Send mail through a service that the deployment configures, never at a start without arguments.",
	}
	ruleDNS = Rule{
		ID: "exfiltration/observed-dns", Severity: gate.SeveritySuspicious,
		Title:   "DNS lookups with data",
		Message: "looked up names that carry data",
		Why:     "Long and random parts of names reach anyone who owns the rest of the name, even where nothing else gets out.",
		Instead: "There is no benign use in a code change.",
	}
	rulePool = Rule{
		ID: "crypto-miner/observed-pool", Severity: gate.SeveritySuspicious,
		Title:   "Mining pool contact",
		Message: "reached for a mining pool",
		Why:     "Mining on other people's machines is theft of what they cost.",
		Instead: "There is no benign use in a code change.",
	}
)

// Connection is the id of the rule about reaching outside at all.
const Connection = "network/observed-connection"

// lookedUp is the name in a resolve event: "A example.com", or the same with
// ": no such name" behind it.
func lookedUp(e sandbox.Event) string {
	f := strings.Fields(e.Object)
	if len(f) == 0 {
		return ""
	}
	return strings.ToLower(strings.TrimRight(f[min(1, len(f)-1)], ".:"))
}

// requestURL is the address in a request event: "POST https://example.com/in",
// with remarks behind it or without.
func requestURL(e sandbox.Event) *url.URL {
	f := strings.Fields(e.Object)
	if len(f) < 2 {
		return &url.URL{}
	}
	u, err := url.Parse(f[1])
	if err != nil {
		// What cannot be read still has a host, most likely.
		if u, err = url.Parse(authority.FindString(f[1])); err != nil {
			return &url.URL{}
		}
	}
	return u
}

var authority = regexp.MustCompile(`^https?://[^/?#\s]+`)

func requestHost(e sandbox.Event) string { return strings.ToLower(requestURL(e).Hostname()) }

// ownName reports whether a name is one of the program's own machine, or no
// question about a person.
func ownName(name string) bool {
	return !strings.Contains(name, ".") || strings.HasSuffix(name, ".arpa") || strings.HasSuffix(name, ".localhost") ||
		name == "localhost.localdomain" || strings.HasSuffix(name, ".local")
}

// connections are events that leave the machine.
func connections(s *trace) []hit {
	at := gate.SeverityNote
	if s.unasked() && !s.testsReachWhatTheBaseNames() {
		at = ruleConnection.Severity
	}
	var out []hit
	places := map[string]bool{}
	ports := map[netip.Addr]map[int]bool{}
	var last sandbox.Event
	for _, e := range s.of(sandbox.ActionConnect, sandbox.ActionSend, sandbox.ActionRequest, sandbox.ActionResolve, sandbox.ActionTraffic) {
		if strings.HasPrefix(e.Object, "unix:") || local(e.Object) || e.Action == sandbox.ActionResolve && ownName(lookedUp(e)) ||
			e.Action == sandbox.ActionRequest && (local(requestHost(e)) || ownName(requestHost(e)) || requestHost(e) == "localhost") {
			continue
		}
		ip, port, isAddress := address(e.Object)
		if isAddress && (ip.IsMulticast() || s.asksForOwnAddress(e)) {
			continue
		}
		// A datagram needs no connection.
		if isAddress && (e.Action == sandbox.ActionConnect || e.Action == sandbox.ActionSend) && !s.named(e) {
			out = append(out, hits(ruleAddress, s.inRecipe(ruleAddress.Severity), e)...)
		}
		if isAddress && port != 0 {
			places[e.Object], last = true, e
			if ports[ip] == nil {
				ports[ip] = map[int]bool{}
			}
			ports[ip][port] = true
		}
		out = append(out, hits(ruleConnection, at, e)...)
	}
	most := 0
	for _, p := range ports {
		most = max(most, len(p))
	}
	if len(places) >= manyPlaces || most >= manyPorts {
		out = append(out, hit{ruleScan, ruleScan.Severity, "connections to " + plural(len(places), "address", "addresses") + ", the last " + last.Object, last})
	}
	return out
}

// testsReachWhatTheBaseNames reports whether tests look up names that the base names, and
// none else: many projects have tests that ask a public service. What they send there is
// for other rules.
func (s *trace) testsReachWhatTheBaseNames() bool {
	if s.Kind != Tests || s.NamedHost == nil {
		return false
	}
	for _, e := range s.of(sandbox.ActionResolve) {
		if name := lookedUp(e); !ownName(name) && !s.NamedHost(name) {
			return false
		}
	}
	for _, e := range s.of(sandbox.ActionConnect, sandbox.ActionSend, sandbox.ActionTraffic) {
		if ip, _, ok := address(e.Object); ok && !ip.IsLoopback() && !ip.IsMulticast() && !s.named(e) {
			return false
		}
	}
	for _, e := range s.of(sandbox.ActionRequest) {
		if host := requestHost(e); !ownName(host) && !local(host) && !s.NamedHost(host) {
			return false
		}
	}
	return true
}

// manyPlaces is how many addresses and ports a program may try before that is a
// search.
const manyPlaces = 24

// manyPorts is how many ports of one host are a search, or letters: which port it is says
// something to the person who listens.
const manyPorts = 8

// named reports whether a name led to an address. The simulated internet gives
// names addresses of a network that no one has; elsewhere it is enough that
// something was looked up before.
func (s *trace) named(e sandbox.Event) bool {
	if ip, _, _ := address(e.Object); s.Internet {
		return played.Contains(ip)
	}
	for _, r := range s.of(sandbox.ActionResolve) {
		if r.First <= e.First && !ownName(lookedUp(r)) {
			return true
		}
	}
	return false
}

// played are the addresses of names in the simulated internet.
var played = netip.MustParsePrefix("198.18.0.0/15")

// wellKnown are addresses that people connect to, without sending, to learn the
// address of their own machine.
var wellKnown = []string{"8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "10.255.255.255", "10.254.254.254", "192.0.2.0", "2001:4860:4860::8888"}

func (s *trace) asksForOwnAddress(e sandbox.Event) bool {
	ip, _, _ := address(e.Object)
	if e.Action != sandbox.ActionConnect || !slices.Contains(wellKnown, ip.String()) {
		return false
	}
	return !slices.ContainsFunc(s.of(sandbox.ActionSend, sandbox.ActionTraffic, sandbox.ActionRequest), func(o sandbox.Event) bool {
		return strings.Contains(o.Object, ip.String())
	})
}

// portRules are rules about ports, by what usually listens there.
var portRules = []struct {
	rule  Rule
	ports []int
}{
	{ruleMail, []int{25, 465, 587, 2525}},
	{ruleService, []int{23, 1080, 4444, 6660, 6661, 6662, 6663, 6664, 6665, 6666, 6667, 6668, 6669, 6697, 9001, 9050, 9150, 31337}},
	{rulePool, []int{3333, 5555, 7777, 8333, 14433, 14444, 45700, 45560}},
}

var stratum = regexp.MustCompile(`(?i)"method"\s*:\s*"(mining\.(subscribe|authorize)|login|eth_submitLogin)"|stratum\+(tcp|ssl)`)

// services are rules about what kind of server a program speaks to.
func services(s *trace) []hit {
	var out []hit
	for _, e := range s.of(sandbox.ActionMail) {
		out = append(out, hits(ruleMail, ruleMail.Severity, e)...)
	}
	for _, e := range s.of(sandbox.ActionConnect, sandbox.ActionTraffic, sandbox.ActionSend, sandbox.ActionExec) {
		if stratum.Match(e.Data) || e.Action == sandbox.ActionExec && stratum.MatchString(command(e)) {
			out = append(out, hits(rulePool, gate.SeverityDangerous, e)...)
		}
		ip, port, ok := address(e.Object)
		if !ok || e.Action == sandbox.ActionExec || ip.IsLoopback() {
			continue
		}
		for _, r := range portRules {
			if slices.Contains(r.ports, port) {
				out = append(out, hits(r.rule, r.rule.Severity, e)...)
			}
		}
	}
	return out
}

// listening are ports that are open to others.
func listening(s *trace) []hit {
	at := gate.SeverityNote
	if s.Kind == Module || s.Kind == Hook {
		at = s.inRecipe(ruleListen.Severity)
	}
	var out []hit
	for _, e := range s.events {
		if e.Action == sandbox.ActionBind {
			out = append(out, hits(ruleListen, at, e)...)
		}
	}
	return out
}
