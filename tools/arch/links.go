package arch

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// CheckLinks returns the links and the paths in code spans of Markdown pages, by
// path, that lead nowhere: to a file or a folder for which exists is false, or to
// a heading that the page does not have.
func CheckLinks(pages map[string]string, exists func(path string) bool) []string {
	parsed, anchors := map[string]ast.Node{}, map[string]map[string]bool{}
	for at, source := range pages {
		parsed[at] = goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader([]byte(source)))
		anchors[at] = headings(parsed[at], []byte(source))
	}
	var wrong []string
	for _, at := range slices.Sorted(maps.Keys(pages)) {
		source := []byte(pages[at])
		complain := func(format string, args ...any) {
			wrong = append(wrong, at+": "+fmt.Sprintf(format, args...))
		}
		_ = ast.Walk(parsed[at], func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			var target string
			switch n := n.(type) {
			case *ast.Link:
				target = string(n.Destination)
			case *ast.Image:
				target = string(n.Destination)
			case *ast.CodeSpan:
				for _, p := range paths(string(content(n, source))) {
					if !exists(p) {
						complain("`%s` is not in this repository", p)
					}
				}
				return ast.WalkSkipChildren, nil
			default:
				return ast.WalkContinue, nil
			}
			u, err := url.Parse(target)
			if err != nil {
				complain("link to %s: %v", target, err)
				return ast.WalkContinue, nil
			}
			if u.Scheme != "" || u.Host != "" {
				return ast.WalkContinue, nil
			}
			page := at
			if u.Path != "" {
				page = path.Join(path.Dir(at), u.Path)
			}
			if !exists(page) {
				complain("link to %s: there is no %s", target, page)
				return ast.WalkContinue, nil
			}
			if known, ok := anchors[page]; ok && u.Fragment != "" && !known[u.Fragment] {
				complain("link to %s: %s has no heading #%s", target, page, u.Fragment)
			}
			return ast.WalkContinue, nil
		})
	}
	return wrong
}

// headings returns the anchors of a page as GitHub makes them: of the heading's
// text in lower case, letters, digits, hyphens and underscores stay, a blank
// becomes a hyphen, and the second of two equal ones ends with -1.
func headings(page ast.Node, source []byte) map[string]bool {
	out := map[string]bool{}
	_ = ast.Walk(page, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if raw, ok := n.(*ast.RawHTML); ok && entering {
			for i := range raw.Segments.Len() {
				segment := raw.Segments.At(i)
				for _, m := range anchorTag.FindAllSubmatch(segment.Value(source), -1) {
					out[string(m[1])] = true
				}
			}
		}
		h, ok := n.(*ast.Heading)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, string(content(h, source)))
		name := slug
		for i := 1; out[name]; i++ {
			name = fmt.Sprintf("%s-%d", slug, i)
		}
		out[name] = true
		return ast.WalkContinue, nil
	})
	return out
}

var anchorTag = regexp.MustCompile(`\b(?:id|name)="([^"]+)"`)

// content returns the text of a node without its markup.
func content(n ast.Node, source []byte) []byte {
	var out []byte
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			out = append(out, t.Segment.Value(source)...)
			if t.SoftLineBreak() {
				out = append(out, ' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return out
}

// ownPath matches what looks like a file or a folder of this repository: a path
// below one of its own folders. What is below .github is mostly in the repository
// of a reader.
var ownPath = regexp.MustCompile(`^(?:\./)?((?:cmd|gate|sandbox|report|fixtures|tools|docs|\.ci)/[\w./-]*)$`)

// notOurs matches what only looks like a path of this repository: GROUP/ID, which a
// reader fills in, and ids of gate's own rules such as gate/too-many-findings.
var notOurs = regexp.MustCompile(`/[A-Z]+(?:/|$)|^gate/[a-z]+(?:-[a-z]+)+$`)

// paths returns the paths of this repository that a code span names, as a whole
// or as an argument of a command.
func paths(span string) []string {
	var out []string
	for word := range strings.FieldsSeq(span) {
		word = strings.TrimSuffix(word, "/...")
		if m := ownPath.FindStringSubmatch(word); m != nil && !notOurs.MatchString(m[1]) {
			out = append(out, path.Clean(m[1]))
		}
	}
	return out
}

// pageName matches how source names a page of the documentation.
var pageName = regexp.MustCompile(`(?:^|[\s"'(\[` + "`" + `])(docs/[\w-]+\.md)\b`)

// CheckPageNames returns the lines of a text file, which need not be Markdown, that
// name a page of docs/ for which exists is false.
func CheckPageNames(at, source string, exists func(path string) bool) []string {
	var wrong []string
	n := 0
	for line := range strings.Lines(source) {
		n++
		for _, m := range pageName.FindAllStringSubmatch(line, -1) {
			if !exists(m[1]) {
				wrong = append(wrong, fmt.Sprintf("%s:%d: there is no %s", at, n, m[1]))
			}
		}
	}
	return wrong
}
