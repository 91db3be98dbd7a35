package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Bounds of listings.
const (
	// MaxEntries is the most entries of a tree, an index or a diff.
	MaxEntries = 1_000_000
	// MaxPath is the longest path, in bytes: PATH_MAX of Linux.
	MaxPath = 4096
	// maxRecord is the longest record: a path with modes and object names.
	maxRecord = MaxPath + 512
)

// Entry is a file of a tree or of an index.
type Entry struct {
	Path string
	Mode Mode
	OID  OID
}

// IndexEntry is a file of the index.
type IndexEntry struct {
	Entry
	Stage int // 0, or 1..3 for the sides of a conflict
	// Skipped says that the work tree does not hold the file (sparse checkout).
	Skipped bool
}

// Status is the letter of a difference.
type Status byte

// The differences that git reports. The zero value is none of them.
const (
	Added      Status = 'A'
	Copied     Status = 'C'
	Deleted    Status = 'D'
	Modified   Status = 'M'
	Renamed    Status = 'R'
	TypeChange Status = 'T'
	Unmerged   Status = 'U'
)

// Difference is a file that differs between two trees. OldPath is set for
// renames and copies.
type Difference struct {
	Status  Status
	Old     Entry // Path is the old path
	New     Entry
	Similar int // 0..100, for renames and copies
}

// scanRecords calls yield for every NUL-terminated record of r.
func scanRecords(r io.Reader, yield func(rec string, next func() (string, error)) error) error {
	br := bufio.NewReaderSize(r, maxRecord)
	next := func() (string, error) {
		b, err := br.ReadSlice(0)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return "", fmt.Errorf("a record is longer than %d bytes", maxRecord)
		case errors.Is(err, io.EOF) && len(b) > 0:
			return "", fmt.Errorf("the last record is cut: %w", io.ErrUnexpectedEOF)
		case err != nil:
			return "", err
		}
		return string(b[:len(b)-1]), nil
	}
	for n := 0; ; n++ {
		rec, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n == MaxEntries {
			return fmt.Errorf("more than %d entries", MaxEntries)
		}
		if err := yield(rec, next); err != nil {
			return err
		}
	}
}

// parsePath accepts what git can have as a path. What may be done with such a
// path is for the caller to check: trees of a hostile repository may hold "..".
func parsePath(s string) (string, error) {
	if s == "" || len(s) > MaxPath {
		return "", fmt.Errorf("a path has %d bytes (1 to %d are accepted)", len(s), MaxPath)
	}
	return s, nil
}

// parseTree reads `git ls-tree -r -z`: MODE SP TYPE SP OID TAB PATH NUL.
func parseTree(r io.Reader, f Format, yield func(Entry)) error {
	return scanRecords(r, func(rec string, _ func() (string, error)) error {
		head, path, ok := strings.Cut(rec, "\t")
		fields := strings.Split(head, " ")
		if !ok || len(fields) != 3 {
			return fmt.Errorf("not a tree entry: %q", printable(clip(rec)))
		}
		e, err := entry(f, fields[0], fields[2], path)
		if err != nil {
			return err
		}
		if want := map[bool]string{true: "commit", false: "blob"}[e.Mode == ModeSubmodule]; fields[1] != want {
			return fmt.Errorf("a tree entry of mode %s is a %q", fields[0], printable(clip(fields[1])))
		}
		yield(e)
		return nil
	})
}

// parseIndex reads `git ls-files -t -s -z`: TAG SP MODE SP OID SP STAGE TAB PATH
// NUL. The tag is S for files that a sparse checkout leaves out.
func parseIndex(r io.Reader, f Format, yield func(IndexEntry)) error {
	return scanRecords(r, func(rec string, _ func() (string, error)) error {
		head, path, ok := strings.Cut(rec, "\t")
		fields := strings.Split(head, " ")
		if !ok || len(fields) != 4 || len(fields[0]) != 1 {
			return fmt.Errorf("not an index entry: %q", printable(clip(rec)))
		}
		e, err := entry(f, fields[1], fields[2], path)
		if err != nil {
			return err
		}
		stage, err := strconv.Atoi(fields[3])
		if err != nil || stage < 0 || stage > 3 || len(fields[3]) != 1 {
			return fmt.Errorf("not an index entry: %q", printable(clip(rec)))
		}
		yield(IndexEntry{Entry: e, Stage: stage, Skipped: fields[0] == "S"})
		return nil
	})
}

func entry(f Format, mode, oid, path string) (Entry, error) {
	m, err := parseMode(mode)
	if err != nil {
		return Entry{}, err
	}
	o, err := f.parse(oid)
	if err != nil {
		return Entry{}, err
	}
	p, err := parsePath(path)
	return Entry{Path: p, Mode: m, OID: o}, err
}

// parseRaw reads `git diff-tree --raw -z --no-abbrev`:
// :MODE SP MODE SP OID SP OID SP STATUS[SCORE] NUL PATH NUL [PATH NUL].
func parseRaw(r io.Reader, f Format, yield func(Difference)) error {
	return scanRecords(r, func(rec string, next func() (string, error)) error {
		fields := strings.Split(rec, " ")
		if len(fields) != 5 || !strings.HasPrefix(rec, ":") || fields[4] == "" {
			return fmt.Errorf("not a difference: %q", printable(clip(rec)))
		}
		d := Difference{Status: Status(fields[4][0])}
		if err := d.parseStatus(fields[4][1:]); err != nil {
			return err
		}
		oldPath, err := nextPath(next)
		if err != nil {
			return err
		}
		newPath := oldPath
		if d.Status == Renamed || d.Status == Copied {
			if newPath, err = nextPath(next); err != nil {
				return err
			}
		}
		if d.Old, err = entry(f, fields[0][1:], fields[2], oldPath); err != nil {
			return err
		}
		if d.New, err = entry(f, fields[1], fields[3], newPath); err != nil {
			return err
		}
		yield(d)
		return nil
	})
}

// parseStatus checks the letter and reads the score behind it. Only renames and
// copies must have one; a rewrite may have.
func (d *Difference) parseStatus(score string) error {
	switch d.Status {
	case Renamed, Copied:
		if score == "" {
			return fmt.Errorf("a rename without a score")
		}
	case Added, Deleted, Modified, TypeChange, Unmerged:
	default:
		return fmt.Errorf("unknown kind of difference %q", d.Status)
	}
	if score == "" {
		return nil
	}
	n, err := strconv.ParseUint(score, 10, 8)
	if err != nil || n > 100 {
		return fmt.Errorf("not a similarity score: %q", printable(clip(score)))
	}
	d.Similar = int(n)
	return nil
}

func nextPath(next func() (string, error)) (string, error) {
	p, err := next()
	if errors.Is(err, io.EOF) {
		return "", fmt.Errorf("a difference without a path: %w", io.ErrUnexpectedEOF)
	}
	if err != nil {
		return "", err
	}
	return parsePath(p)
}
