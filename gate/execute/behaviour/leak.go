package behaviour

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/canary"
	"github.com/aigate/gate/sandbox"
)

var (
	ruleSent = Rule{
		ID: "exfiltration/observed-canary", Severity: gate.SeverityDangerous,
		Title:   "Canary sent out",
		Message: "sent a planted secret away",
		Why:     "The secret was planted beside it and has no use. It was in a request, a name that was looked up, a packet, a mail or the arguments of another program, as it is or encoded.",
		Instead: "Read only the settings that the program is documented to need, and hand a token to its own service only.",
	}
	ruleUsed = Rule{
		ID: "exfiltration/observed-token-use", Severity: gate.SeveritySuspicious,
		Title:   "Canary token used with its service",
		Message: "used a token that it found with the service of that token",
		Why:     "A release script does that. No one expects it of an import, an installation or a test: it acts in the name of the person who runs it.",
		Instead: "Take the token as a documented setting, and use it only when the program is started for that.",
	}
	ruleKept = Rule{
		ID: "exfiltration/observed-copy", Severity: gate.SeverityDangerous,
		Title:   "Canary copied",
		Message: "left a copy of a planted secret behind",
		Why:     "Thieves gather first and send later, or let another program send: a file of the project, an artifact, a link.",
		Instead: "Never copy credentials; refer to the place where they are kept.",
	}
	ruleAnswered = Rule{
		ID: "exfiltration/observed-answered", Severity: gate.SeveritySuspicious,
		Title:   "Canary in an answer",
		Message: "answered a request with a planted secret",
		Why:     "It was asked over its port without a password, as anybody can ask who reaches it. Pages that show the whole environment do it by mistake; backdoors do it on purpose.",
		Instead: "Ask for authorisation first, and never put settings or files with secrets into an answer.",
	}
	rulePrinted = Rule{
		ID: "exfiltration/observed-printed", Severity: gate.SeveritySuspicious,
		Title:   "Canary printed",
		Message: "printed a planted secret",
		Why:     "Output ends up in logs that many can read. Dumping the whole environment does it by mistake; printing a key file does not happen by mistake.",
		Instead: "Print the names of settings, never their values.",
	}
)

// leaks are canaries that are where they were not planted.
func leaks(s *trace) []hit {
	var out []hit
	for _, e := range s.events {
		if len(e.Canaries) == 0 {
			continue
		}
		switch e.Action {
		case sandbox.ActionLeak:
			out = append(out, s.left(e)...)
		case sandbox.ActionRead, sandbox.ActionList:
			// A path that carries a canary is strange; content is not recorded here.
		case sandbox.ActionRequest:
			if s.belongs(e) {
				at := gate.SeverityNote
				if s.unasked() {
					at = ruleUsed.Severity
				}
				out = append(out, hits(ruleUsed, at, e)...)
				continue
			}
			out = append(out, hits(ruleSent, withPersonal(s, e, ruleSent.Severity, gate.SeveritySuspicious), e)...)
		case sandbox.ActionWrite, sandbox.ActionRename, sandbox.ActionLink, sandbox.ActionDelete:
			out = append(out, hits(ruleKept, ruleKept.Severity, e)...)
		default:
			out = append(out, hits(ruleSent, withPersonal(s, e, ruleSent.Severity, gate.SeveritySuspicious), e)...)
		}
	}
	at := rulePrinted.Severity
	if dumped(s) {
		at = gate.SeverityNote
	}
	for _, id := range s.Printed {
		e := sandbox.Event{Action: sandbox.ActionLeak, Object: "standard output", Canaries: []string{id}}
		out = append(out, hit{rulePrinted, withPersonal(s, e, at, gate.SeverityNote), "output with " + canary.Placeholder(id), e})
	}
	return out
}

// dumped reports whether tests printed values of the environment as they are, several of them,
// and nothing else that was planted: test runners show the environment when a test fails that
// passes one on, and CI masks secrets in its logs. A single, encoded or read value was chosen.
func dumped(s *trace) bool {
	environment := canary.Environment()
	return s.Kind == Tests && len(s.Printed) > 1 &&
		!slices.ContainsFunc(s.Printed, func(id string) bool { return !slices.Contains(environment, id) })
}

// left judges a canary in what the program left behind.
func (s *trace) left(e sandbox.Event) []hit {
	switch strings.ToLower(e.Object) {
	case "stdout", "stderr", "standard output", "standard error", "output":
		return hits(rulePrinted, withPersonal(s, e, rulePrinted.Severity, gate.SeverityNote), e)
	case "an answer":
		return hits(ruleAnswered, ruleAnswered.Severity, e)
	}
	if f, ok := canary.Planted(path.Clean(e.Object)); ok {
		// Tools rewrite their own files: what was in it stays in it.
		if at := planter(f.Path); !slices.ContainsFunc(e.Canaries, func(c string) bool { return !at[plainID(c)] }) {
			return nil
		}
	}
	return hits(ruleKept, withPersonal(s, e, ruleKept.Severity, gate.SeverityNote), e)
}

// planter returns the ids of the canaries in a planted file.
func planter(p string) map[string]bool {
	ids := map[string]bool{}
	for _, id := range canary.In(p) {
		ids[id] = true
	}
	return ids
}

// plainID is a recognised canary without the encoding: "aws key (base64)".
func plainID(c string) string {
	id, _, _ := strings.Cut(c, " (")
	return id
}

// belongs reports whether every canary of a request goes to its own service, by a
// name that was looked up, in a run that speaks to no address beside names.
func (s *trace) belongs(e sandbox.Event) bool {
	u, host := requestURL(e), requestHost(e)
	if host == "" || u.Scheme != "https" || !s.resolved[host] {
		return false
	}
	for name := range s.resolved {
		if name != host && !ownName(name) {
			return false
		}
	}
	// What a request calls its host is for the program to say; where it went is not.
	for _, c := range s.of(sandbox.ActionConnect) {
		if _, _, isAddress := address(c.Object); isAddress && !s.named(c) {
			return false
		}
	}
	for _, c := range e.Canaries {
		if !canary.BelongsTo(plainID(c), host) {
			return false
		}
	}
	return true
}
