package spelling

import (
	"bytes"

	"github.com/aigate/gate/gate/source/char"
)

// Commands is the text as a shell would get the commands in it, wherever they are:
// without quotes and with the line ends that are written as escapes. A sign for a
// comment begins none.
func (t Text) Commands() Text {
	b := builder{in: t}
	src := t.Content
	for i := 0; i < len(src); {
		n := bytes.IndexAny(src[i:], "\"'`\\#,")
		if n < 0 {
			break
		}
		i += n
		end, text := i+1, ""
		before, after := byte(' '), byte(' ')
		if i > 0 {
			before = src[i-1]
		}
		if i+1 < len(src) {
			after = src[i+1]
		}
		switch src[i] {
		case '\\':
			for end < len(src) && src[end] == '\\' {
				end++
			}
			if end < len(src) && src[end] == 'n' {
				end, text = end+1, "\n"
			}
		case '#':
			if before > ' ' {
				i++
				continue
			}
			text = ";"
		case ',':
			if before != '"' && before != '\'' && after != '"' && after != '\'' && after != ' ' {
				i++
				continue
			}
			text = " "
		default:
			if !char.IsASCIIWord(before) || !char.IsASCIIWord(after) {
				text = " "
			}
		}
		b.replace(i, end, text, false)
		i = end
	}
	return b.text()
}
