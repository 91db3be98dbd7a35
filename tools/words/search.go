package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// word is an entry of words.yaml.
type word struct {
	Pattern string `yaml:"pattern"`
	Better  string `yaml:"better"`
	Reason  string `yaml:"reason"`

	re *regexp.Regexp
}

// hit is a word in a text.
type hit struct {
	file string
	line int
	text string
	word word
}

func (h hit) String() string {
	return fmt.Sprintf("%s:%d: %q: better %s (%s)", h.file, h.line, h.text, h.word.Better, h.word.Reason)
}

func readWords(name string) ([]word, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var words []word
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&words); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i := range words {
		w := &words[i]
		if w.Better == "" || w.Reason == "" {
			return nil, fmt.Errorf("%s: entry %d (%s) needs better and reason", name, i+1, w.Pattern)
		}
		if w.re, err = regexp.Compile("(?i)" + w.Pattern); err != nil {
			return nil, fmt.Errorf("%s: entry %d: %w", name, i+1, err)
		}
	}
	return words, nil
}

// search finds the words in the project's own texts, in the order of the names.
func search(fsys fs.FS, names []string, words []word) ([]hit, error) {
	var out []hit
	for _, name := range names {
		if !own(name) {
			continue
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(string(data), "\n") {
			for _, w := range words {
				for _, text := range w.re.FindAllString(line, -1) {
					out = append(out, hit{name, i + 1, text, w})
				}
			}
		}
	}
	return out, nil
}

// own reports whether a file is text that the project writes for people.
func own(name string) bool {
	parts := strings.Split(path.Dir(name), "/")
	if parts[0] == "fixtures" || slices.Contains(parts, "testdata") || slices.Contains(parts, "samples") || path.Dir(name) == "tools/words" || path.Base(name) == "samples.yaml" {
		return false
	}
	switch path.Ext(name) {
	case ".go", ".tmpl":
		return true
	case ".yaml", ".yml":
		return true
	case ".md":
		return !slices.Contains([]string{"CHANGELOG.md", "docs/rules.md", "docs/cli.md", "docs/attacks.md"}, name)
	}
	return false
}

// countOf is the number of hits in each folder.
func countOf(hits []hit) map[string]int {
	out := map[string]int{}
	for _, h := range hits {
		out[path.Dir(h.file)]++
	}
	return out
}
