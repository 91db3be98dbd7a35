package behaviour

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox"
)

var (
	ruleNewHost = Rule{
		ID: "network/observed-new-host", Severity: gate.SeveritySuspicious,
		Title:   "Data sent to a new host",
		Message: "sent data to a host that the base never names",
		Why:     "The base sends this host no data of this program. It is how a stolen value leaves, whatever it was read from.",
		Instead: "Take the address from the configuration, or have the new host reviewed together with what is sent to it.",
	}
	ruleManyNames = Rule{
		ID: "network/observed-many-names", Severity: gate.SeveritySuspicious,
		Title:   "Many DNS lookups",
		Message: "looked up many names",
		Why:     "Data leaves in names, a few letters in each, even where nothing else gets out; and worms look for what answers.",
		Instead: "Name the hosts in a setting, and look them up when they are needed.",
	}
)

// manyNames is how many names a program may look up before that is a search, or a way
// out for data.
const manyNames = 20

// outbound is data that leaves for a host that the base doesn't name, in whatever
// form, and names that many are looked up of.
func outbound(s *trace) []hit {
	out := slices.Concat(s.manyNames(), s.manyReverse())
	if s.NewHost == nil {
		return out
	}
	unnamed := false // data went to a host that the program did not look up
	for _, e := range s.of(sandbox.ActionRequest, sandbox.ActionTraffic, sandbox.ActionSend, sandbox.ActionMail) {
		host := recipient(e)
		if !carriesData(e) {
			if s.NewHost(host) && s.tells(e) {
				out = append(out, hits(ruleNewHost, s.inRecipe(ruleNewHost.Severity), e)...)
			}
			continue
		}
		if s.NewHost(host) {
			out = append(out, hits(ruleNewHost, s.inRecipe(ruleNewHost.Severity), e)...)
		} else if _, _, isAddress := address(host); !isAddress && !s.resolved[strings.ToLower(host)] && !ownName(host) {
			unnamed = true
		}
	}
	if !unnamed {
		return out
	}
	// A request says itself whom it is for, which need not be who gets it.
	for _, e := range s.of(sandbox.ActionResolve) {
		if name := lookedUp(e); !ownName(name) && s.NewHost(name) {
			out = append(out, hits(ruleNewHost, s.inRecipe(ruleNewHost.Severity), e)...)
		}
	}
	return out
}

// carriesData reports whether an event brings something to its peer besides the
// question for something.
func carriesData(e sandbox.Event) bool {
	switch e.Action {
	case sandbox.ActionMail:
		return true
	case sandbox.ActionRequest:
		method, _, _ := strings.Cut(e.Object, " ")
		switch method {
		case "POST", "PUT", "PATCH":
			return true
		}
		// Without a body, what is kept of a request is its head.
		return len(e.Data) > 0 && !strings.HasPrefix(string(e.Data), method+" ")
	case sandbox.ActionTraffic:
		if slices.Contains(e.Args, "NTP") {
			return false
		}
		return len(e.Data) > 0
	}
	return len(e.Data) > 0
}

// recipient is the host that an event reaches.
func recipient(e sandbox.Event) string {
	switch e.Action {
	case sandbox.ActionRequest:
		return requestHost(e)
	case sandbox.ActionMail:
		if len(e.Args) == 0 {
			return ""
		}
		return hostOf(e.Args[0])
	}
	return hostOf(e.Object)
}

// hostOf is the host of "example.com:443" or of an address.
func hostOf(peer string) string {
	for _, proto := range []string{"tcp:", "udp:", "tcp ", "udp "} {
		peer = strings.TrimPrefix(peer, proto)
	}
	host, _, found := strings.Cut(strings.TrimPrefix(peer, "["), "]") // an IPv6 address
	if found {
		return host
	}
	if i := strings.LastIndexByte(peer, ':'); i >= 0 && strings.Count(peer, ":") == 1 {
		return peer[:i]
	}
	return peer
}

// manyNames are the look-ups of a program that asks for many names, other than those
// that the base names.
func (s *trace) manyNames() []hit {
	names := map[string]bool{}
	var last sandbox.Event
	for _, e := range s.of(sandbox.ActionResolve) {
		name := lookedUp(e)
		if name == "" || ownName(name) || s.NewHost != nil && !s.NewHost(name) || names[name] {
			continue
		}
		names[name], last = true, e
	}
	if len(names) < manyNames {
		return nil
	}
	return []hit{{ruleManyNames, s.inRecipe(ruleManyNames.Severity), plural(len(names), "name", "names") + ", the last " + last.Object, last}}
}
