package hosts

import (
	"bytes"
	"testing"
	"testing/fstest"
)

func BenchmarkRead(b *testing.B) {
	text := bytes.Repeat([]byte("resp = client.get(settings.base_url + \"/v1/items\")  # see https://docs.example.com/\n"), 4000)
	base := fstest.MapFS{"a.py": &fstest.MapFile{Data: text}}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Read(b.Context(), base, nil)
	}
}
