package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Which of many tests that reach a file are likely to run the lines of a change: those that
// carry a part of its name (route.1.test.js for route.js), and those that mention what is
// on the lines that were edited and in few other tests.

// maxEditedWords bounds the words that tests are searched for.
const maxEditedWords = 200

var testWord = regexp.MustCompile(`[\pL_$][\pL\pN_$]{2,63}`)

// ranked sorts tests by how likely they run what was edited in a file; tests that are equal
// stay in their order.
func (p *planner) ranked(file string, tests []string) []string {
	if len(tests) < 2 {
		return tests
	}
	edited := editedWords(p.tree.Text(file), p.targets[file])
	mentions := make([]map[string]bool, len(tests))
	in := map[string]int{} // tests that mention a word
	for i, t := range tests {
		mentions[i] = map[string]bool{}
		for _, w := range testWord.FindAllString(p.tree.Text(t), -1) {
			if edited[w] && !mentions[i][w] {
				mentions[i][w] = true
				in[w]++
			}
		}
	}
	rank := map[string]int{}
	for i, t := range tests {
		rank[t] = 2 * likeName(file, t)
		rare := 0
		for w := range mentions[i] {
			if in[w]*4 <= len(tests)+3 {
				rare++
			}
		}
		rank[t] += min(rare, 5)
	}
	out := slices.Clone(tests)
	slices.SortStableFunc(out, func(a, b string) int { return rank[b] - rank[a] })
	return out
}

// editedWords are the names on the edited lines of a file.
func editedWords(text string, target *gate.Target) map[string]bool {
	out := map[string]bool{}
	if target == nil || target.Lines.All() {
		return out
	}
	n := 0
	for line := range strings.Lines(text) {
		if n++; !target.Lines.Touches(n, n) {
			continue
		}
		for _, w := range testWord.FindAllString(line, -1) {
			if out[w] = true; len(out) == maxEditedWords {
				return out
			}
		}
	}
	return out
}

// likeName is how much of a file's name a test carries: 2 where it begins with it, 1 where it
// is one of its words.
func likeName(file, test string) int {
	words := func(f string) []string {
		return strings.FieldsFunc(strings.ToLower(strings.TrimSuffix(path.Base(f), path.Ext(f))), func(r rune) bool { return strings.ContainsRune(".-_", r) })
	}
	name := words(file)
	of := slices.DeleteFunc(words(test), func(w string) bool { return w == "test" || w == "tests" || w == "spec" })
	if len(name) == 0 || len(of) < len(name) {
		return 0
	}
	if slices.Equal(of[:len(name)], name) {
		return 2
	}
	for i := range len(of) - len(name) + 1 {
		if slices.Equal(of[i:i+len(name)], name) {
			return 1
		}
	}
	return 0
}
