package cache

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"
)

var today = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func entry(t testing.TB, id identity, made time.Time, content string) []byte {
	t.Helper()
	data, err := encode(id, made, []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// sealed is an entry with a forged checksum.
func sealed(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append(slices.Clip(body), sum[:]...)
}

// forged is an entry of a forger who knows the form.
func forged(id identity, size uint32, packed []byte) []byte {
	body := append([]byte(magic), id[:]...)
	body = binary.BigEndian.AppendUint64(body, uint64(today.Unix()))
	body = binary.BigEndian.AppendUint32(body, size)
	return sealed(append(body, packed...))
}

func packed(t testing.TB, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestABrokenEntryIsNoEntry(t *testing.T) {
	id := identify("judge", "k")
	good := entry(t, id, today, "content")
	flipped := func(at int) []byte {
		b := slices.Clone(good)
		b[(at+len(b))%len(b)] ^= 1
		return b
	}
	text := packed(t, []byte("content"))
	tests := map[string]struct {
		data []byte
		err  string // part of it; "" for a valid one
	}{
		"a whole one":                    {good, ""},
		"one of a day before":            {entry(t, id, today.Add(-24*time.Hour), "content"), ""},
		"one of a clock that goes wrong": {entry(t, id, today.Add(skew), "content"), ""},
		"nothing":                        {nil, "are no entry"},
		"the beginning":                  {good[:len(good)-1], "checksum"},
		"something behind it":            {append(slices.Clone(good), 0), "checksum"},
		"a flipped bit in the content":   {flipped(headerLen + 2), "checksum"},
		"a flipped bit in the header":    {flipped(len(magic) + 33), "checksum"},
		"a flipped bit in the checksum":  {flipped(-1), "checksum"},
		"zeros":                          {make([]byte, 500), "checksum"},
		"too much":                       {make([]byte, maxStored+1), "are no entry"},
		"the entry of another key":       {entry(t, identify("judge", "x"), today, "content"), "another key"},
		"the entry of another space":     {entry(t, identify("sandbox", "k"), today, "content"), "another key"},
		"one of another version":         {sealed(append([]byte("gate cache 2\n"), good[len(magic):len(good)-trailerLen]...)), "version"},
		"one that is too old":            {entry(t, id, today.Add(-31*24*time.Hour), "content"), "too old"},
		"one from the future":            {entry(t, id, today.Add(2*time.Hour), "content"), "future"},
		"one of a time that overflows":   {entry(t, id, time.Unix(-1<<62, 0), "content"), "old"},
		"a length that is too short":     {forged(id, 6, text), "as long as"},
		"a length that is too long":      {forged(id, 8, text), "as long as"},
		"a length beyond all bounds":     {forged(id, 1<<32-1, text), "4294967295"},
		"content that does not unpack":   {forged(id, 7, []byte{0xff, 0xff}), "unpack"},
		"content that is cut":            {forged(id, 7, text[:len(text)-3]), "unpack"},
		"bytes behind the content":       {forged(id, 7, append(slices.Clone(text), 0)), "follows"},
		"a bomb":                         {forged(id, 7, packed(t, make([]byte, 64<<20))), "as long as"},
	}
	for name, tt := range tests {
		got, err := decode(tt.data, id, today, DefaultMaxAge)
		switch {
		case tt.err == "" && (err != nil || string(got) != "content"):
			t.Errorf("%s: %q, %v", name, got, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) || got != nil):
			t.Errorf("%s: %q, %v; want an error with %q", name, got, err, tt.err)
		}
	}
}

func TestContentBeyondTheBoundsIsNotWritten(t *testing.T) {
	if _, err := encode(identity{}, today, make([]byte, MaxContent+1)); err == nil {
		t.Error("more than MaxContent is taken")
	}
	var noise []byte // nothing that compresses
	for i := uint32(0); len(noise) < maxStored; i++ {
		sum := sha256.Sum256(binary.BigEndian.AppendUint32(nil, i))
		noise = append(noise, sum[:]...)
	}
	if data, err := encode(identity{}, today, noise); err == nil {
		t.Errorf("%d bytes on the disk are taken", len(data))
	}
}

func FuzzDecode(f *testing.F) {
	id := identify("judge", "k")
	f.Add(entry(f, id, today, "content"), true)
	f.Add(forged(id, 7, packed(f, []byte("content"))), false)
	f.Add([]byte(magic), true)
	f.Add(binary.BigEndian.AppendUint32([]byte(magic), 7), true)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal { // past the checksum, where a fuzzer never gets by itself
			data = sealed(data)
		}
		content, err := decode(data, id, today, DefaultMaxAge)
		if err != nil {
			if content != nil {
				t.Errorf("content with error %v", err)
			}
			return
		}
		if len(content) > MaxContent {
			t.Errorf("%d bytes", len(content))
		}
		again, err := encode(id, today, content)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := decode(again, id, today, DefaultMaxAge); err != nil || !bytes.Equal(same, content) {
			t.Errorf("%q became %q, %v", content, same, err)
		}
	})
}
