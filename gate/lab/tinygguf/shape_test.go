package tinygguf

import (
	"bytes"
	"io"
	"testing"
)

func TestAShapeTakesWhatItSays(t *testing.T) {
	s := Shapes()["small"]
	var a, b bytes.Buffer
	if err := s.Write(&a, 7); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(&b, 7); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two files of one shape and seed differ")
	}
	head, err := s.header(s.parts())
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(len(head)) + s.Size(); int64(a.Len()) != want {
		t.Errorf("the file has %d bytes, want %d", a.Len(), want)
	}
}

// The sizes of the real models at four bits: 32.8, 14.8, 7.6 and 1.5 billion weights.
func TestShapesAreThoseOfTheRealModels(t *testing.T) {
	for name, want := range map[string][2]int64{"32b": {17 << 30, 19 << 30}, "14b": {8 << 30, 9 << 30}, "7b": {4 << 30, 5 << 30}, "1.5b": {800 << 20, 1200 << 20}} {
		s := Shapes()[name]
		if err := s.check(); err != nil {
			t.Error(err)
		}
		if got := s.Size(); got < want[0] || got > want[1] {
			t.Errorf("%s takes %d bytes, want %d to %d", name, got, want[0], want[1])
		}
	}
}

func TestAShapeThatNoServerCouldLoadIsRefused(t *testing.T) {
	for name, change := range map[string]func(*Shape){
		"no layers":                     func(s *Shape) { s.Layers = 0 },
		"heads that do not divide":      func(s *Shape) { s.Heads = 3 },
		"keys that do not divide":       func(s *Shape) { s.KVHeads = 3 },
		"rows that are no whole blocks": func(s *Shape) { s.FF = 500 },
		"too few tokens":                func(s *Shape) { s.Vocab = 100 },
	} {
		s := Shapes()["small"]
		change(&s)
		if err := s.Write(io.Discard, 1); err == nil {
			t.Errorf("%s is written without an error", name)
		}
	}
}
