package static

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/source/attributes"
	"github.com/aigate/gate/gate/static/reading"
)

// readCheckedOut scans the file in the bytes that git writes when it checks it out, where
// these are others than those of the commit.
func readCheckedOut(ctx context.Context, f *file, c *content) error {
	name, err := f.attributes.Encoding(f.target.Path)
	if err != nil {
		f.gap("how git checks it out is not known: %v", err)
		name = ""
	}
	if name == "" {
		return ctx.Err()
	}
	shown := gate.Clip(name, maxShownName)
	if c.data == nil {
		f.gap("git checks it out as %s, and it is too large to be read that way", shown)
		return nil
	}
	data, err := reencode(name, c.data)
	if err != nil {
		f.gap("git checks it out as %s: %v", shown, err)
		return nil
	}
	if bytes.Equal(data, c.data) {
		return nil
	}
	out := &content{data: data}
	if out.stats, err = reading.Measure(bytes.NewReader(data)); err != nil {
		return err
	}
	as := f.as(out.stats.Head)
	for _, r := range (reading.File{Stats: out.stats, Languages: as.languages, Runs: as.runs}).Plan().Readings {
		r.First = false
		f.view = inLanguage(f.target, r.Language)
		if err := f.read(ctx, out, way{Reading: r, origin: "as git checks it out, in " + shown}); err != nil {
			return err
		}
	}
	return nil
}

var errNoEncoding = errors.New("not an encoding that gate knows")

// reencode writes UTF-8 in an encoding by its name for iconv. Git takes the names that
// end in -BOM besides.
func reencode(name string, text []byte) ([]byte, error) {
	name = strings.ToUpper(strings.TrimSpace(name))
	enc := encodingNamed(name)
	if enc == nil {
		return nil, errNoEncoding
	}
	return enc.NewEncoder().Bytes(text)
}

func encodingNamed(name string) encoding.Encoding {
	switch name {
	case "UTF-16LE", "UTF16LE":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "UTF-16BE", "UTF16BE":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case "UTF-16", "UTF16", "UTF-16LE-BOM", "UTF-16-LE-BOM":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case "UTF-16BE-BOM":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "UTF-32LE", "UTF32LE", "UCS-4LE":
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case "UTF-32BE", "UTF32BE", "UCS-4BE":
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	case "UTF-32", "UTF32", "UCS-4", "UTF-32LE-BOM":
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case "UCS-2LE":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "UCS-2BE":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	for _, index := range []*ianaindex.Index{ianaindex.MIME, ianaindex.IANA, ianaindex.MIB} {
		if enc, err := index.Encoding(name); err == nil && enc != nil {
			return enc
		}
	}
	return nil
}

// checkedOutOtherwise reports the lines of a .gitattributes that give files other bytes
// than those that are reviewed, where the base has no such line.
func checkedOutOtherwise(f *file) {
	t := f.target
	if path.Base(t.Path) != attributes.Name || !t.Exists() || t.Kind == gate.ChangeNone || t.Parent != "" {
		return
	}
	text, err := bounded.ReadFile(f.change.Head, t.Path, 1<<20)
	if err != nil {
		return // readCheckedOut says so for each file
	}
	var old []attributes.Line
	if f.change.Base != nil {
		if was, err := bounded.ReadFile(f.change.Base, cmp.Or(t.OldPath, t.Path), 1<<20); err == nil {
			old = attributes.Read(was)
		}
	}
	for _, l := range attributes.Read(text) {
		if l.Encoding != "" && !slices.ContainsFunc(old, func(o attributes.Line) bool { return o.Same(l) }) {
			f.report(checkCheckedOut, l.Number, fmt.Sprintf("as %s", gate.Clip(l.Encoding, maxShownName)), "")
		}
	}
}
