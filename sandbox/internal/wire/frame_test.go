package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
)

var testKey = bytes.Repeat([]byte{7}, KeySize)

// raw is a frame by hand, without a tag.
func raw(first byte, k Kind, size uint32, payload string) []byte {
	b := binary.BigEndian.AppendUint32([]byte{first, byte(k)}, size)
	return append(b, payload...)
}

func sealed(t testing.TB, key []byte, frames ...Kind) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := NewWriter(&buf)
	if key != nil {
		w.Seal(key)
	}
	for _, k := range frames {
		payload := []byte("x")[:min(1, k.limit())]
		if err := w.Write(k, payload); err != nil {
			t.Fatal(err)
		}
	}
	return buf.Bytes()
}

func TestFramesComeOutAsTheyWentIn(t *testing.T) {
	for name, key := range map[string][]byte{"open": nil, "sealed": testKey} {
		t.Run(name, func(t *testing.T) {
			var buf bytes.Buffer
			w, r := NewWriter(&buf), NewReader(&buf)
			if key != nil {
				w.Seal(key)
				r.Seal(key)
			}
			long := strings.Repeat("ab", MaxChunk)
			sent := []struct {
				kind    Kind
				payload string
			}{{KindHello, `{"Version":1}`}, {KindStarted, ""}, {KindStdout, "out"}, {KindStdout, ""}, {KindStderr, long[:MaxChunk]}, {KindDone, ""}}
			for _, s := range sent {
				if err := w.Write(s.kind, []byte(s.payload)); err != nil {
					t.Fatal(err)
				}
			}
			for _, s := range sent {
				kind, payload, err := r.Next()
				if err != nil || kind != s.kind || string(payload) != s.payload {
					t.Fatalf("got %d %.20q %v, want %d %.20q", kind, payload, err, s.kind, s.payload)
				}
			}
			if _, _, err := r.Next(); err != io.EOF {
				t.Errorf("after the last frame: %v", err)
			}
		})
	}
}

func TestBrokenStreamsAreErrors(t *testing.T) {
	whole := sealed(t, testKey, KindStarted, KindStdout)
	again := append(append([]byte{}, whole...), whole[len(whole)/2:]...)
	flipped := append([]byte{}, whole...)
	flipped[len(flipped)-tagSize-1] ^= 1
	tests := []struct {
		name string
		key  []byte
		data []byte
		want error  // or
		text string // part of it
	}{
		{"nothing", nil, nil, io.EOF, ""},
		{"part of a header", nil, raw(magic, KindDone, 0, "")[:3], io.ErrUnexpectedEOF, ""},
		{"part of a payload", nil, raw(magic, KindStdout, 9, "short"), io.ErrUnexpectedEOF, ""},
		{"a payload and no tag", testKey, raw(magic, KindStdout, 1, "x"), io.ErrUnexpectedEOF, ""},
		{"no magic", nil, raw('x', KindDone, 0, ""), nil, "not a frame"},
		{"kind zero", nil, raw(magic, 0, 0, ""), nil, "unknown kind 0"},
		{"an unknown kind", nil, raw(magic, 200, 0, ""), nil, "unknown kind 200"},
		{"a chunk that is too large", nil, raw(magic, KindStdout, MaxChunk+1, ""), nil, "more than"},
		{"a message that is too large", nil, raw(magic, KindExit, MaxMessage+1, ""), nil, "more than"},
		{"the largest length", nil, raw(magic, KindExit, 1<<32-1, ""), nil, "more than"},
		{"a payload where none belongs", nil, raw(magic, KindDone, 1, "x"), nil, "more than"},
		{"another key", bytes.Repeat([]byte{8}, KeySize), whole, ErrForged, ""},
		{"a changed byte", testKey, flipped, ErrForged, ""},
		{"a frame of its own, repeated", testKey, again, ErrForged, ""},
		{"a frame that was left out", testKey, whole[headerSize+tagSize:], ErrForged, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := NewReader(bytes.NewReader(tt.data))
			if tt.key != nil {
				r.Seal(tt.key)
			}
			var err error
			for err == nil {
				_, _, err = r.Next()
			}
			if tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v, want %v %s", err, tt.want, tt.text)
			}
		})
	}
}

func TestTheWriterRefusesWhatTheReaderWould(t *testing.T) {
	var buf bytes.Buffer
	w := NewWriter(&buf)
	for _, k := range []Kind{0, KindDone, KindStdout, KindExit, 255} {
		if err := w.Write(k, make([]byte, max(k.limit(), 0)+1)); err == nil {
			t.Errorf("kind %d took a payload above its limit", k)
		}
	}
	if buf.Len() > 0 {
		t.Error("and sent it")
	}
	data := bytes.Repeat([]byte("z"), 3*MaxChunk+5)
	if err := w.WriteChunks(KindStdout, data); err != nil {
		t.Fatal(err)
	}
	var got []byte
	r := NewReader(&buf)
	for n := 0; ; n++ {
		_, p, err := r.Next()
		if err == io.EOF {
			if n != 4 || !bytes.Equal(got, data) {
				t.Errorf("%d chunks, %d bytes", n, len(got))
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p...)
	}
}

func FuzzReader(f *testing.F) {
	f.Add(sealed(f, nil, KindHello, KindStarted, KindStdout, KindDone), false)
	f.Add(sealed(f, testKey, KindStarted, KindStdout, KindDone), true)
	f.Add(raw(magic, KindExit, 1<<32-1, ""), false)
	f.Add([]byte("any text"), true)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		r := NewReader(bytes.NewReader(data))
		var again bytes.Buffer
		w := NewWriter(&again)
		if seal {
			r.Seal(testKey)
			w.Seal(testKey)
		}
		for {
			k, p, err := r.Next()
			if err != nil {
				break
			}
			if len(p) > k.limit() {
				t.Fatalf("kind %d with %d bytes", k, len(p))
			}
			if err := w.Write(k, p); err != nil {
				t.Fatal(err)
			}
		}
		// What was understood is what was there, byte for byte.
		if !bytes.HasPrefix(data, again.Bytes()) {
			t.Fatalf("%x became %x", data, again.Bytes())
		}
	})
}
