package static_test

import (
	"go/build"
	"os"
	"path/filepath"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/static"
)

// BenchmarkRealFolder scans the folder that GATE_BENCH_FOLDER names, or package net/http, with all
// rules on one core. Its metric is megabytes a second of processor time.
func BenchmarkRealFolder(b *testing.B) {
	folder := os.Getenv("GATE_BENCH_FOLDER")
	if folder == "" {
		folder = filepath.Join(build.Default.GOROOT, "src", "net", "http")
	}
	repo, err := change.Open(b.Context(), []string{folder})
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
	s, err := static.New(static.Options{Policy: gate.DefaultPolicy(), Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	scan := func() {
		if _, err := s.Run(b.Context(), c, gate.NewFindings(c.Targets, nil)); err != nil {
			b.Fatal(err)
		}
	}
	scan() // expressions are made when they are first needed
	b.SetBytes(size)
	before := processorTime()
	for b.Loop() {
		scan()
	}
	if took := processorTime() - before; took > 0 {
		b.ReportMetric(float64(size)*float64(b.N)/1e6/took.Seconds(), "MB/cpu-s")
	}
}
