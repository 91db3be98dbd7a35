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
	maxShadowed       = 20_000   // programs of the base
	maxShadowedSource = 1 << 20  // bytes of one, from its beginning: that is where programs import
	maxShadowedTotal  = 64 << 20 // bytes of all of them
)

// shadowing finds what a change adds in the place of what programs of the base import. Python
// looks beside the program first, and beside the tests and at the top of the tree where those
// run. JavaScript and Go: [shadowing.scripts], [shadowing.settings] and [shadowing.modules].
type shadowing struct {
	change  *gate.Change
	base    fs.FS
	folders func() map[string][]string // the programs of the head, by folder
	added   func() additions
	script  func() namedImports
	names   func() manifests
	goNames func() map[string]bool // modules that a go.mod of the base requires

	mu       sync.Mutex
	imports  map[string]map[string]string // of the programs of the base that were read: what imports a module, by its name
	left     int64                        // bytes that may still be read
	programs int                          // that were read
}

func newShadowing(c *gate.Change) *shadowing {
	s := &shadowing{change: c, base: c.Base, left: maxShadowedTotal, imports: map[string]map[string]string{}}
	s.added = sync.OnceValue(s.additions)
	s.script, s.names = sync.OnceValue(s.imported), sync.OnceValue(s.manifests)
	s.goNames = sync.OnceValue(s.requiredModules)
	s.folders = sync.OnceValue(func() map[string][]string {
		out := map[string][]string{}
		for _, file := range c.Files[:min(len(c.Files), maxIndexed)] {
			if path.Ext(file) == ".py" {
				out[path.Dir(file)] = append(out[path.Dir(file)], file)
			}
		}
		return out
	})
	return s
}

// report notes a program of the base that imports a module whose place the target takes.
func (s *shadowing) report(f *file) {
	t := f.target
	if s == nil || s.base == nil || !t.Exists() || t.Parent != "" || t.Kind == gate.ChangeNone {
		return
	}
	s.settings(f)
	s.modules(f)
	if t.Kind != gate.ChangeAdded && t.Kind != gate.ChangeRenamed {
		return
	}
	s.scripts(f)
	s.python(f)
}

func (s *shadowing) python(f *file) {
	t := f.target
	folder, name, ok := pythonModule(t.Path)
	if !ok || s.had(folder, name) {
		return
	}
	folders := []string{folder}
	if folder == "." {
		folders = append(folders, "tests", "test", "src")
	}
	for _, in := range folders {
		if _, err := fs.Stat(s.base, path.Join(in, "__init__.py")); err == nil && in == folder {
			return // a package: its modules import each other by their whole names
		}
		for _, program := range s.folders()[in] {
			if program == t.Path || path.Base(program) == "__init__.py" {
				continue
			}
			imports, ok := s.of(program)
			if !ok {
				f.gap("not all programs that may import it were looked at: at most %d, of %d MiB together, are", maxShadowed, maxShadowedTotal>>20)
				return
			}
			if statement, found := imports[name]; found {
				f.report(checkShadowing, 0, fmt.Sprintf("%s, which %s imports", name, gate.Clip(program, maxShownName)), statement)
				return
			}
		}
	}
}

// of are the statements of a program of the base that import modules, by their names. There
// are none in one that is new as well. ok is false for one that a bound keeps from being read.
func (s *shadowing) of(program string) (imports map[string]string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if imports, ok = s.imports[program]; ok {
		return imports, true
	}
	info, err := fs.Stat(s.base, program)
	if err != nil {
		return nil, true
	}
	size := min(info.Size(), maxShadowedSource)
	if s.left < size || s.programs >= maxShadowed {
		return nil, false
	}
	content, _, err := bounded.HeadFile(s.base, program, size)
	if err != nil {
		return nil, false
	}
	imports = map[string]string{}
	for _, m := range importedName.FindAllSubmatch(content, -1) {
		if name := string(m[1]); imports[name] == "" {
			imports[name] = string(m[0])
		}
	}
	s.left, s.programs, s.imports[program] = s.left-size, s.programs+1, imports
	return imports, true
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
