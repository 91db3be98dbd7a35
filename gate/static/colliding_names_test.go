package static_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestANameThatAFileSystemTakesForAnothersIsReported(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []string
		added string
		want  bool
	}{
		{"another case", []string{"src/run.sh", "src/Run.sh"}, "src/Run.sh", true},
		{"another case of a folder", []string{"src/run.sh", "SRC/x.sh"}, "SRC/x.sh", true},
		{"a composed letter", []string{"caf\u00e9.sh", "cafe\u0301.sh"}, "cafe\u0301.sh", true},
		{"a character that is not shown", []string{"run.sh", "ru\u200bn.sh"}, "ru\u200bn.sh", true},
		{"a dot at the end", []string{"run.sh", "run.sh."}, "run.sh.", true},
		{"another name", []string{"run.sh", "ran.sh"}, "ran.sh", false},
		{"another case in another folder", []string{"a/run.sh", "b/Run.sh"}, "b/Run.sh", false},
		{"alone", []string{"Run.sh"}, "Run.sh", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			head := fstest.MapFS{}
			for _, name := range tt.files {
				head[name] = &fstest.MapFile{Data: []byte("true\n"), Mode: 0o644}
			}
			target := &gate.Target{Path: tt.added, Language: gate.LanguageShell, Role: gate.RoleSource, Kind: gate.ChangeAdded, Mode: 0o644}
			found := gate.NewFindings([]*gate.Target{target}, nil)
			c := &gate.Change{Head: head, Files: tt.files, Targets: []*gate.Target{target}}
			if _, err := newScanner(t, nil).Run(t.Context(), c, found); err != nil {
				t.Fatal(err)
			}
			got := slices.ContainsFunc(found.Of(tt.added), func(f gate.Finding) bool { return f.Rule == "file/twin-name" })
			if got != tt.want {
				t.Errorf("found %+v, want a twin: %t", found.Of(tt.added), tt.want)
			}
		})
	}
}

func TestAPackageIsNewWhereTheBaseDoesNotNameIt(t *testing.T) {
	for _, tt := range []struct {
		name string
		base fstest.MapFS
		want bool
	}{
		{"a base that has others", fstest.MapFS{"package.json": {Data: []byte(`{"devDependencies": {"prettier": "3"}}`)}}, true},
		{"a manifest of the base has it", fstest.MapFS{"package.json": {Data: []byte(`{"devDependencies": {"made-up-tool": "3"}}`)}}, false},
		{"a workflow of the base runs it", fstest.MapFS{".github/workflows/a.yml": {Data: []byte("run: npx made-up-tool@2 x\n")}}, false},
		{"a longer name", fstest.MapFS{"package.json": {Data: []byte(`{"devDependencies": {"made-up-tools": "3"}}`)}}, true},
		{"no base", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target := &gate.Target{Path: "a.sh", Language: gate.LanguageShell, Role: gate.RoleSource, Kind: gate.ChangeAdded, Mode: 0o644}
			found := gate.NewFindings([]*gate.Target{target}, nil)
			c := &gate.Change{Head: fstest.MapFS{"a.sh": {Data: []byte("npx made-up-tool\n"), Mode: 0o644}}, Targets: []*gate.Target{target}, Files: []string{"a.sh"}}
			if tt.base != nil {
				c.Base = tt.base
				for name := range tt.base {
					c.Files = append(c.Files, name)
				}
			}
			if _, err := newScanner(t, nil).Run(t.Context(), c, found); err != nil {
				t.Fatal(err)
			}
			got := slices.ContainsFunc(found.Of("a.sh"), func(f gate.Finding) bool { return f.Rule == "package-install/unknown-program" })
			if got != tt.want {
				t.Errorf("found %+v, want an unknown program: %t", found.Of("a.sh"), tt.want)
			}
		})
	}
}
