package static_test

import (
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestANewModuleThatWinsOverAnImportedOneIsSuspicious(t *testing.T) {
	for name, tc := range map[string]struct {
		base fstest.MapFS
		path string
		want bool
	}{
		"the runner of tests, beside them":      {fstest.MapFS{"tests/test_a.py": file("import pytest\n")}, "tests/pytest.py", true},
		"a module of Python beside a script":    {fstest.MapFS{"tools/a.py": file("import json, sys\n")}, "tools/json.py", true},
		"a package beside a script":             {fstest.MapFS{"a.py": file("from requests import get\n")}, "requests/__init__.py", true},
		"at the top, for tests":                 {fstest.MapFS{"tests/test_a.py": file("import yaml\n")}, "yaml.py", true},
		"a name that nothing imports":           {fstest.MapFS{"tools/a.py": file("import json\n")}, "tools/helpers.py", false},
		"the base has one of that name":         {fstest.MapFS{"tools/a.py": file("import helpers\n"), "tools/helpers/__init__.py": file("")}, "tools/helpers.py", false},
		"a package, whose imports are absolute": {fstest.MapFS{"src/p/__init__.py": file(""), "src/p/a.py": file("import json\n")}, "src/p/json.py", false},
		"an import within the package":          {fstest.MapFS{"tools/a.py": file("from .json import x\n")}, "tools/json.py", false},
		"another folder":                        {fstest.MapFS{"tools/a.py": file("import json\n")}, "examples/json.py", false},
		"a module that a build writes":          {fstest.MapFS{"tools/a.py": file("import api_pb2\n")}, "tools/api_pb2.py", false},
	} {
		t.Run(name, func(t *testing.T) {
			head := fstest.MapFS{tc.path: file("x = 1\n")}
			c := &gate.Change{Base: tc.base, Head: head}
			maps.Copy(head, tc.base)
			for p := range head {
				c.Files = append(c.Files, p)
			}
			slices.Sort(c.Files)
			target := &gate.Target{Path: tc.path, Language: gate.LanguagePython, Role: gate.RoleSource, Kind: gate.ChangeAdded, Mode: 0o644, Size: 6}
			c.Targets = []*gate.Target{target}
			found := gate.NewFindings(c.Targets, nil)
			if _, err := newScanner(t, nil).Run(t.Context(), c, found); err != nil {
				t.Fatal(err)
			}
			got := slices.ContainsFunc(found.Of(tc.path), func(f gate.Finding) bool {
				return f.Rule == "supply-chain/shadowing-module" && f.Severity == gate.SeveritySuspicious
			})
			if got != tc.want {
				t.Errorf("found: %v", found.Of(tc.path))
			}
		})
	}
}
