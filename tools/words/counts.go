package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readCounts reads how many words each package may have; a file that is not there allows none.
func readCounts(name string) (map[string]int, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]int{}, nil
	}
	if err != nil {
		return nil, err
	}
	var out map[string]int
	if err := yaml.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

// writeCounts writes the counts of today. It refuses a package that has more than before;
// the first time there is nothing before.
func writeCounts(name string, before, now map[string]int) error {
	var out strings.Builder
	out.WriteString("# How many words of words.yaml each package still has; written by go run ./tools/words -update.\n")
	for _, pkg := range slices.Sorted(maps.Keys(now)) {
		if len(before) > 0 && now[pkg] > before[pkg] {
			return fmt.Errorf("%s has %d words of %s, more than the %d before: replace them", pkg, now[pkg], wordsFile, before[pkg])
		}
		fmt.Fprintf(&out, "%s: %d\n", pkg, now[pkg])
	}
	return os.WriteFile(name, []byte(out.String()), 0o644)
}

// readPages reads the limits of the pages; a file that is not there has none.
func readPages(name string) (map[string]figures, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]figures{}, nil
	}
	if err != nil {
		return nil, err
	}
	var out map[string]figures
	if err := yaml.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

func writePages(name string, pages map[string]figures) error {
	var out strings.Builder
	fmt.Fprintf(&out, "# Words of each page, the mean words of its sentences, and the percentage of sentences above %d words.\n", longSentence)
	out.WriteString("# The last two may only improve for all pages together, and for pages above 16 words or 25 %; written by go run ./tools/words -update.\n")
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		f := pages[page]
		fmt.Fprintf(&out, "%s: {words: %d, mean: %d, long: %d}\n", page, f.Words, f.Mean, f.Long)
	}
	return os.WriteFile(name, []byte(out.String()), 0o644)
}
