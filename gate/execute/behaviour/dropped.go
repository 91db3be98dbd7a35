package behaviour

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

var (
	ruleDropped = Rule{
		ID: "download-execute/observed-dropped", Severity: gate.SeveritySuspicious,
		Title:   "Dropped program executed",
		Message: "ran a program that it had written itself",
		Why:     "What runs is in no file of the change. It is dangerous where it came from the network or was decoded: then no one can have reviewed it.",
		Instead: "Put the program into the project, or call the function instead of writing it out.",
	}
	ruleMemory = Rule{
		ID: "dynamic-code/observed-memory-program", Severity: gate.SeverityDangerous,
		Title:   "In-memory program executed",
		Message: "ran a program out of memory",
		Why:     "A program without a file leaves nothing to look at.",
		Instead: "There is no benign use in a code change.",
	}
)

var (
	memoryFile  = regexp.MustCompile(`^(?:/?memfd:|/proc/(?:self|\d+)/fd/\d+|/dev/fd/\d+)`)
	interpreter = regexp.MustCompile(`^(?:(?:ba|da|z|k|a)?sh|python[\d.]*|node|nodejs|perl|ruby|php)$`)
	// goBuilds are where the go command puts what it links and starts.
	goBuilds = regexp.MustCompile(`^/tmp/(?:program|go-build\d+/.*)$`)
)

// dropped are programs that did not exist when the run began.
func dropped(s *trace) []hit {
	var out []hit
	for _, e := range s.of(sandbox.ActionExec) {
		p := path.Clean(e.Object)
		if memoryFile.MatchString(p) {
			out = append(out, hits(ruleMemory, ruleMemory.Severity, e)...)
			continue
		}
		file := p
		if !writable(p) && interpreter.MatchString(path.Base(p)) {
			file = s.script(arguments(e))
		}
		if file == "" || !s.appeared(file) {
			continue
		}
		at := ruleDropped.Severity
		if (file != p || scripted(s, file)) && (s.Kind == Tests || s.Recipe) || compiled(s) {
			at = gate.SeverityNote // tests write small scripts and run them
		}
		if (s.spoke >= 0 && s.spoke <= s.made[file]) || s.decoded(file) {
			at = gate.SeverityDangerous
		}
		out = append(out, hits(ruleDropped, at, e)...)
	}
	for _, c := range s.Seen.Captures {
		if strings.HasPrefix(c.How, "executed") && memoryFile.MatchString(c.Path) {
			out = append(out, hit{ruleMemory, ruleMemory.Severity, "exec " + c.Path, sandbox.Event{}})
		}
	}
	return out
}

// script is the file that an interpreter is given.
func (s *trace) script(args []string) string {
	for _, a := range args {
		if a == "-c" || a == "-e" || a == "-m" || a == "-" || a == "-p" {
			return ""
		}
		if strings.HasPrefix(a, "-") {
			continue
		}
		if strings.HasPrefix(a, "/") {
			return path.Clean(a)
		}
		// Relative to a folder that is not known here: any file of that name will do.
		for _, m := range slices.Sorted(maps.Keys(s.made)) {
			if strings.HasSuffix(m, "/"+path.Clean(a)) && !s.Has(m) {
				return m
			}
		}
		return ""
	}
	return ""
}

// scripted reports whether a program that ran is a script by its first line.
func scripted(s *trace, p string) bool {
	return slices.ContainsFunc(s.Seen.Captures, func(c sandbox.Capture) bool {
		return path.Clean(c.Path) == p && bytes.HasPrefix(c.Data, []byte("#!"))
	})
}

// appeared reports whether a file is one that the run itself made.
func (s *trace) appeared(p string) bool {
	if !writable(p) || s.Has(p) {
		return false
	}
	if s.Language == gate.LanguageGo && goBuilds.MatchString(p) {
		return false
	}
	if to, ok := s.links[p]; ok && strings.HasPrefix(to, "/") && !writable(path.Clean(to)) {
		return false // as virtual environments do it
	}
	// A name that a search path led to, and no file, is not worth a word.
	_, made := s.made[p]
	return made || slices.ContainsFunc(s.Seen.Captures, func(c sandbox.Capture) bool { return strings.HasPrefix(c.How, "executed") && path.Clean(c.Path) == p })
}

var compiler = regexp.MustCompile(`^(?:(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc|tcc|zig|ld|as|javac|ghc|ocamlopt|nim|gfortran)(?:-[\d.]+)?|cc1(?:plus)?|collect2)$`)

// compiled reports whether a compiler ran, whose result is not in the change.
func compiled(s *trace) bool {
	return slices.ContainsFunc(s.of(sandbox.ActionExec), func(e sandbox.Event) bool {
		return compiler.MatchString(path.Base(e.Object)) && !writable(path.Clean(e.Object))
	})
}

// decoded reports whether the code of a file is not in the change and is
// not made by filling a few words into what is there.
func (s *trace) decoded(p string) bool {
	if s.Kind == Tests || s.Recipe || compiled(s) {
		return false
	}
	for _, c := range s.Seen.Captures {
		if path.Clean(c.Path) == p && len(bytes.TrimSpace(c.Data)) > 0 {
			return !s.Literal(c.Data)
		}
	}
	return false
}
