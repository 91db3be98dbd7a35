package loads

import (
	"maps"
	"path"
	"strings"

	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
)

// Bounds of what a text is searched for besides names.
const (
	maxCopies = 100 // copies that one text makes
	maxGlobs  = 20  // patterns of names in one text
	maxGlobed = 200 // files that the patterns of one text match
)

// copying matches what gives a file another name: COPY x /y, cp x y, and the calls of
// programs that do the same.
var copying = regexp.MustCompile(`(?m)(?:(?:^|[;&|({]|\bRUN\s|\bsudo\s|\bdo\s|\bthen\s)\s*@?(?:COPY|ADD|cp|mv|ln|install|rsync)\s+((?:-\S+\s+)*)([^\s"';|&]+)\s+([^\s"';|&]+)|` +
	`\b(?:copy\w*|rename\w*|replace|move|symlink\w*|link\w*|cp|mv|FileUtils\.\w+)\(\s*["']([^"'\n]+)["']\s*,\s*["']([^"'\n]+)["']|` +
	`(?:^|[;&|({])\s*cat\s+([^\s"';|&<>]+)\s*>\s*([^\s"';|&]+))`)

// copies returns the files of an index that a text copies, by the base names of the
// copies.
func copies(text string, files *Index) map[string][]int {
	if !strings.ContainsAny(text, " (") {
		return nil
	}
	var out map[string][]int
	for _, m := range copyings(text, files) {
		from, to := m[2]+m[4]+m[6], path.Base(m[3]+m[5]+m[7])
		if !files.named(from) || to == "." || to == "/" || to == ".." || to == path.Base(from) {
			continue
		}
		if out == nil {
			out = map[string][]int{}
		}
		out[to] = append(out[to], files.match(from)...)
	}
	return out
}

// copyings returns where a text copies something, as far as one of the files can be meant:
// in the lines around their names, because the expression is expensive.
func copyings(text string, files *Index) [][]string {
	var out [][]string
	start, end := 0, 0 // of the lines that are not read yet
	read := func() {
		if end > start && len(out) < maxCopies {
			out = append(out, copying.FindAllStringSubmatch(text[start:end], maxCopies-len(out))...)
		}
	}
	last, line := -1, 0 // where the last name begins, and its line ends; names that need quotes come first
	files.mentions(text, func(m mention) bool {
		if last <= m.start && m.end <= line {
			return true
		}
		from, to := linesBefore(text, m.start), linesAfter(text, m.end)
		if from <= end && last <= m.start {
			end = max(end, to)
		} else {
			read()
			start, end = from, to
		}
		last, line = m.start, len(text)
		if i := strings.IndexByte(text[m.end:], '\n'); i >= 0 {
			line = m.end + i
		}
		return len(out) < maxCopies
	})
	read()
	return out
}

// besideName is how many lines that are not blank can be between a name and the rest of
// what copies it.
const besideName = 3

// linesBefore is where the line of an offset begins, and some lines before it.
func linesBefore(text string, at int) int {
	for left := besideName; at > 0; {
		start := strings.LastIndexByte(text[:at], '\n')
		if strings.TrimSpace(text[start+1:at]) != "" {
			left--
		}
		if left == 0 || start < 0 {
			return start + 1
		}
		at = start
	}
	return 0
}

// linesAfter is where the line of an offset ends, and some lines behind it.
func linesAfter(text string, at int) int {
	for left := besideName; at < len(text); {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		if strings.TrimSpace(text[at:at+n]) != "" {
			left--
		}
		if at += n + 1; left == 0 {
			return at
		}
	}
	return len(text)
}

// with returns an index that knows the copies of files, too.
func (x *Index) with(copies map[string][]int) *Index {
	if len(copies) == 0 {
		return x
	}
	copied := *x
	copied.aliases = maps.Clone(copies)
	for alias := range copies {
		copied.last[alias[len(alias)-1]] = true
	}
	return &copied
}

// patterns returns where the first words of a text are that a shell replaces by the names of files.
func patterns(text string) [][2]int {
	inWord := func(c byte) bool { return char.IsASCIIWord(c) || strings.IndexByte("./@+~-", c) >= 0 }
	var out [][2]int
	for from := 0; len(out) < maxGlobs; {
		sign := strings.IndexAny(text[from:], "*?")
		if sign < 0 {
			return out
		}
		start, end := from+sign, from+sign+1
		for start > from && inWord(text[start-1]) {
			start--
		}
		for end < len(text) && (inWord(text[end]) || strings.IndexByte("*?[]", text[end]) >= 0) {
			end++
		}
		out = append(out, [2]int{start, end})
		from = end
	}
	return out
}

// everyMention yields the words of a text that can mean a file: names, and patterns
// of names.
func (x *Index) everyMention(text string, yield func(mention) bool) {
	going := true
	x.mentions(text, func(m mention) bool {
		going = yield(m)
		return going
	})
	if !going || strings.IndexByte(text, '*') < 0 && strings.IndexByte(text, '?') < 0 {
		return
	}
	left := maxGlobed
	for _, at := range patterns(text) {
		files := x.globbed(text[at[0]:at[1]], left)
		if left -= len(files); len(files) > 0 && !yield(mention{at[0], at[1], files}) {
			return
		}
	}
}

// globbed returns the files that a pattern matches, in whatever folder the program
// runs. A pattern that says nothing but that there is a name matches only what lies
// in a folder that it names.
func (x *Index) globbed(word string, most int) []int {
	word = strings.TrimPrefix(path.Clean(word), "/")
	if strings.Trim(word, "*?./") == "" {
		return nil
	}
	parts := strings.Count(word, "/") + 1
	var out []int
	for i, p := range x.paths {
		if len(out) >= most {
			break
		}
		segments := strings.Split(p, "/")
		if len(segments) < parts {
			continue
		}
		if glob.MatchName(word, strings.Join(segments[len(segments)-parts:], "/")) {
			out = append(out, i)
		}
	}
	return out
}

var (
	// looped matches a loop over names, up to the names.
	looped = regexp.MustCompile(`\bfor\s+(\w+)\s+in\s[^;\n]*$`)
	// lined matches a loop that reads lines, up to the file that they are read from.
	lined = regexp.MustCompile(`\bdone\s*<\s*["']?(?:[^\s"']*/)?$`)
	// evaluated matches the variables that a script runs: as a file, or as a command.
	evaluated = regexp.MustCompile(`(?:(?:^|[;&|({\s])(?:\.|source|eval|exec|(?:ba|da|z|k)?sh(?:\s+-\w+)*)\s+|(?m:^\s*))["']?\$\{?(\w+)`)
)

// loops reports whether a name is in the head of a loop of a script that runs what
// it goes over, or behind one that runs the lines of the file.
func (r *running) loops(before string) bool {
	name := ""
	switch m := looped.FindStringSubmatch(before); {
	case m != nil:
		name = m[1]
	case !lined.MatchString(before):
		return false
	}
	for _, m := range evaluated.FindAllStringSubmatch(r.text, maxRuns) {
		if name == "" || m[1] == name {
			return true
		}
	}
	return false
}
