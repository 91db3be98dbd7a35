package execute

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// briefCode is how long code may be, in bytes, that is no news when it is in a
// file of the change as it is: Function("return this") is in every other library.
const briefCode = 64

// compiledFunction is how V8 shows what new Function makes.
var compiledFunction = regexp.MustCompile(`(?s)^\((?:async )?function\*? anonymous\([^)]*\n\) \{\n(.*)\n\}\)$`)

// multiprocess are the programs that Python's own library starts.
var multiprocess = regexp.MustCompile(`^from multiprocessing\.\w+ import \w+; ?\w+\([\w=, ]*\)$`)

// nothingNew reports whether code that was handed to an interpreter as text is known
// or says nothing: what we handed over ourselves, or what is in the change and
// has been looked at there.
func nothingNew(tree *workspace.Tree, u plan.Unit, c sandbox.Capture, memory int64) bool {
	text := bytes.TrimSpace(c.Data)
	inline := strings.HasPrefix(c.How, sandbox.PassedAsArgument) || strings.HasPrefix(c.How, sandbox.ReadFromPipe)
	if !inline && !strings.HasPrefix(c.Path, codeFolder) {
		return false
	}
	if m := compiledFunction.FindSubmatch(text); m != nil {
		text = bytes.TrimSpace(m[1])
	}
	if u.Job.Ours(string(text), memory) {
		return true
	}
	if !inline {
		return reckons(c.Path, text) || len(text) < briefCode && tree.Literal(text)
	}
	// A command with its words filled in is evidence already, with all its arguments.
	plain := len(text) < briefCode && !bytes.ContainsAny(text, "\n|;&$`<>()")
	return plain || multiprocess.Match(text) || tree.Literal(text)
}

// maxReckoned is how long an expression may be that only reckons, in bytes.
const maxReckoned = 256

var (
	// moves is a shell command that moves a value from one variable to another, or asks how many
	// there are: Bash has no other way to do so with names that it is given.
	moves = regexp.MustCompile(`^(?:(?:local (?:-\w+ )?)?\w+\+?=\(?(?:[\w.,:-]*|"?\$(?:\w+|\{#?\w+(?:\[(?:@|\$?\w+)\])?\})"?)\)?|\(\( \$\{#\w+\[@\]\} > 0 \)\))$`)
	// textOnly is a text in quotes and nothing else, which is no code.
	textOnly = regexp.MustCompile(`^[bBuUrR]{0,2}(?:'(?:[^'\\\n]|\\[^\n])*'|"(?:[^"\\\n]|\\[^\n])*")$`)
	// reckoning is an expression of names, numbers, texts and operators.
	reckoning = regexp.MustCompile(`^[\w\s.,:+*/%<>=!&|^~()'"\[\]-]*$`)
	// reckonsNot is what of it does more: a call, an assignment, a word that begins a
	// statement, and the inside of an object.
	reckonsNot = regexp.MustCompile(`(?:^|[^=!<>])=(?:[^=]|$)|[\w)\]'"]\s*\(|__|\n|\b(?:import|from|exec|eval|lambda|new|delete|await|yield|del|with|for|function|class|def|return|throw|raise|let|var|const)\b`)
)

// reckons reports whether code that an interpreter compiled is an expression that calls
// nothing, such as what a table of formulas has: what it gives is what its names hold. Of a
// shell it is an assignment of such.
func reckons(path string, text []byte) bool {
	if strings.HasSuffix(path, ".sh") {
		return len(text) <= maxReckoned && moves.Match(text)
	}
	known := strings.HasSuffix(path, ".py") || strings.HasSuffix(path, ".js")
	if known && textOnly.Match(text) {
		return true // a program that is handed over in quotes, which is read as another piece
	}
	return known && len(text) <= maxReckoned && reckoning.Match(text) && !reckonsNot.Match(text)
}

// recordedText is how much of an argument the record of a command has, in bytes.
const recordedText = 512

// onRecord reports whether code is in full in the record of a command, so that
// rules about commands have looked at it.
func onRecord(c sandbox.Capture) bool {
	return strings.HasPrefix(c.How, sandbox.PassedAsArgument) && len(c.Data) <= recordedText
}

// inlineLast puts what is on record behind what is nowhere else.
func inlineLast(captures []sandbox.Capture) []sandbox.Capture {
	out := slices.Clone(captures)
	slices.SortStableFunc(out, func(a, b sandbox.Capture) int {
		return map[bool]int{true: 1}[onRecord(a)] - map[bool]int{true: 1}[onRecord(b)]
	})
	return out
}
