package ran

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Decide says whether a file ran whose runs ended by themselves.
func Decide(e Evidence) Verdict {
	if line, ok := e.testsOff(); ok {
		v := Verdict{Status: gate.ExecutionNoTestsRan, By: e.Path, Line: line, Deliberate: true}
		v.Reason = "it switches all of its tests off" + e.place(v)
		return v
	}
	switch {
	case e.untested():
		v := e.why()
		if v.Status != gate.ExecutionSyntaxError && v.Status != gate.ExecutionMissingModule {
			v.Status = gate.ExecutionNoTestsRan
		}
		v.Reason = cmp.Or(e.said(v), "none of its tests ran")
		return v
	case e.whole():
		return Verdict{Status: gate.ExecutionExited}
	}
	v := e.why()
	if e.Shape.Apart && v.Status == gate.ExecutionStoppedEarly && !v.Deliberate {
		return Verdict{Status: gate.ExecutionNotRun, Reason: cmp.Or(v.Reason, "its default goal runs none of the changed lines")}
	}
	v.Reason = cmp.Or(e.said(v), "its top level did not come to its end")
	return v
}

// testsOff returns where a file that was only given to runners of tests switches its tests off.
func (e Evidence) testsOff() (line int, ok bool) {
	if e.Source == nil || len(e.Runs) == 0 || slices.ContainsFunc(e.Runs, func(r Run) bool { return !r.Tests }) {
		return 0, false
	}
	return switchedOff(e.Path, e.Source(e.Path))
}

// whole reports whether the file ran as far as it is to run.
func (e Evidence) whole() bool {
	if e.Lines != nil {
		return e.ended() || !e.Shape.Apart && (e.changedRan() || e.linked())
	}
	failed := slices.ContainsFunc(e.Runs, func(r Run) bool { return r.Failure.Status != "" })
	told := slices.ContainsFunc(e.Runs, func(r Run) bool { return r.Told })
	counted := slices.ContainsFunc(e.Runs, func(r Run) bool { return r.Counted })
	compiled := slices.ContainsFunc(e.Runs, func(r Run) bool { return r.Told && r.Compiled })
	switch {
	case e.Shape.Loaded || compiled || !counted:
		return !failed
	case told:
		return false // and nothing of this file is among it
	}
	return false // its interpreter was ended before it could tell
}

// linked reports whether the file is a part of a program that came to its end and told of its
// lines: where a language has no top level, functions that nothing calls are all that is left.
func (e Evidence) linked() bool {
	return len(e.Shape.Top) == 0 && slices.ContainsFunc(e.Runs, func(r Run) bool { return r.Compiled && r.Told && r.Code == 0 && r.Failure.Status == "" })
}

// ended reports whether the top level came to its last statement.
func (e Evidence) ended() bool {
	if e.Shape.Apart {
		return e.partRan()
	}
	if n := len(e.Shape.Top); n > 0 {
		return e.Lines.Reached(e.Shape.Top[n-1])
	}
	return len(e.Lines) == 0 || e.Shape.Loaded || e.Lines.Started()
}

// partRan reports whether a part of the change ran, of a file whose parts run apart. One
// that cannot be read did not.
func (e Evidence) partRan() bool {
	broken := slices.ContainsFunc(e.Runs, func(r Run) bool { return r.Failure.Status != "" })
	touched := false
	for n, ran := range e.Lines {
		if e.Changed.Touches(n, n) {
			if ran {
				return true
			}
			touched = true
		}
	}
	return !touched && !broken
}

// changedRan reports whether all lines of the change that have code ran, and all of its
// statements of the top level: a compiler leaves out what comes behind an exit.
func (e Evidence) changedRan() bool {
	any := false
	for _, s := range e.Shape.Top {
		if e.Changed.Touches(s[0], s[1]) && !e.Lines.Reached(s) {
			return false
		}
	}
	for n, ran := range e.Lines {
		if !e.Changed.Touches(n, n) {
			continue
		}
		if !ran {
			return false
		}
		any = true
	}
	return any
}

// untested reports whether a file of tests was given to a runner, and no test of it ran.
func (e Evidence) untested() bool {
	only := len(e.Runs) > 0 && !slices.ContainsFunc(e.Runs, func(r Run) bool { return !r.Tests })
	if !only {
		return false
	}
	if e.Lines != nil && e.Shape.Tests > 0 {
		return e.Shape.Tested == 0
	}
	return !e.whole()
}

// why says why a file did not run, by the first of its runs that tells.
func (e Evidence) why() Verdict {
	for _, r := range e.Runs {
		if r.Stopped.Says() && (r.Failure.Status == "" || !r.Stopped.Vague()) {
			return e.byEnd(r.Stopped, r.Failure)
		}
		if f := r.Failure; f.Status != "" {
			return Verdict{Status: f.Status, Reason: f.Reason, By: f.File, Line: f.Line, Lacks: f.Lacks}
		}
	}
	v := Verdict{Status: gate.ExecutionStoppedEarly}
	if at, ok := e.skipped(); ok {
		v.By, v.Line, v.Deliberate = e.Path, at, true
		v.Reason = "it skips all of its tests" + e.place(v)
		return v
	}
	for _, r := range e.Runs {
		switch {
		case r.Failure.Reason != "":
			v.Reason, v.Lacks = r.Failure.Reason, r.Failure.Lacks
			return v
		case r.Direct && !r.Told:
			v.Reason, v.Deliberate = "it was ended before it told which of its lines ran", r.Code == 0
		case v.Reason == "" && r.Told && !e.Lines.Started():
			v.Reason = "no run came to it"
		}
	}
	return v
}

// leaves is a statement of a file of tests that ends it for a runner.
var leaves = regexp.MustCompile(`\b(?:skip|exit|abort)\w*\s*\(|\bSkipTest\b|\bSkipped\b|\bExit\b`)

// skipped returns the statement of the top level, under no condition, at which a file
// leaves its runner.
func (e Evidence) skipped() (line int, ok bool) {
	for i, s := range slices.Backward(e.Shape.Top) {
		if !e.Lines.Reached(s) {
			continue
		}
		text := lineOf(e.Source(e.Path), s[0])
		return s[0], i < len(e.Shape.Top)-1 && !guarded.MatchString(text) && leaves.MatchString(text) && !strings.Contains(text, "importorskip")
	}
	return 0, false
}

// byEnd reads why a process ended.
func (e Evidence) byEnd(s *coverage.Stopped, f Failure) Verdict {
	v := Verdict{Status: gate.ExecutionStoppedEarly}
	var at coverage.Frame
	if n := len(s.Frames); n > 0 {
		at = s.Frames[n-1]
		v.By, v.Line = at.File, at.Line
	}
	switch s.How {
	case "SyntaxError", "IndentationError", "TabError":
		v.Status, v.By, v.Line = gate.ExecutionSyntaxError, cmp.Or(s.File, v.By), cmp.Or(s.Line, v.Line)
		v.Reason = "syntax error" + e.place(v)
	case "ModuleNotFoundError":
		v.Status = gate.ExecutionMissingModule
		v.Lacks, _, _ = strings.Cut(s.Name, ".")
		v.Reason = cmp.Or(f.Reason, "it needs the module "+v.Lacks)
	case "ImportError":
		v.Status, v.Lacks = gate.ExecutionImportFailed, s.Name
		v.Reason = "an import failed" + e.place(v)
		if s.Name != "" {
			v.Reason = "its import from " + s.Name + " failed" + e.place(v)
		}
	case "_exit", "exit", "process.exit", "SystemExit", "exec":
		v.Reason = fmt.Sprintf("%s ended the program%s", calls[s.How], e.place(v))
		v.Deliberate = e.deliberate(s, at)
		v.Refused = !v.Deliberate
	case "extdebug":
		v.Reason, v.Deliberate = "extdebug lets its shell skip commands"+e.place(v), true
	case "dry":
		v.Reason, v.Deliberate = "its MAKEFLAGS let make run no recipe"+e.place(v), true
	default:
		v.Reason, v.Lacks = cmp.Or(f.Reason, "an error ended it")+e.place(v), f.Lacks
		line := lineOf(e.Source(v.By), v.Line)
		v.Refused = throws.MatchString(line) && (!at.Top || guarded.MatchString(line))
	}
	return v
}

// calls are how reports name what ends a process.
var calls = map[string]string{"_exit": "os._exit", "exit": "exit", "process.exit": "process.exit", "SystemExit": "SystemExit", "exec": "exec"}

// guarded begins a statement that may do nothing.
var guarded = regexp.MustCompile(`^(?:if|elif|else|for|while|try|except|finally|with|match|assert|switch|\[|test|case)\b|^[\s}]|&&|\|\||\?|^[\w-]+\s*\(\)\s*\{|^function\s`)

// deliberate reports whether a call ends the program whatever it is started for. A
// program that ends with an error code under a condition may miss its arguments.
func (e Evidence) deliberate(s *coverage.Stopped, at coverage.Frame) bool {
	switch {
	case s.How == "_exit":
		return true
	case s.How == "exec" || len(s.Frames) == 0:
		return false
	case at.File != e.Path && slices.ContainsFunc(s.Frames, func(f coverage.Frame) bool { return f.File == at.File && f.Top }):
		// While it was only loaded; with an error and under a condition, it may miss a setting.
		return s.Code == 0 || !guarded.MatchString(lineOf(e.Source(at.File), at.Line))
	case at.File != e.Path:
		return s.Code == 0
	}
	line := lineOf(e.Source(at.File), at.Line)
	return at.Top && !guarded.MatchString(line) && (exits.MatchString(line) || s.Code == 0 && !reads.MatchString(line))
}

var (
	// exits matches a statement that ends the program itself.
	exits = regexp.MustCompile(`(?i)exit|quit|abort|kill`)
	// throws matches a statement that raises an error itself.
	throws = regexp.MustCompile(`(?:^|[\s{;:)])(?:raise|throw)\s`)
	// reads matches a call of a library that reads the command line, and ends the program
	// where arguments are missing or help is asked for.
	reads = regexp.MustCompile(`parse_\w*args|\bdocopt\b|\bFire\b|\btyper\b`)
)

// lineOf is one line of a text.
func lineOf(text string, n int) string {
	i := 0
	for l := range strings.Lines(text) {
		if i++; i == n {
			return l
		}
	}
	return ""
}

// place names where a program ended, behind a reason.
func (e Evidence) place(v Verdict) string {
	switch {
	case v.By == "" || v.Line == 0 && v.By == e.Path:
		return ""
	case v.By == e.Path:
		return fmt.Sprintf(" in line %d", v.Line)
	case v.Line == 0:
		return " in " + v.By
	}
	return fmt.Sprintf(" in %s, line %d", v.By, v.Line)
}

// said is the reason of a verdict as a headline has it.
func (e Evidence) said(v Verdict) string { return gate.Clip(v.Reason, 300) }
