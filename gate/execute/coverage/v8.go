package coverage

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// v8Report is what Node writes for NODE_V8_COVERAGE, as far as it matters.
type v8Report struct {
	Result []struct {
		ID        string       `json:"scriptId"`
		URL       string       `json:"url"`
		Functions []v8Function `json:"functions"`
	} `json:"result"`
}

type v8Function struct {
	Ranges []v8Range `json:"ranges"`
}

// v8Range is a part of a source, in UTF-16 code units.
type v8Range struct {
	Start int `json:"startOffset"`
	End   int `json:"endOffset"`
	Count int `json:"count"`
}

// The bounds of one report of V8.
const (
	maxV8Scripts = 50_000
	maxV8Ranges  = 200_000
)

// V8 reads the claims of one Node process. root is the folder of the tree in the
// container. erased are the lines of TypeScript that are types only, by path; a
// file in typed of which nothing is erased was run as other text than it has. compiled are
// such texts, with their source maps. What cannot be said of a file is in the reasons.
// stopped is where the process ended, nil where that is not known.
func V8(data []byte, src Sources, root string, erased map[string][]int, compiled Compiled, stopped *Stopped) (Profile, Shapes, map[string]string, error) {
	var r v8Report
	if err := decode(data, &r); err != nil {
		return nil, nil, nil, fmt.Errorf("what Node says about its lines: %w", err)
	}
	if len(r.Result) > maxV8Scripts {
		return nil, nil, nil, fmt.Errorf("what Node says about its lines: more than %d files", maxV8Scripts)
	}
	p, shapes, reasons := Profile{}, Shapes{}, map[string]string{}
	for _, script := range r.Result {
		if text, ok := compiled[script.ID]; ok {
			path, _ := inTree(script.URL, root)
			lines, of, err := text.mapped(script.Functions, src, root)
			if src[path] == text.Source { // what V8 counts is more exact than a map of it
				delete(lines, path)
				delete(of, path)
			}
			if err == nil {
				p.Merge(lines)
				shapes.Merge(of)
			}
			if _, done := lines[path]; done {
				continue
			}
		}
		path, ok := inTree(script.URL, root)
		text, known := src[path]
		if !ok || !known || LinesOf(text) > MaxLines {
			continue
		}
		began := len(script.Functions) > 0 && len(script.Functions[0].Ranges) > 0 && script.Functions[0].Ranges[0].Count > 0
		typed := typedScript(path)
		types, stripped := erased[path]
		switch {
		case typed && !stripped:
			reasons[path] = "it was compiled to other text before it ran"
			shapes.Merge(Shapes{path: {Loaded: began}})
			continue
		}
		functions := withoutAddress(script.Functions, text, script.URL)
		lines, top, ok := v8Lines(text, functions)
		if !ok {
			reasons[path] = "Node ran another text than the file has"
			shapes.Merge(Shapes{path: {Loaded: began}})
			continue
		}
		for _, n := range types {
			delete(lines, n)
		}
		top = slices.DeleteFunc(top, func(r gate.LineRange) bool { _, code := lines[r[0]]; return !code })
		lines.cut(top, path, stopped)
		p.Merge(Profile{path: lines})
		shape := Shape{Top: top, Bodies: v8Bodies(text, functions, lines)}
		shape.Tests, shape.Tested = v8Tests(text, functions)
		shapes.Merge(Shapes{path: shape})
	}
	return p, shapes, reasons, nil
}

// withoutAddress takes back what Node adds to some texts without types, those with letters
// beyond Latin-1: a comment with their address.
func withoutAddress(functions []v8Function, text, address string) []v8Function {
	units := len(utf16.Encode([]rune(strings.TrimPrefix(text, "\uFEFF"))))
	if len(functions) == 0 || len(functions[0].Ranges) == 0 || functions[0].Ranges[0].End != units+len("\n\n//# sourceURL=")+len(address) {
		return functions
	}
	for _, f := range functions {
		for i := range f.Ranges {
			f.Ranges[i].End = min(f.Ranges[i].End, units)
		}
	}
	return functions
}

// cut takes back what V8 cannot know: behind the statement of the top level at which the
// process ended, nothing of the top level ran.
func (l Lines) cut(top []gate.LineRange, path string, at *Stopped) {
	if at == nil {
		return
	}
	for _, f := range at.Frames {
		if f.File != path || !f.Top {
			continue
		}
		for _, r := range top {
			if r[0] > f.Line {
				l[r[0]] = false
			}
		}
	}
}

// Erased reads which lines of TypeScript were types only, by path. A file that is
// in it kept its places.
func Erased(data []byte, src Sources) (map[string][]int, error) {
	var r map[string][]int
	if err := decode(data, &r); err != nil {
		return nil, fmt.Errorf("what Node says about types: %w", err)
	}
	out := map[string][]int{}
	for path, lines := range r {
		text, ok := src[path]
		if !ok {
			continue
		}
		total := LinesOf(text)
		out[path] = nil
		for _, n := range lines {
			if n >= 1 && n <= total {
				out[path] = append(out[path], n)
			}
		}
	}
	return out, nil
}

// inTree returns the path that a file URL, or a path, has in the tree. What is asked of a
// file besides (?v=2) makes another script of the same text.
func inTree(address, root string) (string, bool) {
	if strings.HasPrefix(address, "/") { // as runners name the scripts that they make themselves
		return strings.CutPrefix(address, root+"/")
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	return strings.CutPrefix(u.Path, root+"/")
}

func typedScript(path string) bool {
	for _, ext := range []string{".ts", ".mts", ".cts", ".tsx", ".jsx"} {
		if strings.HasSuffix(path, ext) {
			return true
		}
	}
	return false
}

// v8Lines says of every line with code whether V8 counted any of it. ok is false
// where the claims are about another text: the first range is all of it. top are the
// lines at which statements of the top level begin.
func v8Lines(text string, functions []v8Function) (lines Lines, top []gate.LineRange, ok bool) {
	text = strings.TrimPrefix(text, "\uFEFF")
	units := utf16.Encode([]rune(text))
	ranges, inner, ok := v8Ranges(functions, len(units))
	if !ok {
		return nil, nil, false
	}
	ran, inside := innermost(ranges, len(units)), within(inner, len(units))
	lines = Lines{}
	all, open := scriptLines(units)
	for n, code := range all {
		if len(code) == 0 {
			continue
		}
		lines[n+1] = slices.ContainsFunc(code, func(at int) bool { return ran[at] })
		if open[n] == 0 && !inside[code[0]] {
			top = append(top, gate.LineRange{n + 1, n + 1})
		}
	}
	return lines, top, true
}

// v8Bodies are the lines on which a function begins and ends beside other code, and whether
// each of them was called. One that calls nothing is none: what it would do is in sight.
func v8Bodies(text string, functions []v8Function, lines Lines) map[int]bool {
	units := utf16.Encode([]rune(strings.TrimPrefix(text, "\uFEFF")))
	at, line := make([]int, len(units)+1), 1
	for i, u := range units {
		if at[i] = line; u == '\n' {
			line++
		}
	}
	at[len(units)] = line
	out := map[int]bool{}
	for _, f := range functions {
		if len(f.Ranges) == 0 {
			continue
		}
		r := f.Ranges[0]
		if r.Start < 0 || r.End > len(units) || r.Start >= r.End || r.Start == 0 && r.End == len(units) {
			continue
		}
		if n := at[r.Start]; n == at[r.End-1] && lines[n] && calling.MatchString(string(utf16.Decode(units[r.Start:r.End]))) {
			all, known := out[n]
			out[n] = r.Count > 0 && (all || !known)
		}
	}
	return out
}

// testCall matches what comes before the function of a test.
var testCall = regexp.MustCompile(`(?:^|[^.\w$])(?:test|it|specify)(?:\.(?:skip|only|todo|concurrent|serial|sequential))?\s*\(\s*(?:"[^"\n]*"|'[^'\n]*'|\x60[^\x60]*\x60)\s*,\s*(?:\{[^{}]*\}\s*,\s*)?$`)

// maxTestCall is how far before its function a test begins, in code units.
const maxTestCall = 300

// v8Tests is how many functions of tests a text has by the usual names, and how many of them
// were called. Those within a function that was never called are not among them.
func v8Tests(text string, functions []v8Function) (tests, tested int) {
	units := utf16.Encode([]rune(strings.TrimPrefix(text, "\uFEFF")))
	for _, f := range functions {
		if len(f.Ranges) == 0 {
			continue
		}
		r := f.Ranges[0]
		if r.Start <= 0 || r.Start > len(units) || !testCall.MatchString(string(utf16.Decode(units[max(0, r.Start-maxTestCall):r.Start]))) {
			continue
		}
		if tests++; r.Count > 0 {
			tested++
		}
	}
	return tests, tested
}

// calling matches a function whose body calls something, or reads a property that can.
var calling = regexp.MustCompile(`(?s)(?:=>|\{).*[\w$)\]]\s*(?:\(|\x60|\?\.\()|(?:=>|\{).*\bimport\b`)

// v8Ranges are the ranges of all functions, and those of the functions within the text. ok
// is false where they are about a text of another size.
func v8Ranges(functions []v8Function, size int) (ranges, inner []v8Range, ok bool) {
	whole := false
	for _, f := range functions {
		for i, r := range f.Ranges {
			if r.Start < 0 || r.End < r.Start || r.End > size || r.Count < 0 || len(ranges) == maxV8Ranges {
				return nil, nil, false
			}
			all := r.Start == 0 && r.End == size
			if i == 0 && !all {
				inner = append(inner, r)
			}
			whole = whole || i == 0 && all
			ranges = append(ranges, r)
		}
	}
	return ranges, inner, whole
}

// within says of every code unit whether one of the ranges holds it.
func within(ranges []v8Range, size int) []bool {
	steps := make([]int, size+1)
	for _, r := range ranges {
		steps[r.Start]++
		steps[r.End]--
	}
	out := make([]bool, size)
	depth := 0
	for i := range out {
		depth += steps[i]
		out[i] = depth > 0
	}
	return out
}

// innermost says of every code unit whether the smallest range that holds it was
// counted. Ranges are nested or apart; of those that are not, the later one counts.
func innermost(ranges []v8Range, size int) []bool {
	slices.SortStableFunc(ranges, func(a, b v8Range) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	ran := make([]bool, size)
	var stack []v8Range
	at := 0
	fill := func(to int) {
		if len(stack) > 0 && stack[len(stack)-1].Count > 0 {
			for i := at; i < to; i++ {
				ran[i] = true
			}
		}
		at = max(at, to)
	}
	pop := func(before int) {
		for len(stack) > 0 && stack[len(stack)-1].End <= before {
			fill(min(stack[len(stack)-1].End, size))
			stack = stack[:len(stack)-1]
		}
	}
	for _, r := range ranges {
		pop(r.Start)
		fill(r.Start)
		stack = append(stack, r)
	}
	pop(size)
	for len(stack) > 0 { // ranges that cross each other
		fill(min(stack[len(stack)-1].End, size))
		stack = stack[:len(stack)-1]
	}
	return ran
}
