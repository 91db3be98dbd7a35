package report

import (
	"io"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// The big result is that of a pull request with 3,000 dangerous files.
func BenchmarkFormats(b *testing.B) {
	big := bigResult(3000)
	for _, format := range Formats() {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				h, err := New(format, io.Discard, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if err := gate.Replay(big, h); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	doc := render(b, "json", bigResult(3000), Options{})
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, err := Decode(strings.NewReader(doc)); err != nil {
			b.Fatal(err)
		}
	}
}
