package supervisor

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wordsOf reads words as the memory of a process has them.
func wordsOf(data []byte) func(i int) (uint64, bool) {
	return func(i int) (uint64, bool) {
		if i < 0 || 8*i+8 > len(data) {
			return 0, false
		}
		return binary.LittleEndian.Uint64(data[8*i:]), true
	}
}

func TestTheStartOfAProgramIsReadAsItIsWritten(t *testing.T) {
	for name, want := range map[string]start{
		"of an ordinary program": {args: []uint64{1, 2}, env: []uint64{3}, aux: []uint64{6, 4096, auxEnd, 0}},
		"without an environment": {args: []uint64{1}, aux: []uint64{auxEnd, 0}},
		"without arguments":      {env: []uint64{7, 8}, aux: []uint64{auxEnd, 0}},
	} {
		data := want.bytes()
		got, err := startOf(wordsOf(data))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(start{})); err != nil || diff != "" || len(data) != 8*want.words() {
			t.Errorf("%s: %v, %d words for %d bytes\n%s", name, err, want.words(), len(data), diff)
		}
		if _, err := startOf(wordsOf(data[:len(data)-8])); !errors.Is(err, errNoVector) {
			t.Errorf("%s, cut: %v", name, err)
		}
	}
	many := start{env: make([]uint64, maxRoom/8), aux: []uint64{auxEnd, 0}}
	for i := range many.env {
		many.env[i] = 1
	}
	if _, err := startOf(wordsOf(many.bytes())); !errors.Is(err, errNoRoom) {
		t.Errorf("more than there is room for: %v", err)
	}
}

func FuzzStart(f *testing.F) {
	f.Add(start{args: []uint64{1, 2}, env: []uint64{3}, aux: []uint64{6, 4096, auxEnd, 0}}.bytes())
	f.Add(start{aux: []uint64{auxEnd, 0}}.bytes())
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := startOf(wordsOf(data))
		if err != nil {
			return
		}
		again, err := startOf(wordsOf(s.bytes()))
		if diff := cmp.Diff(s, again, cmp.AllowUnexported(start{})); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	})
}
