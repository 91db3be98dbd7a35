package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unraced are packages that start goroutines and run without the race detector all the same.
var unraced = map[string]string{
	"gate/lab/agentattack":      "a made-up server of models",
	"gate/lab/attack":           "its samples run through the engine, which is raced",
	"gate/lab/carriers":         "a program for measuring",
	"gate/lab/judgebench":       "a program for measuring",
	"gate/lab/realrun":          "a program for measuring",
	"gate/lab/replayrun":        "a program for measuring",
	"sandbox/supervisor/probe":  "runs in containers as a program of its own",
	"tools/browser/browsertest": "drives a browser for tests",
	"tools/agents":              "a tool of the project",
	"tools/engine":              "a tool of the project",
	"tools/ollama/server":       "a tool of the project",
	"tools/probe":               "a tool of the project",
}

// TestConcurrentPackagesRunUnderTheRaceDetector compares the lists of the Makefile with the code.
func TestConcurrentPackagesRunUnderTheRaceDetector(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	concurrent, both := listIn(t, string(makefile), "CONCURRENT"), listIn(t, string(makefile), "BOTH")
	for _, p := range slices.Concat(concurrent, both) {
		if files, _ := filepath.Glob(filepath.Join("../..", p, "*_test.go")); len(files) == 0 {
			t.Errorf("the Makefile names %s, which has no tests", p)
		}
	}
	for _, p := range both {
		if !slices.Contains(concurrent, p) {
			t.Errorf("the Makefile has %s in BOTH and not in CONCURRENT", p)
		}
	}
	names := regexp.MustCompile(`(?m)^THOROUGH := (.*)$`).FindStringSubmatch(string(makefile))
	if names == nil {
		t.Fatal("the Makefile has no list THOROUGH")
	}
	asks, nightly := regexp.MustCompile(`testenv\.(?:Thorough|Rounds|Sample)`+`\(`), regexp.MustCompile(`func (?:`+names[1]+`)\(`)
	seen := 0
	err = filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && (strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 || slices.Contains([]string{"fixtures", "testdata", "node_modules", "bin", "dist"}, d.Name())) {
			return skip(d, err)
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		p := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), "../../"))
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch {
		case strings.HasSuffix(path, "_test.go"):
			if strings.Contains(string(text), "testenv.WithoutRace(") && slices.Contains(concurrent, p) && !slices.Contains(both, p) {
				t.Errorf("%s leaves a test to the run without the race detector, which BOTH of the Makefile does not have", path)
			}
			if asks.Match(text) && !nightly.Match(text) {
				t.Errorf("%s asks what to take a sample of, and THOROUGH of the Makefile has none of its tests", path)
			}
		case startsGoroutines(t, path, text):
			seen++
			if !slices.Contains(concurrent, p) && unraced[p] == "" {
				t.Errorf("%s starts goroutines: put %s into CONCURRENT of the Makefile", path, p)
			}
		}
		return nil
	})
	if err != nil || seen < len(concurrent)/2 {
		t.Errorf("%d files start goroutines: %v", seen, err)
	}
}

func skip(d os.DirEntry, err error) error {
	if err == nil && d.IsDir() {
		return filepath.SkipDir
	}
	return err
}

// listIn is a list of packages of the Makefile.
func listIn(t *testing.T, makefile, name string) []string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + ` := \$\(addprefix [^,]*,((?:[^)\\]|\\\n)*)\)`).FindStringSubmatch(makefile)
	if m == nil {
		t.Fatalf("the Makefile has no list %s", name)
	}
	return strings.Fields(strings.ReplaceAll(m[1], "\\\n", " "))
}

// startsGoroutines reports whether a file has a go statement, or a call that starts goroutines.
func startsGoroutines(t *testing.T, path string, text []byte) bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if called, ok := n.Fun.(*ast.SelectorExpr); ok {
				found = found || called.Sel.Name == "ForEach" || called.Sel.Name == "Go"
			}
		}
		return !found
	})
	return found
}
