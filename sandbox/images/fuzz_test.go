package images

import (
	"path"
	"strings"
	"testing"
)

// FuzzReadDependencies holds that no label of an image names a place outside of
// the dependencies.
func FuzzReadDependencies(f *testing.F) {
	f.Add("python", "abc", `[{"dir": "", "at": "/opt/gate/deps/0", "modules": ["node_modules"]}]`, `["x"]`, "2024-01-02T03:04:05Z")
	f.Add("node", "abc", `[{"dir": "a", "at": "`+DependencyRoot+`/0", "modules": ["a/../../b"]}]`, "", "")
	f.Fuzz(func(t *testing.T, lang, digest, projects, problems, created string) {
		info, ok := ReadDependencies("ref", "id", map[string]string{labelDependencies: lang, labelDepsDigest: digest,
			labelDepsProjects: projects, labelDepsProblems: problems, labelDepsCreated: created})
		if !ok {
			return
		}
		for _, p := range info.Projects {
			for _, m := range append(p.Modules, "x") {
				if at := path.Join(p.At, m); !strings.HasPrefix(at, DependencyRoot+"/") {
					t.Fatalf("%s of %+v", at, p)
				}
			}
		}
	})
}
