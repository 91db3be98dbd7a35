package scan_test

import (
	"go/build"
	"path/filepath"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/scan"
)

// BenchmarkScan is the throughput of the static layer with all rules, on one
// core: over clean code, the common case, and over code in which nearly every
// file has findings.
func BenchmarkScan(b *testing.B) {
	for _, corpus := range []struct{ name, dir string }{
		{"standard library net", filepath.Join(build.Default.GOROOT, "src", "net")},
		{"dangerous fixtures", filepath.Join("..", "..", "fixtures", "dangerous")},
	} {
		b.Run(corpus.name, func(b *testing.B) {
			repo, err := change.Open(b.Context(), []string{corpus.dir})
			if err != nil {
				b.Fatal(err)
			}
			defer repo.Close()
			c, err := repo.Folder(b.Context(), change.Options{Paths: gate.DefaultPolicy().Paths})
			if err != nil {
				b.Fatal(err)
			}
			var size int64
			for _, t := range c.Targets {
				size += t.Size
			}
			s, err := scan.New(scan.Options{Policy: gate.DefaultPolicy(), Workers: 1})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(size)
			for b.Loop() {
				if _, err := s.Run(b.Context(), c, gate.NewFindings(c.Targets, nil)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStart is what loading all rules takes, which every run pays.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		if _, err := scan.New(scan.Options{Policy: gate.DefaultPolicy()}); err != nil {
			b.Fatal(err)
		}
	}
}
