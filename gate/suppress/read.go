package suppress

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
)

// maxErrors is how many mistakes of one file are reported.
const maxErrors = 20

// ParseBaseline reads a baseline file; name is in errors. It takes the file
// whole or not at all: an unknown or repeated member, a bad value, an entry that
// is there twice is an error with the line.
func ParseBaseline(name string, data []byte) (*Baseline, error) {
	p := &parser{name: name, data: data}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s:1: the file has %d bytes (at most %d are read)", name, len(data), MaxBytes)
	}
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s:1: the file is not UTF-8 text", name)
	}
	p.dec = json.NewDecoder(bytes.NewReader(data))
	p.dec.UseNumber()
	b := &Baseline{}
	if err := p.file(b); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, p.line(), err)
	}
	if err := errors.Join(p.wrong...); err != nil {
		return nil, err
	}
	slices.SortFunc(b.Entries, Entry.compare)
	return b, nil
}

// parser walks over the tokens of one file. The decoder of the standard library
// would take members twice and in any case.
type parser struct {
	name  string
	data  []byte
	dec   *json.Decoder
	wrong []error // mistakes that do not end the walk

	counted, atLine int // line() goes on from here
}

// line is where the last token ends.
func (p *parser) line() int {
	at := min(int(p.dec.InputOffset()), len(p.data))
	p.atLine += bytes.Count(p.data[p.counted:at], []byte{'\n'})
	p.counted = at
	return p.atLine + 1
}

func (p *parser) token() (json.Token, error) {
	t, err := p.dec.Token()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("the file ends too early")
	}
	if err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	return t, nil
}

func (p *parser) file(b *Baseline) error {
	version := 0
	err := p.object("the file", map[string]func() error{
		"version": func() (err error) {
			if version, err = p.number(); err == nil && version != versionPlain && version != versionDismissals {
				err = fmt.Errorf("this gate reads the versions %d and %d, not %d", versionPlain, versionDismissals, version)
			}
			return err
		},
		"entries": func() error { return p.entries(b) },
	})
	if err != nil {
		return err
	}
	if version == 0 {
		return errors.New(`"version": 1 is missing`)
	}
	if i := slices.IndexFunc(b.Entries, Entry.Dismissal); i >= 0 && version == versionPlain {
		return fmt.Errorf(`line %d: "by" needs "version": %d`, b.Entries[i].Line, versionDismissals)
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the end of the document")
	}
	return nil
}

func (p *parser) entries(b *Baseline) error {
	if err := p.delim('[', "a list of entries"); err != nil {
		return err
	}
	type key struct {
		path, rule, hash string
		layer            gate.Layer
	}
	seen := map[key]int{}
	for p.dec.More() {
		if len(b.Entries) == maxEntries {
			return fmt.Errorf("more than %d entries", maxEntries)
		}
		e, err := p.entry()
		if err != nil {
			return err
		}
		k := key{e.Path, e.Rule, e.Hash, e.Layer}
		err = e.check()
		if at := seen[k]; err == nil && at > 0 {
			err = fmt.Errorf("the same entry is on line %d", at)
		}
		if err != nil {
			p.wrong = append(p.wrong, fmt.Errorf("%s:%d: %w", p.name, e.Line, err))
			if len(p.wrong) == maxErrors {
				return errors.Join(append(p.wrong, errors.New("and maybe more"))...)
			}
		}
		seen[k] = e.Line
		b.Entries = append(b.Entries, e)
	}
	return p.delim(']', "the end of the list")
}

func (p *parser) entry() (Entry, error) {
	var e Entry
	text := func(into *string) func() error {
		return func() (err error) { *into, err = p.text(); return err }
	}
	var severity, layer, expires string
	err := p.object("an entry", map[string]func() error{
		"path": func() error { e.Line = p.line(); return text(&e.Path)() },
		"rule": text(&e.Rule), "hash": text(&e.Hash), "reason": text(&e.Reason),
		"by":       func() (err error) { e.By, err = p.account(); return err },
		"severity": text(&severity), "layer": text(&layer), "expires": text(&expires),
		"count": func() (err error) { e.Count, err = p.number(); return err },
	})
	if err != nil {
		return e, err
	}
	if e.Line == 0 {
		return e, errors.New("the path is missing")
	}
	e.Layer = gate.Layer(layer)
	if severity == "unknown" {
		severity = ""
	}
	if err := e.Severity.UnmarshalText([]byte(severity)); err != nil {
		return e, err
	}
	if expires != "" {
		if e.Expires, err = ParseDay(expires); err != nil {
			return e, err
		}
	}
	return e, nil
}

// object reads an object whose members all are known, none of them twice.
func (p *parser) object(what string, members map[string]func() error) error {
	if err := p.delim('{', what+" as an object"); err != nil {
		return err
	}
	seen := map[string]bool{}
	for p.dec.More() {
		name, err := p.text()
		if err != nil {
			return err
		}
		read, known := members[name]
		switch {
		case !known:
			return fmt.Errorf("unknown member %q in %s", clip(name), what)
		case seen[name]:
			return fmt.Errorf("%q is in %s twice", name, what)
		}
		seen[name] = true
		if err := read(); err != nil {
			return err
		}
	}
	return p.delim('}', "the end of "+what)
}

func (p *parser) delim(want json.Delim, what string) error {
	t, err := p.token()
	if err != nil {
		return err
	}
	if t != want {
		return fmt.Errorf("%s is expected", what)
	}
	return nil
}

func (p *parser) text() (string, error) {
	t, err := p.token()
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", fmt.Errorf("a text is expected, not %v", t)
	}
	return s, nil
}

// account reads who dismissed something: a member that is there says who.
func (p *parser) account() (string, error) {
	s, err := p.text()
	if err == nil && s == "" {
		err = errors.New(`"by" names no account`)
	}
	return s, err
}

func (p *parser) number() (int, error) {
	t, err := p.token()
	if err != nil {
		return 0, err
	}
	if n, ok := t.(json.Number); ok {
		if i, err := n.Int64(); err == nil && i >= 0 && i <= 1<<30 {
			return int(i), nil
		}
	}
	return 0, fmt.Errorf("a whole number is expected, not %v", clip(fmt.Sprint(t)))
}
