package reading

import (
	"bytes"
	"io"
)

// unmarked leaves out the mark of UTF-16 or UTF-8 at the beginning of a file that
// is read as bytes.
type unmarked struct {
	r       io.Reader
	started bool
	rest    []byte
}

// Read implements [io.Reader].
func (u *unmarked) Read(p []byte) (int, error) {
	if !u.started {
		u.started = true
		head := make([]byte, 4)
		n, err := io.ReadFull(u.r, head)
		if err != nil && n == 0 {
			return 0, err
		}
		_, length := bom(head[:n])
		u.rest = head[length:n]
	}
	if len(u.rest) > 0 {
		n := copy(p, u.rest)
		u.rest = u.rest[n:]
		return n, nil
	}
	return u.r.Read(p)
}

// bom returns the encoding that the first bytes are the mark of, "" where they are
// none, and how many bytes the mark has.
func bom(head []byte) (e Encoding, length int) {
	for _, m := range []struct {
		mark     string
		encoding Encoding
	}{ // the longer ones first
		{"\xff\xfe\x00\x00", UTF32LE}, {"\x00\x00\xfe\xff", UTF32BE}, {"\xef\xbb\xbf", UTF8}, {"\xff\xfe", UTF16LE}, {"\xfe\xff", UTF16BE},
	} {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			return m.encoding, len(m.mark)
		}
	}
	return "", 0
}

// withoutNUL leaves NUL bytes out, as the programs do that run such a file.
type withoutNUL struct{ r io.Reader }

// Read implements [io.Reader].
func (w *withoutNUL) Read(p []byte) (int, error) {
	for {
		n, err := w.r.Read(p)
		kept := 0
		for _, c := range p[:n] {
			if c != 0 {
				p[kept] = c
				kept++
			}
		}
		if kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}

// shortestRun is how many bytes of text in a row are kept of a binary file.
const shortestRun = 20

// textRuns keeps the runs of text of a binary file, and its line feeds, so that
// lines are still counted as other tools do.
type textRuns struct {
	r   io.Reader
	run []byte // a run that may still be too short
	out []byte
	in  [4096]byte
	// ended holds what the source said at its end.
	ended error
	kept  bool // the run is long enough
}

// Read implements [io.Reader].
func (t *textRuns) Read(p []byte) (int, error) {
	for len(t.out) == 0 {
		if t.ended != nil {
			return 0, t.ended
		}
		n, err := t.r.Read(t.in[:])
		for _, c := range t.in[:n] {
			t.add(c)
		}
		if err != nil {
			t.ended = err
			t.run = t.run[:0]
		}
	}
	n := copy(p, t.out)
	t.out = t.out[n:]
	return n, nil
}

func (t *textRuns) add(c byte) {
	switch {
	case c >= ' ' && c < 0x7f || c == '\t':
		if t.kept {
			t.out = append(t.out, c)
			return
		}
		if t.run = append(t.run, c); len(t.run) >= shortestRun {
			t.out, t.kept, t.run = append(t.out, t.run...), true, t.run[:0]
		}
	default:
		if t.kept && c != '\n' {
			t.out = append(t.out, ' ')
		}
		t.run, t.kept = t.run[:0], false
		if c == '\n' {
			t.out = append(t.out, c)
		}
	}
}
