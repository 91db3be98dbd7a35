package strict

import (
	"fmt"
	"strings"
)

// Allowed says which words would be right, and which of them was probably meant.
func Allowed(got string, words []string) string {
	list := " (allowed: " + strings.Join(words, ", ") + ")"
	if w := Closest(got, words); w != "" {
		return fmt.Sprintf("; did you mean %q?", w) + list
	}
	return list
}

// maxWord is how many bytes of a word are compared: what is longer is no typing
// mistake.
const maxWord = 80

// Closest returns the word that the writer of got most likely meant, ""
// when none is near: at most every second letter may be wrong, and never more
// than three, or got is the beginning of just one of the words.
func Closest(got string, words []string) string {
	got = strings.ToLower(got)
	if len(got) > maxWord {
		return ""
	}
	best, nearest := "", min(max(len(got)/2, 1), 3)+1
	begins, began := 0, ""
	for _, w := range words {
		if d := distance(got, strings.ToLower(w)); d < nearest {
			best, nearest = w, d
		}
		if len(got) > 1 && strings.HasPrefix(strings.ToLower(w), got) {
			begins, began = begins+1, w
		}
	}
	if best == "" && begins == 1 {
		return began
	}
	return best
}

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours count one each.
func distance(a, b string) int {
	if len(b) > maxWord {
		return len(b)
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
