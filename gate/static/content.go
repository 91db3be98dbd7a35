package static

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/stub"
	"github.com/aigate/gate/gate/static/reading"
)

// content is a file that can be read more than once.
type content struct {
	stats reading.Stats
	data  []byte // nil for a file that is larger than a chunk
	open  func() (io.ReadCloser, error)
	ends  edges
}

// errChanged says that two looks at a file saw different bytes.
var errChanged = errors.New("it changed while it was read")

// take measures the file, and keeps what fits into a chunk.
func (f *file) take(ctx context.Context) (*content, error) {
	open := func() (io.ReadCloser, error) {
		opened, err := f.change.Open(f.target)
		if err != nil {
			return nil, err
		}
		return &stoppable{ctx.Err, opened}, nil
	}
	opened, err := open()
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	data, end, err := fill(make([]byte, 0, bufferSize(f.target)), opened)
	if err != nil {
		return nil, err
	}
	c := &content{open: open}
	if end {
		c.data = data
		c.stats, err = reading.Measure(io.TeeReader(bytes.NewReader(data), &c.ends))
		return c, err
	}
	c.stats, err = reading.Measure(io.TeeReader(io.MultiReader(bytes.NewReader(data), opened), &c.ends))
	return c, err
}

// text hands the text of the file, in an encoding, to fn.
func (c *content) text(e reading.Encoding, fn func(io.Reader) error) error {
	if c.data != nil {
		decoded, err := e.Reader(bytes.NewReader(c.data))
		if err != nil {
			return err
		}
		return fn(decoded)
	}
	opened, err := c.open()
	if err != nil {
		return err
	}
	defer opened.Close()
	sum := sha256.New()
	raw := io.TeeReader(opened, sum)
	decoded, err := e.Reader(raw)
	if err != nil {
		return err
	}
	if err := fn(decoded); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, raw); err != nil { // what a decoder left
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != c.stats.SHA256 {
		return errChanged
	}
	return nil
}

// stoppable is a file whose reading ends with the context.
type stoppable struct {
	ended func() error // of the context
	io.ReadCloser
}

// Read implements [io.Reader].
func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ended(); err != nil {
		return 0, err
	}
	return s.ReadCloser.Read(p)
}

// content decides from the whole of a file how it is read, and scans it.
func (f *file) content(ctx context.Context, c *content) error {
	head := c.stats.Head
	if stub.Of(f.target.Path, head) == stub.LFS {
		f.report(checkLFSPointer, 0, "", "")
	}
	as := f.as(head)
	plan := reading.File{Stats: c.stats, Languages: as.languages, Runs: as.runs}.Plan()
	odd(f, c.stats, plan, as)
	f.costs = newCosts(c.stats.Size)
	f.costs.rules = f.rules
	defer func() {
		f.add(f.union.findings...)
		f.bounds()
	}()
	for _, r := range plan.Readings {
		w := way{Reading: r, strings: as.foreign && r.Language == gate.LanguageShell}
		if !r.First {
			w.origin = w.String()
		}
		f.view = inLanguage(f.target, r.Language)
		if err := f.read(ctx, c, w); err != nil {
			return err
		}
	}
	if as.command != "" {
		readCommandLine(f, as.command)
	}
	for _, a := range f.also {
		if err := f.readAlso(ctx, c, a); err != nil {
			return err
		}
	}
	if err := readValues(ctx, f, c); err != nil {
		return err
	}
	return readCheckedOut(ctx, f, c)
}

// read scans the file in one way, and puts it on account.
func (f *file) read(ctx context.Context, c *content, w way) error {
	if err := c.text(w.Encoding, func(text io.Reader) error { return f.chunks(ctx, text, w) }); err != nil {
		return err
	}
	all := gate.ByteRange{0, c.stats.Size}
	if w.Encoding == reading.Runs {
		f.unread("it is not text: only the runs of text in it were read")
		return nil
	}
	r := gate.Reading{As: f.view.Language, Encoding: string(w.Encoding), Bytes: all}
	if f.view.Path != f.target.Path {
		r.Name = f.view.Path
	}
	f.account.Read = append(f.account.Read, r)
	return nil
}

// unread puts it on account that the bytes of the file were not all read.
func (f *file) unread(reason string) {
	f.account.Unread = append(f.account.Unread, gate.Unread{Bytes: gate.ByteRange{0, f.account.Size}, Reason: gate.Clip(reason, gate.MaxEvidence)})
}

// readAlso scans the file as something that its own name does not say.
func (f *file) readAlso(ctx context.Context, c *content, a also) error {
	view := *f.target
	view.Path, view.Language, view.Role = a.path, a.language, a.role
	f.view = &view
	for _, r := range (reading.File{Stats: c.stats, Languages: []gate.Language{a.language}, Runs: true}).Plan().Readings {
		r.First = false
		if err := f.read(ctx, c, way{Reading: r, origin: a.origin}); err != nil {
			return err
		}
	}
	return nil
}

// odd reports what is odd about the bytes of a file as such.
func odd(f *file, s reading.Stats, p reading.Plan, as languages) {
	source := isSource(as.languages[0], as.shebang) && !(f.target.Role == gate.RoleTest && !as.shebang && isSampleData(as.languages[0], s))
	wide := p.Wide != "" && !p.Contradicts
	f.binary = p.Binary || s.NULs > 0 && !source && !wide
	f.object = f.binary && p.Magic.Format != ""
	switch {
	case p.Magic.Format == "", string(s.Head) == emptyModule:
	case !p.Binary && (p.Magic.WellFormed || source):
		f.report(checkDisguise, 0, p.Magic.Format, "")
	case f.target.Kind != gate.ChangeNone:
		f.report(checkExecutableBinary, 0, p.Magic.Format, "")
	case f.binary:
		f.report(checkBinary, 0, p.Magic.Format, "")
	}
	switch {
	case p.Magic.Format == "" && f.binary && f.target.Kind != gate.ChangeNone && isLinked(f.view.Path):
		f.report(checkExecutableBinary, 0, "object code, by its name", "")
	case p.Magic.Format == "" && f.binary:
		f.report(checkBinary, 0, "", "")
	case f.binary:
	case wide:
		f.report(checkUTF16, 0, string(p.Wide), "")
	case p.Contradicts:
		f.report(checkContradiction, 0, string(p.Wide), "")
	case s.NULs > 0:
		f.report(checkNULBytes, 0, "", "")
	}
	if p.Unknown != "" {
		f.report(checkEncoding, 0, string(p.Unknown), "")
		f.gap("it names the encoding %q, which is not known: what a program reads there was not looked at", gate.Clip(string(p.Unknown), maxEncodingName))
	}
	if as.languages[0].Generic() && s.Size > 0 && !f.binary {
		f.report(checkUnknownType, 0, typeName(as.languages[0], f.target.Path), "")
		if f.scanner.policy.On.UnknownType == gate.LeniencyIncomplete {
			f.gap("its type is not known, and the policy's on.unknown-type asks for that")
		}
	}
}

// typeName is what people call the type of a file that has no rules of its own.
func typeName(lang gate.Language, name string) string {
	if named := lang.GenericName(); named != "" {
		return named
	}
	if ext := path.Ext(name); len(ext) > 1 && ext != path.Base(name) {
		return "the extension " + ext
	}
	return "no extension"
}

// maxEncodingName is how much of the name of an encoding is shown.
const maxEncodingName = 40 // bytes

// isSampleData reports whether what a test compares with has the name of a program by chance: its
// type has no rules of its own, and most of what it holds is no text. What is expected of a
// compressor ends with .expect, as programs of Tcl do.
func isSampleData(lang gate.Language, s reading.Stats) bool {
	return lang.Generic() && !s.UTF8 && (s.NULs+s.Control+s.High)*3 > s.Size
}

// isSource reports whether something would run the file as text in spite of the
// NUL bytes in it.
func isSource(lang gate.Language, shebang bool) bool {
	switch lang {
	case gate.LanguageBinary, gate.LanguageUnknown, gate.LanguageWasm, gate.LanguageText:
		return shebang
	}
	return true
}
