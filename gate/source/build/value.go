package build

import (
	"bytes"
	"fmt"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Line is a text and the line of the file that it comes from, 1-based.
type Line struct {
	Text string
	At   int
}

// Computed begins what stands for a text that only the tool can work out; the name of what
// computes it and "}}" follow.
const Computed = "${{computed:"

// Signs around what is not known while a text is worked out. No build file holds them:
// they are taken out of what is read.
const (
	unknownOpen  = '\x01'
	unknownClose = '\x02'
)

// notWorkedOut stands for a text that a function makes of what is not known.
func notWorkedOut(function string) string {
	return string(unknownOpen) + "f" + function + string(unknownClose)
}

// tooMuch stands for a text that a bound kept from being worked out. Where it makes a command,
// the reader of the result has it in front of a command that no one knows.
func tooMuch(n int, of string) string {
	return notWorkedOut(fmt.Sprintf("%s%d_%s", overBound, n, strings.ReplaceAll(of, " ", "_")))
}

// oneOf stands for one of several texts, of which a bound kept some from being looked at: with
// what they all begin with.
func oneOf(texts []string, n int, of string) string {
	same := texts[0]
	for _, t := range texts[1:] {
		i := 0
		for i < min(len(same), len(t)) && same[i] == t[i] {
			i++
		}
		same = same[:i]
	}
	if open := strings.LastIndexByte(same, unknownOpen); open > strings.LastIndexByte(same, unknownClose) {
		same = same[:open]
	}
	return same + tooMuch(n, of)
}

// overBound begins the name of what computes a text where that is a bound.
const overBound = "more_than_"

// Unread returns the bounds that kept the commands in a text from being worked out.
func Unread(text []byte) []string {
	var out []string
	for {
		_, rest, ok := bytes.Cut(text, []byte(Computed+overBound))
		if !ok {
			return out
		}
		bound, _, _ := bytes.Cut(rest[:min(len(rest), 200)], []byte("}}"))
		out = append(out, strings.ReplaceAll(string(bound), "_", " "))
		text = rest
	}
}

// fromElsewhere stands for what is not known, with how the file writes it.
func fromElsewhere(written string) string {
	return string(unknownOpen) + "v" + strings.Map(opaque, written) + string(unknownClose)
}

// opaque replaces what would split a word.
func opaque(r rune) rune {
	switch r {
	case ' ', '\t', '\n', unknownOpen, unknownClose:
		return '_'
	}
	return r
}

// known reports whether all of a text is known.
func known(s string) bool { return strings.IndexByte(s, unknownOpen) < 0 }

// withoutSigns takes the signs for what is not known out of a text.
func withoutSigns(s string) string {
	if strings.IndexByte(s, unknownOpen) < 0 && strings.IndexByte(s, unknownClose) < 0 {
		return s
	}
	return strings.NewReplacer(string(unknownOpen), "", string(unknownClose), "").Replace(s)
}

// shown is a text as rules read it: where a function of text makes a command of what is not
// known, it is marked. What comes from elsewhere is nothing within a word or
// at its beginning, where it is as good as not there, and otherwise stays as it is written.
func shown(s string) string {
	if known(s) {
		return s
	}
	var out strings.Builder
	for {
		i := strings.IndexByte(s, unknownOpen)
		if i < 0 {
			break
		}
		out.WriteString(s[:i])
		end := strings.IndexByte(s, unknownClose)
		if end < i+2 {
			break // cut off
		}
		kind, written := s[i+1], s[i+2:end]
		s = s[end+1:]
		switch {
		case kind == 'f' && evaluated(out.String(), s):
			out.WriteString(Computed + written + "}}")
		case kind == 'f':
			out.WriteString("$(" + written + ")")
		case !within(out.String(), s):
			out.WriteString(written)
		}
	}
	out.WriteString(s)
	return withoutSigns(out.String())
}

// within reports whether what is between two texts is in a word: letters on both sides,
// or on the right side of what begins a command.
func within(before, after string) bool {
	for strings.HasPrefix(after, string(unknownOpen)+"v") { // the next unknown text, which may be empty as well
		_, rest, ok := strings.Cut(after, string(unknownClose))
		if !ok {
			return false
		}
		after = rest
	}
	if after == "" || !isLetter(after[0]) {
		return false
	}
	before = strings.TrimRight(before, " \t@+-")
	return before == "" || isLetter(before[len(before)-1]) && !strings.HasSuffix(before, " ") || strings.IndexByte("\n;|&\"'", before[len(before)-1]) >= 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Where what is between two texts is evaluated by a shell.
var (
	beginsCommand = regexp.MustCompile(`(?:^|[;&|(` + "`" + `{]|!\s|[^\\]\n|^\n|\b(?:then|do|else|if|while|until|sudo|exec|nohup|setsid|time|command|builtin|eval|source|xargs|(?:ba|z|da|k)?sh(?: -\w+)* -\w*c)\s)[\s@+"'-]*[\w.-]*$`)
	goesOnAsPath  = regexp.MustCompile(`^[^\s;&|]*/`)
	thenAssigns   = regexp.MustCompile(`^\s+[A-Za-z_]\w*=`)
	isPiped       = regexp.MustCompile(`^[^;&|\n]*\|\s*(?:sudo\s+)?(?:/\S*/)?(?:ba|z|da|k)?sh\b`)
)

// maxContext is how much before and behind a text is looked at.
const maxContext = 400 // bytes

// evaluated reports whether a text between two others is the name of a command, or is given to
// a shell. A file in a folder, and a text before assignments, are not.
func evaluated(before, after string) bool {
	before, after = before[max(0, len(before)-maxContext):], after[:min(len(after), maxContext)]
	if isPiped.MatchString(after) {
		return true
	}
	return beginsCommand.MatchString(before) && !goesOnAsPath.MatchString(after) && !thenAssigns.MatchString(after)
}
