package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
)

// maxSource bounds the file whose lines a report shows, in bytes. Findings of
// larger files show their evidence only.
const maxSource = 4 << 20

// Source gives the lines around findings to the formats that show them; [Source.Lines] is
// made for [Options].Source. Formats go file by file, so it keeps the last one. Where
// anything is in doubt it gives no lines, and the report shows the evidence alone. The
// zero value has no lines.
type Source struct {
	read  func(path string) ([]byte, error) // at most maxSource bytes
	path  string
	lines []string
}

// SourceOfChange takes the lines from the head of a change.
func SourceOfChange(c *gate.Change) *Source {
	targets := make(map[string]*gate.Target, len(c.Targets))
	for _, t := range c.Targets {
		targets[t.Path] = t
	}
	return &Source{read: func(path string) ([]byte, error) {
		t, ok := targets[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return c.Read(t, maxSource)
	}}
}

// SourceOfFolder takes the lines of a saved result from the files below dir, but only
// from those that are still what was scanned.
func SourceOfFolder(dir string, res gate.Result) *Source {
	digests := map[string]string{}
	for _, f := range res.Files {
		digests[f.Path] = f.SHA256
	}
	return &Source{read: func(path string) ([]byte, error) {
		if digests[path] == "" {
			return nil, fs.ErrNotExist
		}
		return readUnchanged(dir, path, digests[path])
	}}
}

// readUnchanged reads a file below dir that has this digest.
func readUnchanged(dir, path, digest string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// Not opened before: a FIFO would wait for a writer.
	if info, err := root.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil, fs.ErrNotExist
	}
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != digest {
		return nil, errors.New("it has changed since")
	}
	return data, nil
}

// Lines returns the lines from..to (1-based, inclusive) of a file, as far as it
// has them.
func (s *Source) Lines(path string, from, to int) []string {
	if s.read == nil {
		return nil
	}
	if path != s.path || s.lines == nil {
		s.path, s.lines = path, []string{}
		if data, err := s.read(path); err == nil && utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
			s.lines = strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n"), "\n")
		}
	}
	if from < 1 || from > len(s.lines) || to < from {
		return nil
	}
	return s.lines[from-1 : min(to, len(s.lines))]
}
