package execute

import (
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/wasm"
)

// foreign takes what an interpreter said of a module's imports out of a behaviour.
func foreign(seen sandbox.Behaviour) ([]wasm.Foreign, sandbox.Behaviour) {
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
func reportForeign(found *gate.Findings, u plan.Unit, r result) {
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
			Message: "the module " + ruleForeignImport.Message, Evidence: foreignEvidence(h, byHost[h]), Origin: "what it imports",
		}
		if slices.Contains(browserHosts, h) {
			f.Severity = gate.SeverityNote
		}
		for _, t := range u.Targets {
			found.Add(t, f)
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
	Title:   "WebAssembly import outside WASI",
	Message: "imports functions of a host that are none of WASI",
	Why:     "What a module can do is what its host gives it. Functions beyond WASI reach what WASI keeps away: sockets, processes, a browser. Here they did nothing and answered zero, so what it does with them was not seen. For the hosts of browsers it is a note.",
	Instead: "Build the module for WASI, or review what its host lets it do.",
}
