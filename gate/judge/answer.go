package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
)

// Bounds of an answer. The schema asks for less; a server that does not enforce
// it must not be able to make gate hold or print more.
const (
	maxAnswer   = 16 << 10 // bytes
	maxEvidence = 64
	maxLines    = 1024
	maxReason   = 400 // bytes kept of the model's reason
)

// answer is what the model said, decoded but not yet believed.
type answer struct {
	evidence []evidence
	reason   string
	lines    []int
	verdict  gate.Verdict // Safe, Suspicious or Dangerous
}

// evidence is a line and its alleged text.
type evidence struct {
	line  int
	quote string
}

// decode reads an answer strictly: exactly one object with exactly the four
// keys, each once, of the right types, and lines within first..last. It doesn't
// use json.Unmarshal, which takes the last of two equal keys and ignores case.
func decode(text string, first, last int) (answer, error) {
	switch {
	case len(text) > maxAnswer:
		return answer{}, fmt.Errorf("longer than %d bytes", maxAnswer)
	case !utf8.ValidString(text):
		return answer{}, errors.New("not UTF-8")
	}
	d := decoder{dec: json.NewDecoder(strings.NewReader(text))}
	d.dec.UseNumber()
	var a answer
	d.object([]string{"evidence", "reason", "dangerous_lines", "verdict"}, func(key string) {
		switch key {
		case "evidence":
			a.evidence = d.evidence()
		case "reason":
			a.reason = gate.Clip(d.str(), maxReason)
		case "dangerous_lines":
			d.array(maxLines, func() { a.lines = append(a.lines, d.integer()) })
		case "verdict":
			a.verdict = d.verdict()
		}
	})
	d.end()
	if d.err != nil {
		return answer{}, d.err
	}
	return a, a.inRange(first, last)
}

func (a answer) inRange(first, last int) error {
	lines := slices.Clone(a.lines)
	for _, e := range a.evidence {
		lines = append(lines, e.line)
	}
	for _, n := range lines {
		if n < first || n > last {
			return fmt.Errorf("names line %d outside of %d to %d", n, first, last)
		}
	}
	return nil
}

// decoder walks over JSON tokens and keeps the first error; after that, every
// method returns zero values without reading on.
type decoder struct {
	dec *json.Decoder
	err error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

func (d *decoder) token() json.Token {
	if d.err != nil {
		return nil
	}
	t, err := d.dec.Token()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		d.fail("ends too early")
	case err != nil:
		d.fail("not JSON at byte %d", d.dec.InputOffset())
	}
	return t
}

func (d *decoder) delim(want json.Delim) {
	if t := d.token(); d.err == nil && t != want {
		d.fail("something else where %q belongs, at byte %d", want.String(), d.dec.InputOffset())
	}
}

// more reports whether another element follows in the open array or object.
func (d *decoder) more() bool { return d.err == nil && d.dec.More() }

// object reads an object with exactly these keys, each once, in any order, and
// calls value with the decoder in front of each value.
func (d *decoder) object(keys []string, value func(key string)) {
	d.delim('{')
	seen := make(map[string]bool, len(keys))
	for d.more() {
		key, _ := d.token().(string)
		switch {
		case d.err != nil:
			return
		case !slices.Contains(keys, key):
			d.fail("unknown key %q", gate.Clip(key, 40))
		case seen[key]:
			d.fail("key %q twice", key)
		default:
			seen[key] = true
			value(key)
		}
	}
	d.delim('}')
	for _, key := range keys {
		if !seen[key] {
			d.fail("no key %q", key)
		}
	}
}

func (d *decoder) array(most int, element func()) {
	d.delim('[')
	for n := 0; d.more(); n++ {
		if n == most {
			d.fail("a list of more than %d", most)
			return
		}
		element()
	}
	d.delim(']')
}

func (d *decoder) evidence() []evidence {
	var list []evidence
	d.array(maxEvidence, func() {
		var e evidence
		d.object([]string{"line", "quote"}, func(key string) {
			if key == "line" {
				e.line = d.integer()
			} else {
				e.quote = d.str()
			}
		})
		list = append(list, e)
	})
	return list
}

func (d *decoder) str() string {
	s, ok := d.token().(string)
	if !ok {
		d.fail("no text where text belongs, at byte %d", d.dec.InputOffset())
	}
	return s
}

func (d *decoder) integer() int {
	n, ok := d.token().(json.Number)
	if !ok {
		d.fail("no number where a number belongs, at byte %d", d.dec.InputOffset())
		return 0
	}
	i, err := n.Int64()
	if err != nil || int64(int(i)) != i {
		d.fail("no whole number at byte %d", d.dec.InputOffset())
	}
	return int(i)
}

// verdicts are the words of the schema.
var verdicts = map[string]gate.Verdict{"safe": gate.Safe, "suspicious": gate.Suspicious, "malicious": gate.Dangerous}

func (d *decoder) verdict() gate.Verdict {
	s := d.str()
	v, ok := verdicts[s]
	if !ok {
		d.fail("unknown verdict %q", gate.Clip(s, 40))
	}
	return v
}

// end makes sure that nothing but space follows.
func (d *decoder) end() {
	if d.err != nil {
		return
	}
	rest, err := io.ReadAll(d.dec.Buffered())
	if err != nil || len(bytes.TrimSpace(rest)) > 0 || d.dec.More() {
		d.fail("something follows the object")
	}
}
