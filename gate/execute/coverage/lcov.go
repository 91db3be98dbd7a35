package coverage

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf16"
)

// LCOV reads a tracefile as `bun test` and others write it, in the folder dir of the tree:
// "SF:" begins a file, "DA:LINE,COUNT" is a line of it (geninfo(1)). Only lines of sources
// are kept.
func LCOV(data []byte, src Sources, dir string) (Profile, error) {
	if len(data) > MaxReport {
		return nil, fmt.Errorf("a report about lines is larger than %d bytes", MaxReport)
	}
	out := Profile{}
	var lines Lines // nil for a file that is none of the sources
	total := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if name, ok := strings.CutPrefix(line, "SF:"); ok {
			lines = nil
			file := path.Join(dir, name)
			if text, known := src[file]; known {
				if out[file] == nil {
					out[file] = Lines{}
				}
				lines, total = out[file], LinesOf(text)
			}
			continue
		}
		at, ok := strings.CutPrefix(line, "DA:")
		if !ok || lines == nil {
			continue
		}
		number, count, _ := strings.Cut(at, ",")
		count, _, _ = strings.Cut(count, ",") // a checksum may follow
		n, err := strconv.Atoi(number)
		times, err2 := strconv.ParseUint(count, 10, 64)
		if err != nil || err2 != nil || n < 1 || n > min(total, MaxLines) {
			return nil, fmt.Errorf("a report about lines has one that means nothing: %.100q", line)
		}
		lines[n] = lines[n] || times > 0
	}
	for file, lines := range out {
		lines.fillTemplates(src[file])
	}
	return out, nil
}

// fillTemplates gives the lines of a template the state of the line above: Bun says it of
// the lines at which expressions begin, and a page of text in a program is one expression.
func (l Lines) fillTemplates(text string) {
	units := utf16.Encode([]rune(strings.TrimPrefix(text, "\uFEFF")))
	code, _ := scriptLines(units)
	for _, n := range templateLines(units) {
		if _, known := l[n]; known || n > len(code) {
			continue
		}
		at := n - 1
		for at > 0 && len(code[at-1]) == 0 { // blank lines of the template
			at--
		}
		if ran, known := l[at]; known && len(code[n-1]) > 0 {
			l[n] = ran
		}
	}
}
