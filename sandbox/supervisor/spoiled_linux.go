package supervisor

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash/maphash"
	"io"
	"os"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// A program destroys a file without removing it by emptying it, by writing something else
// over it, or by encrypting it where it is. So what the input held is remembered while it
// is unpacked, and at the end of the run the files that the program wrote to are looked at
// once more. A file that no one wrote to costs nothing.

// What became of a file that held something. They are the argument of an "overwrite" event.
const (
	spoiledEmptied   = "emptied"   // nothing is in it, or nothing but white space
	spoiledFilled    = "filled"    // with one byte again and again
	spoiledCut       = "cut"       // to a small part of its size
	spoiledAlike     = "alike"     // other files that had other content hold the same now
	spoiledScrambled = "scrambled" // it is no longer text, or no longer of its kind
	spoiledEncrypted = "encrypted" // it has the head of a format of encrypted data
	spoiledPacked    = "packed"    // it was text, and is an archive, an image or the like
)

const (
	maxRemembered   = 20_000    // files of the input
	maxSpoiledBytes = 256 << 20 // that are read at the end of a run; after them the size decides
	maxSpoiledHead  = 64 << 10  // of each file
	maxSpoiled      = 128       // events
	textHead        = 512       // of a file, by which its kind is known
	cutTo           = 20        // one part of so many is a small one
	cutFrom         = 256       // bytes that a file has at least to be cut
	denseFrom       = 24        // bytes without white space that are no words
)

// content is what is remembered of a file. What kind it is of is worked out when it is asked
// for, because few of the files of an input are written to.
type content struct {
	size int64
	read int64 // of a second look: how much of it was read
	sum  uint64
	head []byte
	one  bool // it is one byte again and again
	text bool // all of it is UTF-8
}

// remembered is the input before the program started, by absolute path.
type remembered struct {
	seed  maphash.Seed
	files map[string]content
	buf   []byte
	refs  []reference // that were planted
	// databases are planted ones, with the sums of their rows, by path.
	databases map[string]map[uint64]bool
}

func newRemembered() *remembered {
	return &remembered{seed: maphash.MakeSeed(), files: map[string]content{}, buf: make([]byte, 32<<10), databases: map[string]map[uint64]bool{}}
}

// copy copies a file of the input and remembers what it held. A nil receiver copies only.
func (r *remembered) copy(to io.Writer, from io.Reader, name string) error {
	if r == nil || len(r.files) >= maxRemembered {
		_, err := io.Copy(to, from)
		return err
	}
	p := newProbe(r.seed, textHead)
	for {
		n, err := from.Read(r.buf)
		_, _ = p.Write(r.buf[:n])
		if _, werr := to.Write(r.buf[:n]); werr != nil {
			return werr
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	r.files[path.Join(Workspace, name)] = p.content()
	return nil
}

// plants adds the files that were planted.
func (r *remembered) plants(plants []wire.Plant) {
	if r == nil {
		return
	}
	for _, f := range plants {
		if _, ok := r.files[f.Path]; ok {
			continue // it is a file of the input, which stays as it is
		}
		p := newProbe(r.seed, textHead)
		_, _ = p.Write(f.Data)
		r.files[f.Path] = p.content()
		r.reference(f)
		r.database(f)
	}
}

// probe is a writer that learns what a file holds.
type probe struct {
	hash maphash.Hash
	keep int
	c    content
}

func newProbe(seed maphash.Seed, keep int) *probe {
	p := &probe{keep: keep, c: content{one: true, text: true}}
	p.hash.SetSeed(seed)
	return p
}

func (p *probe) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	c := &p.c
	c.head = append(c.head, b[:min(len(b), p.keep-len(c.head))]...)
	c.one = c.one && bytes.Count(b, c.head[:1]) == len(b)
	c.text = c.text && utf8.Valid(whole(b))
	c.size += int64(len(b))
	return p.hash.Write(b)
}

func (p *probe) content() content {
	p.c.sum = p.hash.Sum64()
	return p.c
}

// whole is a piece of text without the parts of characters at its ends.
func whole(b []byte) []byte {
	for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
		b = b[1:]
	}
	for i := 1; i <= min(utf8.UTFMax-1, len(b)); i++ {
		if last := b[len(b)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// Kinds of content. Others are the names of formats.
const (
	kindBlank     = "blank" // nothing, or nothing but white space
	kindFilled    = "filled"
	kindText      = "text"
	kindDense     = "dense" // text that is nothing but hexadecimal digits, or base64
	kindBinary    = "binary"
	kindEncrypted = "encrypted"
	kindPointer   = "pointer" // to a file that LFS brings
)

// kind tells what a file is by what is kept of it.
func (c content) kind() string {
	trimmed := bytes.TrimSpace(c.head)
	switch {
	case len(trimmed) == 0 && c.size == int64(len(c.head)):
		return kindBlank
	case c.one && c.size > 1:
		return kindFilled
	}
	for _, f := range formats {
		if bytes.HasPrefix(c.head, []byte(f.head)) {
			return f.kind
		}
	}
	for piece := range slices.Chunk(c.head, textHead) {
		if !c.text && !isText(piece) || c.text && !isText(whole(piece)) {
			return kindBinary
		}
	}
	if isDense(trimmed) {
		return kindDense
	}
	return kindText
}

// spoiled looks at the files of the input that the program has written to, and records
// those that have lost what they held.
func (r *remembered) spoiled(written []string, log *journal) {
	if r == nil {
		return
	}
	type file struct {
		path string
		now  content
	}
	var changed []file
	same := map[uint64]map[uint64]bool{} // what files held that hold the same now
	read := int64(0)
	for _, p := range written {
		before, ok := r.files[p]
		if !ok || before.kind() == kindBlank {
			continue
		}
		now, ok := r.look(p, min(maxSpoiledHead, maxSpoiledBytes-read))
		read += now.read
		if !ok || now.size == before.size && now.sum == before.sum {
			continue
		}
		changed = append(changed, file{p, now})
		if now.read < now.size {
			continue // equal heads are no equal files
		}
		if same[now.sum] == nil {
			same[now.sum] = map[uint64]bool{}
		}
		same[now.sum][before.sum] = true
	}
	r.moved(log)
	events := 0
	for _, f := range changed {
		how := became(r.files[f.path], f.now, len(same[f.now.sum]) > 2)
		if how == "" && r.emptied(f.path) {
			how = spoiledRows
		}
		if how == "" {
			continue
		}
		if events++; events > maxSpoiled {
			return // so many say what there is to say
		}
		log.add(wire.Event{Action: "overwrite", Object: f.path, Args: []string{how}})
	}
}

// look says what a file holds now, of which it reads so many bytes at most. The sum of a
// larger one is that of its head and never what is remembered; its kind decides.
func (r *remembered) look(name string, most int64) (content, bool) {
	// The last part may be a link by now, to a file that another part judges.
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return content{}, false
	}
	if most <= 0 && info.Size() > 0 {
		return content{size: info.Size()}, true
	}
	f, err := openRegular(name)
	if err != nil {
		return content{}, false
	}
	defer f.Close()
	p := newProbe(r.seed, int(most))
	if _, err := io.CopyBuffer(p, io.LimitReader(f, most), r.buf); err != nil {
		return content{}, false
	}
	c := p.content()
	c.read, c.size = c.size, info.Size()
	return c, true
}

// became says what became of a file, "" where nothing bad did.
func became(before, now content, alike bool) string {
	if now.read == 0 && now.size > 0 && len(now.head) == 0 { // not read
		if now.cut(before) {
			return spoiledCut
		}
		return ""
	}
	was, is := before.kind(), now.kind()
	switch {
	case was == kindBlank, was == kindPointer, was == kindFilled && is != kindBlank:
		return ""
	case is == kindBlank:
		return spoiledEmptied
	case is == kindFilled, now.size == 1 && before.size > 1:
		return spoiledFilled
	case is == kindEncrypted && was != kindEncrypted:
		return spoiledEncrypted
	case alike:
		return spoiledAlike
	case now.cut(before):
		return spoiledCut
	case is == was && is != kindText:
		return ""
	case is == kindBinary && (before.text || was != kindText), is == kindDense && was != kindBinary:
		return spoiledScrambled
	case before.words() && now.noise():
		return spoiledScrambled
	case was == kindText && isFormat(is):
		return spoiledPacked
	}
	return ""
}

// cut reports whether little is left.
func (c content) cut(before content) bool {
	return before.size >= cutFrom && c.size <= before.size/cutTo
}

// words reports whether most of a file is letters and white space.
func (c content) words() bool {
	letters, spaces := shares(c.head)
	return letters+spaces > 50
}

// noise reports whether text has few letters and next to no white space, such as words of
// which each byte was changed by the same key.
func (c content) noise() bool {
	letters, spaces := shares(c.head)
	return c.size >= denseFrom && letters < 25 && spaces < 2
}

// formats are heads of files by which their kind is known.
var formats = []struct{ head, kind string }{
	{"\x1f\x8b", "gzip"}, {"PK\x03\x04", "zip"}, {"BZh", "bzip2"}, {"\xfd7zXZ", "xz"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"7z\xbc\xaf", "7z"},
	{"\x89PNG", "png"}, {"\xff\xd8\xff", "jpeg"}, {"GIF8", "gif"}, {"RIFF", "riff"}, {"%PDF-", "pdf"}, {"\x7fELF", "elf"}, {"MZ", "exe"},
	{"SQLite format 3", "sqlite"}, {"\x00asm", "wasm"}, {"\xca\xfe\xba\xbe", "class"}, {"\x80\x04\x95", "pickle"}, {"\x93NUMPY", "numpy"}, {"wOF", "font"},
	{"Salted__", kindEncrypted}, {"age-encryption.org/", kindEncrypted}, {"-----BEGIN PGP MESSAGE", kindEncrypted}, {"-----BEGIN AGE ENCRYPTED", kindEncrypted}, {"$ANSIBLE_VAULT;", kindEncrypted},
	{"version https://git-lfs.github.com/", kindPointer},
}

func isFormat(kind string) bool {
	for _, f := range formats {
		if f.kind == kind {
			return true
		}
	}
	return false
}

// isText reports whether bytes are text, of UTF-8 or with some letters of an older
// encoding. UTF-16 has a mark at its beginning.
func isText(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return true
	}
	odd, total := 0, len(head)
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 && len(head) >= utf8.UTFMax || r < ' ' && !bytes.ContainsRune([]byte("\t\n\r\f\v\x1b\b"), r) || r == 0x7f {
			odd++
		}
		head = head[n:]
	}
	return odd*8 <= total
}

// isDense reports whether text is nothing but hexadecimal digits, or base64, and long.
func isDense(text []byte) bool {
	text = bytes.Join(bytes.Fields(text), nil)
	if len(text) < denseFrom {
		return false
	}
	if _, err := hex.DecodeString(string(text[:len(text)&^1])); err == nil {
		return bytes.ContainsAny(text, "abcdefABCDEF")
	}
	text = bytes.TrimRight(text, "=")
	text = text[:len(text)&^3]
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if _, err := e.DecodeString(string(text)); err == nil {
			return bytes.ContainsAny(text, "0123456789") && bytes.ContainsAny(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && bytes.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz")
		}
	}
	return false
}

// shares are the parts of letters and of white space, in hundredths.
func shares(head []byte) (letters, spaces int) {
	for _, b := range head {
		switch {
		case b|0x20 >= 'a' && b|0x20 <= 'z':
			letters++
		case b == ' ', b == '\n', b == '\t', b == '\r':
			spaces++
		}
	}
	n := max(len(head), 1)
	return letters * 100 / n, spaces * 100 / n
}
