package static_test

import (
	"bytes"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/versions"
)

// BenchmarkSmallEdit measures three new lines in the middle of a dense file, small and
// large: the comparison of the two versions and the static layer. The metric "readings" is
// that in processor time of the layer for the same file alone.
func BenchmarkSmallEdit(b *testing.B) {
	for _, lang := range languages {
		for _, kib := range []int{100, 5000} {
			b.Run(fmt.Sprintf("%s/%dKiB", lang, kib), func(b *testing.B) { smallEdit(b, lang, mixed(lang, kib, 2)) })
		}
	}
}

func smallEdit(b *testing.B, lang gate.Language, base []byte) {
	s := newScanner(b, nil)
	at := len(base)/2 + bytes.Index(base[len(base)/2:], []byte("\n\n")) + 2
	head := append(append(append([]byte{}, base[:at]...), "one = 1\ntwo = 2\nthree = 3\n"...), base[at:]...)
	first := bytes.Count(base[:at], []byte("\n")) + 1
	const name = "code"
	tree := func(text []byte) fstest.MapFS { return fstest.MapFS{name: {Data: text, Mode: 0o644}} }
	scan := func(kind gate.ChangeKind, c *gate.Change) {
		c.Targets = []*gate.Target{{
			Path: name, Language: lang, Role: gate.RoleSource, Kind: kind, Mode: 0o644, Size: int64(len(head)),
			Lines: gate.OnlyLines(gate.LineRange{first, first + 2}),
		}}
		if _, err := s.Run(b.Context(), c, gate.NewFindings(c.Targets, nil)); err != nil {
			b.Fatal(err)
		}
	}
	alone := &gate.Change{Head: tree(head)}
	scan(gate.ChangeAdded, alone) // expressions are made when they are first needed
	began := processorTime()
	scan(gate.ChangeAdded, alone)
	reading := processorTime() - began
	began = processorTime()
	for b.Loop() {
		versions.Compare(versions.Text{Language: lang, Path: name, Content: base}, versions.Text{Language: lang, Path: name, Content: head})
		scan(gate.ChangeModified, &gate.Change{Head: tree(head), Base: tree(base)})
	}
	each := (processorTime() - began).Seconds() / float64(b.N)
	b.ReportMetric(each, "cpu-s/op")
	b.ReportMetric(each/reading.Seconds(), "readings")
}
