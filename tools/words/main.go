package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// The files of this command, below the root of the project.
const (
	wordsFile  = "tools/words/words.yaml"
	countsFile = "tools/words/counts.yaml"
	pagesFile  = "tools/words/pages.yaml"
)

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "words:", err)
	if errors.As(err, new(usageError)) {
		os.Exit(2)
	}
	os.Exit(1)
}

// usageError is a mistake in the arguments or in the two files.
type usageError struct{ error }

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("words", flag.ContinueOnError)
	list := flags.String("list", "", "print every hit below this `FOLDER` (. for all)")
	update := flags.Bool("update", false, "write "+countsFile+" and "+pagesFile)
	pages := flags.Bool("pages", false, "print words, mean sentence and share of long sentences of each page")
	if err := flags.Parse(args); err != nil {
		return usageError{err}
	}
	words, err := readWords(wordsFile)
	if err != nil {
		return usageError{err}
	}
	names, err := tracked()
	if err != nil {
		return usageError{err}
	}
	measured, err := measurePages(os.DirFS("."), names)
	if err != nil {
		return err
	}
	if *pages {
		printPages(out, measured)
		return nil
	}
	hits, err := search(os.DirFS("."), names, words)
	if err != nil {
		return err
	}
	if *list != "" {
		for _, h := range hits {
			if *list == "." || h.file == *list || strings.HasPrefix(h.file, strings.TrimSuffix(*list, "/")+"/") {
				fmt.Fprintln(out, h)
			}
		}
		return nil
	}
	allowed, err := readCounts(countsFile)
	if err != nil {
		return usageError{err}
	}
	limits, err := readPages(pagesFile)
	if err != nil {
		return usageError{err}
	}
	now := countOf(hits)
	if *update {
		if err := writeCounts(countsFile, allowed, now); err != nil {
			return err
		}
		return writePages(pagesFile, better(limits, measured))
	}
	wrong := append(compare(allowed, now), comparePages(limits, measured)...)
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "\n"))
	}
	return nil
}

func printPages(out io.Writer, pages map[string]page) {
	show := func(name string, p page) {
		f := p.figures()
		fmt.Fprintf(out, "%6d words  %3d a sentence  %3d %% long  %s\n", p.words, f.Mean, f.Long, name)
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		show(name, pages[name])
	}
	show("total", total(pages))
}

// tracked are the files of the project, as git lists them.
func tracked() ([]string, error) {
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("list the project's files: %w", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// compare returns a line where a package has more hits than it may, or fewer than counts.yaml says.
func compare(allowed, now map[string]int) []string {
	var wrong []string
	for _, pkg := range slices.Sorted(maps.Keys(now)) {
		if n, most := now[pkg], allowed[pkg]; n > most {
			wrong = append(wrong, fmt.Sprintf("%s has %d words of %s, and %d are allowed: go run ./tools/words -list %[1]s", pkg, n, wordsFile, most))
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(allowed)) {
		if n, most := now[pkg], allowed[pkg]; n < most {
			wrong = append(wrong, fmt.Sprintf("%s has %d words of %s left of %d: go run ./tools/words -update", pkg, n, wordsFile, most))
		}
	}
	return wrong
}
