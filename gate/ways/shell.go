package ways

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Command is one command of a script.
type Command struct {
	Env   []string // NAME=value in front of it
	Words []string
	Dir   string // folder that it runs in, seen from where the script does; "" for there
	// Open says that a shell would have to work out parts of it: those are left out.
	Open bool
	Text string // as it is written, for reports
}

// The bounds of one script.
const (
	maxScript   = 16 << 10 // bytes
	maxCommands = 200
	maxWords    = 200
)

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}=`)

// Split takes a script apart into its commands, in order: whatever is between them, and
// whether a shell would come to each of them, does not matter. Of cd, the commands behind
// it know.
func Split(script string) []Command {
	s := splitter{text: script[:min(len(script), maxScript)]}
	for s.at < len(s.text) && len(s.out) < maxCommands {
		s.next()
	}
	s.end()
	return s.out
}

// splitter reads a script byte by byte.
type splitter struct {
	text   string
	at     int
	began  int // of the command
	word   strings.Builder
	inWord bool
	open   bool // the word
	quoted bool // a part of the word
	now    Command
	out    []Command
	dir    string
	around []string // the folders in front of the parentheses that are open
}

func (s *splitter) next() {
	c := s.text[s.at]
	s.at++
	switch c {
	case ' ', '\t', '\r':
		s.endWord()
	case '\n', ';', '|', '&':
		s.end()
	case '(':
		s.end()
		s.around = append(s.around, s.dir)
	case ')':
		s.end()
		if n := len(s.around); n > 0 {
			s.dir, s.around = s.around[n-1], s.around[:n-1]
		}
	case '#':
		if s.inWord {
			s.put(c)
			return
		}
		if end := strings.IndexByte(s.text[s.at:], '\n'); end >= 0 {
			s.at += end
		} else {
			s.at = len(s.text)
		}
	case '\'':
		s.single()
	case '"':
		s.double()
	case '\\':
		s.escape()
	case '$', '`':
		s.expansion(c)
	case '<', '>':
		s.redirection()
	default:
		s.put(c)
	}
}

func (s *splitter) put(c byte) {
	s.word.WriteByte(c)
	s.inWord = true
}

func (s *splitter) single() {
	s.inWord, s.quoted = true, true
	end := strings.IndexByte(s.text[s.at:], '\'')
	if end < 0 {
		s.open, s.at = true, len(s.text)
		return
	}
	s.word.WriteString(s.text[s.at : s.at+end])
	s.at += end + 1
}

func (s *splitter) double() {
	s.inWord, s.quoted = true, true
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '"':
			return
		case c == '\\' && s.at < len(s.text) && strings.IndexByte("\"\\$`", s.text[s.at]) >= 0:
			s.word.WriteByte(s.text[s.at])
			s.at++
		case c == '$' || c == '`':
			s.expansion(c)
		default:
			s.word.WriteByte(c)
		}
	}
	s.open = true // it does not end
}

func (s *splitter) escape() {
	if s.at < len(s.text) {
		if c := s.text[s.at]; c != '\n' {
			s.put(c)
		}
		s.at++
	}
}

// expansion passes over what a shell would put in its place.
func (s *splitter) expansion(c byte) {
	s.inWord, s.open = true, true
	if c == '`' {
		if end := strings.IndexByte(s.text[s.at:], '`'); end >= 0 {
			s.at += end + 1
		} else {
			s.at = len(s.text)
		}
		return
	}
	if s.at == len(s.text) || s.text[s.at] != '(' && s.text[s.at] != '{' {
		return // the name behind it stays in a word that is left out
	}
	opens, closes := s.text[s.at], byte(')')
	if opens == '{' {
		closes = '}'
	}
	for depth := 0; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case opens:
			depth++
		case closes:
			if depth--; depth == 0 {
				s.at++
				return
			}
		}
	}
}

// redirection passes over where output goes or input comes from.
func (s *splitter) redirection() {
	if strings.Trim(s.word.String(), "0123456789") == "" {
		s.word.Reset() // the number of a descriptor
		s.inWord = false
	}
	s.endWord()
	for s.at < len(s.text) && strings.IndexByte("<>&| \t", s.text[s.at]) >= 0 {
		s.at++
	}
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n;&|()<>", s.text[s.at]) < 0 {
		s.at++
	}
}

func (s *splitter) endWord() {
	word, was := s.word.String(), s.inWord
	open, quoted := s.open, s.quoted
	s.word.Reset()
	s.inWord, s.open, s.quoted = false, false, false
	switch {
	case !was || strings.ContainsRune(word, 0):
	case open:
		s.now.Open = true
	case len(s.now.Words) == 0 && assignment.MatchString(word) && len(s.now.Env) < maxWords:
		s.now.Env = append(s.now.Env, word)
	case len(s.now.Words) < maxWords && (word != "" || quoted):
		s.now.Words = append(s.now.Words, word)
	}
}

// end completes a command.
func (s *splitter) end() {
	s.endWord()
	now := s.now
	s.now = Command{}
	text := strings.TrimSpace(strings.Trim(s.text[s.began:min(s.at, len(s.text))], "&|;()\r\n\t "))
	s.began = s.at
	switch {
	case len(now.Words) == 0 && !now.Open:
	case len(now.Words) == 2 && now.Words[0] == "cd" && !now.Open:
		s.dir = Below(s.dir, now.Words[1])
	default:
		now.Dir, now.Text = s.dir, text
		s.out = append(s.out, now)
	}
}
