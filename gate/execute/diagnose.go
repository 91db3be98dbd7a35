package execute

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/ran"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// diagnosis says in one sentence what is to be known about the end of a run. It
// reads what the program wrote, which the program can forge: it explains a status
// and never improves it.
type diagnosis struct {
	note  string
	needs string   // set when the program lacked something, so that not all of it ran
	lacks []string // the modules that it lacked
	// failure is why a file may not have run.
	failure ran.Failure
}

func diagnose(u plan.Unit, res sandbox.Result, withheld map[string]bool) diagnosis {
	if res.Status != sandbox.Exited {
		return diagnosis{note: res.Reason}
	}
	if res.ExitCode == 0 {
		return diagnosis{}
	}
	d := explain(u, res, withheld)
	d.failure = failure(u, res, d)
	return d
}

// noTests is what pytest says by its exit code 5. It needs nothing that is not there.
const noTests = "the runner collected no test"

// explain says why a program ended with an error.
func explain(u plan.Unit, res sandbox.Result, withheld map[string]bool) diagnosis {
	stderr, stdout := tail(res.Stderr.Data), tail(res.Stdout.Data)
	text := stderr + "\n" + stdout
	last := cmp.Or(errorLine(u.Job.Image, stderr), lastLine(stderr), lastLine(stdout))
	if needs := lacking(u.Job.Image, text, res.ExitCode); needs != "" {
		for _, w := range slices.Sorted(keys(withheld)) {
			if stem := strings.TrimSuffix(path.Base(w), path.Ext(w)); strings.HasSuffix(needs, stem) || strings.HasSuffix(needs, path.Base(w)) {
				needs += ", which was left out because a layer calls it dangerous"
				break
			}
		}
		return diagnosis{note: needs, needs: needs, lacks: modulesLacking(u.Job.Image, text)}
	}
	switch {
	case u.Job.Image == gate.LanguageGo && (u.Kind == plan.Script && res.ExitCode == job.BuildFailed || goBroken.MatchString(text)):
		return diagnosis{note: "it did not build: " + last, needs: "it did not build"}
	case u.Kind == plan.Tests && u.Job.Image == gate.LanguagePython && res.ExitCode == 5:
		return diagnosis{note: noTests, needs: noTests}
	case res.Reason != "":
		return diagnosis{note: res.Reason}
	case last == "":
		return diagnosis{note: fmt.Sprintf("it ended with exit code %d", res.ExitCode)}
	}
	return diagnosis{note: fmt.Sprintf("it ended with exit code %d: %s", res.ExitCode, last)}
}

// tail is the part of a stream that is searched, in bytes: errors come last.
func tail(data []byte) string {
	const most = 32 << 10
	return strings.ToValidUTF8(string(data[max(0, len(data)-most):]), "\uFFFD")
}

func keys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

var (
	pythonLacks = regexp.MustCompile(`(?m)^(?:E\s+)?ModuleNotFoundError: No module named '([\w.]+)'`)
	nodeLacks   = regexp.MustCompile(`Cannot find (?:package|module) '([^']{1,200})'`)
	goLacks     = regexp.MustCompile(`(?m)no required module provides package ([^\s:;]+)|missing go\.sum entry for module providing package ([^\s:;]+)|cannot find module providing package ([^\s:;]+)|^(?:go: )?(?:\S+: )?([^\s@]+)@[^\s:]+: module lookup disabled`)
	goTooOld    = regexp.MustCompile(`requires go >= ([\d.]+)`)
	shellLacks  = regexp.MustCompile(`(?m)(?:^|: )([\w./+-]{1,100}): (?:command )?not found$`)
	goBroken    = regexp.MustCompile(`(?m)\[(?:build|setup) failed\]$|^found packages `)
	makeLacks   = regexp.MustCompile(`(?m)^make(?:\[\d+\])?: ([\w./+-]{1,100}): No such file or directory$`)
	nodeError   = regexp.MustCompile(`(?m)^(?:Uncaught )?(\w*(?:Error|Exception)\b.*)$`)
	nodeBrowser = regexp.MustCompile(`ReferenceError: (document|window|navigator|localStorage|self|describe|test|it|expect|jest|Deno|Bun) is not defined`)
)

// goOffline is what go says of a module without naming it, if only a file imports it.
const goOffline = "module lookup disabled by GOPROXY=off"

// lacking names what a program lacked, "" when it lacked nothing that is known.
func lacking(image gate.Language, text string, code int) string {
	first := func(re *regexp.Regexp) string {
		m := re.FindStringSubmatch(text)
		for _, group := range m[min(1, len(m)):] {
			if group != "" {
				return gate.Clip(group, 200)
			}
		}
		return ""
	}
	switch image {
	case gate.LanguagePython:
		if m := first(pythonLacks); m != "" {
			top, _, _ := strings.Cut(m, ".")
			return "it needs the module " + top
		}
	case gate.LanguageJavaScript:
		if m := first(nodeLacks); m != "" {
			return "it needs the module " + strings.TrimPrefix(m, sandbox.Workspace+"/")
		}
		if m := first(nodeBrowser); m != "" {
			return "it needs " + m + ", which a browser, a test runner or another runtime provides"
		}
	case gate.LanguageGo:
		if m := first(goLacks); m != "" {
			return "it needs the module of " + m
		}
		if v := first(goTooOld); v != "" {
			return "it needs Go " + v
		}
		if strings.Contains(text, goOffline) {
			return "it needs modules that are not installed"
		}
	}
	if m := first(shellLacks); m != "" && (code == 127 || strings.Contains(text, "Error 127")) {
		return "it needs the command " + m
	}
	if m := first(makeLacks); m != "" {
		return "it needs the command " + m
	}
	return ""
}

// modulesLacking are all modules that a program says it lacked, each once: whether
// a stand-in helps is found out with a run, so all of them count that are known.
func modulesLacking(image gate.Language, text string) []string {
	re := map[gate.Language]*regexp.Regexp{gate.LanguagePython: pythonLacks, gate.LanguageJavaScript: nodeLacks}[image]
	if re == nil {
		return nil
	}
	var out []string
	for _, m := range re.FindAllStringSubmatch(text, maxLacking) {
		name := strings.TrimPrefix(m[1], sandbox.Workspace+"/")
		if image == gate.LanguagePython {
			name, _, _ = strings.Cut(name, ".")
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// maxLacking bounds how often a program says that it lacks a module.
const maxLacking = 1000

// errorLine returns the line that names an error where that is not the last one:
// Node prints the stack and its version behind it.
func errorLine(image gate.Language, text string) string {
	if image != gate.LanguageJavaScript {
		return ""
	}
	return gate.Clip(nodeError.FindString(text), 200)
}

// lastLine returns the last line with text in it, short enough for a sentence.
func lastLine(text string) string {
	lines := strings.Split(text, "\n")
	for _, l := range slices.Backward(lines) {
		if l = strings.TrimSpace(l); l != "" {
			return gate.Clip(l, 200)
		}
	}
	return ""
}
