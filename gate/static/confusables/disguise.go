package confusables

import (
	"bytes"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// spaced is a run of letters that stand apart, as no one writes words: at least
// six of them.
var spaced = regexp.MustCompile(`(?:^|[^\pL\pN])((?:\pL[ \t.\-_*]{1,3}){5,}\pL)(?:[^\pL\pN]|$)`)

// leet is a word of letters and of the digits and signs that stand for letters.
var leet = regexp.MustCompile(`[A-Za-z@$!|0134578]{3,30}`)

// leetLetters are what digits and signs are read as.
var leetLetters = map[byte]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '@': 'a', '$': 's', '!': 'i', '|': 'i'}

// minLeet is how many words of a line have to be written with digits for letters:
// one may be a name or a version.
const minLeet = 3

// Disguised returns the lines that hold words in a disguise which people see
// through and rules don't, with the words written plainly: letters that stand
// apart, and digits for letters. All other lines are empty, and lines stay where
// they are. It reports whether there is any such line.
//
// What it returns is for rules about words only: what is there by chance,
// such as hexadecimal digits, becomes letters, too.
func Disguised(src []byte) ([]byte, bool) {
	var out []byte
	written := 0 // bytes of src that out stands for
	looked := 0
	at := 0
	for line := range bytes.Lines(src) {
		start := at
		at += len(line)
		line = bytes.TrimSuffix(line, []byte("\n"))
		if len(line) > maxDisguised || looked >= maxCloser || !looksDisguised(line) {
			continue
		}
		looked += len(line)
		if plain, ok := plainWords(line); ok {
			out = append(appendLines(out, src[written:start]), plain...)
			written = start + len(line)
		}
	}
	if out == nil {
		return nil, false
	}
	return appendLines(out, src[written:]), true
}

// appendLines appends the line ends of a text.
func appendLines(out, src []byte) []byte {
	return append(out, bytes.Repeat([]byte("\n"), bytes.Count(src, []byte("\n")))...)
}

const (
	maxDisguised = 2000      // bytes of the longest line that is looked at: no one writes longer ones for a reader
	maxCloser    = 512 << 10 // bytes of lines that are looked at more closely, more than the size limit lets a file have
)

// looksDisguised tells most lines from those that are worth a closer look:
// whether enough letters stand alone, or enough digits beside letters.
func looksDisguised(line []byte) bool {
	lone, mixed := 0, 0
	before, kind := otherByte, otherByte
	if len(line) > 0 {
		kind = kinds[line[0]]
	}
	for i, c := range line {
		after := otherByte
		if i+1 < len(line) {
			after = kinds[line[i+1]]
		}
		switch {
		case kind == otherByte && c < 0x80:
		case kind == letterByte && before == otherByte && after == otherByte, c >= 0x80:
			lone++
		case kind == digitByte && (before == letterByte || after == letterByte):
			mixed++
		}
		before, kind = kind, after
	}
	return lone >= 6 || mixed >= minLeet
}

type byteKind uint8

const (
	otherByte byteKind = iota
	letterByte
	digitByte
)

// kinds are those of all bytes: every line of every file is looked at.
var kinds = func() (table [256]byteKind) {
	for c := range table {
		switch {
		case c < 0x80 && isLatin(rune(c)):
			table[c] = letterByte
		case c >= '0' && c <= '9' || c == '@' || c == '$' || c == '!' || c == '|':
			table[c] = digitByte
		}
	}
	return table
}()

// plainWords returns a line with its words written plainly, and whether any was
// not.
func plainWords(line []byte) ([]byte, bool) {
	changed := false
	if m := spaced.FindAllSubmatchIndex(line, -1); m != nil {
		var out []byte
		at := 0
		for _, s := range m {
			out = append(append(out, line[at:s[2]]...), joined(line[s[2]:s[3]])...)
			at = s[3]
		}
		line, changed = append(out, line[at:]...), true
	}
	words := 0
	plain := leet.ReplaceAllFunc(line, func(w []byte) []byte {
		letters, signs := 0, 0
		read := make([]byte, len(w))
		for i, c := range w {
			if to, ok := leetLetters[c]; ok {
				read[i] = to
				signs++
			} else {
				read[i] = c
				letters++
			}
		}
		if signs == 0 || letters == 0 {
			return w
		}
		words++
		return read
	})
	if words >= minLeet {
		return plain, true
	}
	return line, changed
}

// joined puts letters together that stand apart; where the gap is wider than
// the one behind the first letter, a word ends.
func joined(run []byte) []byte {
	gap := func(i int) int {
		n := 0
		for i+n < len(run) && bytes.IndexByte([]byte(" \t.-_*"), run[i+n]) >= 0 {
			n++
		}
		return n
	}
	least := len(run)
	for i := range run {
		if n := gap(i); n > 0 && (i == 0 || gap(i-1) == 0) {
			least = min(least, n)
		}
	}
	var out []byte
	for i := 0; i < len(run); {
		n := gap(i)
		if n > least {
			out = append(out, ' ')
		}
		if n > 0 {
			i += n
			continue
		}
		out = append(out, run[i])
		i++
	}
	return out
}
