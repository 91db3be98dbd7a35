package constprop

import (
	"bytes"

	"github.com/aigate/gate/gate/source/char"
)

// reference reads $NAME, ${NAME}, ${NAME[@]} or ${NAME[0]}; "" where something else
// is there.
func reference(src []byte, at int) (name string, end int) {
	i := at + 1
	braces := i < len(src) && src[i] == '{'
	if braces {
		i++
	}
	if i >= len(src) || !char.IsNameStart(src[i]) {
		return "", at
	}
	start := i
	for i < len(src) && char.IsWord(src[i]) {
		i++
	}
	name = string(src[start:i])
	if !braces {
		return name, i
	}
	if key, shut := elementKey(src, i); key != "" && shut < len(src) && src[shut] == '}' {
		return name + "[" + key + "]", shut + 1
	}
	for _, all := range []string{"[@]", "[*]"} {
		if bytes.HasPrefix(src[i:], []byte(all)) {
			i += len(all)
			break
		}
	}
	if i >= len(src) || src[i] != '}' {
		return "", at
	}
	return name, i + 1
}

// elementKey reads the key in brackets at an offset, such as [get], [0] and ["get"], and returns
// what follows the brackets; "" for one that is not constant.
func elementKey(src []byte, at int) (key string, end int) {
	if at >= len(src) || src[at] != '[' {
		return "", at
	}
	shut := bytes.IndexByte(src[at:min(len(src), at+maxKey)], ']')
	if shut < 0 {
		return "", at
	}
	name := bytes.Trim(src[at+1:at+shut], `"'`)
	if len(name) == 0 || bytes.ContainsFunc(name, func(r rune) bool { return r != '-' && r != '.' && !(r < 0x80 && char.IsWord(byte(r))) }) {
		return "", at
	}
	return string(name), at + shut + 1
}

// maxKey bounds the key of an element, in bytes with its brackets.
const maxKey = 64
