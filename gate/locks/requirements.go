package locks

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// maxIncludes bounds how deep requirement files may include others.
const maxIncludes = 8

var (
	pinnedLine = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[\w\s,.-]*\])?\s*(===?)\s*([A-Za-z0-9.!+_-]+)\s*(;[^#]*?)?((?:\s+--hash=sha256:[0-9a-f]{64})*)$`)
	nameStart  = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)`)
	indexLine  = regexp.MustCompile(`^(-i|--index-url|--extra-index-url)[\s=]+(\S+)$`)
	hostLine   = regexp.MustCompile(`^--trusted-host[\s=]+[\w.:-]+$`)
	fileLine   = regexp.MustCompile(`^(-r|--requirement|-c|--constraint)[\s=]*(\S+)$`)
	ignored    = regexp.MustCompile(`^(--require-hashes|--prefer-binary|--no-binary|--only-binary|--pre\b|--use-feature|--no-index)`)
)

// requirements returns the lines of a requirement file and of those that it
// includes, as they are handed to pip, and those of its constraint files. A file with
// a requirement that is not pinned is no lock file.
func (r *reader) requirements(p string) (text, constraints []byte, err error) {
	var lines, limits []string
	if err := r.include(p, &lines, &limits, 0); err != nil {
		return nil, nil, err
	}
	if !slices.ContainsFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "-") }) {
		return nil, nil, errors.New("it names no package")
	}
	join := func(l []string) []byte {
		if len(l) == 0 {
			return nil
		}
		return []byte(strings.Join(l, "\n") + "\n")
	}
	return join(lines), join(limits), nil
}

func (r *reader) include(p string, lines, limits *[]string, depth int) error {
	if depth > maxIncludes {
		return fmt.Errorf("%s: files include each other more than %d times", p, maxIncludes)
	}
	for n, line := range logicalLines(string(r.text(p))) {
		switch file := fileLine.FindStringSubmatch(line); {
		case file != nil:
			other := path.Join(path.Dir(p), file[2])
			if !r.has[other] {
				return errorAt(p, n, "it includes %.100q, which is no requirement file of the tree", file[2])
			}
			into := lines
			if strings.HasPrefix(strings.TrimLeft(file[1], "-"), "c") {
				into = limits
			}
			if err := r.include(other, into, limits, depth+1); err != nil {
				return err
			}
		case indexLine.MatchString(line):
			if m := indexLine.FindStringSubmatch(line); indexURL.MatchString(m[2]) {
				*lines = append(*lines, m[1]+" "+m[2])
			}
		case hostLine.MatchString(line):
			*lines = append(*lines, line)
		case ignored.MatchString(line):
		case strings.HasPrefix(line, "-e") || strings.HasPrefix(line, "--editable") || strings.HasPrefix(line, ".") || strings.Contains(line, "://") || strings.Contains(line, " @ "):
			r.leave(p, "line %d comes from no index: %.100q", n, line)
		case strings.HasPrefix(line, "-"):
			return errorAt(p, n, "the option %.100q is not understood", line)
		default:
			m := pinnedLine.FindStringSubmatch(line)
			if m == nil {
				return errorAt(p, n, "%.100q is not pinned (want name==version)", line)
			}
			if !safeMarker.MatchString(strings.TrimPrefix(m[5], ";")) {
				return errorAt(p, n, "its marker is not understood")
			}
			*lines = append(*lines, strings.TrimSpace(m[1]+m[2]+m[3]+m[4]+strings.TrimRight(" "+m[5], " ")+m[6]))
		}
	}
	return nil
}

// logicalLines are the lines with content, those that a backslash continues as one,
// with the number of their first line.
func logicalLines(text string) func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		var part strings.Builder
		first, n := 0, 0
		emit := func() bool {
			line := strings.TrimSpace(strings.Join(strings.Fields(part.String()), " "))
			part.Reset()
			return line == "" || yield(first, line)
		}
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimRight(line, "\r\n")
			if part.Len() == 0 {
				first = n
			}
			if strings.HasPrefix(strings.TrimSpace(line), "#") {
				line = ""
			} else if before, _, ok := strings.Cut(line, " #"); ok {
				line = before
			}
			cont, more := strings.CutSuffix(line, `\`)
			part.WriteString(cont + " ")
			if !more && !emit() {
				return
			}
		}
		emit()
	}
}
