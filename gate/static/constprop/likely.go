package constprop

import (
	"bytes"

	"github.com/aigate/gate/gate/source/char"
)

// likely is a cheap test for calls whose arguments may be constants, so that
// most texts are not looked at any further.
type likely struct {
	src   []byte
	names map[string]bool // what was asked, and the answer
}

// builders are functions and modules that make constants of constants.
var builders = map[string]bool{"chr": true, "bytes": true, "bytearray": true, "str": true, "int": true, "map": true, "reversed": true, "list": true, "tuple": true,
	"base64": true, "codecs": true, "binascii": true, "zlib": true, "b64decode": true, "b32decode": true, "a85decode": true, "b85decode": true,
	"unhexlify": true, "decompress": true, "lambda": true, "ord": true, "dict": true, "range": true}

// call reports whether an argument of the call whose bracket is open may be a
// constant.
func (l *likely) call(open int) bool {
	line := l.src[open+1 : min(len(l.src), open+1+300)]
	if l.value(line) {
		return true
	}
	for n, at := 1, 0; n < maxArguments; n++ { // getattr(os, NAME)
		i := bytes.IndexByte(line[at:], ',')
		if i < 0 {
			return false
		}
		if at += i + 1; l.value(line[at:]) {
			return true
		}
	}
	return false
}

// value reports whether what is at the beginning of a text may be a constant.
func (l *likely) value(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n\\([{*")
	n := 0
	for n < len(text) && char.IsWord(text[n]) {
		n++
	}
	if n == 0 {
		return len(text) > 0 && (text[0] == '"' || text[0] == '\'' || text[0] == '-' || text[0] == '}' || text[0] == ']')
	}
	word, rest := text[:n], text[n:]
	if isDigit(word[0]) || builders[string(word)] || len(rest) > 0 && n < 3 && (rest[0] == '"' || rest[0] == '\'') {
		return true
	}
	if s := string(word); (s == "self" || s == "cls") && len(rest) > 1 && rest[0] == '.' {
		n := 1
		for n < len(rest) && char.IsWord(rest[n]) {
			n++
		}
		word = rest[1:n]
	}
	return l.defined(string(word))
}

// maxNamed bounds how many names are looked for in one text.
const maxNamed = 500

// defined reports whether the text gives a name a value that may be constant, or
// makes a function of it.
func (l *likely) defined(name string) bool {
	if known, ok := l.names[name]; ok {
		return known
	}
	if len(l.names) >= maxNamed {
		return true
	}
	l.names[name] = false // also what it is to itself
	for at := 0; name != ""; {
		i := bytes.Index(l.src[at:], []byte(name))
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(name)
		if start > 0 && char.IsWord(l.src[start-1]) || at < len(l.src) && char.IsWord(l.src[at]) {
			continue
		}
		if bytes.HasSuffix(l.src[max(0, start-4):start], []byte("def ")) {
			l.names[name] = true
			break
		}
		line := l.src[at:min(len(l.src), at+100)]
		if end := bytes.IndexByte(line, '\n'); end > 0 && line[end-1] != '\\' && !bytes.ContainsAny(line[:end], "([{") {
			line = line[:end]
		}
		rest := bytes.TrimLeft(line, " \t")
		if len(rest) > 0 && rest[0] == ':' {
			rest = rest[max(0, bytes.IndexByte(rest, '=')):]
		}
		rest = bytes.TrimPrefix(rest, []byte("+"))
		if len(rest) > 1 && rest[0] == '=' && rest[1] != '=' && l.value(rest[1:]) {
			l.names[name] = true
			break
		}
	}
	return l.names[name]
}
