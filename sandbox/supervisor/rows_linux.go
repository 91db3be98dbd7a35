package supervisor

import (
	"encoding/binary"
	"hash/maphash"
	"io"
	"strings"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// A planted database loses what it holds without losing its name: its rows are deleted, its tables
// are dropped, or every row is overwritten. So the rows of planted databases of SQLite are
// remembered, and those that are left are counted at the end. The format is that of "Database File
// Format" in SQLite's manual.

// spoiledRows says that most rows of a database are gone or changed.
const spoiledRows = "without its rows"

const (
	maxDatabase  = 1 << 20 // bytes that are read of a database
	maxRows      = 4096
	maxPages     = 256     // that are visited
	maxRowBytes  = 4 << 20 // of the rows that are visited
	sqliteHead   = "SQLite format 3\x00"
	sqliteHeader = 100
	leafPage     = 0x0d // a page with rows of a table
	innerPage    = 0x05 // a page with pages of a table
	keptRows     = 3    // one row of so many is left where most are lost
)

// database remembers the rows of a planted file if it is a database.
func (r *remembered) database(f wire.Plant) {
	if rows := r.rows(f.Data); len(rows) > 1 {
		r.databases[f.Path] = rows
	}
}

// emptied reports whether most rows of a planted database are gone or changed. One that cannot be
// read any more is for those who judge files.
func (r *remembered) emptied(name string) bool {
	before := r.databases[name]
	if before == nil {
		return false
	}
	f, err := openRegular(name)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDatabase))
	if err != nil || !strings.HasPrefix(string(data), sqliteHead) {
		return false
	}
	now, left := r.rows(data), 0
	for sum := range before {
		if now[sum] {
			left++
		}
	}
	return left*keptRows <= len(before)
}

// rows are the sums of the rows of all tables.
func (r *remembered) rows(data []byte) map[uint64]bool {
	if len(data) < sqliteHeader || string(data[:len(sqliteHead)]) != sqliteHead {
		return nil
	}
	size := int(binary.BigEndian.Uint16(data[16:]))
	if size == 1 {
		size = 64 << 10
	}
	if size < 512 {
		return nil
	}
	d := sqlite{data: data, size: size, pages: maxPages, bytes: maxRowBytes}
	sums := map[uint64]bool{}
	d.walk(1, 0, func(record []byte) {
		root := rootOf(record)
		if root < 2 {
			return
		}
		d.walk(root, 0, func(row []byte) {
			if len(sums) < maxRows {
				sums[maphash.Bytes(r.seed, row)] = true
			}
		})
	})
	return sums
}

// sqlite is a database whose tables are read.
type sqlite struct {
	data         []byte
	size         int // of a page
	pages, bytes int // that may still be visited
}

// walk visits the rows of the table that begins at a page. Pages that make no sense have none.
func (d *sqlite) walk(page, depth int, visit func(record []byte)) {
	d.pages--
	if page < 1 || page > len(d.data)/d.size || depth > 8 || d.pages < 0 {
		return
	}
	b := d.data[(page-1)*d.size : page*d.size]
	at := 0
	if page == 1 {
		at = sqliteHeader
	}
	kind, cells, pointers := b[at], int(binary.BigEndian.Uint16(b[at+3:])), at+8
	if kind == innerPage {
		pointers = at + 12
	}
	for i := range cells {
		if pointers+2*i+2 > len(b) {
			return
		}
		cell := b[min(int(binary.BigEndian.Uint16(b[pointers+2*i:])), len(b)):]
		switch {
		case kind == innerPage && len(cell) >= 4:
			d.walk(int(binary.BigEndian.Uint32(cell)), depth+1, visit)
		case kind == leafPage:
			n, rest := varint(cell)
			_, rest = varint(rest) // the number of the row
			// The rest of a long row is on other pages; its beginning tells it from others.
			record := rest[:min(n, uint64(len(rest)))]
			if d.bytes -= len(record); d.bytes < 0 {
				return
			}
			visit(record)
		}
	}
	if kind == innerPage {
		d.walk(int(binary.BigEndian.Uint32(b[at+8:])), depth+1, visit)
	}
}

// rootOf is the first page of the table that a row of the schema describes: its fourth value.
func rootOf(record []byte) int {
	n, types := varint(record)
	if n > uint64(len(record)) || len(record)-len(types) > int(n) { //nolint:gosec // it is not longer than the record
		return 0
	}
	values := record[n:]
	types = record[len(record)-len(types) : n]
	for i := range 4 {
		if len(types) == 0 {
			return 0
		}
		var kind uint64
		kind, types = varint(types)
		width := widthOf(kind)
		if width > uint64(len(values)) {
			return 0
		}
		if i == 0 && string(values[:width]) != "table" {
			return 0
		}
		if i == 3 {
			return integer(kind, values[:width])
		}
		values = values[width:]
	}
	return 0
}

// widthOf is how many bytes a value of a kind takes.
func widthOf(kind uint64) uint64 {
	if kind >= 12 {
		return (kind - 12) / 2
	}
	return [...]uint64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0}[kind]
}

// integer is a small number; others are 0.
func integer(kind uint64, value []byte) int {
	if kind == 9 {
		return 1
	}
	if kind < 1 || kind > 6 {
		return 0
	}
	n := 0
	for _, b := range value {
		if n >= 1<<24 {
			return 0
		}
		n = n<<8 | int(b)
	}
	return n
}

// varint reads a number of SQLite; where there is none, it is 0.
func varint(b []byte) (n uint64, rest []byte) {
	for i := range min(len(b), 9) {
		if i == 8 {
			return n<<8 | uint64(b[i]), b[9:]
		}
		n = n<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return n, b[i+1:]
		}
	}
	return 0, nil
}
