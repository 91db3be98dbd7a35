package static_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/tools/testenv"
)

// fixtures is where the labelled files lie, seen from this folder.
const fixtures = "../../fixtures"

// techniques is the folder below fixtures of malicious and benign files, one technique each.
const techniques = "corpora/mixed/techniques"

// wanted is one entry of malicious/expected.yaml.
type wanted struct {
	Path string `yaml:"path"`
	Want []struct {
		Rule     string        `yaml:"rule"` // a glob on the id
		Severity gate.Severity `yaml:"severity"`
		At       []struct {
			Line  int    `yaml:"line"`
			Quote string `yaml:"quote"`
		} `yaml:"at"`
	} `yaml:"want"`
}

// tolerated is one entry of benign/expected.yaml: a benign file with a
// finding that asks for a look.
type tolerated struct {
	Path   string   `yaml:"path"`
	Rules  []string `yaml:"rules"`
	Reason string   `yaml:"reason"`
}

func TestDangerousFixturesAreFoundOnTheRightLine(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	tree := fixtureTree(t, techniques+"/malicious")
	found := scanTree(t, tree)
	var all []wanted
	readYAML(t, techniques+"/malicious/expected.yaml", &all)
	listed := map[string]bool{}
	for _, w := range all {
		listed[w.Path] = true
		t.Run(w.Path, func(t *testing.T) {
			file, ok := tree[w.Path]
			if !ok {
				t.Fatalf("expected.yaml names %s, which is not there", w.Path)
			}
			lines := strings.Split(string(file.Data), "\n")
			for _, want := range w.Want {
				var at []int
				for _, a := range want.At {
					if a.Line < 1 || a.Line > len(lines) || strings.TrimSpace(lines[a.Line-1]) != a.Quote {
						t.Fatalf("line %d is not %q: correct expected.yaml", a.Line, a.Quote)
					}
					at = append(at, a.Line)
				}
				if !slices.ContainsFunc(found.Of(w.Path), func(f gate.Finding) bool {
					ok, err := path.Match(want.Rule, f.Rule)
					return err == nil && ok && f.Severity >= want.Severity && slices.Contains(at, f.Line)
				}) {
					t.Errorf("no %s finding of %s on line %v; found:\n%s", want.Severity, want.Rule, at, list(found.Of(w.Path)))
				}
			}
		})
	}
	for name := range tree {
		if !listed[name] {
			t.Errorf("expected.yaml does not say what to find in %s", name)
		}
	}
}

func TestBenignFixturesAreNeverDangerous(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	tree := fixtureTree(t, techniques+"/benign")
	found := scanTree(t, tree)
	var all []tolerated
	readYAML(t, techniques+"/benign/expected.yaml", &all)
	seen := map[string][]string{}
	for name := range tree {
		for _, f := range found.Of(name) {
			switch f.Severity {
			case gate.SeverityNote:
			case gate.SeveritySuspicious:
				seen[name] = append(seen[name], f.Rule)
				i := slices.IndexFunc(all, func(a tolerated) bool { return a.Path == name })
				if i < 0 || !slices.Contains(all[i].Rules, f.Rule) {
					t.Errorf("%s is benign:\n%s", name, list([]gate.Finding{f}))
				}
			default:
				t.Errorf("%s is benign:\n%s", name, list([]gate.Finding{f}))
			}
		}
	}
	for _, a := range all {
		for _, r := range a.Rules {
			if !slices.Contains(seen[a.Path], r) {
				t.Errorf("%s: %s is not found any more: take it out of expected.yaml", a.Path, r)
			}
		}
	}
}

// fixtureTree reads a folder of fixtures. Files that tools obey where they lie
// are stored with ".sample" behind their name.
func fixtureTree(t *testing.T, folder string) fstest.MapFS {
	t.Helper()
	tree := fstest.MapFS{}
	root := filepath.Join(fixtures, folder)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || p == filepath.Join(root, "expected.yaml") {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		tree[strings.TrimSuffix(filepath.ToSlash(rel), ".sample")] = &fstest.MapFile{Data: data, Mode: 0o644}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestFilesOfManyKindsAreScannedSideBySide is what the race detector looks at.
func TestFilesOfManyKindsAreScannedSideBySide(t *testing.T) {
	tree := fixtureTree(t, techniques+"/malicious")
	for i, name := range slices.Sorted(maps.Keys(tree)) {
		if i%8 != 0 {
			delete(tree, name)
		}
	}
	found := scanTree(t, tree)
	seen := 0
	for name := range tree {
		seen += min(len(found.Of(name)), 1)
	}
	if seen < 10 || seen < len(tree)/2 {
		t.Errorf("of %d files %d have findings", len(tree), seen)
	}
}

// scanTree runs the static layer over a tree, as a scan of a folder would.
func scanTree(t *testing.T, tree fstest.MapFS) *gate.Findings {
	t.Helper()
	scanner, err := static.New(static.Options{Policy: gate.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	c := &gate.Change{Head: tree}
	for name, file := range tree {
		language, role := change.Classify(name, file.Mode, file.Data[:min(len(file.Data), change.HeadBytes)])
		c.Targets = append(c.Targets, &gate.Target{Path: name, Language: language, Role: role,
			Kind: gate.ChangeNone, Mode: file.Mode, Size: int64(len(file.Data))})
	}
	slices.SortFunc(c.Targets, func(a, b *gate.Target) int { return strings.Compare(a.Path, b.Path) })
	found := gate.NewFindings(c.Targets, nil)
	out, err := scanner.Run(t.Context(), c, found)
	if err != nil {
		t.Fatal(err)
	}
	for _, gap := range out.Incomplete {
		t.Errorf("%s was not looked at: %s", gap.Path, gap.Reason)
	}
	return found
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(fixtures, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func list(found []gate.Finding) string {
	if len(found) == 0 {
		return "\tnothing"
	}
	var out strings.Builder
	for _, f := range found {
		out.WriteString("\t" + f.Severity.String() + " " + f.Rule + " on line " + strconv.Itoa(f.Line) + ": " + f.Evidence + "\n")
	}
	return out.String()
}
