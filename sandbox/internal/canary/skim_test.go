package canary

import (
	"bytes"
	"encoding/base64"
	"slices"
	"testing"
)

func TestDirectFormsAreFoundBeyondTheFullSearch(t *testing.T) {
	const value = "q7Zt0RmXk2Vb9LpYw4Hd6NsJc8Ge1UfA"
	m := NewMatcher([]Token{{ID: "key", Value: value}})
	for _, c := range []struct {
		name string
		data string
		want []string
	}{
		{"plain", value, []string{"plain"}},
		{"encoded", base64.StdEncoding.EncodeToString([]byte(value)), []string{"base64"}},
		{"encoded twice", base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(value)))), nil},
	} {
		for _, padding := range []string{"x", "0", "\x00", "ab"} {
			for _, chunk := range []int{1 << 20, 777} {
				s := m.NewStreamUpTo(1000)
				data := append(bytes.Repeat([]byte(padding), 5000), " "+c.data+" "...)
				for piece := range slices.Chunk(data, chunk) {
					_, _ = s.Write(piece)
				}
				_ = s.Close()
				var got []string
				for _, h := range s.Hits() {
					got = append(got, h.Encoding)
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%s behind %q in pieces of %d: %q, want %q", c.name, padding, chunk, got, c.want)
				}
			}
		}
	}
}

func TestAValueAcrossTheBorderIsFound(t *testing.T) {
	const value = "q7Zt0RmXk2Vb9LpYw4Hd6NsJc8Ge1UfA"
	m := NewMatcher([]Token{{ID: "key", Value: value}})
	for before := range len(value) {
		s := m.NewStreamUpTo(100)
		_, _ = s.Write(append(bytes.Repeat([]byte(" "), 100-before), value...))
		_ = s.Close()
		if len(s.Hits()) == 0 {
			t.Errorf("not found with %d bytes before the border", before)
		}
	}
}

func TestTheSameByteAgainAndAgainIsNoWork(t *testing.T) {
	s := NewMatcher([]Token{{ID: "key", Value: "q7Zt0RmXk2Vb9LpYw4Hd6NsJc8Ge1UfA"}}).NewStreamUpTo(10)
	_, _ = s.Write(bytes.Repeat([]byte("x"), 1<<20))
	_ = s.Close()
	if n := s.Looked(); n > 1000 {
		t.Errorf("%d bytes were looked at", n)
	}
}
