package report

import (
	"encoding/xml"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

// filled returns a result in which every string that is not an enumeration is s.
func filled(s string) gate.Result {
	r := dangerousCase()
	r.Incomplete = []gate.Gap{{Layer: gate.LayerJudge, Path: "x", Reason: "x"}}
	r.Skipped = []gate.Skip{{Path: "x", Reason: "x"}}
	r.Layers[1].Reason = "x"
	r.Override = &gate.Overridden{By: hostileText, Label: hostileText, Reason: hostileText, Decision: gate.DecisionBlock}
	r.Files[0].OldPath = "x"
	r.Files[0].Findings[0].Origin = "x"
	fill(reflect.ValueOf(&r).Elem(), s)
	for i := range r.Files {
		r.Files[i].Attribution.Basis = "marked"
	}
	return r
}

func fill(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, s)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem(), s)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(v.Index(i), s)
		}
	case reflect.Map:
		v.SetMapIndex(reflect.ValueOf(s), reflect.ValueOf(1))
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(s)
		}
	}
}

// hostileStrings are the seeds of the fuzz tests too.
func hostileStrings() []string {
	return []string{
		"x", "", " ", "\n", "`", "``", " ` ", "|", `\|`, `\`, "x\\", hostileText, hostileBlock,
		"\x1b[31m", "\u009b31m", "\u202e", "\u2066a\u2069", "a\u0301\u0301\u0301\u0301\u0301\u0301", "\U000e0001", "\ufeff",
		"@octocat", "#1", "octo/repo#1", "https://example.com", "www.example.com", "www.", "WWW. a", "a@example.com", "<b>", "</summary>", "<!--", "&lt;",
		"[x](y)", "![x](y)", "[x]: https://example.com", "[^1]", "- [ ] x", "1. x", "1) x", "# x", "> x", "---", "===", "```\nx", "~~~", "| a |\n|---|",
		"    x", "\tx", "$x$", ":smile:", "~~x~~", "**x**", "__x__", "]]>", "<?xml?>", "{{.}}", "::set-output name=a::b", "##[error]x", "a\r\nb", "\x00", "\xff",
		"</script><script>", "\" onload=\"x", "' x='", "javascript:alert(1)", "https://example.com/ https://example.com",
	}
}

// coloursOfOurs are the only sequences that text may send to a terminal.
var coloursOfOurs = regexp.MustCompile("\x1b\\[(0|1|2|1;31|32|33|35|36)m")

// checkText: nothing but line feeds and our own colours controls the terminal,
// and nothing is hidden or reordered.
func checkText(t *testing.T, s string) {
	t.Helper()
	for _, colour := range []bool{false, true} {
		out := render(t, "text", filled(s), Options{Color: colour, Verbose: true, Rules: []gate.Rule{{ID: s, Title: s, Why: s, Instead: s}}})
		if colour {
			if !strings.Contains(out, "\x1b[") {
				t.Errorf("no colour in colour")
			}
			out = coloursOfOurs.ReplaceAllString(out, "")
		}
		for _, r := range out {
			if r != '\n' && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Variation_Selector) ||
				unicode.IsSpace(r) && r != ' ') {
				t.Fatalf("%q: %U in the output:\n%q", s, r, out)
			}
		}
	}
}

var (
	tagPattern       = regexp.MustCompile(`<[^>]*>`)
	attributePattern = regexp.MustCompile(`"[^"]*"`)
)

// tags returns the markup of a page without the values of its attributes.
func tags(page string) []string {
	var out []string
	for _, tag := range tagPattern.FindAllString(page, -1) {
		out = append(out, attributePattern.ReplaceAllString(tag, `""`))
	}
	return out
}

// checkHTML: hostile text changes no tag of the page.
func checkHTML(t *testing.T, s string) {
	t.Helper()
	o := func(s string) Options {
		return Options{Rules: []gate.Rule{{ID: strings.ToValidUTF8(s, "\uFFFD"), Instead: s}}}
	}
	want := tags(render(t, "html", filled("x"), o("x")))
	got := tags(render(t, "html", filled("x"+s), o("x"+s)))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q changes the page:\n%s", s, diff)
	}
}

// skeleton returns the elements and attribute names of an XML document.
func skeleton(t *testing.T, doc string) []string {
	t.Helper()
	var out []string
	dec := xml.NewDecoder(strings.NewReader(doc))
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, doc)
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := "<" + e.Name.Local
			for _, a := range e.Attr {
				name += " " + a.Name.Local
			}
			out = append(out, name)
		case xml.EndElement:
			out = append(out, "/"+e.Name.Local)
		case xml.Comment, xml.Directive:
			out = append(out, "!")
		}
	}
}

// checkJUnit: hostile text gives well-formed XML of the same structure.
func checkJUnit(t *testing.T, s string) {
	t.Helper()
	want := skeleton(t, render(t, "junit", filled("x"), Options{}))
	got := skeleton(t, render(t, "junit", filled("x"+s), Options{}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q changes the document:\n%s", s, diff)
	}
}

func TestHostileTextStaysTextInEveryFormat(t *testing.T) {
	for _, s := range hostileStrings() {
		checkText(t, s)
		checkMarkdown(t, s)
		checkHTML(t, s)
		checkJUnit(t, s)
		checkSARIF(t, s)
	}
}

func FuzzText(f *testing.F)     { fuzzed(f, checkText) }
func FuzzMarkdown(f *testing.F) { fuzzed(f, checkMarkdown) }
func FuzzHTML(f *testing.F)     { fuzzed(f, checkHTML) }
func FuzzJUnit(f *testing.F)    { fuzzed(f, checkJUnit) }

func fuzzed(f *testing.F, check func(*testing.T, string)) {
	for _, s := range hostileStrings() {
		f.Add(s)
	}
	f.Fuzz(check)
}

// runnerCommand is what the GitHub Actions runner takes for a command when a
// step prints it.
var runnerCommand = regexp.MustCompile(`(?m)^\s*::|##\[`)

func TestFormatsPrintNoCommandOfTheRunner(t *testing.T) {
	const command = "::set-output name=verdict::pass\n  ::add-mask::x\n\t::stop-commands::y\n##[group]x ###[error]"
	r := filled(command)
	r.Files[0].Path = command
	for _, format := range Formats() {
		for _, o := range []Options{{Verbose: true}, {Verbose: true, Source: func(string, int, int) []string { return strings.Split(command, "\n") }}} {
			out := render(t, format, r, o)
			if m := runnerCommand.FindString(out); m != "" {
				t.Errorf("%s has %q:\n%s", format, m, out)
			}
			if !strings.Contains(out, "add-mask") {
				t.Errorf("%s does not show the text at all", format)
			}
		}
	}
	saved := render(t, "json", dangerousCase(), Options{})
	saved = strings.Replace(saved, "sends a private key", "##[error] ::x:: sends a private key", 1)
	first, err := Decode(strings.NewReader(saved))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(strings.NewReader(render(t, "json", first, Options{})))
	if diff := cmp.Diff(first, again); diff != "" || err != nil {
		t.Errorf("breaking the command changed what the document says: %v\n%s", err, diff)
	}
}

func TestVisibleShowsWhatCannotBeSeen(t *testing.T) {
	for in, want := range map[string]string{
		"plain text":                      "plain text",
		"Grüße, 漢字, עברית":                "Grüße, 漢字, עברית",
		"a\tb\nc\r":                       `a\tb\nc\r`,
		"\x1b[31m":                        `\x1b[31m`,
		"\u009b":                          `\x9b`,
		"user\u202Egpj.exe":               `user\u202egpj.exe`,
		"zero\u200bwidth":                 `zero\u200bwidth`,
		"tag\U000E0041":                   `tag\U000e0041`,
		"filler\u3164":                    `filler\u3164`,
		"blank\u2800":                     `blank\u2800`,
		"nb\u00a0sp":                      `nb\xa0sp`,
		"private\ue000":                   `private\ue000`,
		"\xff":                            `\xff`,
		"heart\u2764\ufe0f":               "heart\u2764" + `\ufe0f`,
		"e\u0301":                         "e\u0301",
		"z" + strings.Repeat("\u0301", 6): "z" + strings.Repeat("\u0301", 4) + `\u0301\u0301`,
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestColumnsCountsWhatATerminalDraws(t *testing.T) {
	for s, want := range map[string]int{"abc": 3, "漢字": 4, "ｆ": 2, "e\u0301": 1, "": 0, "🙂": 2, "é": 1} {
		if got := columns(s); got != want {
			t.Errorf("columns(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestShortenedKeepsTheEndOfAPath(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{
		{"a/b.py", 6, "a/b.py"},
		{"very/long/path.py", 8, "…path.py"},
		{"漢字漢字.py", 8, "…漢字.py"},
		{"漢字漢字.py", 7, "…字.py"},
	} {
		if got := shortened(c.s, c.n); got != c.want || columns(got) > c.n {
			t.Errorf("shortened(%q, %d) = %q, want %q", c.s, c.n, got, c.want)
		}
	}
}

func TestWrappedLosesNothingAndFits(t *testing.T) {
	for _, s := range []string{"", "a", "a few words that go on", strings.Repeat("x", 100), "漢字 " + strings.Repeat("漢", 40), "a  b   c", strings.Repeat(" ", 90) + "z"} {
		got := wrapped(s, 20)
		for _, l := range got {
			if columns(l) > 20 {
				t.Errorf("%q has a line of %d columns: %q", s, columns(l), l)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(strings.Join(got, "")) != squeeze(s) {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestTextFitsTheTerminal(t *testing.T) {
	for _, width := range []int{MinWidth, 80, 120} {
		for _, c := range cases() {
			for line := range strings.Lines(render(t, "text", c.result, Options{Width: width, Rules: documentedRules()})) {
				line = strings.TrimSuffix(line, "\n")
				if n := columns(line); n > width && line != Headline(c.result) { // one line, whatever its length
					t.Errorf("%s at %d columns has a line of %d: %q", c.name, width, n, line)
				}
			}
		}
	}
}

func TestTextFoldsAndSaysSo(t *testing.T) {
	var files []gate.FileResult
	for range 30 {
		files = append(files, file("safe/"+strings.Repeat("a", len(files)+1)+".py", gate.Safe, 0))
	}
	files = append(files, file("bad.py", gate.Suspicious, 30, found(gate.LayerStatic, "a/b", gate.SeveritySuspicious, 1, "bad", "")))
	r := document(gate.DecisionPass, gate.Suspicious, layersRan(judgeRan(), sandboxRan()), files...)
	for range 25 {
		r.Skipped = append(r.Skipped, gate.Skip{Path: "vendor/x", Reason: "excluded"})
	}
	short, long := render(t, "text", r, Options{}), render(t, "text", r, Options{Verbose: true})
	for _, want := range []string{"30 more files SAFE (--verbose lists them)", "... 5 more files (--verbose lists them)", "bad.py"} {
		if !strings.Contains(short, want) {
			t.Errorf("%q is missing in:\n%s", want, short)
		}
	}
	if strings.Contains(long, "--verbose") || strings.Count(long, "vendor/x") != 25 || strings.Count(long, "safe/") != 30 {
		t.Errorf("verbose folds:\n%s", long)
	}
	if first, _, _ := strings.Cut(short, "\n"); !strings.HasSuffix(strings.TrimRight(long, "\n"), first) {
		t.Errorf("a long report does not end with its verdict %q", first)
	}
}

func TestALongTableIsCutAtItsEnd(t *testing.T) {
	var files []gate.FileResult
	for i := range textRows + 5 {
		files = append(files, file(strings.Repeat("x", i+1)+".py", gate.Incomplete, 30))
	}
	r := document(gate.DecisionIncomplete, gate.Incomplete, layersRan(judgeRan(), sandboxRan()), files...)
	for verbose, want := range map[bool]int{false: textRows, true: textRows + 5} {
		out := render(t, "text", r, Options{Verbose: verbose})
		if got := strings.Count(out, "x.py"); got != want || strings.Contains(out, "5 more files below") == verbose {
			t.Errorf("verbose %v: %d rows, want %d, in:\n%s", verbose, got, want, out)
		}
	}
}

func TestFormatsListWhatIsSuppressedWithWhoAndWhy(t *testing.T) {
	r := suppressedCase()
	for _, format := range Formats() {
		out := strings.Join(strings.Fields(render(t, format, r, Options{})), " ")
		for _, f := range r.Files[0].Findings {
			if f.Suppressed == nil {
				continue
			}
			for _, want := range []string{f.Rule, f.Suppressed.By, f.Suppressed.Reason} {
				if !strings.Contains(out, want) {
					t.Errorf("%s does not say %q", format, want)
				}
			}
		}
	}
	if out := render(t, "sarif", r, Options{}); strings.Count(out, `"kind": "inSource"`) != 1 || strings.Count(out, `"kind": "external"`) != 3 {
		t.Errorf("sarif does not tell comments from the baseline:\n%s", out)
	}
}

func TestFormatsSayWhatWasNotLookedAt(t *testing.T) {
	r := document(gate.DecisionIncomplete, gate.Incomplete, layersRan(judgeRan(), sandboxRan()), file("a.py", gate.Incomplete, 30))
	r.Incomplete = []gate.Gap{{Layer: gate.LayerSandbox, Path: "a.py", Reason: "the-gap-reason"}}
	r.Skipped = []gate.Skip{{Path: "left-out.bin", Reason: "the-skip-reason"}}
	for _, format := range Formats() {
		out := render(t, format, r, Options{Verbose: true})
		if !strings.Contains(out, "the-gap-reason") {
			t.Errorf("%s does not say what is incomplete", format)
		}
		// These two list results and tests, and what policy leaves out is neither.
		if !slices.Contains([]string{"sarif", "junit"}, format) && !strings.Contains(out, "the-skip-reason") {
			t.Errorf("%s does not say what was left out", format)
		}
	}
}

func TestNotesAreACountButWhatIsSuppressedIsListed(t *testing.T) {
	note := found(gate.LayerStatic, "a/plain-note", gate.SeverityNote, 1, "noted", "")
	silenced := found(gate.LayerStatic, "a/silenced-note", gate.SeverityNote, 2, "noted too", "")
	silenced.Suppressed = &gate.Suppression{By: "somebody", Reason: "knows better"}
	r := document(gate.DecisionPass, gate.Safe, layersRan(judgeRan(), sandboxRan()), file("a.py", gate.Safe, 3, note, silenced))
	for _, format := range []string{"text", "markdown"} {
		out := render(t, format, r, Options{})
		if strings.Contains(out, "plain-note") || !strings.Contains(out, "1 note not listed") {
			t.Errorf("%s does not fold the note:\n%s", format, out)
		}
		if !strings.Contains(out, "silenced-note") || !strings.Contains(out, "somebody") || !strings.Contains(out, "knows better") {
			t.Errorf("%s hides what is suppressed:\n%s", format, out)
		}
	}
	if out := render(t, "text", r, Options{Verbose: true}); !strings.Contains(out, "plain-note") {
		t.Errorf("verbose text does not list the note:\n%s", out)
	}
}

func TestTheWorstFilesComeFirst(t *testing.T) {
	r := document(gate.DecisionBlock, gate.Dangerous, layersRan(judgeRan(), sandboxRan()),
		file("d.py", gate.Safe, 2), file("c.py", gate.Suspicious, 40), file("a.py", gate.Dangerous, 75), file("b.py", gate.Dangerous, 90), file("e.py", gate.Incomplete, 30))
	want := []string{"b.py", "a.py", "e.py", "c.py", "d.py"}
	for _, format := range []string{"text", "markdown", "html"} {
		out := render(t, format, r, Options{})
		var at []int
		for _, name := range want {
			at = append(at, strings.Index(out, name))
		}
		if slices.Contains(at, -1) || !slices.IsSorted(at) {
			t.Errorf("%s lists %v at %v", format, want, at)
		}
	}
}
