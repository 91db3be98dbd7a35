package canary

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

// The sizes of a database of SQLite, in bytes.
const (
	pageSize   = 4096
	headerSize = 100
	leafHeader = 8
)

// leafTable is the kind of a page that holds the rows of a table itself.
const leafTable = 0x0d

// database makes a file of SQLite from a text: each line that begins with CREATE TABLE begins a
// table, and each other line is a row of it, the values separated by bars. A value of digits is an
// integer, and an empty one is NULL. Programs that steal from browsers query their files, and
// give up where that fails. A table has to fit into a page.
func database(text string) []byte {
	type table struct {
		create string
		rows   [][]string
	}
	var tables []table
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "CREATE TABLE ") {
			tables = append(tables, table{create: line})
			continue
		}
		t := &tables[len(tables)-1]
		t.rows = append(t.rows, strings.Split(line, "|"))
	}
	var schema [][]string
	pages := [][]byte{nil}
	for i, t := range tables {
		name, _, _ := strings.Cut(strings.TrimPrefix(t.create, "CREATE TABLE "), "(")
		schema = append(schema, []string{"table", strings.TrimSpace(name), strings.TrimSpace(name), strconv.Itoa(i + 2), t.create})
		pages = append(pages, leaf(t.rows, 0))
	}
	pages[0] = leaf(schema, headerSize)
	copy(pages[0], header(len(pages)))
	return bytes.Join(pages, nil)
}

// header is the beginning of a file of so many pages.
func header(pages int) []byte {
	h := make([]byte, headerSize)
	copy(h, "SQLite format 3\x00")
	binary.BigEndian.PutUint16(h[16:], pageSize)
	copy(h[18:], []byte{1, 1, 0, 64, 32, 32}) // journal of the old kind, nothing reserved, the fixed fractions
	for at, n := range map[int]int{24: 1, 28: pages, 40: 1, 44: 4, 56: 1, 92: 1, 96: 3040001} {
		binary.BigEndian.PutUint32(h[at:], uint32(n)) //nolint:gosec // a few pages
	}
	return h
}

// leaf is a page with rows, behind so many bytes that are not its own.
func leaf(rows [][]string, skip int) []byte {
	page := make([]byte, pageSize)
	end := pageSize
	for i, row := range rows {
		r := record(row)
		cell := append(varint(len(r)), varint(i+1)...)
		cell = append(cell, r...)
		end -= len(cell)
		copy(page[end:], cell)
		binary.BigEndian.PutUint16(page[skip+leafHeader+2*i:], uint16(end)) //nolint:gosec // within a page
	}
	page[skip] = leafTable
	binary.BigEndian.PutUint16(page[skip+3:], uint16(len(rows))) //nolint:gosec // they fit into a page
	binary.BigEndian.PutUint16(page[skip+5:], uint16(end))       //nolint:gosec // within a page
	return page
}

// record is a row: the types of its values, and the values.
func record(row []string) []byte {
	var types, values []byte
	for _, v := range row {
		switch n, err := strconv.ParseInt(v, 10, 64); {
		case v == "":
			types = append(types, 0)
		case err == nil:
			types = append(types, 6)                                  // eight bytes
			values = binary.BigEndian.AppendUint64(values, uint64(n)) //nolint:gosec // as it is
		default:
			types = append(types, varint(13+2*len(v))...)
			values = append(values, v...)
		}
	}
	return append(append(varint(len(types)+1), types...), values...) // fewer than 127 bytes of types
}

// varint is a number below 16,384 as SQLite writes it.
func varint(n int) []byte {
	if n < 0x80 {
		return []byte{byte(n)}
	}
	return []byte{byte(n>>7) | 0x80, byte(n & 0x7f)} //nolint:gosec // below 16,384
}
