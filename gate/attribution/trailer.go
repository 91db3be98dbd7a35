package attribution

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate/change/git"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// trailer is a line "Key: value" of a message.
type trailer struct{ key, value string }

// Bounds of a message.
const (
	maxMessage  = 1 << 20 // bytes that are searched
	maxTrailers = 2000
)

var trailerLine = regexp.MustCompile(`^[\s>*#-]*([A-Za-z][A-Za-z0-9_-]{1,60})\s*:\s*(\S.*?)\s*$`)

// keyLine matches the first line of a trailer.
var keyLine = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{1,60}:`)

// unfolded is a message whose trailers are on one line each: the next lines of one are indented.
func unfolded(message string) string {
	var out []string
	in := false
	for line := range strings.SplitSeq(message, "\n") {
		if in && line != "" && (line[0] == ' ' || line[0] == '\t') {
			out[len(out)-1] = strings.TrimRight(out[len(out)-1], "\r") + " " + strings.TrimSpace(line)
			continue
		}
		in = keyLine.MatchString(line)
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// trailers returns the lines of a message that look like trailers, wherever they
// are: a squash puts those of single commits into the middle.
func trailers(message string) []trailer {
	var out []trailer
	for line := range strings.Lines(unfolded(message)) {
		m := trailerLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		out = append(out, trailer{key: strings.ToLower(m[1]), value: m[2]})
		if len(out) == maxTrailers {
			break
		}
	}
	return out
}

// authorKeys are trailers that name an author. Reviewed-by, Tested-by
// and the like name people, and bots, who did not.
func authorKeys() []string {
	return []string{"co-authored-by", "co-developed-by", "co-author", "coauthored-by", "signed-off-by", "authored-by", "written-by"}
}

// identity reads "Name <address>".
func identity(value string) git.Person {
	open, end := strings.LastIndexByte(value, '<'), strings.LastIndexByte(value, '>')
	if open < 0 || end < open {
		return git.Person{Name: strings.TrimSpace(value)}
	}
	return git.Person{Name: strings.TrimSpace(value[:open]), Email: strings.TrimSpace(value[open+1 : end])}
}

// denied are values that say no.
var denied = regexp.MustCompile(`(?i)^(no|none|false|0|n/?a|not|never|human|nobody)\b`)

// inMessage returns the claims of a commit message, or of the title and body of
// a pull request.
func inMessage(message, source string) []claim {
	if len(message) > maxMessage { // trailers are at the end
		message = message[:maxMessage/2] + "\n" + message[len(message)-maxMessage/2:]
	}
	var out []claim
	for _, t := range trailers(message) {
		if slices.Contains(authorKeys(), t.key) {
			out = append(out, person(identity(t.value), "trailer")...)
		}
		for _, s := range compiled()[PlaceTrailer] {
			if strings.EqualFold(s.Key, t.key) && !denied.MatchString(t.value) && (s.re == nil || s.re.MatchString(t.value)) {
				out = append(out, s.claim("trailer", t.key+": "+t.value))
			}
		}
	}
	return append(out, matching(PlaceText, source, message)...)
}
