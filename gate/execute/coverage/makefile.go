package coverage

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// makeTrace is what `make --trace` says of a recipe: the file, the line where the recipe
// begins, and why it runs.
var makeTrace = regexp.MustCompile(`^([^\n:]{1,500}):(\d{1,6}): (?:target '|update target ')`)

// makeFlags begins what a Makefile's flags are, in the output.
const makeFlags = "@gate-flags@ "

// dryFlags are the flags with which make runs no recipe, as people write them.
var dryFlags = []string{"--just-print", "--dry-run", "--recon", "--touch", "--question"}

// dry reports whether flags let make run no recipe. The first word may be letters without
// a dash, and a long name may be cut short.
func dry(flags string) bool {
	for i, word := range strings.Fields(flags) {
		switch {
		case strings.HasPrefix(word, "--"):
			if len(word) > 3 && slices.ContainsFunc(dryFlags, func(f string) bool { return strings.HasPrefix(f, word) }) {
				return true
			}
		case strings.Contains(word, "=") || i > 0 && word[0] != '-':
		case word == "-":
		default:
			letters := strings.TrimPrefix(word, "-")
			if end := strings.IndexAny(letters, "CEIOWfjlo"); end >= 0 { // what follows is a value
				letters = letters[:end]
			}
			if strings.ContainsAny(letters, "nqt") {
				return true
			}
		}
	}
	return false
}

// MakeStopped says where a Makefile lets make run no recipe, nil where it does not.
func MakeStopped(stdout []byte, src Sources, path string) *Stopped {
	for line := range bytes.Lines(stdout) {
		flags, told := bytes.CutPrefix(line, []byte(makeFlags))
		if !told || !dry(string(flags)) {
			continue
		}
		s := &Stopped{How: "dry", Frames: []Frame{{File: path, Top: true}}}
		n := 0
		for text := range strings.Lines(src[path]) {
			if n++; strings.Contains(text, "MAKEFLAGS") {
				s.Frames[0].Line = n
				break
			}
		}
		return s
	}
	return nil
}

// Makefile reads the output of `make --trace` of a file: which lines of recipes ran.
func Makefile(stdout []byte, src Sources, name, path string) (Profile, Shapes) {
	text, ok := src[path]
	if !ok || LinesOf(text) > MaxLines {
		return Profile{}, Shapes{}
	}
	began := map[int]bool{}
	told := MakeStopped(stdout, src, path) == nil
	for line := range bytes.Lines(stdout) {
		if m := makeTrace.FindSubmatch(line); told && m != nil && string(m[1]) == name {
			n, _ := strconv.Atoi(string(m[2]))
			began[n] = true
		}
	}
	lines := Lines{}
	for _, recipe := range recipes(text) {
		for _, n := range recipe {
			lines[n] = began[recipe[0]]
		}
	}
	return Profile{path: lines}, Shapes{path: {Apart: true}}
}

// WithoutTrace is the output of a Makefile without what `make --trace` says.
func WithoutTrace(stdout []byte, name string) []byte {
	var out []byte
	for line := range bytes.Lines(stdout) {
		if m := makeTrace.FindSubmatch(line); (m == nil || string(m[1]) != name) && !bytes.HasPrefix(line, []byte(makeFlags)) {
			out = append(out, line...)
		}
	}
	return out
}

var recipePrefix = regexp.MustCompile(`^\.RECIPEPREFIX\s*[:?]?=\s*(\S)?`)

// recipes are the lines of each recipe of a Makefile. A rule may have a recipe in its own
// line, behind a semicolon; that one is not told apart from its target.
func recipes(text string) [][]int {
	var out [][]int
	prefix, inside := "\t", false
	n := 0
	for line := range strings.Lines(text) {
		n++
		if m := recipePrefix.FindStringSubmatch(line); m != nil {
			prefix, inside = m[1], false
			if prefix == "" {
				prefix = "\t"
			}
			continue
		}
		blank := strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#")
		switch {
		case strings.HasPrefix(line, prefix) && strings.TrimSpace(line[len(prefix):]) != "":
			if !inside {
				out, inside = append(out, nil), true
			}
			out[len(out)-1] = append(out[len(out)-1], n)
		case !blank:
			inside = false
		}
	}
	return out
}
