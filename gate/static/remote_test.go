package static_test

import (
	"errors"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/static"
)

// costly is a tree of a remote: it says which files were read.
type costly struct {
	fstest.MapFS
	read map[string]bool
	lost string
}

func (c costly) Open(name string) (fs.File, error) {
	c.read[name] = true
	if name == c.lost {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("too many requests")}
	}
	return c.MapFS.Open(name)
}

func (c costly) Stat(name string) (fs.FileInfo, error)  { return c.MapFS.Stat(name) }
func (c costly) Lstat(name string) (fs.FileInfo, error) { return c.MapFS.Stat(name) }

// scanRemote scans files that a change adds to a repository that is not on this machine.
func scanRemote(t *testing.T, head costly, base, added fstest.MapFS) (map[string][]gate.Finding, []gate.Gap) {
	t.Helper()
	maps.Copy(head.MapFS, base)
	maps.Copy(head.MapFS, added)
	c := &gate.Change{Head: head, Base: base, Remote: true}
	for name := range head.MapFS {
		c.Files = append(c.Files, name)
	}
	for name, f := range added {
		target := &gate.Target{Path: name, Kind: gate.ChangeAdded, Mode: f.Mode, Size: int64(len(f.Data))}
		target.Language, target.Role = change.Classify(name, f.Mode, f.Data)
		c.Targets = append(c.Targets, target)
	}
	rules, err := ownRules()
	if err != nil {
		t.Fatal(err)
	}
	s, err := static.New(static.Options{Policy: gate.DefaultPolicy(), Rules: rules, Classify: change.Classify})
	if err != nil {
		t.Fatal(err)
	}
	found := gate.NewFindings(c.Targets, nil)
	out, err := s.Run(t.Context(), c, found)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]gate.Finding{}
	for name := range added {
		all[name] = found.Of(name)
	}
	return all, out.Incomplete
}

func TestRemoteFilesThatAChangeRunsAreReadAndNoOthers(t *testing.T) {
	base := fstest.MapFS{"docs/a.txt": file(downloads + "\n"), "other.sh": file("true\n"), "conf.py": file("CMD = \"" + downloads + "\"\n")}
	for name, added := range map[string]fstest.MapFS{
		"a script": {"Makefile": file("all:\n\tsh docs/a.txt\n")},
		"a module": {"run.py": file("import os\nfrom conf import CMD\nos.system(CMD)\n")},
	} {
		t.Run(name, func(t *testing.T) {
			head := costly{fstest.MapFS{}, map[string]bool{}, ""}
			found, _ := scanRemote(t, head, base, added)
			for target := range added {
				if worstOf(found[target]) != gate.SeverityDangerous {
					t.Errorf("%s: %v", target, found[target])
				}
			}
			if head.read["other.sh"] {
				t.Error("a file that nothing points to was read")
			}
		})
	}
}

func TestAProgramOfARemoteThatImportsAChangedModuleIsRead(t *testing.T) {
	base := fstest.MapFS{"run.py": file("import os\nfrom conf import CMD\nos.system(CMD)\n")}
	found, _ := scanRemote(t, costly{fstest.MapFS{}, map[string]bool{}, ""}, base, fstest.MapFS{"conf.py": file("CMD = \"" + downloads + "\"\n")})
	if worstOf(found["conf.py"]) != gate.SeverityDangerous {
		t.Errorf("got %v", found["conf.py"])
	}
}

func TestRemoteFilesThatCannotBeReadAreGaps(t *testing.T) {
	base := fstest.MapFS{"docs/a.txt": file("true\n")}
	_, gaps := scanRemote(t, costly{fstest.MapFS{}, map[string]bool{}, "docs/a.txt"}, base, fstest.MapFS{"Makefile": file("all:\n\tsh docs/a.txt\n")})
	if len(gaps) != 1 || gaps[0].Path != "Makefile" || !strings.Contains(gaps[0].Reason, "docs/a.txt") {
		t.Errorf("got %v", gaps)
	}
}
