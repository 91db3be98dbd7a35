package static_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/tools/testenv"
)

// byName is a classifier that knows a few names.
func byName(name string, _ fs.FileMode, _ []byte) (gate.Language, gate.Role) {
	switch base := path.Base(name); {
	case strings.HasPrefix(name, ".husky/"):
		return gate.LanguageShell, gate.RoleCI
	case base == "setup.py":
		return gate.LanguagePython, gate.RoleManifest
	case base == "Makefile":
		return gate.LanguageMakefile, gate.RoleInfra
	case base == "package.json":
		return gate.LanguageJSON, gate.RoleManifest
	case path.Ext(base) == ".py":
		return gate.LanguagePython, gate.RoleSource
	case path.Ext(base) == ".sh":
		return gate.LanguageShell, gate.RoleSource
	case path.Ext(base) == ".json":
		return gate.LanguageJSON, gate.RoleSource
	case path.Ext(base) == ".txt", path.Ext(base) == ".md":
		return gate.LanguageText, gate.RoleSource
	}
	return gate.LanguageUnknown, gate.RoleSource
}

// link is a symbolic link of a tree.
func link(to string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
}

// file is a file of a tree.
func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text), Mode: 0o644} }

// scanChange scans the named files of a tree as what changed; the others are there
// and did not.
func scanChange(t *testing.T, tree fstest.MapFS, changed ...string) outcome {
	t.Helper()
	policy := gate.DefaultPolicy()
	rules, err := ownRules()
	if err != nil {
		t.Fatal(err)
	}
	s, err := static.New(static.Options{Policy: policy, Rules: rules, Classify: byName})
	if err != nil {
		t.Fatal(err)
	}
	c := &gate.Change{Head: tree}
	for name := range tree {
		c.Files = append(c.Files, name)
	}
	for _, name := range changed {
		target := &gate.Target{Path: name, Kind: gate.ChangeAdded, Mode: tree[name].Mode, Size: int64(len(tree[name].Data))}
		target.Language, target.Role = byName(name, target.Mode, nil)
		if !target.Mode.IsRegular() {
			target.Language = gate.LanguageUnknown
		}
		c.Targets = append(c.Targets, target)
	}
	found := gate.NewFindings(c.Targets, nil)
	out, err := s.Run(t.Context(), c, found)
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{found: map[string][]gate.Finding{}}
	for _, name := range changed {
		o.found[name] = found.Of(name)
	}
	for _, g := range out.Incomplete {
		o.gaps = append(o.gaps, g.Path+": "+g.Reason)
	}
	return o
}

func TestAFileIsReadAsWhatSomethingRunsItAs(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	recipe := "all:\n\t" + downloads + "\n"
	install := `{"scripts": {"postinstall": "` + downloads + `"}}`
	for name, tc := range map[string]struct {
		tree    fstest.MapFS
		changed []string
		where   string
	}{
		"a link named Makefile, both new":     {fstest.MapFS{"notes.txt": file(recipe), "Makefile": link("notes.txt")}, []string{"Makefile", "notes.txt"}, "notes.txt"},
		"a new link to an old file":           {fstest.MapFS{"notes.txt": file(recipe), "Makefile": link("notes.txt")}, []string{"Makefile"}, "Makefile"},
		"a new file behind an old link":       {fstest.MapFS{"notes.txt": file(recipe), "Makefile": link("notes.txt")}, []string{"notes.txt"}, "notes.txt"},
		"a link to a link":                    {fstest.MapFS{"a/x": file(inPython), "b": link("a/x"), "setup.py": link("b")}, []string{"a/x"}, "a/x"},
		"a manifest":                          {fstest.MapFS{"a.json": file(install), "package.json": link("./a.json")}, []string{"a.json"}, "a.json"},
		"a linked folder of hooks":            {fstest.MapFS{"h/x": file(downloads + "\n"), ".husky": link("h")}, []string{".husky"}, ".husky"},
		"a new file in a linked folder":       {fstest.MapFS{"h/x": file(downloads + "\n"), ".husky": link("h")}, []string{"h/x"}, "h/x"},
		"a linked development container":      {fstest.MapFS{"d/devcontainer.json": file(`{"postCreateCommand": "` + downloads + `"}`), ".devcontainer": link("d")}, []string{".devcontainer"}, ".devcontainer"},
		"a picture that is a manifest":        {fstest.MapFS{"x.png": file("\x00\x01\x02\n" + inPython), "setup.py": link("x.png")}, []string{"x.png"}, "x.png"},
		"a command of the change":             {fstest.MapFS{"x.txt": file(inPython), "run.sh": file("python3 x.txt\n")}, []string{"run.sh", "x.txt"}, "x.txt"},
		"a command of a file that is as ever": {fstest.MapFS{"x.txt": file(inPython), "run.sh": file("python3 x.txt\n")}, []string{"x.txt"}, "x.txt"},
		"a command in a recipe":               {fstest.MapFS{"x.txt": file(inPython), "Makefile": file("all:\n\tpython3 x.txt\n")}, []string{"x.txt"}, "x.txt"},
		"the module of a script":              {fstest.MapFS{"x.dat": file(inScript), "package.json": file(`{"main": "x.dat"}`)}, []string{"x.dat"}, "x.dat"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := scanChange(t, tc.tree, tc.changed...); !got.dangerous(tc.where) {
				t.Errorf("only %v", got.rulesOf(tc.where))
			}
		})
	}
}

func TestLinksThatLeadNowhereAreHarmless(t *testing.T) {
	tree := fstest.MapFS{
		"loop": link("loop"), "a": link("b"), "b": link("a"), "gone.py": link("nothing"), "up": link("../x"), "root": link("/etc/passwd"),
		"x.txt": file("hello\n"), "folder": link("."), "deep": link("folder/folder/deep"),
	}
	got := scanChange(t, tree, "loop", "a", "b", "gone.py", "up", "root", "x.txt", "folder", "deep")
	for name, found := range got.found {
		for _, f := range found {
			if f.Severity > gate.SeveritySuspicious {
				t.Errorf("%s: %s %s", name, f.Rule, f.Evidence)
			}
		}
	}
}

func TestAFileThatIsOnlyReadByAProgramIsData(t *testing.T) {
	tree := fstest.MapFS{
		"notes.txt": file("How to install:\n\n    " + downloads + "\n"),
		"run.sh":    file("cp notes.txt /tmp/\npython3 check.py notes.txt\n"),
		"more.txt":  link("notes.txt"),
	}
	if got := scanChange(t, tree, "notes.txt", "run.sh"); got.dangerous("notes.txt") {
		t.Errorf("%v", got.rulesOf("notes.txt"))
	}
}
