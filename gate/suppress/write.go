package suppress

import (
	"errors"
	"fmt"

	"github.com/aigate/gate/gate"
)

// Comment writes the comment that accepts findings of a rule, to stand alone on the line
// before that of the finding. The error says why there can be none. It is for a user who
// has decided so: see the package comment for when it counts.
func Comment(lang gate.Language, rule, reason string, expires Day) (string, error) {
	sign := ""
	switch lang {
	case gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageJava:
		sign = "//"
	default:
		if kindOf(lang) != unknown {
			sign = "#"
		}
	}
	switch {
	case sign == "":
		return "", errors.New("comments accept nothing in a file of this kind: use the baseline")
	case !suppressible(rule):
		return "", fmt.Errorf("%s is about a change itself and can't be accepted", rule)
	}
	text := fmt.Sprintf("gate:allow %s reason=%q", rule, reason)
	if expires != "" {
		text += " expires=" + string(expires)
	}
	if _, err := parse(text); err != nil {
		return "", err
	}
	return sign + " " + text, nil
}
