package replay

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// The bounds of a journal.
const (
	maxJournalLine = 1 << 20 // bytes of one row
	maxJournalRows = 200_000
)

// Journal keeps the rows that are done in a file, so that a replay which was ended goes
// on where it was. It is safe for concurrent use.
type Journal struct {
	known map[string]Row

	mu   sync.Mutex
	file *os.File
}

// OpenJournal reads a file of rows and appends to it. A file that is not there is made.
// A line that is no row, such as one that was cut off, is as if it were not there.
func OpenJournal(name string) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	j := &Journal{known: map[string]Row{}}
	if err := j.read(name); err != nil {
		return nil, fmt.Errorf("read what is done already: %w; remove %s to begin anew", err, name)
	}
	var err error
	j.file, err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	// A row that was cut off has no line end.
	_, err = j.file.WriteString("\n")
	return j, err
}

func (j *Journal) read(name string) error {
	in, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxJournalLine)
	for lines.Scan() && len(j.known) < maxJournalRows {
		var row Row
		if json.Unmarshal(lines.Bytes(), &row) == nil && row.Key != "" && row.Failed == "" {
			j.known[row.Key] = row
		}
	}
	return lines.Err()
}

// Known returns the row of a key, if there is one.
func (j *Journal) Known(key string) (Row, bool) {
	row, ok := j.known[key]
	return row, ok
}

// Add keeps a row.
func (j *Journal) Add(row Row) error {
	line, err := json.Marshal(row)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err = j.file.Write(append(line, '\n'))
	return err
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
