package reading

import (
	"cmp"
	"slices"

	"github.com/aigate/gate/gate"
)

// File is what is known of a file before it is read as text.
type File struct {
	Stats
	// Languages are those that it is read as, the one that its name or its content
	// says first.
	Languages []gate.Language
	// Runs says that something other than its language would have a program read it
	// as text: a first line "#!", its mode, a command in another file.
	Runs bool
}

// Reading is one way to turn a file into text.
type Reading struct {
	Language gate.Language
	Encoding Encoding
	// Shown says that it is the text that people see who open the file.
	Shown bool
	// First says that it is also the language that the file is first of all.
	First bool
}

// Plan is how a file is read.
type Plan struct {
	Readings []Reading
	// Binary says that the file is no text, and only runs of text in it are read.
	Binary bool
	Magic  Magic
	// Wide is the encoding of two or four bytes that the file seems to have, empty
	// for none. Contradicts says that it seems so and the whole of it does not keep to
	// that: what is shown and what runs can differ.
	Wide        Encoding
	Contradicts bool
	// Unknown is an encoding that the file names and gate cannot decode.
	Unknown Encoding
}

// Plan decides how the file is read.
func (f File) Plan() Plan {
	p := Plan{Magic: ReadMagic(f.Head, f.Size)}
	source := f.Runs || slices.ContainsFunc(f.Languages, isRead)
	var sure bool
	if mark, _ := bom(f.Head); mark != "" || p.Magic.Format == "" {
		p.Wide, sure = f.wide()
	}
	ebcdic := f.ebcdic()
	if !source && !ebcdic && (p.Magic.WellFormed || f.isBinary(sure)) {
		p.Binary, p.Wide = true, ""
		p.Readings = []Reading{{Encoding: Runs, Language: gate.LanguageUnknown}}
		return p
	}
	var encodings []Encoding
	plain := UTF8
	if f.NULs > 0 {
		plain = NoNUL
	}
	switch {
	case p.Wide == "":
		encodings = []Encoding{plain}
	case sure:
		encodings = []Encoding{p.Wide, plain}
	default:
		encodings, p.Contradicts = []Encoding{plain, p.Wide}, true
	}
	for _, l := range f.Languages {
		for i, e := range encodings {
			p.Readings = append(p.Readings, Reading{Language: l, Encoding: e, Shown: i == 0, First: i == 0 && l == f.Languages[0]})
		}
		if ebcdic {
			p.Readings = append(p.Readings, Reading{Language: l, Encoding: cp037}, Reading{Language: l, Encoding: cp500})
		}
		declared := declaredXML(f.Head)
		if l == gate.LanguagePython || l == gate.LanguageRuby || (l == gate.LanguageUnknown || l == gate.LanguageText) && declared == "" { // pip honours it in lists of requirements
			declared = Declared(f.Head)
		}
		_, err := declared.Reader(nil)
		switch {
		case declared == "":
		case err != nil && (l == gate.LanguagePython || l == gate.LanguageRuby):
			p.Unknown = declared
		case err == nil && !(declared.plain() && f.High == 0):
			for _, e := range declared.readAs() {
				p.Readings = append(p.Readings, Reading{Language: l, Encoding: e})
			}
		}
	}
	return p
}

// isRead reports whether a program reads files of that language as text, whatever
// bytes are in them.
func isRead(l gate.Language) bool {
	switch l {
	case gate.LanguageBinary, gate.LanguageUnknown, gate.LanguageWasm, gate.LanguageText:
		return false
	}
	return true
}

// binaryShare is how many bytes that text does not have make a file binary: one of
// so many.
const binaryShare = 16

// isBinary reports whether a file that nothing is known to run is no text. wide
// says that all of it is text in UTF-16 or UTF-32.
func (f File) isBinary(wide bool) bool {
	if wide {
		return false
	}
	odd := f.NULs + f.Control
	if f.NULs > 0 && !f.UTF8 {
		odd += f.High
	}
	return odd*binaryShare > f.Size
}

// few is how many NUL bytes do not make a file UTF-16.
const few = 4

// wide returns the encoding of two or four bytes that the file seems to have, and
// whether all of it keeps to that.
func (s *Stats) wide() (e Encoding, sure bool) {
	mark, _ := bom(s.Head)
	if mark == UTF8 || mark == "" && s.NULs < few {
		return "", false
	}
	by := map[Encoding]bool{
		UTF16LE: s.little.plausible(s, 2), UTF16BE: s.big.plausible(s, 2),
		UTF32LE: s.wide32[0].plausible(s, 4), UTF32BE: s.wide32[1].plausible(s, 4),
	}
	if mark != "" {
		return mark, by[mark]
	}
	for _, e := range []Encoding{UTF32LE, UTF32BE, UTF16LE, UTF16BE} {
		if by[e] {
			return e, true
		}
	}
	// What begins like UTF-16 and goes on as something else.
	head := s.Head[:min(len(s.Head), 8<<10)]
	var nul [2]int
	for i, c := range head {
		if c == 0 {
			nul[i%2]++
		}
	}
	half := len(head) / 2
	if most := max(nul[0], nul[1]); half < 4 || most <= half*3/4 {
		return "", false
	}
	if cmp.Compare(nul[0], nul[1]) > 0 {
		return UTF16BE, false
	}
	return UTF16LE, false
}
