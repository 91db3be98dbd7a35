package attribution

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
)

const (
	// maxLine is the highest line number that is accepted.
	maxLine = 10_000_000
	// maxRanges bounds the ranges of one record.
	maxRanges = 100_000
)

// merge sorts ranges and joins those that overlap or touch.
func merge(ranges []gate.LineRange) []gate.LineRange {
	slices.SortFunc(ranges, func(a, b gate.LineRange) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	var out []gate.LineRange
	for _, r := range ranges {
		if n := len(out); n > 0 && r[0] <= out[n-1][1]+1 {
			out[n-1][1] = max(out[n-1][1], r[1])
			continue
		}
		out = append(out, r)
	}
	return out
}

// holds reports whether merged ranges hold a line.
func holds(ranges []gate.LineRange, line int) bool {
	i, _ := slices.BinarySearchFunc(ranges, line, func(r gate.LineRange, l int) int { return cmp.Compare(r[1], l) })
	return i < len(ranges) && ranges[i][0] <= line
}

// parseRanges reads "1,3-5,9".
func parseRanges(s string) ([]gate.LineRange, error) {
	var out []gate.LineRange
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		a, errA := parseLine(from)
		b, errB := parseLine(to)
		if err := errors.Join(errA, errB); err != nil {
			return nil, err
		}
		if a > b {
			return nil, fmt.Errorf("the range %d-%d runs backwards", a, b)
		}
		if len(out) == maxRanges {
			return nil, fmt.Errorf("more than %d ranges", maxRanges)
		}
		out = append(out, gate.LineRange{a, b})
	}
	return out, nil
}

func parseLine(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxLine || s[0] == '+' {
		return 0, fmt.Errorf("not a line number: %q", gate.Clip(s, 40))
	}
	return n, nil
}
