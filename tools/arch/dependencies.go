package arch

import (
	"fmt"
	"regexp"
	"slices"
)

// documented matches a line of docs/dependencies.md: a table row that starts
// with a module path in a code span.
var documented = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|.*$")

// CheckDependencies compares the modules that go.mod requires directly with the
// lines of docs/dependencies.md.
func CheckDependencies(direct []string, page string) []string {
	var listed, wrong []string
	for _, m := range documented.FindAllStringSubmatch(page, -1) {
		listed = append(listed, m[1])
	}
	for _, d := range direct {
		if !slices.Contains(listed, d) {
			wrong = append(wrong, fmt.Sprintf("go.mod requires %s, and docs/dependencies.md does not say why", d))
		}
	}
	for _, l := range listed {
		if !slices.Contains(direct, l) {
			wrong = append(wrong, fmt.Sprintf("docs/dependencies.md has a line for %s, which go.mod does not require", l))
		}
	}
	return wrong
}
