package misread

import (
	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// maxFlips bounds how many strings of one line are read as code.
const maxFlips = 6

// goesOn matches a text that code goes on with behind a string, and that strings seldom
// begin with: a quote in front of it ends one.
var goesOn = regexp.MustCompile("^\\s*(?:[;)\\]}|&`]|[,+*/%]\\s*\\w+\\s*[.(]|$)")

// flipped returns the content with the strings of some lines turned into code, where what
// is in them looks like what follows a string: the quote that opens it ends one. full says that a
// line has more of them than are read.
func flipped(lang gate.Language, content []byte, text *lex.Text, lines []line) (out []Piece, full bool) {
	for _, l := range lines {
		n := 0
		for _, s := range text.From(l.start) {
			if s.Start >= l.end {
				break
			}
			body := content[min(max(s.Start+1, l.start), l.end):min(s.End, l.end)]
			if s.Class != lex.String || !goesOn.Match(body) || !acts.Match(body) || !does.Match(body) {
				continue
			}
			if full = full || n == maxFlips; n == maxFlips {
				break
			}
			if n == len(out) {
				out = append(out, Piece{Language: lang, Text: blanked(content, text), At: map[int]bool{}})
			}
			for i := l.start; i <= s.Start; i++ {
				out[n].Text[i] = ' '
			}
			out[n].At[l.n] = true
			n++
		}
	}
	return out, full
}
