package archive

import (
	"bytes"
	"strconv"
	"strings"
)

// arHeader is the size of a header of an ar archive.
const arHeader = 60

// ar reads the members of an ar archive: the parts of a Debian package.
func (r *reader) ar(data []byte) {
	for at := len("!<arch>\n"); at < len(data) && !r.full(); {
		if at+arHeader > len(data) || string(data[at+58:at+arHeader]) != "`\n" {
			r.problem("it can't be read to its end: there is no header at byte %d", at)
			return
		}
		name := strings.TrimRight(string(data[at:at+16]), " /")
		size, err := strconv.ParseInt(strings.TrimSpace(string(data[at+48:at+58])), 10, 64)
		at += arHeader
		if err != nil || size < 0 || size > int64(len(data)-at) {
			r.problem("it can't be read to its end: %s has no valid size", shown(name))
			return
		}
		r.file(name, 0o644, bytes.NewReader(data[at:at+int(size)]), size)
		at += int(size) + int(size)%2
	}
}
