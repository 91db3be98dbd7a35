package arch

import (
	"fmt"
	"strings"
	"testing"
)

func TestImportsAgainstTheArrowsAreFound(t *testing.T) {
	const (
		cobra  = "github.com/spf13/cobra"
		docker = "github.com/docker/docker/client"
	)
	tests := map[string]struct {
		from, to string
		wrong    bool
	}{
		"the vocabulary imports the standard library": {"gate", "strings", false},
		"the vocabulary imports a module":             {"gate", cobra, true},
		"the vocabulary imports a stage":              {"gate", Module + "/gate/static", true},
		"a stage imports the vocabulary":              {"gate/static", Module + "/gate", false},
		"a stage imports a part of itself":            {"gate/static", Module + "/gate/static/rules", false},
		"a stage imports another":                     {"gate/static", Module + "/gate/judge", true},
		"a part of a stage imports a part of another": {"gate/judge/prompt", Module + "/gate/static/taint", true},
		"a stage imports what stages share":           {"gate/attribution", Module + "/gate/change/git", false},
		"a stage imports the rest of that stage":      {"gate/attribution", Module + "/gate/change", true},
		"what stages share imports a stage":           {"gate/change/git", Module + "/gate/change", true},
		"a name that only starts like a stage":        {"gate/scanner", Module + "/gate/judge", false},
		"execution imports the sandbox":               {"gate/execute", Module + "/sandbox", false},
		"the engine imports the sandbox":              {"gate/engine", Module + "/sandbox", false},
		"the command imports a hidden mode":           {"cmd/gate", Module + "/sandbox/modes", false},
		"the command imports what is behind it":       {"cmd/gate", Module + "/sandbox/supervisor", true},
		"another command imports a hidden mode":       {"cmd/other", Module + "/sandbox/supervisor", true},
		"the command imports the sandbox":             {"cmd/gate", Module + "/sandbox", true},
		"the command imports the Docker client":       {"cmd/gate", docker, true},
		"a stage imports the Docker client":           {"gate/static", docker, true},
		"the doctor imports the sandbox":              {"gate/doctor", Module + "/sandbox", false},
		"the doctor imports the Docker client":        {"gate/doctor", docker, true},
		"deps imports the builder of images":          {"gate/deps", Module + "/sandbox/images", false},
		"deps imports the Docker client":              {"gate/deps", docker, true},
		"the image builder imports the Docker client": {"sandbox/images", docker, false},
		"a tool imports the Docker client":            {"tools/engine", docker, false},
		"another stage imports the sandbox":           {"gate/judge", Module + "/sandbox", true},
		"the sandbox imports the Docker client":       {"sandbox", docker, false},
		"the interpreter imports its machine":         {"sandbox/wasm", "github.com/tetratelabs/wazero/api", false},
		"the sandbox imports the machine":             {"sandbox", "github.com/tetratelabs/wazero/api", true},
		"the sandbox imports another module":          {"sandbox", cobra, true},
		"the sandbox imports the vocabulary":          {"sandbox", Module + "/gate", true},
		"the sandbox imports a part of itself":        {"sandbox", Module + "/sandbox/supervisor", false},
		"the sandbox imports the file lock":           {"sandbox", Module + "/sandbox/filelock", false},
		"a tool imports the file lock":                {"tools/testenv", Module + "/sandbox/filelock", false},
		"a stage imports the file lock":               {"gate/judge", Module + "/sandbox/filelock", false},
		"the vocabulary imports the file lock":        {"gate", Module + "/sandbox/filelock", true},
		"the file lock imports the rest of sandbox":   {"sandbox/filelock", Module + "/sandbox/internal/wire", true},
		"the file lock imports the vocabulary":        {"sandbox/filelock", Module + "/gate", true},
		"the supervisor imports the vocabulary":       {"sandbox/supervisor", Module + "/gate", true},
		"the image builder imports a tool":            {"sandbox/images/build", Module + "/tools/debian", false},
		"the product imports a tool":                  {"gate/judge", Module + "/tools/ollama", true},
		"a report imports the vocabulary":             {"report", Module + "/gate", false},
		"a report imports a stage":                    {"report", Module + "/gate/static", true},
		"a report imports the sandbox":                {"report/github", Module + "/sandbox", true},
		"anything imports a command":                  {"report", Module + "/cmd/gate", true},
		"another package imports globs of its own":    {"gate/static", globModule, true},
		"the package of globs imports them":           {"gate/glob", globModule, false},
		"anything imports cgo":                        {"gate/static", "C", true},
		"the product imports the testing package":     {"gate/static", "testing", true},
		"the test environment imports it":             {"tools/testenv", "testing", false},
		"a package for tests imports it":              {"gate/change/gittest", "testing", false},
		"the product imports a package for tests":     {"gate/static", Module + "/gate/static/scantest", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			packages := []Package{
				{ImportPath: Module + "/" + tc.from, Imports: []string{tc.to}, Deps: []string{tc.to}},
				{ImportPath: "strings", Standard: true},
				{ImportPath: "testing", Standard: true},
			}
			if wrong := CheckImports(packages); (len(wrong) > 0) != tc.wrong {
				t.Errorf("complaints %q, want some: %v", wrong, tc.wrong)
			}
		})
	}
}

func TestAStageThatReachesAnotherThroughAThirdPackageIsFound(t *testing.T) {
	packages := []Package{{
		ImportPath: Module + "/gate/static",
		Imports:    []string{Module + "/gate/text"},
		Deps:       []string{Module + "/gate/text", Module + "/gate/judge"},
	}}
	if wrong := CheckImports(packages); len(wrong) == 0 {
		t.Error("no complaint")
	}
}

func TestAPackageWithoutACommentIsFound(t *testing.T) {
	tests := map[string]struct {
		pkg   Package
		wrong bool
	}{
		"a package with one":         {Package{ImportPath: Module + "/a", Name: "a", Doc: "Package a does a."}, false},
		"a command with one":         {Package{ImportPath: Module + "/cmd/a", Name: "main", Doc: "A does a."}, false},
		"a command without one":      {Package{ImportPath: Module + "/cmd/a", Name: "main"}, true},
		"a package without one":      {Package{ImportPath: Module + "/a", Name: "a"}, true},
		"one that names another":     {Package{ImportPath: Module + "/a", Name: "a", Doc: "Package b does b."}, true},
		"another project's packages": {Package{ImportPath: "example.com/a", Name: "a"}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if wrong := CheckDocs([]Package{tc.pkg}); (len(wrong) > 0) != tc.wrong {
				t.Errorf("complaints %q, want some: %v", wrong, tc.wrong)
			}
		})
	}
}

func TestSourceAgainstTheRulesIsFound(t *testing.T) {
	long := "package a\n" + strings.Repeat("\n", MaxLines)
	tests := map[string]struct {
		path, text string
		want       string // a part of the complaint; "" for none
	}{
		"a plain file":              {"a.go", "package a\n\nfunc f() {}\n", ""},
		"an init function":          {"a.go", "package a\n\nfunc init() {}\n", "a.go:3: init"},
		"a method called init":      {"a.go", "package a\n\nfunc (t T) init() {}\n", ""},
		"too many lines":            {"a.go", long, "a.go:1: 501 lines"},
		"a generated file is long":  {"a.go", "// Code generated by b. DO NOT EDIT.\n\n" + long, ""},
		"an unfinished part":        {"a.go", "package a\n\n// TO" + "DO: finish\n", "a.go:3: an unfinished"},
		"a word that only looks so": {"a.go", "package a\n\n// MASTODONTES\n", ""},
		"a skipped test":            {"a_test.go", "package a\n\nfunc f() { t.Skip() }\n", "a_test.go:3: a test is skipped"},
		"a skipped benchmark":       {"a_test.go", "package a\n\nfunc f() { b.Skipf(\"\") }\n", "a_test.go:3"},
		"short mode":                {"a_test.go", "package a\n\nfunc f() { testing.Short() }\n", "a_test.go:3"},
		"a scanner that skips":      {"a.go", "package a\n\nfunc f() { lexer.Skip() }\n", ""},
		"another dialect of globs":  {"a.go", "package a\n\nfunc f() { path.Match(g, n) }\n", "a.go:3: match names with package gate/glob"},
		"the dialect of globs":      {"gate/glob/a.go", "package a\n\nfunc f() { path.Match(g, n) }\n", ""},
		"what does not parse":       {"a.go", "package\n", "a.go:1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(CheckSource(tc.path, []byte(tc.text)), "\n")
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("complaint %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFoldersOfOneMachineAreFound(t *testing.T) {
	home := "/ho" + "me/dev/go/src/x" // in two, or this very file would be found
	tests := map[string]struct {
		text  string
		wrong bool
	}{
		"a checkout in a home":         {"see " + home, true},
		"the same in quotes":           {fmt.Sprintf("path = %q", home), true},
		"this machine's checkout":      {"cd /srv/here/x && make", true},
		"a key that attacks go for":    {"cat /home/user/.ssh/id_rsa", false},
		"an address that looks alike":  {"https://example.com/home/dev/go/x", false},
		"a folder of every machine":    {"cat /etc/docker/daemon.json", false},
		"a name that only starts like": {"cat /srv/herewego", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if wrong := CheckPaths("a.md", tc.text, "/srv/here", ""); (len(wrong) > 0) != tc.wrong {
				t.Errorf("complaints %q, want some: %v", wrong, tc.wrong)
			}
		})
	}
}

func TestDependenciesAndTheirReasonsAreCompared(t *testing.T) {
	const page = "| Module | Why |\n|---|---|\n| `example.com/a` | it does a |\n"
	tests := map[string]struct {
		direct []string
		want   string
	}{
		"both agree":            {[]string{"example.com/a"}, ""},
		"a reason is missing":   {[]string{"example.com/a", "example.com/b"}, "requires example.com/b"},
		"a reason for nothing":  {nil, "line for example.com/a"},
		"a part is not a match": {[]string{"example.com/a/v2"}, "requires example.com/a/v2"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(CheckDependencies(tc.direct, page), "\n")
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("complaint %q, want %q", got, tc.want)
			}
		})
	}
}
