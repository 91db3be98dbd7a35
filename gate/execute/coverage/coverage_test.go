package coverage

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

// shown is "1 2 -3 4": the lines with code, those that did not run with a sign.
func shown(l Lines) string {
	var out []string
	for _, n := range slices.Sorted(maps.Keys(l)) {
		if l[n] {
			out = append(out, fmt.Sprint(n))
		} else {
			out = append(out, fmt.Sprint(-n))
		}
	}
	return strings.Join(out, " ")
}

func read(t testing.TB, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCountingKeepsToTheChange(t *testing.T) {
	text := strings.Repeat("x\n", 12)
	lines := Lines{1: true, 2: false, 3: false, 5: false, 7: true, 9: false, 10: true, 40: true, -1: true}
	for _, tt := range []struct {
		name    string
		changed gate.LineSet
		want    Count
	}{
		{"all of a file", gate.LineSet{}, Count{12, 7, 3, []gate.LineRange{{2, 5}, {9, 9}}}},
		{"some lines", gate.OnlyLines(gate.LineRange{3, 4}, gate.LineRange{7, 8}), Count{4, 2, 1, []gate.LineRange{{3, 3}}}},
		{"lines beyond the end", gate.OnlyLines(gate.LineRange{12, 50}), Count{Changed: 1}},
		{"no line", gate.OnlyLines(), Count{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, CountIn(tt.changed, text, lines)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestALineThatRanOnceHasRun(t *testing.T) {
	p := Profile{}
	p.Merge(Profile{"a": {1: true, 2: false}})
	p.Merge(Profile{"a": {1: false, 2: false, 3: true}, "b": {1: false}})
	if got := shown(p["a"]) + "; " + shown(p["b"]); got != "1 -2 3; -1" {
		t.Error(got)
	}
}

func TestPythonsClaims(t *testing.T) {
	src := Sources{"a.py": "1\n2\n3\n"}
	for _, tt := range []struct{ name, claims, want, wrong string }{
		{"what ran and what did not", `{"files": {"a.py": [[1, 2, 3], [1, 3]]}}`, "1 -2 3", ""},
		{"a line that does not exist", `{"files": {"a.py": [[1, 4, 0, -2], [4, 0, -2]]}}`, "-1", ""},
		{"a line without code", `{"files": {"a.py": [[1], [1, 2]]}}`, "1", ""},
		{"a file that is not in the change", `{"files": {"b.py": [[1], [1]], "../a.py": [[1], [1]]}}`, "", ""},
		{"no document", `{"files": {"a.py": `, "", "unexpected EOF"},
		{"two documents", `{} {}`, "", "something behind"},
		{"other types", `{"files": {"a.py": [["1"], [1]]}}`, "", "cannot unmarshal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _, _, err := Python([]byte(tt.claims), src)
			if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("error %v, want %q", err, tt.wrong)
			}
			if got := shown(p["a.py"]); got != tt.want || len(p) > 1 {
				t.Errorf("got %q of %v, want %q", got, p, tt.want)
			}
		})
	}
}

func TestALineOnWhichAFunctionIsOnlyMadeDidNotRun(t *testing.T) {
	src := Sources{"a.py": "1\n2\n3\n"}
	made := `{"files": {"a.py": [[1, 2, 3], [1, 2, 3]]}, "bodies": {"a.py": [[1, 0], [2, 1], [2, 0], [3, 1], [9, 0], [-1, 0]]}}`
	called := `{"files": {"a.py": [[1, 2, 3], [1, 2, 3]]}, "bodies": {"a.py": [[1, 1]]}}`
	for _, tt := range []struct {
		name   string
		claims []string
		want   string
	}{
		{"none of the runs calls it", []string{made}, "-1 -2 3"},
		{"a later run calls one", []string{made, called}, "1 -2 3"},
		{"an earlier run called one", []string{called, made}, "1 -2 3"},
		{"nothing is said about functions", []string{`{"files": {"a.py": [[1, 2, 3], [1, 3]]}}`}, "1 -2 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, shapes := Profile{}, Shapes{}
			for _, c := range tt.claims {
				p, s, _, err := Python([]byte(c), src)
				if err != nil {
					t.Fatal(err)
				}
				all.Merge(p)
				shapes.Merge(s)
			}
			all.Idle(shapes)
			if got := shown(all["a.py"]); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAnArrowThatNodeNeverCalledDidNotRun(t *testing.T) {
	for _, tt := range []struct{ name, text, function, want string }{
		{"an arrow that calls something", "const f = c => g(c);\nx;\n", "c => g(c)", "-1 2"},
		{"a function in one line", "function f() { g(); }\nx;\n", "function f() { g(); }", "-1 2"},
		{"an arrow that only gives a value", "const f = c => c + 1;\nx;\n", "c => c + 1", "1 2"},
		{"a function over two lines", "const f = c => {\n  g(c);\n};\n", "c => {\n  g(c);\n}", "1 -2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := strings.Index(tt.text, tt.function)
			claims := fmt.Appendf(nil, `{"result": [{"url": "file:///workspace/a.js", "functions": [{"ranges": [{"startOffset": 0, "endOffset": %d, "count": 1}]}, {"ranges": [{"startOffset": %d, "endOffset": %d, "count": 0}]}]}]}`,
				len(tt.text), start, start+len(tt.function))
			p, shapes, _, err := V8(claims, Sources{"a.js": tt.text}, "/workspace", nil, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			p.Idle(shapes)
			if got := shown(p["a.js"]); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCoverageOfNodeShowsWhetherTestsRan(t *testing.T) {
	for _, tt := range []struct {
		name, text, function string
		count, tests, tested int
	}{
		{"a test that ran", "test('a', () => { f(); });\n", "() => { f(); }", 1, 1, 1},
		{"a test that did not", "test('a', () => { f(); });\n", "() => { f(); }", 0, 1, 0},
		{"a test with options", "it(\"a\", { timeout: 1 }, async () => { f(); });\n", "async () => { f(); }", 0, 1, 0},
		{"a test that is skipped", "test.skip('a', () => { f(); });\n", "() => { f(); }", 0, 1, 0},
		{"a function that is no test", "x.test('a', () => { f(); });\n", "() => { f(); }", 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := strings.Index(tt.text, tt.function)
			claims := fmt.Appendf(nil, `{"result": [{"url": "file:///workspace/a.test.js", "functions": [{"ranges": [{"startOffset": 0, "endOffset": %d, "count": 1}]}, {"ranges": [{"startOffset": %d, "endOffset": %d, "count": %d}]}]}]}`,
				len(tt.text), start, start+len(tt.function), tt.count)
			_, shapes, _, err := V8(claims, Sources{"a.test.js": tt.text}, "/workspace", nil, nil, nil)
			if got := shapes["a.test.js"]; err != nil || got.Tests != tt.tests || got.Tested != tt.tested {
				t.Errorf("%d of %d, %v; want %d of %d", got.Tested, got.Tests, err, tt.tested, tt.tests)
			}
		})
	}
}

func TestPythonSaysWhenItStoppedWatching(t *testing.T) {
	for claims, want := range map[string]bool{`{"files": {}, "full": true}`: true, `{"files": {}}`: false} {
		if _, _, partial, err := Python([]byte(claims), nil); err != nil || partial != want {
			t.Errorf("%s: %v %v", claims, partial, err)
		}
	}
}

func TestNodesClaims(t *testing.T) {
	text := string(read(t, "node", "branches.cjs"))
	data := read(t, "node", "branches.json")
	p, _, reasons, err := V8(data, Sources{"branches.cjs": text}, "/workspace", nil, nil, nil)
	if err != nil || len(reasons) > 0 {
		t.Fatal(err, reasons)
	}
	if got, want := shown(p["branches.cjs"]), "3 4 -5 9 10 11 -14 -15 18 19 20 21"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p, _, reasons, _ = V8(data, Sources{"branches.cjs": text + "\n"}, "/workspace", nil, nil, nil)
	if len(p) > 0 || !strings.Contains(reasons["branches.cjs"], "another text") {
		t.Errorf("a text of another length: %v %v", p, reasons)
	}
	if p, _, _, _ = V8(data, Sources{"branches.cjs": text}, "/elsewhere", nil, nil, nil); len(p) > 0 {
		t.Errorf("a file outside of the tree: %v", p)
	}
}

func TestTypesAreNoCode(t *testing.T) {
	text := "interface A {\n  a: string;\n}\nconst x: A = { a: '' };\nx;\n"
	claims := fmt.Appendf(nil, `{"result": [{"url": "file:///workspace/a.ts", "functions": [{"ranges": [{"startOffset": 0, "endOffset": %d, "count": 1}]}]}]}`, len(text))
	p, _, _, err := V8(claims, Sources{"a.ts": text}, "/workspace", map[string][]int{"a.ts": {1, 2, 3}}, nil, nil)
	if got := shown(p["a.ts"]); err != nil || got != "4 5" {
		t.Errorf("got %q, %v", got, err)
	}
	p, _, reasons, _ := V8(claims, Sources{"a.ts": text}, "/workspace", nil, nil, nil)
	if len(p) > 0 || !strings.Contains(reasons["a.ts"], "compiled to other text") {
		t.Errorf("no one says that its places are kept: %v %v", p, reasons)
	}
	letters := strings.Replace(text, "''", "'é", 1) // as many units of UTF-16
	if p, _, _, _ = V8(claims, Sources{"a.ts": letters}, "/workspace", map[string][]int{"a.ts": {1, 2, 3}}, nil, nil); shown(p["a.ts"]) != "4 5" {
		t.Errorf("other letters: %v", p)
	}
	p, _, reasons, _ = V8(claims, Sources{"a.ts": letters + " "}, "/workspace", map[string][]int{"a.ts": nil}, nil, nil)
	if len(p) > 0 || reasons["a.ts"] == "" {
		t.Errorf("a text of another length: %v %v", p, reasons)
	}
}

func TestErasedLines(t *testing.T) {
	src := Sources{"a.ts": "1\n2\n", "b.ts": "1\n"}
	got, err := Erased([]byte(`{"a.ts": [2, 3, 0], "b.ts": [], "c.ts": [1]}`), src)
	if diff := cmp.Diff(map[string][]int{"a.ts": {2}, "b.ts": nil}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err = Erased([]byte(`[`), src); err == nil {
		t.Error("half a document is read")
	}
}

const goSource = `package main

import "fmt"

func f(n int) int {
	if n > 3 {
		return 1
	}
	return 2
}

func main() {
	fmt.Println(f(1))
}
`

func goFiles(t testing.TB) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join("testdata", "go"))
	if err != nil || len(entries) != 2 {
		t.Fatal(entries, err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		files[e.Name()] = read(t, "go", e.Name())
	}
	return files
}

func TestGosClaims(t *testing.T) {
	name := func(n string) string { return strings.TrimPrefix(n, "m/") }
	p, err := Go(goFiles(t), Sources{"main.go": goSource}, name)
	if got, want := shown(p["main.go"]), "6 -7 9 13"; err != nil || got != want {
		t.Errorf("got %q %v, want %q", got, err, want)
	}
	if p, err = Go(goFiles(t), Sources{"other.go": goSource}, name); err != nil || len(p) > 0 {
		t.Errorf("a file that is not in the change: %v %v", p, err)
	}
	for name, data := range goFiles(t) {
		for cut := range data {
			files := goFiles(t)
			files[name] = data[:cut]
			if p, err := Go(files, Sources{"main.go": goSource}, func(string) string { return "main.go" }); err == nil && len(p) > 0 && strings.HasPrefix(name, goCountPrefix) {
				t.Fatalf("%d bytes of %s are taken for all of it: %v", cut, name, p)
			}
		}
	}
}

func TestAGoProgramThatDidNotCountItsLinesHasNotLeftThemOut(t *testing.T) {
	files := goFiles(t)
	for name := range files {
		if strings.HasPrefix(name, goCountPrefix) {
			delete(files, name)
		}
	}
	p, err := Go(files, Sources{"main.go": goSource}, func(string) string { return "main.go" })
	if err == nil || len(p) > 0 {
		t.Errorf("%v, %v; want an error and no lines", p, err)
	}
}

const shellSource = `#!/bin/bash
# a comment
set -u
greet() {
  local n=$1
  echo "hello $n"
}
other() { echo never; }
for i in 1 2; do
  if [[ $i -gt 1 ]]; then
    greet "$i"
  elif [ "$i" = 9 ]; then
    echo nine
  else
    x=$(( i + 1 ))
  fi
done
case "$x" in
  1) echo one ;;
  2)
    echo two # it's
    ;;
  "a b") echo three ;;
esac
cat <<EOF
text $x
EOF
echo "a
b" \
  c
arr=(
  one
)
false ||
  echo or
`

func TestShellsClaims(t *testing.T) {
	trace := "s.sh@3\ns.sh@5\ns.sh@6\ns.sh@9\ns.sh@10\ns.sh@11\ns.sh@12\ns.sh@15\ns.sh@18\ns.sh@21\ns.sh@25\ns.sh@29\ns.sh@33\nother@23\ns.sh@999\ns.sh@\ns.sh@34\n\x00@1"
	p, _, err := Shell([]byte(trace), Sources{"d/s.sh": shellSource}, "s.sh", "d/s.sh")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shown(p["d/s.sh"]), "3 5 6 -8 9 10 11 12 -13 15 18 -19 21 -23 25 28 31 34 -35"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAShellThatMaySkipWhatItTracesSaysWhere(t *testing.T) {
	trace := []byte("s.sh@1\n@doubt@s.sh@3\n@last@s.sh@9\n")
	if name, line, ok := ShellDoubt(trace); name != "s.sh" || line != 3 || !ok {
		t.Errorf("%q %d %t", name, line, ok)
	}
	if name, line, ok := ShellEnd(trace); name != "s.sh" || line != 9 || !ok {
		t.Errorf("%q %d %t", name, line, ok)
	}
	if _, _, ok := ShellDoubt([]byte("s.sh@1\n@last@s.sh@9\n")); ok {
		t.Error("a doubt without a reason")
	}
}

func TestTestsOfShellsTellTheLinesOfAllTheirFiles(t *testing.T) {
	src := Sources{"lib/a.sh": "f() {\n  echo 1\n}\ng() {\n  echo 2\n}\n", "run.sh": "#!/bin/bash\n. lib/a.sh\nf\n", "x/b.sh": "echo 1\n", "y/b.sh": "echo 2\n"}
	trace := "/workspace/lib/a.sh@2\n/workspace/test/../lib/a.sh@1\n./run.sh@3\nrun.sh@2\n../x/b.sh@1\nb.sh@1\n/etc/b.sh@1\n/workspace/none.sh@1\nrun.sh@999999999\n@doubt@x@1\n"
	p, _, err := ShellTests([]byte(trace), src, "/workspace")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for file := range p {
		got[file] = shown(p[file])
	}
	if diff := cmp.Diff(map[string]string{"lib/a.sh": "1 2 -5", "run.sh": "2 3", "x/b.sh": "1"}, got); diff != "" {
		t.Error(diff)
	}
	if _, _, err := ShellTests(make([]byte, MaxReport+1), src, "/workspace"); err == nil {
		t.Error("too large a trace was read")
	}
}

func FuzzShellTests(f *testing.F) {
	f.Add([]byte("/workspace/a.sh@1\n../a.sh@2\n@last@a.sh@2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, _, err := ShellTests(data, Sources{"a.sh": "x\ny\n"}, "/workspace")
		held(t, p, err, "a.sh", 2)
	})
}

func FuzzPython(f *testing.F) {
	f.Add([]byte(`{"files": {"a.py": [[1, 2], [1]]}, "full": false}`))
	f.Add([]byte(`{"files": {"a.py": null, "b": [[], [9999999999999999999]]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, _, _, err := Python(data, Sources{"a.py": "x\ny\n"})
		held(t, p, err, "a.py", 2)
	})
}

func FuzzV8(f *testing.F) {
	f.Add(read(f, "node", "branches.json"), "x\n")
	f.Add([]byte(`{"result": [{"url": "file:///workspace/a.js", "functions": [{"ranges": [{"startOffset": 0, "endOffset": 2, "count": 1}, {"startOffset": 1, "endOffset": 2, "count": 0}]}]}]}`), "x\n")
	f.Add([]byte(`{"result": [{"url": "file:///workspace/a.js", "functions": [{"ranges": [{"startOffset": 0, "endOffset": 9, "count": 1}]}]}]}`), "`${`/*")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		p, _, _, err := V8(data, Sources{"a.js": text}, "/workspace", nil, nil, nil)
		held(t, p, err, "a.js", LinesOf(text))
	})
}

func FuzzGo(f *testing.F) {
	var meta, count []byte
	for name, data := range goFiles(f) {
		if strings.HasPrefix(name, goMetaPrefix) {
			meta = data
		} else {
			count = data
		}
	}
	f.Add(meta, count)
	f.Fuzz(func(t *testing.T, meta, count []byte) {
		hash := "00"
		if len(count) > 24 {
			hash = fmt.Sprintf("%x", count[8:24])
		}
		p, err := Go(map[string][]byte{goMetaPrefix + hash: meta, goCountPrefix + "x": count}, Sources{"m.go": goSource}, func(string) string { return "m.go" })
		held(t, p, err, "m.go", LinesOf(goSource))
	})
}

func FuzzShell(f *testing.F) {
	f.Add([]byte("s.sh@1\n"), shellSource)
	f.Add([]byte("s.sh@2"), "a \\\n")
	f.Add([]byte("@1"), "x=(\n\"$(\n<<A\n")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		p, _, err := Shell(data, Sources{"s.sh": text}, "s.sh", "s.sh")
		held(t, p, err, "s.sh", max(LinesOf(text), 1))
	})
}

// held checks that nothing is claimed of another file or line.
func held(t *testing.T, p Profile, err error, path string, lines int) {
	t.Helper()
	if err != nil && len(p) > 0 {
		t.Errorf("an error and claims: %v %v", err, p)
	}
	for name, l := range p {
		if name != path {
			t.Errorf("a claim about %q", name)
		}
		for n := range l {
			if n < 1 || n > lines {
				t.Errorf("a claim about line %d of %d", n, lines)
			}
		}
	}
}

// TestALineThatRanInOneOfTwoProgramsHasRun: the tests of several packages are programs that
// count the same lines.
func TestALineThatRanInOneOfTwoProgramsHasRun(t *testing.T) {
	const text = "package m\n\nfunc f() {\n\tprintln()\n}\n"
	block := goBlock{file: "m/m.go", fromLine: 3, fromColumn: 10, toLine: 5, toColumn: 2}
	ran := block
	ran.ran = true
	for _, blocks := range [][]goBlock{{block, ran}, {ran, block}, {block, ran, block}} {
		if got := shown(goLines(text, blocks)); got != "4" {
			t.Errorf("%v: %q, want that line 4 ran", blocks, got)
		}
	}
}
