package execute

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/wasm"
)

// wasm plans one WebAssembly module: gate itself interprets it, in a container like
// any other, so any image will do.
func (p *planner) wasm(file string) {
	p.add(unit{kind: kindScript, image: gate.LanguageShell, targets: []string{file},
		argv: wasm.Command(sandbox.Gate, wasm.Options{Module: file})})
}

// Where the parts of an interpreter's command line are; see [wasm.Command].
const (
	wasmMode   = 1
	wasmMemory = 2
	wasmClock  = 3
	wasmModule = 4
)

// interpreted reports whether a command interprets a module.
func interpreted(argv []string) bool {
	return len(argv) > wasmModule && argv[0] == sandbox.Gate && argv[wasmMode] == wasm.Mode
}

// withMemory is such a command with what a module may have of a container's memory:
// half, because the interpreter needs some itself.
func withMemory(argv []string, memory int64) []string {
	full := wasm.Command(sandbox.Gate, wasm.Options{Memory: memory / 2})
	argv = slices.Clone(argv)
	argv[wasmMemory] = full[wasmMemory]
	return argv
}

// goesToWasm reports whether a unit is a Go program that the policy wants as
// WebAssembly. Tests and what is only imported stay as they are.
func (b *batch) goesToWasm(u unit, argv []string) bool {
	return b.stage.o.Policy.Go == "wasip1" && u.image == gate.LanguageGo && len(argv) > 3 && argv[2] == goRun()
}

// goWasi is goRun by way of WebAssembly, compiled where it runs.
func goWasi(memory int64) string {
	run := withMemory(wasm.Command(sandbox.Gate, wasm.Options{Module: "/tmp/program.wasm"}), memory)
	return fmt.Sprintf(`GOOS=wasip1 GOARCH=wasm go build -o /tmp/program.wasm "$0" || exit %d; exec %s "$@"`, buildFailed, strings.Join(run, " "))
}

// foreign takes what an interpreter said of a module's imports out of a behaviour.
func foreign(interpreted bool, seen sandbox.Behaviour) ([]wasm.Foreign, sandbox.Behaviour) {
	if !interpreted {
		return nil, seen
	}
	var out []wasm.Foreign
	rest := make([]sandbox.Event, 0, len(seen.Events))
	for _, e := range seen.Events {
		if f, ok := wasm.ReadForeign(e.Object); ok && e.Action == sandbox.ActionRead {
			out = append(out, f)
			continue
		}
		rest = append(rest, e)
	}
	seen.Events = rest
	return out, seen
}

// browserHosts are what modules for browsers and for JavaScript import from.
var browserHosts = []string{"env", "go", "gojs", "wbg", "imports", "a", "./index_bg.js", "__wbindgen_placeholder__", "__wbindgen_externref_xform__"}

// reportForeign adds the findings of what modules import besides WASI: one for each
// host.
func (b *batch) reportForeign(u unit, r result) {
	byHost := map[string][]string{}
	for _, run := range r.runs {
		for _, f := range run.foreign {
			if !slices.Contains(byHost[f.Module], f.Name) {
				byHost[f.Module] = append(byHost[f.Module], f.Name)
			}
		}
	}
	hosts := make([]string, 0, len(byHost))
	for h := range byHost {
		hosts = append(hosts, h)
	}
	slices.Sort(hosts)
	for _, h := range hosts {
		f := gate.Finding{
			Rule: ruleForeignImport.ID, Layer: gate.LayerSandbox, Severity: ruleForeignImport.Severity,
			Message: "the module " + ruleForeignImport.Title, Evidence: foreignEvidence(h, byHost[h]), Origin: "what it imports",
		}
		if slices.Contains(browserHosts, h) {
			f.Severity = gate.SeverityNote
		}
		for _, t := range u.targets {
			b.found.Add(t, f)
		}
	}
}

func foreignEvidence(host string, names []string) string {
	const most = 8
	slices.Sort(names)
	text := host + ":"
	for i, n := range names {
		if i == most {
			return text + " and more"
		}
		text += " " + n
	}
	return text
}

var ruleForeignImport = Rule{
	ID: "wasm/foreign-import", Severity: gate.SeveritySuspicious,
	Title:   "imports functions of a host that are none of WASI",
	Why:     "What a module can do is what its host gives it. Functions beyond WASI reach what WASI keeps away: sockets, processes, a browser. Here they did nothing and answered zero, so what it does with them was not seen. For the hosts of browsers it is a note.",
	Instead: "Build the module for WASI, or review what its host lets it do.",
}
