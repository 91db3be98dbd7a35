package static

import (
	"bytes"
	"context"
	"path"
	"strings"

	"github.com/aigate/gate/gate/static/archive"
)

// maxPatched bounds how many files of one patch are looked at.
const maxPatched = 1000

// patched makes targets of the files that a patch changes, as far as it shows them:
// git apply and patch write its lines into files of other languages.
func (u unpacker) patched(ctx context.Context, c *content) error {
	if u.file.binary || !bytes.Contains(c.stats.Head, []byte("+++ ")) && !isPatchName(u.file.target.Path) {
		return ctx.Err()
	}
	data, err := u.all(c)
	if err != nil {
		u.file.unreadable(err)
		return ctx.Err()
	}
	members := patchMembers(data)
	if len(members) == 0 {
		return ctx.Err()
	}
	before := map[string][]byte{}
	if old, ok := u.base(archive.MaxArchive); ok {
		for _, m := range patchMembers(old) {
			before[m.Name] = m.Data
		}
	}
	for i, m := range members {
		if i == maxPatched {
			u.file.gap("it is a patch of more than %d files: the others were not looked at", maxPatched)
			break
		}
		if !bytes.Equal(before[m.Name], m.Data) {
			u.extract(m.Name, "lines of the patch", m.Mode, m.Data)
		}
	}
	return ctx.Err()
}

func isPatchName(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".patch" || ext == ".diff"
}

// patchMembers returns what the files of a patch are with it: the lines that it adds
// and those around them. A file that several patches of one text change has the lines of
// all of them.
func patchMembers(data []byte) []archive.Member {
	var out []archive.Member
	known := map[string]int{} // where a file is in out
	name, at, within := "", 0, false
	for line := range bytes.Lines(data) {
		switch {
		case bytes.HasPrefix(line, []byte("+++ ")) && !within:
			if name = patchedName(string(line[4:])); name == "" {
				continue
			}
			var again bool
			if at, again = known[name]; !again {
				at = len(out)
				known[name] = at
				out = append(out, archive.Member{Name: name, Mode: 0o644})
			}
		case name == "":
		case bytes.HasPrefix(line, []byte("@@ ")):
			within = true
			if file := &out[at]; len(file.Data) > 0 {
				file.Data = append(file.Data, '\n')
			}
		case bytes.HasPrefix(line, []byte("diff ")), bytes.HasPrefix(line, []byte("--- ")) && !within, bytes.HasPrefix(line, []byte("-- \n")):
			name, within = "", false
		case within && (line[0] == '+' || line[0] == ' '):
			out[at].Data = append(out[at].Data, line[1:]...)
		case within && line[0] != '-' && line[0] != '\\':
			within = false
		}
	}
	return out
}

// patchedName is the path in the line of a patch that names the new file, empty where
// it is removed.
func patchedName(line string) string {
	name, _, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
	name = strings.Trim(name, `" `)
	if name == "/dev/null" {
		return ""
	}
	if rest, ok := strings.CutPrefix(name, "b/"); ok {
		name = rest
	}
	return strings.TrimPrefix(path.Clean("/"+name), "/")
}
