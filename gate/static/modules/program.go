package modules

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
)

// Bounds of what is read of a tree.
const (
	MaxModules = 600      // modules that one file is joined with, or looked for in
	MaxModule  = 4 << 20  // bytes of one
	maxTotal   = 24 << 20 // bytes of those that are kept
	maxPackage = 400      // files of one package of Go
)

// Cache keeps summaries by content, for programs that share modules: the two sides of a
// change. It is for one goroutine.
type Cache struct{ known map[cacheKey]*module }

type cacheKey struct {
	path string
	sum  [sha256.Size]byte
}

// NewCache returns an empty cache.
func NewCache() *Cache { return &Cache{map[cacheKey]*module{}} }

// Program is one version of a tree, read on demand. It is for one goroutine.
type Program struct {
	tree     fs.FS
	classify func(name string) gate.Language
	cache    *Cache
	files    map[string]bool
	folders  map[string][]string // files of Go by folder
	modules  map[string]*module  // by path; nil for what is none
	packages map[string][]*module
	bound    map[*module]map[string]found
	used     map[*module]map[[2]int][]use
	gomod    *string
	unread   map[string]bool // modules that a bound kept from being read
	fresh    int             // modules that were read for the file that is looked at
	size     int64           // of the modules that are kept
	full     bool
}

// found is what a name leads to, remembered.
type found struct {
	to []target
}

// New returns the program of a tree with those files. What is not among them doesn't exist.
func New(tree fs.FS, files []string, classify func(name string) gate.Language, cache *Cache) *Program {
	p := &Program{tree: tree, classify: classify, cache: cache, files: make(map[string]bool, len(files)), folders: map[string][]string{},
		unread: map[string]bool{}}
	p.forget()
	for _, name := range files {
		p.files[name] = true
		if strings.HasSuffix(name, ".go") {
			p.folders[path.Dir(name)] = append(p.folders[path.Dir(name)], name)
		}
	}
	return p
}

// Full reports whether a bound kept a module from being read that the last question was about.
func (p *Program) Full() bool { return p.full }

// begin prepares for a question. What was read for others is kept as far as there is room.
func (p *Program) begin() {
	p.full, p.fresh = false, 0
	if p.size > maxTotal/2 {
		p.forget()
	}
}

func (p *Program) forget() {
	p.modules, p.packages, p.bound, p.size = map[string]*module{}, map[string][]*module{}, map[*module]map[string]found{}, 0
	p.used = map[*module]map[[2]int][]use{}
	clear(p.cache.known)
}

// module returns the summary of a file, nil for what is no module.
func (p *Program) module(name string) *module {
	if m, ok := p.modules[name]; ok || name == "" {
		p.full = p.full || p.unread[name]
		return m
	}
	p.modules[name] = nil
	lang := p.classify(name)
	if !Knows(lang) || !p.files[name] {
		return nil
	}
	info, err := fs.Stat(p.tree, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if p.fresh++; p.fresh > MaxModules || info.Size() > MaxModule || info.Size()+p.size > maxTotal {
		p.full, p.unread[name] = true, true
		return nil
	}
	src, err := bounded.ReadFile(p.tree, name, MaxModule)
	if err != nil {
		p.full, p.unread[name] = true, true
		return nil
	}
	p.size += int64(len(src))
	if bytes.IndexByte(src, 0) >= 0 {
		return nil
	}
	key := cacheKey{name, sha256.Sum256(src)}
	m := p.cache.known[key]
	if m == nil {
		m = newModule(name, lang, src)
		p.cache.known[key] = m
	}
	p.modules[name] = m
	return m
}

// at returns the first of some paths at which there is a module.
func (p *Program) at(names ...string) *module {
	for _, n := range names {
		if p.files[n] {
			if m := p.module(n); m != nil {
				return m
			}
		}
	}
	return nil
}

// named returns the module that an import in another one names; nil for one that isn't in
// the tree.
func (p *Program) named(spec string, from *module) *module {
	if spec == "" || len(spec) > maxSpec {
		return nil
	}
	if from.lang == gate.LanguagePython {
		return pythonModule(p, spec, from)
	}
	return scriptModule(p, spec, from)
}

func pythonModule(p *Program, spec string, from *module) *module {
	bare := strings.TrimLeft(spec, ".")
	rest := strings.ReplaceAll(bare, ".", "/")
	folder := path.Dir(from.path)
	if up := len(spec) - len(bare); up > 0 {
		for range up - 1 {
			folder = path.Dir(folder)
		}
		return p.at(below(folder, rest)...)
	}
	for { // a script finds what lies beside it, a package what lies beside its folder
		if m := p.at(below(folder, rest)...); m != nil && m != from {
			return m
		}
		if folder == "." {
			break
		}
		folder = path.Dir(folder)
	}
	return p.at(append(below("src", rest), below("lib", rest)...)...)
}

func below(folder, rest string) []string {
	if rest == "" {
		return []string{path.Join(folder, "__init__.py")}
	}
	return []string{path.Join(folder, rest+".py"), path.Join(folder, rest, "__init__.py")}
}

var scriptEnds = []string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"}

func scriptModule(p *Program, spec string, from *module) *module {
	var name string
	switch {
	case strings.HasPrefix(spec, "."):
		name = path.Join(path.Dir(from.path), spec)
	case strings.HasPrefix(spec, "@/"), strings.HasPrefix(spec, "~/"):
		name = path.Join("src", spec[2:])
	default:
		return nil
	}
	if strings.HasPrefix(name, "../") {
		return nil
	}
	names := []string{name}
	if ext := path.Ext(name); ext == ".js" || ext == ".mjs" || ext == ".cjs" || ext == ".jsx" { // TypeScript names what it is compiled to
		bare := strings.TrimSuffix(name, ext)
		names = append(names, bare+".ts", bare+".tsx", bare+".mts", bare+".cts")
	}
	for _, end := range scriptEnds {
		names = append(names, name+end)
	}
	for _, end := range scriptEnds {
		names = append(names, path.Join(name, "index"+end))
	}
	return p.at(names...)
}

// pack are the files of a package of Go, without tests.
func (p *Program) pack(folder string) []*module {
	if known, ok := p.packages[folder]; ok {
		return known
	}
	var out []*module
	for i, name := range p.folders[folder] {
		if i >= maxPackage {
			p.full = true
			break
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if m := p.module(name); m != nil {
			out = append(out, m)
		}
	}
	p.packages[folder] = out
	return out
}

// goFolder is that of a package of Go in the tree, "" for another one.
func goFolder(p *Program, spec string) string {
	if p.gomod == nil {
		p.gomod = new(string)
		text, _ := bounded.ReadFile(p.tree, "go.mod", MaxModule)
		for l := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(l), "module "); ok {
				*p.gomod = strings.Trim(strings.TrimSpace(rest), `"`)
				break
			}
		}
	}
	if *p.gomod == "" {
		return ""
	}
	if spec == *p.gomod {
		return "."
	}
	rest, ok := strings.CutPrefix(spec, *p.gomod+"/")
	if !ok || len(p.folders[rest]) == 0 {
		return ""
	}
	return rest
}
