package runners

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// expression is a regular expression that is tried only on lines that have one of some strings,
// which every match has: an editor has each line read again with every key.
type expression struct {
	full  *regexp.Regexp
	needs []string
}

func compile(text string, needs ...string) expression {
	return expression{regexp.MustCompile(text), needs}
}

// may reports whether a line can match.
func (e expression) may(line string) bool {
	for _, s := range e.needs {
		if strings.Contains(line, s) {
			return true
		}
	}
	return false
}

// find is FindStringSubmatchIndex of the expression.
func (e expression) find(line string) []int {
	if !e.may(line) {
		return nil
	}
	return e.full.FindStringSubmatchIndex(line)
}

// groups is FindStringSubmatch of the expression.
func (e expression) groups(line string) []string {
	if !e.may(line) {
		return nil
	}
	return e.full.FindStringSubmatch(line)
}

// all is FindAllStringSubmatch of the expression.
func (e expression) all(line string, n int) [][]string {
	if !e.may(line) {
		return nil
	}
	return e.full.FindAllStringSubmatch(line, n)
}
