package suppress

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
)

// Form is the form of a suppression comment, for errors and help.
const Form = `gate:allow RULE[,RULE] reason="why" [expires=YYYY-MM-DD]`

// Bounds of what one suppression says.
const (
	maxRules  = 20  // of one comment
	maxReason = 300 // bytes
	minReason = 3   // bytes; less is no reason
)

// marker is what a suppression comment says.
type marker struct {
	rules   []string
	reason  string
	expires Day
	line    int    // of the comment, 1-based
	target  int    // the line that it is for, 0 where no code follows
	text    string // as it is there
}

// Day is a date as YYYY-MM-DD; the empty one never comes. Days compare as text.
type Day string

// ParseDay reads a date.
func ParseDay(s string) (Day, error) {
	if _, err := time.Parse(time.DateOnly, s); err != nil || s < "2000" {
		return "", fmt.Errorf("%q is not a date of the form YYYY-MM-DD", clip(s))
	}
	return Day(s), nil
}

// On returns the day of a time, in UTC.
func On(t time.Time) Day { return Day(t.UTC().Format(time.DateOnly)) }

// before reports whether the day is over on another day. The last day counts.
func (d Day) before(today Day) bool { return d != "" && d < today }

// CheckReason says what is wrong with a reason.
func CheckReason(s string) error {
	switch {
	case len(strings.TrimSpace(s)) < minReason || !strings.ContainsFunc(s, unicode.IsLetter):
		return errors.New("the reason has to say something")
	case len(s) > maxReason:
		return fmt.Errorf("the reason has %d bytes (at most %d)", len(s), maxReason)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
		return errors.New("the reason holds characters that cannot be seen")
	}
	return nil
}

// ruleID is what the id of a rule looks like.
var ruleID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}/[a-z0-9][a-z0-9-]{0,99}$`)

// parse reads the text of a comment, without its comment sign and the blanks
// around it. It is strict, so that what a writer adds to a suppression can't
// detach it without a word.
func parse(text string) (marker, error) {
	m := marker{text: text}
	rest, ok := strings.CutPrefix(text, "gate:allow")
	if !ok || rest != "" && !isBlank(rest[0]) {
		return m, errors.New("the comment has to begin with gate:allow, and nothing else may be in it")
	}
	list, rest := word(rest)
	if list == "" || strings.HasPrefix(list, "reason=") {
		return m, errors.New("it names no rule")
	}
	for id := range strings.SplitSeq(list, ",") {
		switch {
		case !ruleID.MatchString(id):
			return m, fmt.Errorf("%q is not the id of a rule (ids are separated by a comma and no blank)", clip(id))
		case slices.Contains(m.rules, id):
			return m, fmt.Errorf("%s is named twice", id)
		case len(m.rules) == maxRules:
			return m, fmt.Errorf("it names more than %d rules", maxRules)
		}
		m.rules = append(m.rules, id)
	}
	rest = strings.TrimLeft(rest, " \t")
	if rest, ok = strings.CutPrefix(rest, `reason="`); !ok {
		return m, errors.New(`reason="…" has to follow the rules`)
	}
	if m.reason, rest, ok = strings.Cut(rest, `"`); !ok {
		return m, errors.New("the reason has no closing quote")
	}
	if err := CheckReason(m.reason); err != nil {
		return m, err
	}
	if rest == "" {
		return m, nil
	}
	last, more := word(rest)
	day, ok := strings.CutPrefix(last, "expires=")
	if !ok || !isBlank(rest[0]) || strings.TrimSpace(more) != "" {
		return m, fmt.Errorf("%q follows the reason, where only expires=YYYY-MM-DD may", clip(strings.TrimSpace(rest)))
	}
	var err error
	m.expires, err = ParseDay(day)
	return m, err
}

// word cuts the first word off a text.
func word(s string) (first, rest string) {
	s = strings.TrimLeft(s, " \t")
	if i := strings.IndexAny(s, " \t"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// clip shortens what an error quotes.
func clip(s string) string {
	const most = 60 // bytes
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// intent finds the next place in a text, from an offset on, where a writer seems
// to mean a suppression: also in another spelling, which otherwise would do
// nothing and say nothing. end is behind the verb; start is -1 for none.
func intent(text []byte, from int) (start, end int) {
	for from < len(text) {
		i := bytes.IndexByte(text[from:], ':')
		if i < 0 {
			break
		}
		colon := from + i
		if start, end, ok := intentAt(text, colon); ok {
			return start, end
		}
		from = colon + 1
	}
	return -1, -1
}

// intentAt looks at the text around a colon: "gate" before it and a verb
// behind it, both as whole words in any case.
func intentAt(text []byte, colon int) (start, end int, ok bool) {
	const most = 8 // blanks on either side
	start, end = colon, colon+1
	for start > 0 && colon-start < most && isBlank(text[start-1]) {
		start--
	}
	for end < len(text) && end-colon < most && isBlank(text[end]) {
		end++
	}
	start -= len("gate")
	if start < 0 || !bytes.EqualFold(text[start:start+len("gate")], []byte("gate")) || start > 0 && char.IsWord(text[start-1]) {
		return 0, 0, false
	}
	for _, verb := range []string{"allow", "ignore"} {
		if after := end + len(verb); after <= len(text) && bytes.EqualFold(text[end:after], []byte(verb)) &&
			(after == len(text) || !char.IsWord(text[after])) {
			return start, after, true
		}
	}
	return 0, 0, false
}
