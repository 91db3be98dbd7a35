package execute

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/ran"
	"github.com/aigate/gate/gate/execute/wants"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// syntaxErrors are how interpreters say that they cannot read a file: the file, the
// line, and a mark of such an error behind them.
var syntaxErrors = map[gate.Language]*regexp.Regexp{
	gate.LanguagePython:     regexp.MustCompile(`(?m)^(?:E\s+)?\s*File "([^"\n]{1,500})", line (\d+)\n(?:(?:E\s+)?.*\n){0,3}?(?:E\s+)?(?:SyntaxError|IndentationError|TabError): `),
	gate.LanguageJavaScript: regexp.MustCompile(`(?m)^(?:file://)?(/[^\n:]{1,500}):(\d+)\n(?:.*\n){1,6}?SyntaxError\b(?: \[\w+\])?: `),
	gate.LanguageShell:      regexp.MustCompile(`(?m)^([^\n:]{1,500}): (?:line )?(\d+): (?i:syntax error|unexpected EOF|conditional binary operator|.{0,100}: bad substitution)`),
	gate.LanguageGo:         regexp.MustCompile(`(?m)(?:^|\s)([^\s:]{1,500}\.go):(\d+):\d+: (?:syntax error|expected )`),
}

var (
	pythonImport = regexp.MustCompile(`(?m)^(?:E\s+)?ImportError: cannot import name .{1,200}? from '([\w.]+)'`)
	nodeImport   = regexp.MustCompile(`The requested module '([^']{1,200})' does not provide an export named|Named export '[^']{1,100}' not found\. The requested module '([^']{1,200})'`)
	pytestConfig = regexp.MustCompile(`(?m)^ImportError while loading conftest '([^'\n]{1,500})'|^(?:E\s+)?_pytest\.outcomes\.Exit: `)
	makeBroken   = regexp.MustCompile(`(?m)^([^\n:]{1,200}):(\d+): \*\*\* (?:missing separator|recipe commences|unterminated|missing 'endif'|extraneous)`)
)

// failure says what of the end of a program is known to keep a file from running.
func failure(u plan.Unit, res sandbox.Result, d diagnosis) ran.Failure {
	image := u.Job.Image
	text := tail(res.Stderr.Data) + "\n" + tail(res.Stdout.Data)
	f := ran.Failure{Reason: d.note, Lacks: lacked(d.needs)}
	if d.needs == noTests {
		f.Lacks = ""
	}
	broken := image == gate.LanguageGo && (u.Kind == plan.Script && res.ExitCode == job.BuildFailed || goBroken.MatchString(text))
	if m := nodeImport.FindStringSubmatch(text); m != nil && image == gate.LanguageJavaScript {
		f.Status, f.Lacks = gate.ExecutionImportFailed, cmp.Or(m[1], m[2])
		f.Reason = "its import from " + f.Lacks + " failed"
		return f
	}
	if w, ok := wants.Read(image, tail(res.Stderr.Data)); ok && f.Lacks == "" && outside(u, w) {
		f.Lacks = w.String()
	}
	languages := []gate.Language{image}
	if u.Recipe || image == gate.LanguageJavaScript {
		languages = append(languages, gate.LanguageShell)
	}
	for _, l := range languages {
		re := syntaxErrors[l]
		m := re.FindStringSubmatch(text)
		if m == nil || image == gate.LanguageGo && !broken {
			continue
		}
		f.Status, f.File = gate.ExecutionSyntaxError, inTree(u, m[1])
		f.Line, _ = strconv.Atoi(m[2])
		f.Reason = "syntax error in line " + m[2]
		if f.File != u.Targets[0] {
			f.Reason = "syntax error in " + gate.Clip(f.File, 200) + ", line " + m[2]
		}
		return f
	}
	switch {
	case d.needs != "" && f.Lacks != "" && strings.Contains(d.needs, "module"):
		f.Status = gate.ExecutionMissingModule
	case broken:
		f.Status = gate.ExecutionNotBuilt
	case image == gate.LanguagePython && pythonImport.MatchString(text):
		f.Status, f.Lacks = gate.ExecutionImportFailed, pythonImport.FindStringSubmatch(text)[1]
		f.Reason = "its import from " + f.Lacks + " failed"
	case image == gate.LanguagePython && u.Kind == plan.Tests && pytestConfig.MatchString(text):
		f.Status = gate.ExecutionNoTestsRan
		if m := pytestConfig.FindStringSubmatch(text); m[1] != "" {
			f.File = inTree(u, m[1])
		}
	case makeBroken.MatchString(text) && u.Recipe:
		m := makeBroken.FindStringSubmatch(text)
		f.Status, f.File = gate.ExecutionSyntaxError, u.Targets[0]
		f.Line, _ = strconv.Atoi(m[2])
		f.Reason = "make cannot read line " + m[2]
	}
	return f
}

// outside reports whether what a program lacks is no part of a repository: an argument, a
// variable, or a file of the machine.
func outside(u plan.Unit, w wants.Want) bool {
	if u.Kind != plan.Script && u.Kind != plan.Module {
		return false
	}
	switch w.Kind {
	case wants.File, wants.Folder:
		return path.IsAbs(w.Name) && !strings.HasPrefix(w.Name, sandbox.Workspace+"/")
	case wants.Argument, wants.Option, wants.Variable:
		return true
	}
	return false
}

// lacked is the module or command that a sentence of [lacking] names.
func lacked(needs string) string {
	needs, _, _ = strings.Cut(needs, ",")
	return needs[strings.LastIndexByte(needs, ' ')+1:]
}

// inTree is a file that an interpreter names, as the tree has it.
func inTree(u plan.Unit, name string) string {
	if rest, ok := strings.CutPrefix(name, sandbox.Workspace+"/"); ok {
		return rest
	}
	return path.Join(u.Dir, name)
}
