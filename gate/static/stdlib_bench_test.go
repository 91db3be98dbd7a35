package static_test

import (
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/static"
)

// BenchmarkStandardLibrary scans package net and what is below it with all rules
// on one core, and beside it parses the same files with go/parser: the ratio of
// the two says more than either figure does on a machine that no one knows.
func BenchmarkStandardLibrary(b *testing.B) {
	repo, err := change.Open(b.Context(), []string{filepath.Join(build.Default.GOROOT, "src", "net")})
	if err != nil {
		b.Fatal(err)
	}
	defer repo.Close()
	c, err := repo.Folder(b.Context(), change.Options{Paths: gate.DefaultPolicy().Paths})
	if err != nil {
		b.Fatal(err)
	}
	sources := map[string][]byte{}
	var size int64
	kept := c.Targets[:0]
	for _, t := range c.Targets {
		if data, err := c.Read(t, 1<<20); err == nil && strings.HasSuffix(t.Path, ".go") && !strings.Contains(t.Path, "testdata") {
			sources[t.Path], kept = data, append(kept, t)
			size += int64(len(data))
		}
	}
	c.Targets = kept
	b.Run("gate", func(b *testing.B) {
		s, err := static.New(static.Options{Policy: gate.DefaultPolicy(), Workers: 1})
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
	b.Run("go parser", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			for name, data := range sources {
				if _, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ParseComments); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
