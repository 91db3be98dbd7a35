package behaviour

import (
	"maps"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// dropHosts are services by what they are used for, as suffixes of names.
var dropHosts = regexp.MustCompile(`(?i)(^|\.)(` + strings.Join([]string{
	// collectors of requests
	`webhook\.site`, `requestbin\.(com|net)`, `pipedream\.net`, `hookbin\.com`, `beeceptor\.com`, `requestcatcher\.com`, `interact\.sh`, `oast\.(me|pro|live|site|online|fun)`,
	`burpcollaborator\.net`, `oastify\.com`, `dnslog\.cn`, `ceye\.io`, `canarytokens\.com`, `ipify\.org`, `ifconfig\.(me|co)`, `ipinfo\.io`, `icanhazip\.com`,
	// bins and drops
	`pastebin\.com`, `paste\.ee`, `hastebin\.com`, `ghostbin\.(com|co)`, `rentry\.co`, `dpaste\.(com|org)`, `0x0\.st`, `transfer\.sh`, `file\.io`, `gofile\.io`, `anonfiles\.com`,
	`catbox\.moe`, `temp\.sh`, `bashupload\.com`, `termbin\.com`, `ix\.io`, `sprunge\.us`, `oshi\.at`,
	// tunnels
	`ngrok(-free)?\.(io|app|dev)`, `trycloudflare\.com`, `loca\.lt`, `localtunnel\.me`, `serveo\.net`, `localhost\.run`, `pinggy\.(io|link)`, `bore\.pub`, `portmap\.(io|host)`,
	// chat
	`discord(app)?\.com`, `api\.telegram\.org`, `hooks\.slack\.com`, `t\.me`,
	// anonymising networks
	`onion`, `i2p`,
}, "|") + `)$`)

// names are rules about whom a program looks for.
func names(s *trace) []hit {
	var out []hit
	labels := map[string]map[string]bool{} // by the domain they belong to
	first := map[string]sandbox.Event{}
	for _, e := range s.of(sandbox.ActionResolve, sandbox.ActionRequest) {
		name := lookedUp(e)
		switch e.Action {
		case sandbox.ActionRequest:
			name = requestHost(e)
		}
		if dropHosts.MatchString(name) {
			out = append(out, hits(ruleDropHost, s.inRecipe(ruleDropHost.Severity), e)...)
		}
		if e.Action != sandbox.ActionResolve || ownName(name) {
			continue
		}
		parts := strings.Split(name, ".")
		domain := strings.Join(parts[max(0, len(parts)-2):], ".")
		front := strings.Join(parts[:max(0, len(parts)-2)], "")
		if carries(front) {
			if labels[domain] == nil {
				labels[domain], first[domain] = map[string]bool{}, e
			}
			labels[domain][front] = true
			if len(front) >= tunnelLabel {
				out = append(out, hits(ruleDNS, ruleDNS.Severity, e)...)
			}
		}
	}
	for _, domain := range slices.Sorted(maps.Keys(labels)) {
		fronts := labels[domain]
		if len(fronts) >= tunnelNames {
			out = append(out, hit{ruleDNS, ruleDNS.Severity, plural(len(fronts), "random name", "random names") + " below " + domain + ", the first " + first[domain].Object, first[domain]})
		}
	}
	return slices.Concat(out, telling(s))
}

// The shape of data in names: one part of a name that is longer than any that
// people choose, or several random ones below one domain.
const (
	tunnelLabel = 48
	tunnelNames = 4
)

// carries reports whether the front of a name looks like data: long, and of many
// different letters.
func carries(front string) bool {
	if len(front) < 16 {
		return false
	}
	seen, digits := map[rune]bool{}, 0
	for _, r := range front {
		seen[r] = true
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	return len(seen) >= 9 && (digits*8 >= len(front) || len(front) >= tunnelLabel)
}

const (
	// tellingNames is how many made-up names below one domain carry data, and tellingLetters
	// how long a single one is.
	tellingNames, tellingLetters = 2, 20
	// oddParts is how much of them does not look like words.
	oddParts = 2
)

var (
	joined = regexp.MustCompile(`[-_]+`)
	// odd is a digit among letters, or more consonants in a row than words have.
	odd = regexp.MustCompile(`[a-z]\d+[a-z]|[bcdfghjklmnpqrstvwxz]{4,}`)
)

// telling are look-ups below domains that the base never names, of names that are in no
// file and do not look like words: the name itself is what is sent.
func telling(s *trace) []hit {
	if s.NewHost == nil {
		return nil
	}
	type told struct {
		names map[string]bool
		odd   int
		long  bool
		first sandbox.Event
	}
	domains := map[string]*told{}
	for _, e := range s.of(sandbox.ActionResolve) {
		name := lookedUp(e)
		if ownName(name) || !s.NewHost(name) {
			continue
		}
		parts := strings.Split(name, ".")
		domain := strings.Join(parts[max(0, len(parts)-2):], ".")
		if domains[domain] == nil {
			domains[domain] = &told{names: map[string]bool{}, first: e}
		}
		d := domains[domain]
		if d.names[name] {
			continue
		}
		for _, label := range parts[:max(0, len(parts)-2)] {
			for _, piece := range joined.Split(label, -1) {
				if len(piece) < minTold || number.MatchString(piece) || s.Literal([]byte(piece)) {
					continue
				}
				if len(d.names) == 0 {
					d.first = e
				}
				d.names[name] = true
				d.odd += len(odd.FindAllString(piece, -1))
				d.long = d.long || len(label) >= tellingLetters
			}
		}
	}
	var out []hit
	for _, domain := range slices.Sorted(maps.Keys(domains)) {
		d := domains[domain]
		if d.odd >= oddParts && (len(d.names) >= tellingNames || d.long) {
			out = append(out, hit{ruleDNS, s.inRecipe(ruleDNS.Severity), plural(len(d.names), "name", "names") + " that no file has below " + domain + ", the first " + d.first.Object, d.first})
		}
	}
	return out
}
