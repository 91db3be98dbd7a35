package archive

import (
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"encoding/binary"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// How the members of a zip archive are packed, besides those that archive/zip
// knows.
const methodBzip2 = 12

// flagEncrypted is the bit that says so in the header of a member.
const flagEncrypted = 1

// zip reads the members that the directory at the end of a zip names, and then
// those that only a program sees that reads from the beginning.
func (r *reader) zip(data []byte) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && z == nil {
		r.problem("a zip archive that can't be opened: %v", err)
		r.hidden(data, nil)
		return
	}
	z.RegisterDecompressor(methodBzip2, func(packed io.Reader) io.ReadCloser { return io.NopCloser(bzip2.NewReader(packed)) })
	var known []stretch
	for _, f := range z.File {
		if r.full() {
			return
		}
		at, err := f.DataOffset()
		if err != nil {
			r.problem("%s can't be read: %v", shown(f.Name), err)
			continue
		}
		known = append(known, stretch{at, at + int64(min(f.CompressedSize64, uint64(len(data))))}) //nolint:gosec // bounded by len
		r.zipped(f, data)
	}
	r.hidden(data, known)
}

// zipped reads one member that the directory names.
func (r *reader) zipped(f *zip.File, data []byte) {
	mode := f.Mode()
	if strings.HasSuffix(f.Name, "/") && f.UncompressedSize64 == 0 {
		r.seen++
		return
	}
	switch {
	case f.Flags&flagEncrypted != 0:
		r.seen++
		r.problem("%s is encrypted", shown(f.Name))
		return
	case !slices.Contains([]uint16{zip.Store, zip.Deflate, methodBzip2}, f.Method):
		r.seen++
		r.problem("%s is packed in a way that can't be opened (method %d)", shown(f.Name), f.Method)
		return
	}
	content, err := f.Open()
	if err != nil {
		r.seen++
		r.problem("%s can't be opened: %v", shown(f.Name), err)
		return
	}
	defer content.Close()
	if mode&fs.ModeSymlink != 0 {
		to, err := io.ReadAll(io.LimitReader(content, 4<<10))
		if err != nil {
			r.problem("%s can't be read: %v", shown(f.Name), err)
		}
		r.link(f.Name, string(to))
		return
	}
	if at, err := f.DataOffset(); err == nil {
		if local, ok := localName(data, at); ok && local != f.Name {
			r.problem("%s is named %s in front of its content", shown(f.Name), shown(local))
			if again, err := f.Open(); err == nil { // programs that read it as a stream know it by this name
				defer again.Close()
				r.file(local, mode.Perm(), again, int64(min(f.UncompressedSize64, 1<<62))) //nolint:gosec // bounded
			}
		}
	}
	if mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		r.problem("%s has the setuid or setgid bit", shown(f.Name))
	}
	r.file(f.Name, mode.Perm(), content, int64(min(f.UncompressedSize64, 1<<62))) //nolint:gosec // bounded
}

// localHeader is the size of the header in front of a member, without the name.
const localHeader = 30

// maxLocal is how long the name and what follows it are where [localName]
// looks for their beginning.
const maxLocal = 8 << 10

// localName is the name that is in front of the content that begins at a byte.
func localName(data []byte, begin int64) (string, bool) {
	if begin > int64(len(data)) {
		return "", false
	}
	for start := begin - localHeader; start >= max(0, begin-localHeader-maxLocal); start-- {
		h := data[start:begin]
		if !bytes.HasPrefix(h, []byte("PK\x03\x04")) {
			continue
		}
		name, extra := int64(binary.LittleEndian.Uint16(h[26:])), int64(binary.LittleEndian.Uint16(h[28:]))
		if localHeader+name+extra == begin-start {
			return string(h[localHeader : localHeader+name]), true
		}
	}
	return "", false
}

// stretch is a piece of the archive, from one byte up to another.
type stretch struct{ from, to int64 }

// hidden reads the members that the directory leaves out: programs that read a zip
// as a stream take them.
func (r *reader) hidden(data []byte, known []stretch) {
	slices.SortFunc(known, func(a, b stretch) int { return int(a.from - b.from) })
	var beyond int64 // where the members end that were passed
	for at := int64(0); ; {
		i := bytes.Index(data[at:], []byte("PK\x03\x04"))
		if i < 0 || at+int64(i)+localHeader > int64(len(data)) {
			return
		}
		at += int64(i)
		h := data[at:]
		nameLen, extraLen := int64(binary.LittleEndian.Uint16(h[26:])), int64(binary.LittleEndian.Uint16(h[28:]))
		begin := at + localHeader + nameLen + extraLen
		for len(known) > 0 && known[0].from < begin {
			beyond = max(beyond, known[0].to)
			known = known[1:]
		}
		if at < beyond || len(known) > 0 && known[0].from == begin || begin > int64(len(data)) || nameLen == 0 {
			at += 4 // within a member, or the header of one that was read
			continue
		}
		name := string(h[localHeader : localHeader+nameLen])
		if strings.HasSuffix(name, "/") || path.Clean(name) == "." {
			at += 4
			continue
		}
		if r.full() {
			return
		}
		if r.tried++; r.tried > maxMembers {
			r.bounded("it looks as if it had more than %d members that its directory leaves out; the others were not looked at", maxMembers)
			return
		}
		if used := r.unlisted(name, h, data[begin:]); used > 0 {
			beyond = max(beyond, begin+used)
		}
		at += 4
	}
}

// unlisted reads a member from its own header, and returns how many bytes it takes,
// 0 where what is there is no member.
func (r *reader) unlisted(name string, header, packed []byte) int64 {
	size := int64(binary.LittleEndian.Uint32(header[18:]))
	var content io.Reader
	switch method := binary.LittleEndian.Uint16(header[8:]); {
	case binary.LittleEndian.Uint16(header[6:])&flagEncrypted != 0:
		r.problem("%s is encrypted, and the directory leaves it out", shown(name))
		return size
	case method == zip.Store && size > 0 && size <= int64(len(packed)):
		content = bytes.NewReader(packed[:size])
	case method == zip.Deflate:
		content = flate.NewReader(bytes.NewReader(packed))
	default:
		return 0
	}
	head := make([]byte, 1)
	if n, _ := io.ReadFull(content, head); n == 0 {
		return 0
	}
	r.problem("%s is in it and its directory leaves it out: only some programs see it", shown(name))
	r.file(name, 0o644, &tolerant{io.MultiReader(bytes.NewReader(head), content)}, -1)
	return size
}

// tolerant ends at an error: of a member that no directory describes, nothing says
// where it ends.
type tolerant struct{ r io.Reader }

// Read implements [io.Reader].
func (t *tolerant) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err != nil {
		return n, io.EOF
	}
	return n, nil
}
