package attribution

import (
	"strings"
	"sync"
	"unicode"

	"github.com/aigate/gate/gate/change/git"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Place is where a signal is looked for.
type Place string

// The places. Records are read by code of their own; their rows are there for
// the documentation.
const (
	PlacePerson  Place = "person"  // author, committer, co-author trailers, author of the pull request
	PlaceTrailer Place = "trailer" // "Key: value" line of a commit message or pull request
	PlaceText    Place = "text"    // commit message, title and body of the pull request
	PlaceBranch  Place = "branch"  // head branch of the pull request
	PlaceLabel   Place = "label"   // label of the pull request
	PlaceFile    Place = "file"    // comment on a changed line
	PlaceRecord  Place = "record"  // git notes and files that tools write
)

// Tier says what kind of mark a signal is, the strongest first.
type Tier int

// The tiers. The zero value is none of them.
const (
	TierRecord   Tier = iota + 1 // a tool recorded which lines it wrote
	TierIdentity                 // a tool's own account or address
	TierTrailer                  // a structured line that says so
	TierText                     // prose that says so
	TierContext                  // a branch or a label that suggests it
)

// String returns the name of the tier.
func (t Tier) String() string {
	names := [...]string{"", "record", "identity", "trailer", "text", "context"}
	if t < 0 || int(t) >= len(names) {
		return ""
	}
	return names[t]
}

// confidence is how sure a claim of a tier is, as the probability that the
// change was written with the tool. Judgement, not measurement: no one counts
// forged marks.
func (t Tier) confidence() float64 {
	switch t {
	case TierRecord, TierIdentity:
		return 0.95
	case TierTrailer:
		return 0.9
	case TierText:
		return 0.75
	default:
		return 0.6
	}
}

// Signal is one row of the table.
type Signal struct {
	Agent string // "claude-code"; "" where the match says which, or no one knows
	Place Place
	Tier  Tier
	// What matches, by place: Email or Login or Pattern on the name of a person
	// (people are called Claude and Devin: a first name alone is no mark);
	// Key with an optional Pattern on the value of a trailer; Pattern elsewhere.
	// Emails, logins and keys are compared without case. Patterns are RE2.
	Email   string
	Login   string // GitHub account, as in ID+LOGIN@users.noreply.github.com
	Key     string
	Pattern string
	// Example is a text that matches: "Name <address>", "Key: value", or the
	// text itself. The documentation shows it and the tests use it.
	Example string
}

// signal is a Signal with its pattern compiled.
type signal struct {
	Signal
	re *regexp.Regexp
}

// compiled is the table, by place.
var compiled = sync.OnceValue(func() map[Place][]signal {
	out := map[Place][]signal{}
	for _, s := range Signals() {
		c := signal{Signal: s}
		if s.Pattern != "" {
			c.re = regexp.MustCompile(s.Pattern)
		}
		out[s.Place] = append(out[s.Place], c)
	}
	return out
})

// claim is one reason to think that an AI wrote something.
type claim struct {
	agent  string
	tier   Tier
	source string // of the evidence
	text   string // of the evidence, hostile
}

func (s signal) claim(source, text string) claim {
	agent := s.Agent
	if agent == "" {
		agent = agentNamed(text)
	}
	return claim{agent: agent, tier: s.Tier, source: source, text: text}
}

const githubNoreply = "@users.noreply.github.com"

// isLogin reports whether a person is a GitHub account.
func isLogin(p git.Person, login string) bool {
	local, ok := strings.CutSuffix(strings.ToLower(p.Email), githubNoreply)
	if !ok {
		return strings.HasSuffix(login, "[bot]") && strings.EqualFold(p.Name, login)
	}
	if id, name, found := strings.Cut(local, "+"); found && strings.Trim(id, "0123456789") == "" {
		local = name
	}
	return strings.EqualFold(local, login)
}

// person returns the claim that an identity makes.
func person(p git.Person, source string) []claim {
	text := p.Name + " <" + p.Email + ">"
	p.Email = plainAddress(p.Email)
	for _, s := range compiled()[PlacePerson] {
		switch {
		case s.Email != "" && strings.EqualFold(p.Email, s.Email),
			s.Login != "" && isLogin(p, s.Login),
			s.re != nil && s.re.MatchString(p.Name):
			return []claim{s.claim(source, text)}
		}
	}
	return nil
}

// plainAddress is an address without what is not shown and without the tag behind a "+", which
// means something else in addresses of GitHub.
func plainAddress(email string) string {
	email = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, email)
	local, host, ok := strings.Cut(email, "@")
	if name, _, tagged := strings.Cut(local, "+"); ok && tagged && name != "" && !strings.HasSuffix(strings.ToLower(email), githubNoreply) {
		return name + "@" + host
	}
	return email
}

// account returns the claim that the author of a pull request makes.
func account(login string) []claim {
	for _, s := range compiled()[PlacePerson] {
		if s.Login != "" && (strings.EqualFold(login, s.Login) || strings.EqualFold(login+"[bot]", s.Login)) {
			return []claim{s.claim("pull request author", login)}
		}
	}
	return nil
}

// matching returns the claims of the patterns of one place.
func matching(place Place, source, text string) []claim {
	var out []claim
	for _, s := range compiled()[place] {
		if m := s.re.FindString(text); m != "" {
			out = append(out, s.claim(source, strings.TrimSpace(m)))
		}
	}
	return out
}

// agentNamed returns the agent that a text names, or "".
func agentNamed(text string) string {
	text = strings.ToLower(text)
	best, at := "", len(text)
	for _, n := range agentNames() {
		if i := strings.Index(text, n.word); i >= 0 && i < at {
			best, at = n.agent, i
		}
	}
	return best
}
