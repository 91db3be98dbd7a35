//go:build ignore

// Gate-capabilities says what the packages of a Go module can do besides computing:
// open files, use the network, start programs and the like, and by which functions.
// It runs inside of the sandbox, and is built by the Dockerfile beside it, with the
// Go that it has to understand (capabilities.mod and capabilities.sum):
//
//	gate-capabilities ./folder...
//	gate-capabilities -boundary
//
// The first form writes one JSON document (document) about the packages that it is
// given. It executes nothing of what it reads: the go command lists packages, and the
// program follows which functions mention which others, through the module and its
// dependencies, up to the boundary of the standard library (graph). What lies behind
// a call over the boundary is not the caller's: who calls fmt.Println has no use for
// what fmt does inside of itself. capabilities_boundary.txt and, for what that does
// not name, capslock say which capability such a call gives (boundary). The second
// form writes what that comes to for each function of the standard library.
//
// It promises to find a capability however its code is called (as a callback, a
// method of an interface, by reflection, in init, through a registry), and does not
// promise that the code is ever called.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// The bounds of what is written.
const (
	version       = 2
	maxSteps      = 8  // functions of one path that are named
	maxBeginnings = 40 // functions of one package in which a capability begins
	maxImports    = 200
	maxError      = 500 // bytes of one text
)

// A capability is what one function of a package can do.
type capability struct {
	Name       string  `json:"name"` // "FILES", "MODIFY_SYSTEM_STATE/ENV"
	Path       string  `json:"path"` // the functions that lead to it, with the call over the boundary at its end
	File       string  `json:"file,omitempty"`
	Line       int     `json:"line,omitempty"`       // of the first call, in the package
	Through    []place `json:"through,omitempty"`    // the functions of the path that are in the tree, with the first
	Dependency string  `json:"dependency,omitempty"` // "path@version" of the module whose code makes the call
}

// A place is a function in the tree.
type place struct {
	File string `json:"file"` // relative to where it was started
	From int    `json:"from"`
	To   int    `json:"to"`
}

type result struct {
	Dir          string       `json:"dir"` // relative to where it was started, "." for that
	Name         string       `json:"name"`
	Imports      []string     `json:"imports"`
	Error        string       `json:"error,omitempty"`
	Capabilities []capability `json:"capabilities"`
}

type document struct {
	Version  int      `json:"version"`
	Go       string   `json:"go"`
	Error    string   `json:"error,omitempty"`
	Packages []result `json:"packages"`
}

func main() {
	if slices.Equal(os.Args[1:], []string{"-boundary"}) {
		if err := showBoundary(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	doc := document{Version: version, Go: runtime.Version(), Packages: []result{}}
	func() {
		defer func() {
			if v := recover(); v != nil {
				doc.Packages, doc.Error = []result{}, clip(fmt.Sprintf("the analysis failed: %v", v))
			}
		}()
		if err := doc.analyse(os.Args[1:]); err != nil {
			doc.Packages, doc.Error = []result{}, clip(err.Error())
		}
	}()
	if err := json.NewEncoder(os.Stdout).Encode(doc); err != nil {
		os.Exit(1)
	}
}

func load(here string, patterns ...string) ([]*packages.Package, *boundary, error) {
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedModule,
		Env: append(os.Environ(), "GOPACKAGESDRIVER=off", "CGO_ENABLED=0"),
	}, patterns...)
	if err != nil {
		return nil, nil, err
	}
	goroot := os.Getenv("GOROOT")
	if goroot == "" {
		return nil, nil, errors.New("GOROOT is not set")
	}
	b, err := newBoundary(boundaryTable, pkgs, goroot, here)
	return pkgs, b, err
}

func showBoundary() error {
	pkgs, b, err := load("/", "std")
	if err != nil {
		return err
	}
	for _, line := range b.list(pkgs) {
		fmt.Println(line)
	}
	return nil
}

func (d *document) analyse(patterns []string) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	pkgs, b, err := load(here, patterns...)
	if err != nil {
		return err
	}
	var sound []*packages.Package
	byPackage := map[*types.Package]int{}
	for _, p := range pkgs {
		r := result{Dir: folderOf(here, p), Name: p.Name, Imports: importsOf(p), Error: broken(p), Capabilities: unseen(here, p)}
		if r.Error == "" {
			sound = append(sound, p)
			byPackage[p.Types] = len(d.Packages)
		}
		d.Packages = append(d.Packages, r)
	}
	g := newGraph(sound, b)
	var all []*ssa.Function
	for _, p := range sound {
		all = append(all, g.functions(p.Types)...)
	}
	paths := g.paths(all)
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		begun := map[*types.Package]int{}
		for _, f := range all {
			if _, ok := paths[name][f]; !ok || begun[f.Pkg.Pkg] == maxBeginnings {
				continue
			}
			begun[f.Pkg.Pkg]++
			r := &d.Packages[byPackage[f.Pkg.Pkg]]
			r.Capabilities = append(r.Capabilities, g.capabilityOf(here, name, f, paths[name]))
		}
	}
	return nil
}

// capabilityOf follows the path of a function to the call over the boundary.
func (g *graph) capabilityOf(here, name string, f *ssa.Function, steps map[*ssa.Function]step) capability {
	out := capability{Name: name}
	var names []string
	out.File, out.Line = placeOf(g.prog.Fset, here, steps[f].at)
	for {
		s := steps[f]
		names = append(names, f.String())
		from, to := extent(f)
		if file, first := placeOf(g.prog.Fset, here, from); file != "" && len(out.Through) < maxSteps {
			_, last := placeOf(g.prog.Fset, here, to)
			out.Through = append(out.Through, place{file, first, last})
		}
		if s.next == nil {
			names = append(names, s.reach.by)
			break
		}
		f = s.next
	}
	if p := g.packages[f.Pkg.Pkg]; p != nil && p.Module != nil && !p.Module.Main {
		out.Dependency = clip(p.Module.Path + "@" + p.Module.Version)
	}
	if len(names) > maxSteps {
		names = slices.Concat(names[:maxSteps-3], []string{"…"}, names[len(names)-2:])
	}
	out.Path = clip(strings.Join(names, " > "))
	return out
}

func importsOf(p *packages.Package) []string {
	out := slices.Sorted(maps.Keys(p.Imports))
	return out[:min(len(out), maxImports)]
}

// folderOf is where a package lies. One that cannot be found has its pattern as its
// name.
func folderOf(here string, p *packages.Package) string {
	for _, files := range [][]string{p.GoFiles, p.IgnoredFiles, p.OtherFiles} {
		if len(files) > 0 {
			if rel, err := filepath.Rel(here, filepath.Dir(files[0])); err == nil {
				return filepath.ToSlash(rel)
			}
		}
	}
	return strings.TrimPrefix(p.PkgPath, "./")
}

// broken is the first error of a package or of what it imports, "" for none: calls of
// what has no types are not seen.
func broken(p *packages.Package) string {
	found := ""
	packages.Visit([]*packages.Package{p}, func(q *packages.Package) bool {
		if found == "" && len(q.Errors) > 0 {
			found = clip(q.PkgPath + ": " + q.Errors[0].Msg)
		}
		return found == ""
	}, nil)
	if found == "" && p.Types == nil {
		found = p.PkgPath + ": it has no types"
	}
	return found
}

// notBuilt says what an import means in a file that is not built here, and so is not
// followed.
var notBuilt = map[string]string{
	"os/exec": "EXEC", "syscall": "SYSTEM_CALLS", "golang.org/x/sys/unix": "SYSTEM_CALLS", "golang.org/x/sys/windows": "SYSTEM_CALLS",
	"plugin": arbitrary, "net": "NETWORK", "net/http": "NETWORK",
}

// unseen are the capabilities that no call shows: C, assembly and objects, linked
// names, and what files import that are for another system.
func unseen(here string, p *packages.Package) []capability {
	out := []capability{}
	add := func(name, what, file string, line int) {
		if len(out) == maxBeginnings || slices.ContainsFunc(out, func(c capability) bool { return c.Name == name && c.Path == what }) {
			return
		}
		rel, _ := relative(here, file)
		out = append(out, capability{Name: name, Path: clip(what), File: rel, Line: line})
	}
	for _, name := range slices.Concat(p.OtherFiles, p.IgnoredFiles) {
		switch filepath.Ext(name) {
		case ".s", ".syso":
			add(arbitrary, p.PkgPath+" has "+filepath.Base(name), name, 0)
		}
	}
	for i, name := range slices.Concat(p.GoFiles, p.IgnoredFiles) {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			switch line := set.PositionFor(spec.Pos(), false).Line; {
			case err != nil:
			case path == "C":
				add("CGO", p.PkgPath+" imports C", name, line)
			case i >= len(p.GoFiles) && f.Name.Name == p.Name && notBuilt[path] != "":
				add(notBuilt[path], p.PkgPath+" imports "+path+" in a file that is not built here", name, line)
			}
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				if words := strings.Fields(c.Text); len(words) > 1 && words[0] == "//go:linkname" {
					add(arbitrary, p.PkgPath+" links the name "+words[1], name, set.PositionFor(c.Pos(), false).Line)
				}
			}
		}
	}
	return out
}

func clip(text string) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) > maxError {
		text = strings.ToValidUTF8(text[:maxError], "") + "…"
	}
	return text
}
