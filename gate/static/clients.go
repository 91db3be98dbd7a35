package static

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/static/match"
)

// credentialName matches the name of a key or token in the environment or the settings; group 1 or 2 is whose it is.
var credentialName = regexp.MustCompile("(?:[\"'`]|process\\.env\\.)([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*?)_(?:API_?)?(?:KEY|TOKEN|APP_?ID|CLIENT_ID)\\b|\\b(?:settings|config|conf|cfg|options|opts)\\.([a-z][a-z0-9]*(?:_[a-z0-9]+)*?)_(?:api_?)?(?:key|token|app_?id|client_id)\\b")

// anybodys are words of such names that say nothing about whose service it is.
var anybodys = map[string]bool{"api": true, "app": true, "key": true, "auth": true, "access": true, "secret": true, "service": true, "client": true, "server": true,
	"http": true, "https": true, "web": true, "www": true, "com": true, "org": true, "net": true, "data": true, "user": true, "example": true, "host": true, "test": true, "public": true, "private": true}

// maxClient is the longest program in which a key is looked for, in bytes.
const maxClient = 1 << 20

// clients makes notes of questions to a service that the program has a key of, which is called after
// the service: GEO_API_KEY and api.geo.example. That is what a new client looks like. Where
// something is posted, or an address holds what the program knows, it stays as it is.
func (t text) clients(found []match.Match) {
	for i, m := range found {
		if m.Severity != gate.SeveritySuspicious || m.Because != "" || m.Host == "" || len(t.content) > maxClient ||
			!strings.Contains(m.Rule.ID, "-new-host") || !asks(t.content[m.Start:]) {
			continue
		}
		if t.hasKeyOf(strings.ToLower(m.Host)) {
			found[i].Severity, found[i].Because = gate.SeverityNote, "with a key that is called after it"
		}
	}
}

// asks reports whether a call only asks for something.
func asks(call []byte) bool {
	return bytes.HasPrefix(call, []byte(".get")) || bytes.HasPrefix(call, []byte(".head"))
}

func (t text) hasKeyOf(host string) bool {
	for _, m := range credentialName.FindAllSubmatch(t.content, 50) {
		for word := range strings.SplitSeq(strings.ToLower(string(m[1])+string(m[2])), "_") {
			if len(word) >= 3 && !anybodys[word] && strings.Contains(host, word) {
				return true
			}
		}
	}
	return false
}
