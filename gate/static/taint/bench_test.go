package taint

import (
	"go/build"
	"os"
	"path/filepath"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
)

// BenchmarkNew makes the graph of a large file of Go's standard library.
func BenchmarkNew(b *testing.B) {
	src, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "src", "net", "http", "server.go"))
	if err != nil {
		b.Fatal(err)
	}
	for _, lang := range []gate.Language{gate.LanguageGo, gate.LanguageJavaScript} {
		b.Run(string(lang), func(b *testing.B) {
			text := lex.Scan(lang, src)
			view := text.View(src)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				New(lang, view, text)
			}
		})
	}
}
