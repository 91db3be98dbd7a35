package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	gmtext "github.com/yuin/goldmark/text"

	"github.com/aigate/gate/gate"
)

const permalinks = "https://example.com/blob/0123/"

// detailsPattern is the only markup that the report writes; the titles are
// gate's own words.
var detailsPattern = regexp.MustCompile(`^(</details>|<details><summary>[A-Za-z0-9 (),]+</summary>)$`)

// outsideOfCode is what hostile text would have to leave there to do anything:
// a mention, a reference, an address, markup, or what cannot be seen.
var outsideOfCode = regexp.MustCompile("[@#<>\\[\\]`|~$]|://|www\\.")

// checkMarkdown re-parses the report as GitHub does (tables, strikethrough, task
// lists and bare addresses become markup) and holds every node of the tree
// against what the report may contain.
func checkMarkdown(t *testing.T, s string) {
	t.Helper()
	for _, link := range []bool{false, true} {
		o := Options{Rules: []gate.Rule{{ID: s, Title: s, Why: s, Instead: s}}, FullReport: s, MaxBytes: 20_000}
		if link {
			o.Permalink = func(path string, line int) string { return fmt.Sprintf("%s%s#L%d", permalinks, path, line) }
		}
		md := render(t, "markdown", filled(s), o)
		if len(md) > o.MaxBytes {
			t.Fatalf("%q: %d bytes", s, len(md))
		}
		if err := checkTree(md); err != nil {
			t.Fatalf("%q: %v in:\n%s", s, err, md)
		}
		if !link && strings.Contains(md, permalinks) {
			t.Fatalf("%q: a link that no one asked for", s)
		}
		checkRows(t, s, md)
	}
}

// checkRows splits rows in the crudest way there is, at every pipe: what parsers
// disagree about must not occur.
func checkRows(t *testing.T, s, md string) {
	t.Helper()
	rows := 0
	_, table, _ := strings.Cut(md, "\n| File")
	table = "| File" + table
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		rows++
		if n := strings.Count(line, "|"); n != 8 {
			t.Fatalf("%q: a row with %d pipes: %s", s, n, line)
		}
	}
	parts := min(len(s), 1) // the safe file, where s makes it one that came out of another
	if rows != 2+len(dangerousCase().Files)-parts {
		t.Fatalf("%q: %d rows", s, rows)
	}
}

func checkTree(md string) error {
	src := []byte(md)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser().Parse(gmtext.NewReader(src))
	headings := 0
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document, *ast.Paragraph, *ast.TextBlock, *ast.List, *ast.ListItem, *extast.Table, *extast.TableHeader, *extast.TableRow, *extast.TableCell:
		case *ast.CodeSpan, *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Heading:
			headings++
		case *ast.Emphasis:
		case *ast.Text:
			return ast.WalkContinue, checkWords(string(n.Segment.Value(src)))
		case *ast.Link:
			if d := string(n.Destination); !strings.HasPrefix(d, permalinks) && !strings.HasPrefix(d, "https://example.com/ https") {
				return ast.WalkStop, fmt.Errorf("a link to %q", d)
			}
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				if l := strings.TrimSpace(string(line.Value(src))); !detailsPattern.MatchString(l) {
					return ast.WalkStop, fmt.Errorf("HTML %q", l)
				}
			}
		default:
			return ast.WalkStop, fmt.Errorf("a node of kind %s", n.Kind())
		}
		return ast.WalkContinue, nil
	})
	if err == nil && headings != 1 {
		return fmt.Errorf("%d headings", headings)
	}
	return err
}

func checkWords(s string) error {
	if m := outsideOfCode.FindString(s); m != "" {
		return fmt.Errorf("%q outside of code, in %q", m, s)
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("%U outside of code, in %q", r, s)
		}
	}
	return nil
}

// The checker has to see what it is there for.
func TestTheMarkdownCheckerFindsMarkup(t *testing.T) {
	const head = "### x\n\n"
	if err := checkTree(head + "text `@code <b>` text\n"); err != nil {
		t.Fatal(err)
	}
	for _, md := range []string{
		"@octocat", "see #1", "[x](https://example.org)", "<https://example.org>", "https://example.org", "www.example.org", "a@example.org",
		"![x](y)", "<b>x</b>", "<img src=x>", "\n<details open>\n", "~~x~~", "# y", "> x", "- [ ] x", "\n    code\n", "---", "x[^1]\n\n[^1]: y", "a\u202eb",
	} {
		if err := checkTree(head + md + "\n"); err == nil {
			t.Errorf("%q passed", md)
		}
	}
}

func TestCodeCannotBeLeft(t *testing.T) {
	for in, want := range map[string]string{
		"":         "(empty)",
		"   ":      "(empty)",
		"a":        "`a`",
		"a`b":      "``a`b``",
		"``":       "``` `` ```",
		" a ":      "`  a  `",
		"a\nb":     "`a\\nb`",
		"<b>@x":    "`<b>@x`",
		"a\u202eb": "`a\\u202eb`",
	} {
		if got := code(in); got != want {
			t.Errorf("code(%q) = %s, want %s", in, got, want)
		}
	}
	if got := tableCode(`a\|b`); strings.Contains(got, "|") {
		t.Errorf("a pipe in a cell: %s", got)
	}
}

// FuzzEscapes is FuzzMarkdown without the report around it, which makes it a
// hundred times faster.
func FuzzEscapes(f *testing.F) {
	for _, s := range hostileStrings() {
		f.Add(s, "https://example.com/"+s)
	}
	f.Fuzz(func(t *testing.T, s, address string) {
		s = strings.ToValidUTF8(s, "\uFFFD")
		block, _ := visibleLines(s, 10)
		row := "| " + tableCode(s) + " | " + tableCode(s) + " |\n"
		md := "### " + code(s) + "\n\n| a | b |\n|---|---|\n" + row + "\n- " + code(s) + " (" + code(s) + ")\n  - " + words(s) +
			"\n  - said " + words(s) + "\n\n" + codeBlock(block) + "\n" + linked(code(s), "javascript:"+address) + "\n"
		if strings.Count(row, "|") != 3 {
			t.Fatalf("%q adds cells: %s", s, row)
		}
		if err := checkTree(md); err != nil {
			t.Fatalf("%q: %v in:\n%s", s, err, md)
		}
		for _, r := range md {
			if r != '\n' && !isVisible(r) {
				t.Fatalf("%q: %U in:\n%s", s, r, md)
			}
		}
		link := "### x\n\n| " + linked("text", address) + " | b |\n|---|---|\n| " + linked("text", address) + " | b |\n"
		if strings.Count(link, "|") != 9 || strings.Count(link, "\n") != 5 {
			t.Fatalf("%q breaks out of its link:\n%s", address, link)
		}
	})
}

func TestWordsLeavesOnlyPlainSentencesAlone(t *testing.T) {
	for _, s := range []string{"sends a private key to a server", "runs code (at import time), then hides it", "opens port 4444; waits", "the file's owner"} {
		if got := words(s); got != s {
			t.Errorf("words(%q) = %s", s, got)
		}
	}
	for _, s := range []string{"", "a  b", "1. list", "- list", "see @octocat", "see #1", "www.example.com", "see www. there", "http://x", "a*b*", "a_b_c", "x <b>", "a|b", "GH-12", "deadbeef12", "a `b`", "naïve", "a -- b"} {
		if got := words(s); got == s {
			t.Errorf("%q was left as it is", s)
		}
	}
}

func TestLinkedTakesOnlyAddressesOfWebPages(t *testing.T) {
	for _, bad := range []string{"", "javascript:alert(1)", "data:text/html,x", "//example.com", "/x", "https://", "https://user:pw@example.com/", "ftp://example.com", "https://exa mple.com"} {
		if got := linked("x", bad); got != "x" {
			t.Errorf("linked(%q) = %s", bad, got)
		}
	}
	if got := linked("x", "https://example.com/a b>(c)|`&d"); got != "[x](<https://example.com/a%20b%3E%28c%29%7C%60&amp;d>)" {
		t.Errorf("linked = %s", got)
	}
}

// bigResult is a pull request with n changed files, all of them dangerous.
func bigResult(n int) gate.Result {
	files := make([]gate.FileResult, n)
	for i := range files {
		files[i] = dangerousCase().Files[0]
		files[i].Path = fmt.Sprintf("src/package%04d/file.py", i)
	}
	r := document(gate.DecisionBlock, gate.Dangerous, layersRan(judgeRan(), sandboxRan()), files...)
	for i := range n {
		r.Incomplete = append(r.Incomplete, gate.Gap{Layer: gate.LayerJudge, Path: files[i].Path, Reason: "the time budget of 15m0s was used up"})
	}
	return r
}

func TestMarkdownIsCutAtABorderAndSaysWhereTheRestIs(t *testing.T) {
	big := bigResult(500)
	for _, limit := range []int{minMaxBytes, 10_000, 20_000, GitHubCommentLimit} {
		md := render(t, "markdown", big, Options{MaxBytes: limit, FullReport: "https://example.com/runs/1"})
		if len(md) > limit {
			t.Errorf("%d bytes for a limit of %d", len(md), limit)
		}
		if err := checkTree(strings.ReplaceAll(md, "[here](<https://example.com/runs/1>)", "")); err != nil {
			t.Errorf("cut at %d: %v", limit, err)
		}
		if !strings.HasPrefix(md, "### ⛔ BLOCKED: 500 of 500 files are dangerous") || !strings.Contains(md, "What to do next") {
			t.Errorf("cut at %d, the verdict or the next steps are gone:\n%s", limit, md)
		}
		if !strings.HasSuffix(md, "the whole report is [here](<https://example.com/runs/1>)._\n") {
			t.Errorf("cut at %d, the end does not say where the rest is: %s", limit, md[len(md)-200:])
		}
		if strings.Count(md, "<details>") != strings.Count(md, "</details>") {
			t.Errorf("cut at %d, a fold stays open", limit)
		}
	}
	if whole := render(t, "markdown", dangerousCase(), Options{MaxBytes: GitHubCommentLimit}); strings.Contains(whole, "was cut") {
		t.Error("a report that fits says that it was cut")
	}
	if len(render(t, "markdown", big, Options{})) < GitHubCommentLimit {
		t.Error("the big result is not big enough to be cut")
	}
}
