package arch

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/attribution"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/report"
)

//go:generate go test -run TestLayoutIsWhatContributorsRead . -update

var update = flag.Bool("update", false, "write the layout into CONTRIBUTING.md instead of checking it")

func TestPolicyKeysAreReadByTheProduct(t *testing.T) {
	complain(t, CheckPolicyKeys(typed(t)))
}

func TestPackageCommentsNameWhatIsBelow(t *testing.T) {
	docs := map[string]string{}
	for _, p := range typed(t) {
		local, ok := inModule(p.ImportPath)
		if !ok {
			continue
		}
		docs[local] = ""
		for _, f := range p.Files {
			if f.Doc != nil {
				docs[local] += f.Doc.Text()
			}
		}
	}
	complain(t, CheckSubpackages(docs))
}

func TestLinksLeadSomewhere(t *testing.T) {
	pages := map[string]string{}
	for _, at := range committed(t) {
		if strings.HasSuffix(at, ".md") && (!fixture(at) || at == "fixtures/README.md") {
			pages[at] = string(read(t, at))
		}
	}
	complain(t, CheckLinks(pages, exists))
}

func TestSourcesNamePagesThatAreThere(t *testing.T) {
	for _, at := range committed(t) {
		// Tests and samples name pages of repositories that are only made up.
		if !fixture(at) && !strings.HasSuffix(at, "_test.go") && path.Base(at) != "samples.yaml" {
			complain(t, CheckPageNames(at, string(read(t, at)), exists))
		}
	}
}

func TestLayoutIsThere(t *testing.T) {
	complain(t, CheckLayout(Layout(), committed(t)))
}

func TestLayoutIsWhatContributorsRead(t *testing.T) {
	wrong, want := CheckWhere(Layout(), string(read(t, "CONTRIBUTING.md")))
	if *update && want != "" {
		if err := os.WriteFile(filepath.Join(root, "CONTRIBUTING.md"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	complain(t, wrong)
}

func TestCountsInPagesAreThoseOfTheCode(t *testing.T) {
	scanner, err := static.New(static.Options{Policy: gate.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{
		"rules":       len(scanner.Rules()),
		"signals":     rows(attribution.Reference()),
		"policy keys": rows(policy.Reference()),
		"formats":     len(report.Formats()),
		"commands":    len(regexp.MustCompile(`(?m)^## gate \w+$`).FindAllString(string(read(t, "docs/cli.md")), -1)),
	}
	pages := map[string]string{}
	for _, at := range committed(t) {
		switch {
		case strings.HasPrefix(at, "fixtures/") && path.Base(at) == "attack.yaml":
			counts["attacks"]++
		case strings.HasPrefix(at, "fixtures/") && path.Base(at) == "corpus.yaml":
			counts["corpora"]++
		case strings.HasSuffix(at, "_test.go"):
			counts["fuzz targets"] += len(fuzzTarget.FindAll(read(t, at), -1))
		}
		// The changelog says what was.
		if strings.HasSuffix(at, ".md") && (!fixture(at) || at == "fixtures/README.md") && at != "CHANGELOG.md" {
			pages[at] = string(read(t, at))
		}
	}
	for thing, n := range counts {
		if n == 0 {
			t.Errorf("no %s were counted", thing)
		}
	}
	complain(t, CheckCounts(pages, counts))
}

var fuzzTarget = regexp.MustCompile(`(?m)^func Fuzz\w+\(f \*testing\.F\)`)

// rows counts the rows of a Markdown table.
func rows(table string) int {
	return len(regexp.MustCompile(`(?m)^\| .* \|$`).FindAllString(table, -1)) - 1 // its header
}

func TestTypesHaveFewMethods(t *testing.T) {
	complain(t, CheckMethods(typed(t)))
}

func TestCommandIsFlagsWiringAndExitCodes(t *testing.T) {
	files := map[string]string{}
	for _, at := range committed(t) {
		if path.Dir(at) == commandFolder && strings.HasSuffix(at, ".go") {
			files[at] = string(read(t, at))
		}
	}
	if len(files) == 0 {
		t.Fatalf("%s has no Go files", commandFolder)
	}
	complain(t, CheckCommand(files))
}

func TestRunIsCalledByTheEngineOnly(t *testing.T) {
	complain(t, CheckRunCallers(typed(t)))
}

func TestLaboratoryIsNoPartOfTheProduct(t *testing.T) {
	complain(t, CheckLaboratory(list(t)))
}

func TestEngineKnowsNeitherLaboratoryNorCommands(t *testing.T) {
	complain(t, CheckEngine(list(t)))
}

// exists reports whether the checkout has a file or a folder.
func exists(at string) bool {
	_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(at)))
	return !errors.Is(err, fs.ErrNotExist)
}

// typed returns the packages of the module with their types.
func typed(t *testing.T) []Typed {
	t.Helper()
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// load type-checks the packages of the module once, as they are on this system.
var load = sync.OnceValues(func() ([]Typed, error) {
	loaded, err := packages.Load(&packages.Config{
		Dir: root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedExportFile | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
	}, "./...")
	if err != nil {
		return nil, err
	}
	var all []Typed
	var problems []error
	for _, p := range loaded {
		for _, e := range p.Errors {
			problems = append(problems, e)
		}
		all = append(all, Typed{ImportPath: p.PkgPath, Fset: p.Fset, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo})
	}
	if len(all) < 10 {
		problems = append(problems, errors.New("fewer than 10 packages were loaded"))
	}
	return all, errors.Join(problems...)
})
