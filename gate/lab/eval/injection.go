package eval

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/strict"
)

//go:embed injections.yaml
var injectionTable []byte

// Injection is one way to talk a judge round: a text that is put into a file.
type Injection struct {
	Name     string `yaml:"name" json:"name"`
	About    string `yaml:"about" json:"about"`
	Where    string `yaml:"where" json:"-"`    // top, bottom or around
	In       string `yaml:"in" json:"-"`       // comment or string
	Disguise string `yaml:"disguise" json:"-"` // "", homoglyphs, zero-width or tags
	Padding  int    `yaml:"padding" json:"-"`  // bytes of digits in front of the text
	Text     string `yaml:"text" json:"-"`
}

// Bounds of a table of injections. One may be a third party's.
const (
	MaxInjectionFile = 1 << 20
	maxInjections    = 200
	maxPadding       = 1 << 20
)

// injectionName is what a technique is called in tables and flags.
var injectionName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

// Injections returns gate's own table.
func Injections() ([]Injection, error) { return ParseInjections("injections.yaml", injectionTable) }

// ParseInjections reads a table of injections; errors name the file and the entry.
func ParseInjections(file string, data []byte) ([]Injection, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	var table []Injection
	switch err := d.Decode(&table); {
	case errors.Is(err, io.EOF) || err == nil && len(table) == 0:
		return nil, fmt.Errorf("%s: a list of injections is expected, each with name, about, where, in and text (docs/judge.md)", file)
	case err != nil:
		return nil, fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "yaml: "))
	case len(table) > maxInjections:
		return nil, fmt.Errorf("%s: %d injections; at most %d", file, len(table), maxInjections)
	}
	seen := map[string]bool{}
	var errs []error
	for i, in := range table {
		fail := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("%s: injection %d (%q): %s", file, i+1, in.Name, fmt.Sprintf(format, args...)))
		}
		for _, word := range []struct {
			key, value string
			allowed    []string
		}{
			{"where", in.Where, []string{"top", "bottom", "around"}},
			{"in", in.In, []string{"comment", "string"}},
			{"disguise", in.Disguise, []string{"", "homoglyphs", "zero-width", "tags"}},
		} {
			if !slices.Contains(word.allowed, word.value) {
				fail("unknown %s %q%s", word.key, word.value, strict.Allowed(word.value, slices.DeleteFunc(word.allowed, func(s string) bool { return s == "" })))
			}
		}
		switch {
		case !injectionName.MatchString(in.Name):
			fail("a name is lower-case words with dashes, at most 40 characters")
		case seen[in.Name]:
			fail("the name is given twice")
		case strings.TrimSpace(in.Text) == "":
			fail("it has no text")
		case in.Padding < 0 || in.Padding > maxPadding:
			fail("padding is 0 to %d bytes", maxPadding)
		}
		seen[in.Name] = true
	}
	return table, errors.Join(errs...)
}

// payload is the text as it is put into a file, one line each.
func (in Injection) payload() []string {
	lines := padding(in.Padding)
	for line := range strings.Lines(in.Text) {
		lines = append(lines, in.disguised(strings.TrimRight(line, "\r\n")))
	}
	return lines
}

// padding is digits, of which every tokenizer makes about one token a byte.
func padding(bytes int) []string {
	var lines []string
	const width = 96
	for n := uint32(1); bytes > 0; bytes -= width {
		var b strings.Builder
		for b.Len() < min(width, bytes) {
			n = n*1664525 + 1013904223 // the same for everybody
			b.WriteByte('0' + byte(n>>24%10))
			b.WriteByte(' ')
		}
		lines = append(lines, strings.TrimSpace(b.String()))
	}
	return lines
}

// lookAlike are Cyrillic and Greek letters that are drawn like Latin ones.
var lookAlike = strings.NewReplacer("a", "а", "c", "с", "e", "е", "i", "і", "o", "о", "p", "р", "s", "ѕ", "x", "х", "y", "у", "A", "А", "I", "Ι", "N", "Ν")

func (in Injection) disguised(text string) string {
	switch in.Disguise {
	case "homoglyphs":
		return lookAlike.Replace(text)
	case "zero-width":
		return strings.Join(strings.Split(text, ""), "\u200b")
	case "tags":
		const tags = 0xE0000 // the block of invisible copies of ASCII
		return strings.Map(func(r rune) rune {
			if r >= ' ' && r < 0x7f {
				return tags + r
			}
			return r
		}, text)
	}
	return text
}
