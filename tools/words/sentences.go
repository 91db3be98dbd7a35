package main

import (
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// A sentence of more words than this is long.
const longSentence = 20

// fine is what every page may have. Pages that are better may get up to it, as long as all
// pages together do not get worse.
var fine = figures{Mean: 16, Long: 25}

// all is the name in pages.yaml for all pages together.
const all = "all"

// figures are the measure of a page: the mean number of words in a sentence, and the share of
// long sentences in percent. Both are rounded up, so that one edit does not fail by a fraction.
type figures struct {
	Words int `yaml:"words"`
	Mean  int `yaml:"mean"`
	Long  int `yaml:"long"`
}

// page is what was counted in one page.
type page struct {
	words     int   // of all hand-written text, as wc -w counts
	sentences []int // the words of each sentence of prose
}

func (p page) figures() figures {
	total, long := 0, 0
	for _, n := range p.sentences {
		total += n
		if n > longSentence {
			long++
		}
	}
	n := max(1, len(p.sentences))
	return figures{p.words, ceil(total, n), ceil(100*long, n)}
}

func ceil(a, b int) int { return int(math.Ceil(float64(a) / float64(b))) }

// pageNames are the pages that people write: the list leaves out what is generated as a whole.
func pageNames(names []string) []string {
	var out []string
	for _, name := range names {
		root := slices.Contains([]string{"README.md", "CONTRIBUTING.md", "SECURITY.md"}, name)
		docs := path.Dir(name) == "docs" && path.Ext(name) == ".md"
		if root || docs && !slices.Contains([]string{"docs/rules.md", "docs/cli.md", "docs/flows.md"}, name) {
			out = append(out, name)
		}
	}
	return out
}

func measurePages(fsys fs.FS, names []string) (map[string]page, error) {
	out := map[string]page{}
	for _, name := range pageNames(names) {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		out[name] = measure(string(data))
	}
	return out, nil
}

// generated matches the parts of a page that a program writes, with their marks.
var generated = regexp.MustCompile(`(?s)<!-- (?:written by|table: |gate attack[^:]*: begin|[\w-]+: generated).*?<!-- (?:end|/).*?-->|<!-- gate attack[^:]*: begin.*?gate attack[^:]*: end -->`)

// measure counts the words of a page, and those of each sentence in its paragraphs and lists.
// Tables, headings and code count as words only.
func measure(source string) page {
	source = generated.ReplaceAllString(source, "")
	out := page{words: len(strings.Fields(source))}
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader([]byte(source)))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			out.sentences = append(out.sentences, sentences(prose(n, []byte(source)))...)
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return out
}

// prose is the text of a paragraph; a span of code counts as one word.
func prose(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			out.WriteString("Code")
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			out.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// sentenceEnd matches the end of a sentence: a mark, and a capital, a digit or a quote after it.
var sentenceEnd = regexp.MustCompile(`[.!?]["')\]]*\s+(["'(]*[A-Z0-9])`)

func sentences(paragraph string) []int {
	var out []int
	add := func(s string) {
		if n := len(strings.Fields(s)); n > 0 {
			out = append(out, n)
		}
	}
	begin := 0
	for _, m := range sentenceEnd.FindAllStringSubmatchIndex(paragraph, -1) {
		add(paragraph[begin:m[2]])
		begin = m[2]
	}
	add(paragraph[begin:])
	return out
}

// comparePages returns a line for each page, and for all of them together, that is worse than
// pages.yaml allows.
func comparePages(allowed map[string]figures, now map[string]page) []string {
	var wrong []string
	check := func(name string, f, most figures) {
		if f.Mean > most.Mean || f.Long > most.Long {
			wrong = append(wrong, fmt.Sprintf("%s: %d words a sentence (at most %d), %d %% of the sentences above %d words (at most %d %%): shorten some", name, f.Mean, most.Mean, f.Long, longSentence, most.Long))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		most := allowed[name]
		check(name, now[name].figures(), figures{Mean: max(most.Mean, fine.Mean), Long: max(most.Long, fine.Long)})
	}
	if most, listed := allowed[all]; listed {
		check(all, total(now).figures(), most)
	}
	return wrong
}

// better is what pages.yaml says after an update: never more than before. Words are for
// information.
func better(allowed map[string]figures, now map[string]page) map[string]figures {
	out := map[string]figures{}
	now = maps.Clone(now)
	now[all] = total(now)
	for name, p := range now {
		f := p.figures()
		if most, listed := allowed[name]; listed {
			f.Mean, f.Long = min(f.Mean, most.Mean), min(f.Long, most.Long)
		}
		out[name] = f
	}
	return out
}

// total joins all pages into one.
func total(pages map[string]page) page {
	var out page
	for _, p := range pages {
		out.words += p.words
		out.sentences = append(out.sentences, p.sentences...)
	}
	return out
}
