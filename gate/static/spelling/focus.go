package spelling

import (
	"bytes"
	"iter"
	"slices"

	"github.com/aigate/gate/gate/source/char"
)

// The bounds of what is read again of a long text.
const (
	shortText = 48 << 10 // bytes: a text up to here is read as a whole
	nearby    = 60       // lines on either side of a telling mark
	nearBytes = 16 << 10 // bytes on either side of one, for texts of few long lines
	longLine  = 4 << 10  // bytes: longer lines are looked at in pieces of about that size
	maxUses   = 40       // lines with a name: one that is on more says nothing
	hops      = 4        // names that are followed from what is spelled otherwise
)

// Focus is what a long reading has to do with what is spelled otherwise: the lines
// around it, those that use the names of these lines, and so on, and those that import
// anything. A short reading is kept as it is. The bounds are those of a slice of a
// program: what is not near, and shares no name through [hops] steps, gets nothing of it.
func (t Text) Focus() Text {
	if len(t.Content) <= shortText {
		return t
	}
	starts := pieces(t.Content)
	keep := make([]bool, len(starts))
	seen := map[string]bool{}
	var names []string
	take := func(line int) {
		if line < 0 || line >= len(starts) || keep[line] {
			return
		}
		keep[line] = true
	}
	learn := func(line int) {
		eachDefined(t.line(starts, line), func(word string) {
			if !seen[word] {
				seen[word] = true
				names = append(names, word)
			}
		})
	}
	for _, m := range t.telling() {
		at := lineAt(starts, m)
		for n := range around(starts, at) {
			take(n)
		}
		for n := at - 2; n <= at+2; n++ {
			if n >= 0 && n < len(starts) {
				learn(n)
			}
		}
	}
	uses := t.uses(starts)
	for range hops {
		last := names
		names = nil
		for _, word := range last {
			for _, line := range uses[word] {
				if !keep[line] {
					take(line)
					learn(line)
				}
			}
		}
	}
	for line := range starts {
		if imports(t.line(starts, line)) {
			take(line)
		}
	}
	return t.only(starts, keep)
}

// Near is the lines around what is spelled otherwise: they hold whole commands.
func (t Text) Near() Text {
	if len(t.Content) <= shortText {
		return t
	}
	starts := pieces(t.Content)
	keep := make([]bool, len(starts))
	for _, m := range t.telling() {
		at := lineAt(starts, m)
		for n := range around(starts, at) {
			keep[n] = true
		}
	}
	return t.only(starts, keep)
}

// only is the text without the lines that are not kept.
func (t Text) only(starts []int, keep []bool) Text {
	b := builder{in: t}
	for line := 0; line < len(starts); line++ {
		if keep[line] {
			continue
		}
		from := line
		for line+1 < len(starts) && !keep[line+1] {
			line++
		}
		end := len(t.Content)
		if line+1 < len(starts) {
			end = starts[line+1]
		}
		b.cut(starts[from], end)
	}
	return b.text()
}

// uses are the lines with each name that is on few.
func (t Text) uses(starts []int) map[string][]int {
	out := map[string][]int{}
	for line := range starts {
		eachWord(t.line(starts, line), func(word string) {
			if at := out[word]; len(at) <= maxUses && (len(at) == 0 || at[len(at)-1] != line) {
				out[word] = append(at, line)
			}
		})
	}
	for word, at := range out {
		if len(at) > maxUses {
			delete(out, word)
		}
	}
	return out
}

func (t Text) line(starts []int, line int) []byte {
	if line+1 < len(starts) {
		return t.Content[starts[line]:starts[line+1]]
	}
	return t.Content[starts[line]:]
}

// pieces are where the lines of a text begin, and in long lines places between words.
func pieces(text []byte) []int {
	starts := make([]int, 1, 1+bytes.Count(text, []byte{'\n'}))
	last := 0
	for i, c := range text {
		if c == '\n' || i-last >= longLine && !char.IsASCIIWord(c) && c < 0x80 {
			starts = append(starts, i+1)
			last = i + 1
		}
	}
	return starts
}

// around are the lines near one.
func around(starts []int, at int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := max(0, at-nearby); n <= min(len(starts)-1, at+nearby); n++ {
			if distance := starts[n] - starts[at]; distance >= -nearBytes && distance <= nearBytes && !yield(n) {
				return
			}
		}
	}
}

// lineAt is the line, from 0, that an offset is on.
func lineAt(starts []int, at int) int {
	low, high := 0, len(starts)
	for low+1 < high {
		if mid := (low + high) / 2; starts[mid] <= at {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// eachWord calls a function with the names in a line.
func eachWord(line []byte, visit func(string)) {
	for i := 0; i < len(line); {
		if !char.IsASCIIWord(line[i]) {
			i++
			continue
		}
		from := i
		for i < len(line) && char.IsASCIIWord(line[i]) {
			i++
		}
		if c := line[from]; (c < '0' || c > '9') && i-from <= maxName {
			visit(string(line[from:i]))
		}
	}
}

// declares are the words before the name of what is defined.
var declares = []string{"def", "function", "func", "fn", "fun", "sub", "class", "var", "let", "const", "local", "my", "our", "proc", "set", "setq", "defun", "global", "export", "alias"}

// eachDefined calls a function with the names that a line gives a value to: those before
// an equals sign, a colon or an arrow, and those behind a word that declares.
func eachDefined(line []byte, visit func(string)) {
	declared := false
	rest := line
	eachWord(line, func(word string) {
		i := bytes.Index(rest, []byte(word))
		rest = rest[i+len(word):]
		after := bytes.TrimLeft(rest, " \t")
		assigned := len(after) > 0 && bytes.IndexByte([]byte("=:<+[."), after[0]) >= 0 && !bytes.HasPrefix(after, []byte("=="))
		if declared || assigned {
			visit(word)
		}
		declared = slices.Contains(declares, word)
	})
}

// imports reports whether a line may give a name to code from elsewhere.
func imports(line []byte) bool {
	line = bytes.TrimSpace(line)
	for _, word := range []string{"import", "from", "use ", "using", "#include", "require", "package", "source", "library", "load"} {
		if bytes.HasPrefix(line, []byte(word)) {
			return true
		}
	}
	return bytes.Contains(line, []byte("require(")) || bytes.Contains(line, []byte("import("))
}
