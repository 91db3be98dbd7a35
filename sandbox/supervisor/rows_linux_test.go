package supervisor

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// databaseOf makes a database with one table of rows of one short text each.
func databaseOf(rows ...string) []byte {
	const size = 512
	page := func(at int, records ...[]byte) []byte {
		b, end := make([]byte, size), size
		for i, r := range records {
			cell := append([]byte{byte(len(r)), byte(i + 1)}, r...)
			end -= len(cell)
			copy(b[end:], cell)
			binary.BigEndian.PutUint16(b[at+8+2*i:], uint16(end))
		}
		b[at] = leafPage
		binary.BigEndian.PutUint16(b[at+3:], uint16(len(records)))
		return b
	}
	text := func(s string) byte { return byte(13 + 2*len(s)) }
	schema := append([]byte{6, text("table"), text("t"), text("t"), 1, text("x")}, "tablett\x02x"...)
	first := page(sqliteHeader, schema)
	copy(first, sqliteHead)
	binary.BigEndian.PutUint16(first[16:], size)
	var records [][]byte
	for _, r := range rows {
		records = append(records, append([]byte{2, text(r)}, r...))
	}
	return append(first, page(0, records...)...)
}

func TestAPlantedDatabaseLosesItsRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "app.db")
	r := newRemembered()
	r.plants([]wire.Plant{{Path: file, Data: databaseOf("ada", "ben", "cleo", "dan", "eve", "fay")}})
	for name, tt := range map[string]struct {
		now  []byte
		want bool
	}{
		"the same":             {databaseOf("ada", "ben", "cleo", "dan", "eve", "fay"), false},
		"a row more":           {databaseOf("ada", "ben", "cleo", "dan", "eve", "fay", "gus"), false},
		"a row less":           {databaseOf("ada", "ben", "cleo", "dan", "eve"), false},
		"half of them changed": {databaseOf("ada", "ben", "cleo", "x", "y", "z"), false},
		"no rows":              {databaseOf(), true},
		"one is left":          {databaseOf("ada"), true},
		"all changed":          {databaseOf("x1", "x2", "x3", "x4", "x5", "x6"), true},
		"no database":          {[]byte("text"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, tt.now, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := r.emptied(file); got != tt.want {
				t.Errorf("%v", got)
			}
		})
	}
}

func FuzzRows(f *testing.F) {
	f.Add(databaseOf("ada", "ben"))
	f.Add(databaseOf())
	f.Fuzz(func(t *testing.T, data []byte) {
		if rows := newRemembered().rows(data); len(rows) > maxRows {
			t.Errorf("%d rows", len(rows))
		}
	})
}
