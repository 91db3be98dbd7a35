package coverage

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/aigate/gate/gate"
)

// Compiled are the texts that Node ran in place of those of the files, by the script's
// number in one thread of a process.
type Compiled map[string]CompiledText

// CompiledText is the text of one script, with its source map.
type CompiledText struct {
	Source string `json:"source"`
	// Map is a source map (ECMA-426, https://tc39.es/ecma426/).
	Map json.RawMessage `json:"map"`
	// From is where the map's addresses begin: the script's own, or that of the map.
	From string `json:"from"`
	// Column is that of the first line at which V8 says that the text begins. It is
	// negative where a runner has put a wrapper before the text that the map is about.
	Column int `json:"column"`
}

// ReadCompiled reads what the start of a Node program keeps of the texts it ran.
func ReadCompiled(data []byte) (Compiled, error) {
	var c Compiled
	if err := decode(data, &c); err != nil {
		return nil, fmt.Errorf("what Node says about compiled texts: %w", err)
	}
	if len(c) > maxV8Scripts {
		return nil, fmt.Errorf("what Node says about compiled texts: more than %d files", maxV8Scripts)
	}
	return c, nil
}

// The bounds of one source map.
const (
	maxMapSources  = 10_000
	maxMapSegments = 1_000_000
)

// sourceMap is a source map, as far as it matters.
type sourceMap struct {
	Version  int             `json:"version"`
	Root     string          `json:"sourceRoot"`
	Sources  []string        `json:"sources"`
	Mappings string          `json:"mappings"`
	Sections json.RawMessage `json:"sections"`
}

// segment says where a place of a compiled text came from. Lines and columns count from
// 0, columns in UTF-16 code units.
type segment struct {
	line, column int // of the compiled text
	source       int // which of the map's sources, -1 for none
	original     int // line of that source
}

var errMap = errors.New("its source map cannot be read")

// segments decodes the mappings of a map, in the order of the compiled text.
func (m sourceMap) segments() ([]segment, error) {
	if m.Version != 3 || m.Sections != nil || len(m.Sources) > maxMapSources {
		return nil, errMap
	}
	var out []segment
	var source, original int
	line := 0
	for group := range strings.SplitSeq(m.Mappings, ";") {
		column := 0
		for part := range strings.SplitSeq(group, ",") {
			if part == "" {
				continue
			}
			fields, ok := vlq(part)
			if !ok || len(out) == maxMapSegments || len(fields) != 1 && len(fields) != 4 && len(fields) != 5 {
				return nil, errMap
			}
			column += fields[0]
			s := segment{line: line, column: column, source: -1}
			if len(fields) > 1 {
				source += fields[1]
				original += fields[2]
				if source < 0 || source >= len(m.Sources) || original < 0 {
					return nil, errMap
				}
				s.source, s.original = source, original
			}
			if column < 0 {
				return nil, errMap
			}
			out = append(out, s)
		}
		line++
	}
	slices.SortStableFunc(out, func(a, b segment) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.column - b.column
	})
	return out, nil
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// vlq decodes the numbers of one segment: base 64, five bits a digit, the lowest first,
// the sign in the lowest bit of a number.
func vlq(text string) ([]int, bool) {
	var out []int
	value, shift := 0, 0
	for i := range len(text) {
		digit := strings.IndexByte(base64Digits, text[i])
		if digit < 0 || shift > 30 || len(out) == 5 {
			return nil, false
		}
		value |= digit & 31 << shift
		if digit&32 != 0 {
			shift += 5
			continue
		}
		if value&1 != 0 {
			value = -(value >> 1)
		} else {
			value >>= 1
		}
		out = append(out, value)
		value, shift = 0, 0
	}
	return out, shift == 0
}

// paths are those that the sources of a map have in the tree, "" for the others.
func (m sourceMap) paths(from, root string) []string {
	base, err := url.Parse(from)
	if err != nil {
		base = &url.URL{Path: from}
	}
	out := make([]string, len(m.Sources))
	for i, s := range m.Sources {
		if m.Root != "" {
			s = strings.TrimSuffix(m.Root, "/") + "/" + s
		}
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "" && u.Scheme != "file" {
			continue
		}
		file := u.Path
		if !path.IsAbs(file) {
			file = path.Join(path.Dir(base.Path), file)
		}
		out[i], _ = strings.CutPrefix(path.Clean(file), root+"/")
		if out[i] == path.Clean(file) {
			out[i] = ""
		}
	}
	return out
}

// mapped says which lines ran of the files that a compiled text came from.
func (c CompiledText) mapped(functions []v8Function, src Sources, root string) (Profile, Shapes, error) {
	var m sourceMap
	if err := json.Unmarshal(c.Map, &m); err != nil {
		return nil, nil, errMap
	}
	segments, err := m.segments()
	if err != nil {
		return nil, nil, err
	}
	units := utf16.Encode([]rune(c.Source))
	ranges, _, ok := v8Ranges(functions, len(units))
	if !ok {
		return nil, nil, errors.New("it was run as another text than Node told of")
	}
	ran := innermost(ranges, len(units))
	starts := []int{0}
	for i, u := range units {
		if u == '\n' {
			starts = append(starts, i+1)
		}
	}
	// at is the place of a segment in the text, -1 for none.
	at := func(s segment) int {
		if s.line >= len(starts) {
			return -1
		}
		place := starts[s.line] + s.column
		if s.line == 0 && c.Column < 0 {
			place -= c.Column
		}
		end := len(units)
		if s.line+1 < len(starts) {
			end = starts[s.line+1]
		}
		for place < end && (units[place] == ' ' || units[place] == '\t') {
			place++
		}
		if place < 0 || place >= end || units[place] == '\n' {
			return -1
		}
		return place
	}
	paths := m.paths(c.From, root)
	marks := map[string]Lines{}
	began := map[string]bool{}
	for _, s := range segments {
		if s.source < 0 || paths[s.source] == "" {
			continue
		}
		file := paths[s.source]
		place := at(s)
		if _, known := src[file]; !known || place < 0 {
			continue
		}
		if marks[file] == nil {
			marks[file] = Lines{}
		}
		marks[file][s.original+1] = marks[file][s.original+1] || ran[place]
		began[file] = began[file] || ran[place]
	}
	p, shapes := Profile{}, Shapes{}
	for file, lines := range marks {
		if LinesOf(src[file]) > MaxLines {
			continue
		}
		p[file] = lines.of(src[file])
		shapes[file] = Shape{Loaded: began[file], Top: topOf(src[file], p[file])}
	}
	return p, shapes, nil
}

// of leaves the lines that have code in a text.
func (l Lines) of(text string) Lines {
	out := Lines{}
	code, _ := scriptLines(utf16.Encode([]rune(strings.TrimPrefix(text, "\uFEFF"))))
	for n := range code {
		if ran, ok := l[n+1]; ok && len(code[n]) > 0 {
			out[n+1] = ran
		}
	}
	return out
}

// topOf are the lines of the top level, as far as brackets tell: those with code at which
// none is open, but not the heads of functions and types, which are no statements.
func topOf(text string, lines Lines) []gate.LineRange {
	units := utf16.Encode([]rune(strings.TrimPrefix(text, "\uFEFF")))
	code, open := scriptLines(units)
	var out []gate.LineRange
	for n := range code {
		_, known := lines[n+1]
		if !known || open[n] != 0 || len(code[n]) == 0 || !isStatement(units[code[n][0]:]) {
			continue
		}
		out = append(out, gate.LineRange{n + 1, n + 1})
	}
	return out
}

// isStatement reports whether a text at the top level of a file begins with what runs
// where it is.
func isStatement(units []uint16) bool {
	begin := string(utf16.Decode(units[:min(len(units), 80)]))
	for _, word := range []string{"export", "default", "async"} {
		begin = strings.TrimSpace(strings.TrimPrefix(begin, word+" "))
	}
	for _, word := range []string{"function", "type", "interface", "declare", "import", "{", "*"} {
		if strings.HasPrefix(begin, word) {
			return false
		}
	}
	return true
}
