// Command evidence fits the weights by which agreeing evidence makes a change dangerous, and
// says how well they do on sets that they were not fitted on:
//
//	go run ./gate/lab/evidence
//
// It reads what gate said on the first runs of blind sets (fixtures/blind/first-runs, made of the
// samples.jsonl of command blindrun: id, label, verdict and rules) and writes gate/evidence_weights.go,
// docs/evidence.svg and the figures of docs/evidence.md.
//
// The model is logistic regression with a small ridge penalty over the kinds of evidence
// ([gate.KindsOf]), fitted on the changes that no rule calls dangerous. Its limit is the lowest
// one at which, with each set left out in turn, few honest changes of it would be raised.
//
// It promises that equal input gives equal output. It doesn't know how often changes are
// attacks: in the sets about half of them are, and a likelihood is one for that share.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// run is main with its inputs as arguments; it returns the exit code: 0 written, 1 not, 2 wrong usage.
func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("evidence", flag.ContinueOnError)
	flags.SetOutput(stderr)
	root := flags.String("root", ".", "the `folder` of the repository")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	made, err := build(filepath.Join(*root, "fixtures", "blind", "first-runs"))
	if err != nil {
		fmt.Fprintln(stderr, "evidence:", err)
		return 1
	}
	for name, content := range made {
		if err := write(filepath.Join(*root, name), content); err != nil {
			fmt.Fprintln(stderr, "evidence:", err)
			return 1
		}
	}
	return 0
}

// The sets: what the weights are fitted on, and the later ones that they are measured on.
var (
	fitted   = []string{"pulls-2", "pulls-3", "pulls-4", "pulls-5", "pulls-6", "pulls-7a", "pulls-7b", "pulls-8", "pulls-9", "pulls-10", "pulls-11a", "bombs-1"}
	measured = []string{"pulls-11b", "pulls-12a", "pulls-12b"}
)

// build returns the files that follow from the first runs in a folder, by their paths in the
// repository. The one of documentation holds its figures only.
func build(folder string) (map[string][]byte, error) {
	sets := map[string][]row{}
	for _, name := range slices.Concat(fitted, measured) {
		rows, err := readRows(filepath.Join(folder, name+".jsonl"))
		if err != nil {
			return nil, err
		}
		sets[name] = rows
	}
	m := fitAll(sets)
	weights, err := source(m)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"gate/evidence_weights.go": weights,
		"docs/evidence.svg":        plot(measure(m, sets)),
		"docs/evidence.md":         page(m, sets),
	}, nil
}

// The marks around the figures of the page.
const (
	begins = "<!-- figures: go run ./gate/lab/evidence -->\n"
	ends   = "<!-- end of figures -->\n"
)

// write writes a file. Of a page only the text between the marks changes.
func write(name string, content []byte) error {
	if filepath.Ext(name) != ".md" {
		return os.WriteFile(name, content, 0o644)
	}
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(old, []byte(begins))
	_, after, closed := bytes.Cut(rest, []byte(ends))
	if !ok || !closed {
		return fmt.Errorf("%s has no place for figures", name)
	}
	return os.WriteFile(name, bytes.Join([][]byte{before, []byte(begins), content, []byte(ends), after}, nil), 0o644)
}
