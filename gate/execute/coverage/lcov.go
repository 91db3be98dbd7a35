package coverage

import (
	"fmt"
	"path"
	"strconv"
	"strings"
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
	return out, nil
}
