//go:build ignore

// Capabilities says what the packages of a Go module can do besides computing:
// open files, use the network, start programs and the like, and by which calls. It
// runs inside of the sandbox, and is built by the Dockerfile beside it, with the Go
// that it is to understand (capabilities.mod and capabilities.sum):
//
//	gate-capabilities ./folder...
//
// It writes one JSON document and executes nothing of what it reads: the go command
// lists packages, and capslock follows their calls through all dependencies.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/google/capslock/analyzer"
	cpb "github.com/google/capslock/proto"
	"golang.org/x/tools/go/packages"
)

// The bounds of what is written.
const (
	maxPath  = 8   // calls of one path that are named
	maxError = 500 // bytes of one error
)

type capability struct {
	Name string `json:"name"`           // "FILES", "MODIFY_SYSTEM_STATE/ENV"
	Path string `json:"path"`           // the calls that lead to it
	File string `json:"file,omitempty"` // base name of where the first of them stands
	Line int    `json:"line,omitempty"`
}

type result struct {
	Dir          string       `json:"dir"` // relative to where it was started, "." for that
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
	doc := document{Version: 1, Go: runtime.Version(), Packages: []result{}}
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

func (d *document) analyse(patterns []string) error {
	pkgs, err := packages.Load(&packages.Config{
		Mode: analyzer.PackagesLoadModeNeeded,
		Env:  append(os.Environ(), "GOPACKAGESDRIVER=off", "CGO_ENABLED=0"),
	}, patterns...)
	if err != nil {
		return err
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	var sound []*packages.Package
	byPath := map[string]int{}
	for _, p := range pkgs {
		r := result{Dir: folderOf(here, p), Error: broken(p), Capabilities: cgo(p)}
		if r.Error == "" {
			sound = append(sound, p)
		}
		byPath[p.PkgPath] = len(d.Packages)
		d.Packages = append(d.Packages, r)
	}
	if len(sound) == 0 {
		return nil
	}
	info := analyzer.GetCapabilityInfo(sound, analyzer.GetQueriedPackages(sound), &analyzer.Config{
		Classifier: analyzer.GetClassifier(true), Granularity: analyzer.GranularityPackage,
	})
	for _, c := range info.CapabilityInfo {
		if i, ok := byPath[c.GetPackageDir()]; ok {
			d.Packages[i].Capabilities = append(d.Packages[i].Capabilities, capabilityOf(c))
		}
	}
	for i := range d.Packages {
		slices.SortFunc(d.Packages[i].Capabilities, func(a, b capability) int { return cmp.Compare(a.Name, b.Name) })
	}
	return nil
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

// cgo is the capability to run C, for files that import it. They are not built here.
func cgo(p *packages.Package) []capability {
	for _, name := range slices.Concat(p.GoFiles, p.IgnoredFiles) {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, i := range f.Imports {
			if i.Path.Value == `"C"` {
				return []capability{{Name: "CGO", Path: p.PkgPath + " imports C", File: filepath.Base(name), Line: set.Position(i.Pos()).Line}}
			}
		}
	}
	return []capability{}
}

func capabilityOf(c *cpb.CapabilityInfo) capability {
	out := capability{Name: c.GetCapabilityName()}
	var names []string
	for i, f := range c.Path {
		if i == 1 {
			out.File, out.Line = filepath.Base(f.GetSite().GetFilename()), int(f.GetSite().GetLine())
		}
		names = append(names, f.GetName())
	}
	if len(names) > maxPath {
		names = slices.Concat(names[:maxPath-2], []string{"…"}, names[len(names)-1:])
	}
	out.Path = clip(strings.Join(names, " > "))
	return out
}

func clip(text string) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) > maxError {
		text = strings.ToValidUTF8(text[:maxError], "") + "…"
	}
	return text
}
