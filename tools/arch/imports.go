package arch

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Module is the path that all packages of the project start with.
const Module = "github.com/aigate/gate"

// Package is one package as `go list` describes it. Paths are import paths.
type Package struct {
	ImportPath string
	Name       string
	Doc        string   // the first sentence of the package comment
	Standard   bool     // part of the standard library
	Imports    []string // what its files import, tests left out
	Deps       []string // everything that Imports reach
}

// stages are the packages that look at a change. None knows another: what one
// found reaches the next as a gate.Finding, so that each can be replaced.
var stages = []string{
	"gate/change", "gate/attribution", "gate/static", "gate/judge", "gate/execute",
}

// libraries are packages below a stage that do one thing for anybody and know
// nothing of the stage: reading a hostile repository is not to be written twice.
var libraries = []string{"gate/change/git", "gate/change/linediff", "gate/source", "gate/glob", "gate/bounded", "gate/lazyregexp"}

// sandboxUsers are the packages that may import the sandbox: what can start a container
// can run hostile code. gate/execute runs the change, gate/engine opens the sandbox for
// it, gate/doctor says what is missing, and gate/deps builds images. The command is not
// among them (see hiddenModes). The client of the container engine is for the sandbox
// alone: the others ask the sandbox, whose containers are confined.
var sandboxUsers = []string{"gate/execute", "gate/engine", "gate/doctor", "gate/deps", "sandbox"}

// sandboxModules are the modules that the sandbox itself may import. It holds
// when everything else fails, so what it is made of is short.
var sandboxModules = []string{
	"github.com/docker/docker",         // the engine's client and its types
	"github.com/docker/go-units",       // part of that client's API: ulimits
	"github.com/containerd/errdefs",    // what that client's errors are
	"github.com/moby/profiles/seccomp", // the default profile that ours tightens
	"github.com/opencontainers",        // image and runtime types in the client's API
	"golang.org/x/sys",                 // system calls of the supervisor
	"golang.org/x/sync",                // errgroup
}

// fileLock is the part of the sandbox that other packages may import: it starts nothing,
// and two implementations of a lock would not keep each other out. It stays a leaf.
const fileLock = "sandbox/filelock"

// interpreter is the part of the sandbox that may import one module more: it is a
// program inside of the container, not what holds it.
const interpreter, interpreterModule = "sandbox/wasm", "github.com/tetratelabs/wazero"

// globModule is what gate/glob is made of.
const globModule = "github.com/bmatcuk/doublestar/v4"

// CheckImports returns what in packages, which must hold all packages of the
// module and may hold others, goes against the arrows of the design.
func CheckImports(packages []Package) []string {
	standard := map[string]bool{}
	for _, p := range packages {
		standard[p.ImportPath] = p.Standard
	}
	var wrong []string
	for _, p := range packages {
		at, ours := inModule(p.ImportPath)
		if !ours {
			continue
		}
		complain := func(what, why string) {
			wrong = append(wrong, fmt.Sprintf("package %s imports %s: %s", at, what, why))
		}
		for _, imp := range p.Imports {
			if imp == "C" {
				complain(imp, "gate builds without cgo, so that hostile text is parsed by memory-safe code only")
			}
			local, oursToo := inModule(imp)
			if imp == globModule && at != "gate/glob" {
				complain(imp, "gate/glob is the one dialect of globs: what a second one accepts, the first may not match")
			}
			switch {
			case local == fileLock && at != "gate":
			case at == fileLock && oursToo:
				complain(local, "everything that needs a lock imports it, so it imports nothing of ours")
			case at == "gate" && !standard[imp]:
				complain(imp, "gate is the vocabulary and imports the standard library only")
			case confined(at) && oursToo && !under(local, "sandbox"):
				complain(local, "the sandbox knows nothing of gate")
			case underAny(at, libraries) && oursToo && local != "gate" && !underAny(local, libraries):
				complain(local, "a library that stages share knows none of them")
			case confined(at):
				if !oursToo && !standard[imp] && !underAny(imp, sandboxModules) && !(at == interpreter && strings.HasPrefix(imp, interpreterModule)) {
					complain(imp, "the sandbox is made of the standard library, the Docker client and x/sys")
				}
			case at == commandFolder && slices.Contains(hiddenModes, local):
			case under(at, "tools") && under(imp, engineClient):
			case under(imp, engineClient) && !under(at, "sandbox"):
				complain(imp, "only the sandbox speaks to a container engine: its containers are confined")
			case under(local, "sandbox") && !underAny(at, sandboxUsers):
				complain(imp, "only "+strings.Join(sandboxUsers, ", ")+" may start containers")
			case oursToo && under(local, "cmd"):
				complain(local, "commands wire packages, not the other way round")
			case oursToo && under(local, "tools"):
				if !under(at, "tools") && !under(at, "sandbox/images") {
					complain(local, "tools build and test the project and are no part of it")
				}
			}
		}
		for _, dep := range p.Deps {
			local, _ := inModule(dep)
			if from, to := stageOf(at), stageOf(local); from != "" && to != "" && from != to {
				complain(local, "stages never import each other; "+from+" is one, "+to+" is another")
			}
			if under(at, "report") && (stageOf(local) != "" || under(local, "sandbox")) {
				complain(local, "a report is made from the result alone, so that a saved one can be replayed")
			}
		}
		if slices.Contains(p.Imports, "testing") && at != "tools/testenv" && !forTests(at) {
			complain("testing", "only tests and packages for tests do")
		}
		for _, imp := range p.Imports {
			if local, ok := inModule(imp); ok && forTests(local) && !forTests(at) {
				complain(local, "it is for tests")
			}
		}
	}
	slices.Sort(wrong)
	return slices.Compact(wrong)
}

// CheckDocs returns the packages without a comment, or with one that does not
// start the way that Go's tools expect of a library.
func CheckDocs(packages []Package) []string {
	var wrong []string
	for _, p := range packages {
		at, ours := inModule(p.ImportPath)
		if !ours {
			continue
		}
		want := "Package " + p.Name + " "
		switch {
		case p.Doc == "":
			wrong = append(wrong, fmt.Sprintf("package %s has no comment; write doc.go: what for, what it promises, what it does not", at))
		case p.Name != "main" && !strings.HasPrefix(p.Doc, want):
			wrong = append(wrong, fmt.Sprintf("package %s: its comment starts with %q, not with %q", at, first(p.Doc, 30), want))
		}
	}
	return wrong
}

// inModule cuts the module path off an import path.
func inModule(importPath string) (local string, ok bool) {
	if importPath == Module {
		return ".", true
	}
	local, ok = strings.CutPrefix(importPath, Module+"/")
	if !ok {
		return "", false
	}
	return local, true
}

// forTests reports whether a package exists for tests alone, by the name that
// net/http/httptest has set the example for.
func forTests(local string) bool {
	return strings.HasSuffix(local, "test") && path.Base(local) != "test"
}

// confined reports whether a package is part of what runs hostile code. The
// images are built by a tool that is not.
func confined(local string) bool {
	return under(local, "sandbox") && !under(local, "sandbox/images")
}

// stageOf returns the stage that a package belongs to, "" for none.
func stageOf(local string) string {
	if underAny(local, libraries) {
		return ""
	}
	for _, s := range stages {
		if under(local, s) {
			return s
		}
	}
	return ""
}

// under reports whether local is root or lies below it.
func under(local, root string) bool {
	return local == root || strings.HasPrefix(local, root+"/")
}

func underAny(local string, roots []string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return under(local, r) })
}

func first(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}
