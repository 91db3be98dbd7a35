package embedded

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// calledSetting matches a key of settings whose value is a function that a framework calls with
// the other values beside it: Hydra, logging.config, jsonargparse, APScheduler, Celery. Only
// modules of Python that reach the system are looked at.
var calledSetting = regexp.MustCompile(`(?:_target_|\(\)|class_path|func(?:tion)?|callable|factory|target|task)["']?[ \t]*[:=][ \t]*["']?(?:os|shutil|subprocess|builtins|posix|pty|runpy|importlib)[.:][A-Za-z]`)

var (
	calledKeys  = []string{"_target_", "()", "class_path", "func", "function", "callable", "factory", "target", "task"}
	calledName  = regexp.MustCompile(`^(os|shutil|subprocess|builtins|posix|pty|runpy|importlib)[.:]([A-Za-z_][\w.]*)$`)
	plainValue  = regexp.MustCompile(`^(?i:true|false|null|none|~|[\d.]+)$`)
	homeOfValue = regexp.MustCompile(`^(?:\$\{(?:oc\.)?env:HOME\}|\$\{?HOME\}?|~)`)
	restOfCall  = []string{"id", "name", "trigger", "level", "formatter", "class", "schedule", "_partial_", "_recursive_", "_convert_"}
)

// calledSettings returns the calls that settings make of functions of Python, with the values
// beside the name of the function as arguments.
func calledSettings(lang gate.Language, content []byte) []Code {
	if !calledSetting.Match(content) {
		return nil
	}
	var b builder
	for _, root := range roots(lang, content) {
		if root != nil {
			addCalls(&b, root)
		}
	}
	return b.region(gate.LanguagePython, "")
}

func addCalls(b *builder, s *setting) {
	for _, item := range s.items {
		addCalls(b, item)
	}
	if s.kind != objectSetting {
		return
	}
	for _, key := range calledKeys {
		function := s.member(key)
		if function == nil || function.kind != scalarSetting {
			continue
		}
		m := calledName.FindStringSubmatch(function.text)
		if m == nil {
			continue
		}
		var args []string
		for _, item := range s.items {
			if item != function && !slices.Contains(restOfCall, item.key) {
				args = append(args, callArguments(item)...)
			}
		}
		b.flush("import os, "+m[1], function.line, 0)
		b.flush(m[1]+"."+m[2]+"("+strings.Join(args, ", ")+")", function.line, 0)
	}
}

// callArguments are the texts of a value as arguments of a call.
func callArguments(s *setting) []string {
	if s.kind != scalarSetting {
		var out []string
		for _, item := range s.items {
			out = append(out, callArguments(item)...)
		}
		return out
	}
	if s.text == "" || plainValue.MatchString(s.text) {
		return nil
	}
	if home := homeOfValue.FindString(s.text); home != "" {
		return []string{`os.path.expanduser("~` + pythonEscapes.Replace(s.text[len(home):]) + `")`}
	}
	return []string{`"` + pythonEscapes.Replace(s.text) + `"`}
}
