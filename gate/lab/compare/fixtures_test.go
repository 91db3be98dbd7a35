package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate/lab/eval"
)

var update = flag.Bool("update", false, "write fixtures/corpus/corpus.yaml again")

//go:generate go test -run TestTheCorpusOfTheFixturesIsCurrent . -update

func TestTheCorpusOfTheFixturesIsCurrent(t *testing.T) {
	root := filepath.Join("..", "..", "..", "fixtures")
	want, err := fixtureCorpus(root)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "corpus", eval.CorpusFile)
	if *update {
		if err := put(file, want); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not current; run `make docs` (-want +got):\n%s", file, diff)
	}
	c, err := eval.Open(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
