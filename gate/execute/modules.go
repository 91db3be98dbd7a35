package execute

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// The modules that the base requires are installed, and the go command builds nothing
// where a go.mod asks for another version of one of them. A change that raises a version,
// as many do, would run none of its code. Its modules are built with the versions of the
// base instead, and the finding says so.

const (
	// The go.mod and the go.sum with which a module is built instead of its own.
	baseModFile, baseSumFile = "gate_base.mod", "gate_base.sum"
	// maxModFile bounds a go.mod and a go.sum, in bytes. Those of Kubernetes have 10 and
	// 100 KB.
	maxModFile = 4 << 20
)

// pinned is a module that is built with the versions of the base.
type pinned struct {
	files   []workspace.File
	flag    string   // for the go command
	instead []string // "example.com/a v1.0.0 instead of v1.1.0"
}

// pinModules returns those of the modules of units, by folder, whose go.mod asks for
// versions that the base does not name.
func pinModules(base fs.FS, t *workspace.Tree, units []plan.Unit) map[string]pinned {
	out := map[string]pinned{}
	for _, u := range units {
		if _, known := out[u.Dir]; known || u.Job.Image != gate.LanguageGo {
			continue
		}
		if p, ok := pinModule(base, t, u.Dir); ok {
			out[u.Dir] = p
		}
	}
	return out
}

func pinModule(base fs.FS, t *workspace.Tree, dir string) (p pinned, ok bool) {
	name := path.Join(dir, "go.mod")
	// A workspace has no such flag, and what is vendored is the change's own.
	if _, workspaces := t.Above(dir, "go.work"); workspaces || !t.Has(name) || t.Dirs[path.Join(dir, "vendor")] {
		return pinned{}, false
	}
	at, sums := path.Join(dir, baseModFile), path.Join(dir, baseSumFile)
	if t.Has(at) || t.Has(sums) {
		return pinned{}, false
	}
	was, err := bounded.ReadFile(base, name, maxModFile)
	if err != nil {
		return pinned{}, false
	}
	sum, err := bounded.ReadFile(base, path.Join(dir, "go.sum"), maxModFile)
	if err != nil {
		return pinned{}, false
	}
	mod, instead, err := withVersionsOf(was, []byte(t.Text(name)))
	if err != nil || len(instead) == 0 {
		return pinned{}, false
	}
	return pinned{
		files:   []workspace.File{{Path: at, Data: mod}, {Path: sums, Data: sum}},
		flag:    "-modfile=" + path.Join(sandbox.Workspace, at),
		instead: instead,
	}, true
}

// withVersionsOf is the go.mod of the base for the module as it is now: under its own name,
// in the version of Go that it asks for, and with the modules that lie in the tree.
// instead names what the change asks for and does not get.
func withVersionsOf(base, head []byte) (mod []byte, instead []string, err error) {
	was, err := modfile.Parse("go.mod", base, nil)
	if err != nil {
		return nil, nil, err
	}
	now, err := modfile.Parse("go.mod", head, nil)
	if err != nil {
		return nil, nil, err
	}
	local := map[string]string{} // where modules lie in the tree
	for _, r := range now.Replace {
		if modfile.IsDirectoryPath(r.New.Path) {
			local[r.Old.Path] = r.New.Path
		}
	}
	versions := map[string]string{}
	for _, r := range was.Require {
		versions[r.Mod.Path] = r.Mod.Version
	}
	for _, r := range now.Require {
		at, replaced := local[r.Mod.Path]
		switch v, known := versions[r.Mod.Path]; {
		case replaced && !known:
			was.AddNewRequire(r.Mod.Path, r.Mod.Version, r.Indirect)
			if err := was.AddReplace(r.Mod.Path, "", at, ""); err != nil {
				return nil, nil, err
			}
		case replaced || v == r.Mod.Version:
		case known:
			instead = append(instead, r.Mod.Path+" "+v+" instead of "+r.Mod.Version)
		default:
			instead = append(instead, r.Mod.Path+" is not there")
		}
	}
	if now.Go != nil {
		if err := was.AddGoStmt(now.Go.Version); err != nil {
			return nil, nil, err
		}
	}
	if now.Module != nil {
		if err := was.AddModuleStmt(now.Module.Mod.Path); err != nil {
			return nil, nil, err
		}
	}
	mod, err = was.Format()
	return mod, instead, err
}

// withFlag adds a flag to those that the environment gives the go command.
func withFlag(env []string, flag string) []string {
	flags := flag
	for _, v := range slices.Backward(env) {
		if set, ok := strings.CutPrefix(v, "GOFLAGS="); ok {
			flags = strings.TrimSpace(set + " " + flag)
			break
		}
	}
	return append(slices.Clip(env), "GOFLAGS="+flags)
}

// otherVersions is the finding that a unit was built with other modules than the change asks
// for; ok is false where it was not.
func (p *provided) otherVersions(u plan.Unit, r result) (f gate.Finding, ok bool) {
	m, other := p.modules[u.Dir]
	if !other || u.Job.Image != gate.LanguageGo || len(r.runs) == 0 {
		return gate.Finding{}, false
	}
	instead := slices.Clone(m.instead[:min(len(m.instead), maxProblems)])
	if more := len(m.instead) - len(instead); more > 0 {
		instead = append(instead, "and more")
	}
	return gate.Finding{
		Rule: ruleOtherVersion.ID, Layer: gate.LayerSandbox, Severity: ruleOtherVersion.Severity,
		Message: "when it was run as " + u.Kind + ", it " + ruleOtherVersion.Message, Evidence: strings.Join(instead, "; "), Origin: "go.mod",
	}, true
}
