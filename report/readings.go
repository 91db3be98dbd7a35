package report

import (
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
)

// readings says as what the static layer read a file: "python (utf-8), shell
// (utf-8)", and what it did not read.
func readings(f *gate.FileResult) string {
	var out []string
	for _, r := range f.Read {
		as := string(r.As)
		if as == "" {
			as = "text of no known type"
		}
		if r.Name != "" {
			as += " by the name of " + r.Name
		}
		of := ""
		if r.Bytes != (gate.ByteRange{0, f.Size}) {
			of = fmt.Sprintf(", bytes %d to %d", r.Bytes[0], r.Bytes[1])
		}
		out = append(out, visible(fmt.Sprintf("%s (%s%s)", as, r.Encoding, of)))
	}
	for _, u := range f.Unread {
		out = append(out, visible(fmt.Sprintf("not read, bytes %d to %d: %s", u.Bytes[0], u.Bytes[1], u.Reason)))
	}
	return strings.Join(out, ", ")
}
