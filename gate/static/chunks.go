package static

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/static/reading"
	"github.com/aigate/gate/gate/static/taint"
)

// Bounds of what is held in memory of one file. A file up to a chunk is scanned
// as a whole; of a larger one, conditions and embedded code are seen chunk by
// chunk.
const (
	chunkSize    = 10<<20 + 1 // bytes: the largest file that the policy's limits.file-size allows
	chunkOverlap = 16 << 10   // bytes of a chunk that the next one repeats, more than any match takes
)

// chunks scans a text of any length, in the way of one reading.
func (f *file) chunks(ctx context.Context, r io.Reader, as way) error {
	buf := make([]byte, 0, bufferSize(f.target))
	firstLine := 1
	var seen []gate.Finding // of the lines that two chunks share
	for {
		var end bool
		var err error
		if buf, end, err = fill(buf, r); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		found := f.chunk(buf, firstLine, as)
		f.union.add(fresh(found, seen))
		if end {
			return nil
		}
		keep := cut(buf)
		firstLine += bytes.Count(buf[:keep], []byte{'\n'})
		seen = from(found, firstLine)
		buf = append(buf[:0], buf[keep:]...)
	}
}

// bounds makes a gap of everything that a bound kept the rules from.
func (f *file) bounds() {
	if ids := f.costs.match.Reached(); len(ids) > 0 {
		more := ""
		if n := len(ids) - maxNamed; n > 0 {
			ids, more = ids[:maxNamed], fmt.Sprintf(" and %d more", n)
		}
		f.gap("too much of it looks like what rules look for: not all of it was looked at by %s%s", strings.Join(ids, ", "), more)
	}
	if f.costs.match.Unfollowed() {
		f.gap("it defines more than values are followed through: at most %d functions and %d names are", taint.MaxFunctions, taint.MaxDefinitions)
	}
	if f.costs.decode.Reached() {
		f.gap("more is encoded in it than is decoded")
	}
	for _, reason := range *f.costs.unread {
		f.gap("%s", reason)
	}
}

// maxNamed is how many rules one reason names.
const maxNamed = 5

// bufferSize trusts the listed size as a hint only.
func bufferSize(t *gate.Target) int {
	return int(min(max(t.Size, 0)+512, chunkSize))
}

// fill reads until the chunk is full or the text ends.
func fill(buf []byte, r io.Reader) (full []byte, end bool, err error) {
	for len(buf) < chunkSize {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), chunkSize)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, true, nil
		}
		if err != nil {
			return buf, false, err
		}
	}
	return buf, false, nil
}

// cut is where the next chunk begins: with a line, if one begins in the part
// that is repeated.
func cut(buf []byte) int {
	at := len(buf) - chunkOverlap
	if i := bytes.IndexByte(buf[at:], '\n'); i >= 0 && at+i+1 < len(buf) {
		return at + i + 1
	}
	return at
}

// chunk returns what is found in one chunk.
func (f *file) chunk(content []byte, firstLine int, as way) []gate.Finding {
	if firstLine == 1 {
		content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	}
	if as.First {
		f.shape(content, firstLine)
		f.scripts(content, firstLine)
	}
	if as.Shown {
		f.imports(content, firstLine)
	}
	if as.First || as.Shown && f.view.Path != f.target.Path {
		f.dependencies(content, firstLine)
		brokenManifest(f, content, firstLine)
	}
	if as.strings {
		content = commandsOf(content)
	}
	found := f.scanner.texts.scan(text{
		language: f.view.Language, role: f.view.Role, path: f.view.Path, content: content, origin: as.origin, first: firstLine, costs: f.costs, newHost: f.newHost, newPackage: f.newPackage, known: f.known, administers: administers(f.change, f.target), inHead: inHead(f.change),
	})
	if as.Encoding != reading.Runs {
		found = append(found, readTwice(f, content, firstLine, found)...)
	}
	if as.First {
		return append(found, asScript(f, content, firstLine)...)
	}
	if as.Encoding == reading.Runs {
		return found
	}
	// What people and models read is the text of the first reading: what is hidden in
	// it, or speaks to a model, is found there. A name may make instructions of it.
	if f.view.Path != f.target.Path && embedded.IsInstructions(f.view.Path) {
		return found
	}
	return slices.DeleteFunc(found, func(f gate.Finding) bool {
		return strings.HasPrefix(f.Rule, promptInjection+"/") || strings.HasPrefix(f.Rule, hiddenText+"/") && !as.Shown
	})
}

// fresh leaves out what the chunk before has reported already.
func fresh(found, seen []gate.Finding) []gate.Finding {
	if len(seen) == 0 {
		return found
	}
	type key struct {
		rule string
		line int
	}
	known := map[key]gate.Severity{}
	for _, s := range seen {
		known[key{s.Rule, s.Line}] = s.Severity
	}
	var out []gate.Finding
	for _, f := range found {
		if f.Severity > known[key{f.Rule, f.Line}] {
			out = append(out, f)
		}
	}
	return out
}

// from returns the findings on a line and below.
func from(found []gate.Finding, line int) []gate.Finding {
	var out []gate.Finding
	for _, f := range found {
		if f.Line >= line {
			out = append(out, f)
		}
	}
	return out
}
