package static

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// redirected are the lines of a file on which the change puts another host, which the base
// never names, in the place of one. What is fetched there and run is another program than
// before, although the line that runs it is the same.
type redirected []int

// nearRedirected is how far the line that names a host lies from what runs what comes from
// it, in lines, as in the rules about downloaded files.
const nearRedirected = 20

// maxRedirected bounds the lines that are kept.
const maxRedirected = 200

// movedHosts compares the hosts of the two versions of a file. A host that is only added
// replaces nothing.
func movedHosts(base, head []byte, changed gate.LineSet, newHost func(string) bool) redirected {
	if newHost == nil {
		return nil
	}
	was, is := hostsIn(base), hostsIn(head)
	if !slices.ContainsFunc(was, func(h string) bool { return !slices.Contains(is, h) }) {
		return nil
	}
	var out redirected
	n := 0
	for line := range bytes.Lines(head) {
		if n++; len(out) < maxRedirected && changed.Touches(n, n) && slices.ContainsFunc(hostsIn(line), func(h string) bool { return !slices.Contains(was, h) && newHost(h) }) {
			out = append(out, n)
		}
	}
	return out
}

// near reports whether what a finding is about comes from such a line.
func (r redirected) near(x gate.Finding) bool {
	category, _, _ := strings.Cut(x.Rule, "/")
	if category != "download-execute" || x.Severity < gate.SeveritySuspicious {
		return false
	}
	return slices.ContainsFunc(r, func(n int) bool { return n >= x.Line-nearRedirected && n <= max(x.Line, x.EndLine)+nearRedirected })
}

var (
	// hostInText matches the host of an address, and a value that is one by itself.
	hostInText = regexp.MustCompile(`(?i)(?:://(?:[^\s/"'@]*@)?|[=:]\s*["']?)((?:[a-z0-9_-]+\.)+[a-z0-9-]{2,})(?:[:/?#"'\s},;)\]]|$)`)
	// nameOfFile matches what is the name of a file rather than of a host.
	nameOfFile = regexp.MustCompile(`(?i)\.(?:sh|py|js|ts|mjs|cjs|json|ya?ml|toml|txt|md|go|rb|rs|java|env|conf|cfg|ini|lock|gz|tgz|zip|tar|xz|bz2|sha\d*|sum|asc|sig|html?|css|xml|c|h|cc|cpp|so|deb|rpm|exe|msi|dmg|whl|jar|bin|img|iso|log|sql|csv|proto|template|tmpl|service)$|^[\d.]*$`)
	numbers4   = regexp.MustCompile(`^\d{1,3}(?:\.\d{1,3}){3}$`)
)

// hostsIn returns the hosts of a text.
func hostsIn(text []byte) []string {
	var out []string
	for _, m := range hostInText.FindAllSubmatch(text, -1) {
		h := strings.ToLower(string(m[1]))
		if (numbers4.MatchString(h) || !nameOfFile.MatchString(h)) && !slices.Contains(out, h) && len(out) < maxRedirected {
			out = append(out, h)
		}
	}
	return out
}
