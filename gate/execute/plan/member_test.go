package plan

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

func TestArchivesRunTheirInstallScripts(t *testing.T) {
	files := map[string]string{
		"lib.whl!/setup.py":      "from setuptools import setup\nsetup(name='x')\n",
		"app.pyz!/__main__.py":   "print(1)\n",
		"lib.whl!/pkg/module.py": "x = 1\n",
		"a.py!line-2.py":         "print(1)\n",
		"a.py!setup.py":          "print(1)\n",
	}
	head := fstest.MapFS{}
	c := &gate.Change{Head: head}
	for name, content := range files {
		head[name] = &fstest.MapFile{Data: []byte(content), Mode: 0o644}
		c.Files = append(c.Files, name)
		parent, _, _ := strings.Cut(name, "!")
		c.Targets = append(c.Targets, &gate.Target{Path: name, Parent: parent, Language: gate.LanguagePython, Role: gate.RoleSource, Kind: gate.ChangeAdded, Mode: 0o644})
	}
	pl := Make(workspace.Load(c, nil, workspace.Limits{Bytes: 4 << 20, Files: 100}), c.Targets, nil, nil)
	ran := map[string]bool{}
	for _, u := range pl.Units {
		for _, p := range u.Targets {
			ran[p] = true
		}
	}
	if diff := cmp.Diff(map[string]bool{"lib.whl!/setup.py": true, "app.pyz!/__main__.py": true}, ran); diff != "" {
		t.Error(diff)
	}
	if len(pl.Reasons) != 3 {
		t.Errorf("%v", pl.Reasons)
	}
}
