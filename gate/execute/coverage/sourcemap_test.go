package coverage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// compiledClaims are those of V8 about a compiled text whose function from "skip" to its
// end did not run.
func compiledClaims(source, skip, url string) []byte {
	var functions []v8Function
	functions = append(functions, v8Function{Ranges: []v8Range{{Start: 0, End: len(source), Count: 1}}})
	if at := strings.Index(source, skip); skip != "" && at >= 0 {
		end := at + strings.IndexByte(source[at:], '}') + 1
		functions = append(functions, v8Function{Ranges: []v8Range{{Start: at, End: end, Count: 0}}})
	}
	data, _ := json.Marshal(map[string]any{"result": []any{map[string]any{"scriptId": "7", "url": url, "functions": functions}}})
	return data
}

func TestLinesOfACompiledTextAreThoseThatItsSourceMapNames(t *testing.T) {
	const file = "type T = string;\nexport const one = (a: T) => {\n  return a;\n};\none('x');\n"
	const source = "const one = (a) => {\nreturn a;\n};\none('x');\n"
	// By hand: compiled lines 1 to 4 come from lines 2 to 5.
	const mappings = "AACA;AACA;AACA;AACA"
	mapOf := func(about ...string) json.RawMessage {
		data, _ := json.Marshal(map[string]any{"version": 3, "sources": about, "mappings": mappings})
		return data
	}
	for _, tt := range []struct {
		name, url, skip string
		text            CompiledText
		want            string
	}{
		{"as a runner compiles it", "/workspace/src/a.ts", "", CompiledText{Source: source, From: "file:///workspace/src/a.ts", Map: mapOf("a.ts")}, "2 3 5"},
		{"what did not run", "file:///workspace/src/a.ts?v=2", "(a) =>", CompiledText{Source: source, From: "file:///workspace/src/a.ts", Map: mapOf("a.ts")}, "2 -3 5"},
		{"built into another folder", "file:///workspace/dist/a.js", "", CompiledText{Source: source, From: "file:///workspace/dist/a.js.map", Map: mapOf("../src/a.ts")}, "2 3 5"},
		{"a wrapper before it", "/workspace/src/a.ts", "", CompiledText{Source: "async()=>{" + source, Column: -10, From: "file:///workspace/src/a.ts", Map: mapOf("a.ts")}, "2 3 5"},
		{"about a file that is not of the change", "/workspace/src/a.ts", "", CompiledText{Source: source, From: "file:///workspace/src/a.ts", Map: mapOf("b.ts")}, ""},
		{"about a file outside of the tree", "/workspace/src/a.ts", "", CompiledText{Source: source, From: "file:///workspace/src/a.ts", Map: mapOf("../../../etc/a.ts")}, ""},
		{"a map that is none", "/workspace/src/a.ts", "", CompiledText{Source: source, From: "file:///workspace/src/a.ts", Map: json.RawMessage(`{"version":2}`)}, ""},
		{"another text than that of the claims", "/workspace/src/a.ts", "", CompiledText{Source: source[:9], From: "file:///workspace/src/a.ts", Map: mapOf("a.ts")}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			whole := max(len(tt.text.Source), len(source))
			claims := compiledClaims(strings.Repeat(" ", whole-len(tt.text.Source))+tt.text.Source, tt.skip, tt.url)
			p, shapes, reasons, err := V8(claims, Sources{"src/a.ts": file}, "/workspace", nil, Compiled{"7": tt.text}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := shown(p["src/a.ts"]); got != tt.want {
				t.Errorf("got %q, want %q (%v)", got, tt.want, reasons)
			}
			if tt.want != "" && (!shapes["src/a.ts"].Loaded || len(shapes["src/a.ts"].Top) != 2) {
				t.Errorf("shape %v", shapes["src/a.ts"])
			}
		})
	}
}

func TestNumbersOfASourceMap(t *testing.T) {
	for text, want := range map[string][]int{
		"AAAA": {0, 0, 0, 0}, "AACA": {0, 0, 1, 0}, "D": {-1}, "gB": {16}, "hB": {-16}, "+/////B": {1<<30 - 1}, "+//////B": nil, "g": nil, "!": nil, "AAAAAA": nil,
	} {
		if got, ok := vlq(text); ok != (want != nil) || ok && !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", text, got, ok, want)
		}
	}
}

func FuzzSourceMap(f *testing.F) {
	f.Add("AACA;AACA,C;ADA", "a\nb\n", "a.ts", 0)
	f.Add(";;;gB", "", "../a.ts", -5)
	f.Fuzz(func(t *testing.T, mappings, source, about string, column int) {
		m, _ := json.Marshal(map[string]any{"version": 3, "sources": []string{about}, "mappings": mappings})
		text := CompiledText{Source: source, From: "file:///workspace/a.ts", Map: m, Column: column}
		const file = "const a = 1;\nfunction f() {\n}\n"
		p, _, _, err := V8(compiledClaims(source, "", "/workspace/a.ts"), Sources{"a.ts": file}, "/workspace", nil, Compiled{"7": text}, nil)
		if err != nil {
			return
		}
		for name, lines := range p {
			for n := range lines {
				if name != "a.ts" || n < 1 || n > LinesOf(file) {
					t.Error(fmt.Sprint(name, n))
				}
			}
		}
	})
}
