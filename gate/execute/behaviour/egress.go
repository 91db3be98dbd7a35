package behaviour

import (
	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox"
)

var ruleEgress = Rule{
	ID: "network/observed-egress-refused", Severity: gate.SeveritySuspicious,
	Title:   "Connection refused by the egress policy",
	Message: "was refused on the way out that the policy opens",
	Why:     "The policy lets it reach a few hosts by name. It said something else there than TLS or HTTP for that host, went beyond its bytes, or the name leads to a private address, as the names of those do who look for a way into your network.",
	Instead: "Use the host for what it is there for. Where the host is your own and private, it cannot be reached from the sandbox: play it in a test.",
}

// egressRefused are attempts that the proxy did not pass on. A host that does not
// answer is not the program's doing, and is one of them in the document only.
func egressRefused(s *trace) []hit {
	var out []hit
	for _, e := range s.of(sandbox.ActionEgress) {
		if e.Refused && len(e.Args) == 3 && !sandbox.EgressUnanswered(e) {
			out = append(out, hits(ruleEgress, ruleEgress.Severity, e)...)
		}
	}
	return out
}
