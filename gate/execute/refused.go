package execute

import (
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// refusal is something that the restricted mode did not let a program do.
type refusal struct {
	kind string // import, builtin or call
	line int    // 0 is unknown
	file string // as Python names it
	name string // of the module or of what was called
}

// refusedPrefix begins the names of files that are not there by whose opening the
// bootstrap says what it refused: the recorder sees that, and the program cannot
// take it back. It can only say so of itself without need.
const refusedPrefix = "/.gate-refused/"

// maxRefusals bounds what is reported of one run.
const maxRefusals = 64

// refusals takes what the restricted mode said out of a behaviour.
func refusals(seen sandbox.Behaviour) ([]refusal, sandbox.Behaviour) {
	var out []refusal
	rest := make([]sandbox.Event, 0, len(seen.Events))
	for _, e := range seen.Events {
		said, ok := strings.CutPrefix(e.Object, refusedPrefix)
		if !ok || e.Action != sandbox.ActionRead {
			rest = append(rest, e)
			continue
		}
		if r, ok := readRefusal(said); ok && len(out) < maxRefusals {
			out = append(out, r)
		}
	}
	seen.Events = rest
	return out, seen
}

// readRefusal reads what the bootstrap, or a program in its place, said.
func readRefusal(said string) (refusal, bool) {
	text, err := hex.DecodeString(said)
	if err != nil {
		return refusal{}, false
	}
	parts := strings.SplitN(string(text), "\n", 4)
	if len(parts) != 4 || !slices.Contains([]string{"import", "builtin", "call"}, parts[0]) {
		return refusal{}, false
	}
	line, err := strconv.Atoi(parts[1])
	if err != nil || line < 0 || line > 1<<24 {
		return refusal{}, false
	}
	return refusal{kind: parts[0], line: line, file: parts[2], name: strings.ToValidUTF8(parts[3], "\uFFFD")}, true
}

// importStatement is a line that names what it imports.
var importStatement = regexp.MustCompile(`^\s*(?:from|import)\s|[;:]\s*(?:from|import)\s`)

// reportRefused adds the findings of what a unit was refused: in the file and line
// where it was tried, or in all its files where that is none of them.
func reportRefused(found *gate.Findings, tree *workspace.Tree, u plan.Unit, r result) {
	var all []refusal
	for _, run := range r.runs {
		for _, one := range run.refused {
			if !slices.Contains(all, one) && len(all) < maxRefusals {
				all = append(all, one)
			}
		}
	}
	for _, one := range all {
		file, ours := strings.CutPrefix(path.Clean(one.file), sandbox.Workspace+"/")
		rule := map[string]Rule{"import": ruleRefusedImport, "builtin": ruleRefusedBuiltin, "call": ruleRefusedCall}[one.kind]
		f := gate.Finding{
			Rule: rule.ID, Layer: gate.LayerSandbox, Severity: rule.Severity,
			Message: "when it was run as " + u.Kind + ", it " + rule.Message, Evidence: one.name, Origin: "what it did in the sandbox",
		}
		if ours && slices.Contains(u.Targets, file) {
			f.Line = one.line
			if one.kind == "import" && plainImport(tree, file, one) {
				// The line says it to everybody, and the static layer has judged it by
				// the same list: that it was refused is no second reason.
				f.Severity = gate.SeverityNote
			}
			found.Add(file, f)
			continue
		}
		if ours {
			f.Evidence += fmt.Sprintf(" (%s, line %d)", file, one.line)
		}
		for _, t := range u.Targets {
			found.Add(t, f)
		}
	}
}

// plainImport reports whether a line of a file is an import statement that names
// the module.
func plainImport(tree *workspace.Tree, file string, r refusal) bool {
	if !tree.Has(file) || r.line < 1 {
		return false
	}
	n := 0
	for line := range strings.Lines(tree.Text(file)) {
		if n++; n == r.line {
			top, _, _ := strings.Cut(r.name, ".")
			return importStatement.MatchString(line) && strings.Contains(line, top)
		}
	}
	return false
}

var (
	ruleRefusedImport = Rule{
		ID: "restricted-python/refused-import", Severity: gate.SeveritySuspicious,
		Title:   "Import refused in restricted mode",
		Message: "was refused an import by the restricted mode",
		Why:     "The policy restricts Python to modules that it names. A name that is put together while the program runs hides from the person who reads the code; one that is in an import statement is a note.",
		Instead: "Do without the module, or add it to imports.allow.",
	}
	ruleRefusedBuiltin = Rule{
		ID: "restricted-python/refused-builtin", Severity: gate.SeveritySuspicious,
		Title:   "Code execution refused in restricted mode",
		Message: "was refused a built-in that runs text as code",
		Why:     "In the restricted mode eval, exec, compile and breakpoint are refused: with them a program does what it does not say.",
		Instead: "Write the code down, or parse data with json or ast.literal_eval.",
	}
	ruleRefusedCall = Rule{
		ID: "restricted-python/refused-call", Severity: gate.SeveritySuspicious,
		Title:   "Outside access refused in restricted mode",
		Message: "was refused a call that reaches outside by the restricted mode",
		Why:     "It reached for files outside of its folders, for programs, the network, native code or the interpreter itself without a module that the policy allows, mostly by way of what other modules have loaded.",
		Instead: "Do without it, or name the module that has it under imports.allow and import that.",
	}
)
