package arch

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// generated are the marks around the parts of a page that a program writes. The
// figures in them are those of the day on which they were measured, or a test holds
// them.
var generated = regexp.MustCompile(`(?s)<!-- (?:written by|gate attack: begin|table: go test|rules: generated|keys: generated).*?<!-- (?:end|gate attack: end|end of table|/rules|/keys) -->`)

// shown matches the lines of a code block: what a program printed, or may print.
var shown = regexp.MustCompile("(?ms)^```.*?^```|^(?: {4}|\\t)[^\n]*")

// CheckCounts returns the figures in hand-written pages, by path, that the project
// itself contradicts: counts says how many there are of a thing, by the plural that
// the pages use. "all 666 rules", "194 attacks" and "45 policy keys" are such
// figures; numbers in words are not looked at, because "three rules" are mostly
// three particular ones.
func CheckCounts(pages map[string]string, counts map[string]int) []string {
	things := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return len(b) - len(a) })
	for i, t := range things {
		things[i] = strings.ReplaceAll(regexp.QuoteMeta(t), " ", `\s+`)
	}
	figure := regexp.MustCompile(`(?:^|[\s(*])(\d[\d,]*)\**\s+(` + strings.Join(things, "|") + `)\b`)
	var wrong []string
	for _, at := range slices.Sorted(maps.Keys(pages)) {
		text := pages[at]
		for _, left := range []*regexp.Regexp{generated, shown} {
			text = left.ReplaceAllStringFunc(text, func(part string) string {
				return strings.Repeat("\n", strings.Count(part, "\n")) // the lines below keep their numbers
			})
		}
		for _, m := range figure.FindAllStringSubmatchIndex(text, -1) {
			said, err := strconv.Atoi(strings.ReplaceAll(text[m[2]:m[3]], ",", ""))
			thing := strings.Join(strings.Fields(text[m[4]:m[5]]), " ")
			if err != nil || said == counts[thing] {
				continue
			}
			line := strings.Count(text[:m[2]], "\n") + 1
			wrong = append(wrong, fmt.Sprintf("%s:%d: says %d %s, and there are %d", at, line, said, thing, counts[thing]))
		}
	}
	return wrong
}
