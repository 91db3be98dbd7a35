package static

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// checkShadowing is the check of modules that take the place of another.
const checkShadowing = "shadowing-module"

// Bounds of the search for what imports a new module by the name of another.
const (
	maxShadowed       = 200     // programs of the base
	maxShadowedSource = 1 << 20 // bytes of one
)

// shadowing finds new modules of Python that win over those of the same name which programs
// of the base import: Python looks beside the program first, and beside the tests and at the
// top of the tree where those run.
type shadowing struct {
	base    fs.FS
	folders func() map[string][]string // the programs of the head, by folder
}

func newShadowing(c *gate.Change) *shadowing {
	return &shadowing{base: c.Base, folders: sync.OnceValue(func() map[string][]string {
		out := map[string][]string{}
		for _, file := range c.Files[:min(len(c.Files), maxIndexed)] {
			if path.Ext(file) == ".py" {
				out[path.Dir(file)] = append(out[path.Dir(file)], file)
			}
		}
		return out
	})}
}

// report notes a program of the base that imports a module whose place the target takes.
func (s *shadowing) report(f *file) {
	t := f.target
	if s == nil || s.base == nil || !t.Exists() || t.Parent != "" || t.Kind != gate.ChangeAdded && t.Kind != gate.ChangeRenamed {
		return
	}
	folder, name, ok := pythonModule(t.Path)
	if !ok || s.had(folder, name) {
		return
	}
	folders := []string{folder}
	if folder == "." {
		folders = append(folders, "tests", "test", "src")
	}
	seen := 0
	for _, in := range folders {
		if _, err := fs.Stat(s.base, path.Join(in, "__init__.py")); err == nil && in == folder {
			return // a package: its modules import each other by their whole names
		}
		for _, program := range s.folders()[in] {
			if program == t.Path || path.Base(program) == "__init__.py" {
				continue
			}
			if seen++; seen > maxShadowed {
				return
			}
			content, err := bounded.ReadFile(s.base, program, maxShadowedSource)
			if err != nil {
				continue // it is new as well
			}
			for _, m := range importedName.FindAllSubmatchIndex(content, maxShadowed) {
				if string(content[m[2]:m[3]]) == name {
					f.report(checkShadowing, 0, fmt.Sprintf("%s, which %s imports", name, gate.Clip(program, maxShownName)), string(content[m[0]:m[1]]))
					return
				}
			}
		}
	}
}

// had reports whether the base had a module of that name there.
func (s *shadowing) had(folder, name string) bool {
	for _, was := range []string{name + ".py", name, name + ".pyx", name + ".so"} {
		if _, err := fs.Stat(s.base, path.Join(folder, was)); err == nil {
			return true
		}
	}
	return false
}

// pythonModule returns the folder in which Python looks for a file, and as which module.
// Modules that a build makes are none, and neither are those with a leading underscore.
func pythonModule(file string) (folder, name string, ok bool) {
	folder, name = path.Dir(file), strings.TrimSuffix(path.Base(file), ".py")
	if name == "__init__" {
		folder, name = path.Dir(folder), path.Base(folder)
	}
	ok = path.Ext(file) == ".py" && name != "." && !strings.HasPrefix(name, "_") && !strings.HasSuffix(name, "_pb2") && !strings.HasSuffix(name, "_pb2_grpc")
	return folder, name, ok
}

// importedName matches the first name of the module that a statement imports.
var importedName = regexp.MustCompile(`(?m)^(?:import|from)[ \t]+([A-Za-z]\w*)\b[^\n]*`)
