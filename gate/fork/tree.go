package fork

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// tree is the tree of a change.
type tree struct{ *gate.Change }

// decode reads a YAML file of the head.
func (t tree) decode(name string, into any) error {
	if t.Head == nil {
		return fs.ErrNotExist
	}
	data, err := bounded.ReadFile(t.Head, name, maxWorkflow)
	if err != nil {
		return err
	}
	return yaml.NewDecoder(bytes.NewReader(data)).Decode(into)
}

// runs returns what of a step runs a file that the change touches, and that file.
func (t tree) runs(s step, depth int) (what, changed string) {
	if dir, ok := strings.CutPrefix(s.Uses, "./"); ok {
		if changed = t.runsOfAction(path.Clean(dir), depth); changed != "" {
			return s.Uses, changed
		}
	}
	if s.Uses != "" && !strings.HasPrefix(s.Uses, "./") && (!knownAction.MatchString(s.Uses) || installsWith(s.With)) {
		if code := touched(t.Change, true); len(code) > 0 {
			return s.Uses, code[0]
		}
	}
	for line := range strings.Lines(strings.ReplaceAll(s.Run, "\\\n", " ")) {
		line = strings.TrimSpace(ownCommand.ReplaceAllString(line, " "))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if changed = t.runsIn(line, searches.MatchString(line)); changed != "" {
			return line, changed
		}
	}
	for _, text := range append(texts(s.With, ""), s.Shell) {
		if changed = t.namedIn(text, false); changed != "" {
			return text, changed
		}
	}
	for _, text := range texts(s.Env, "") {
		if changed = t.namedIn(text, searches.MatchString(text)); changed != "" {
			return text, changed
		}
	}
	return "", ""
}

// installsWith reports whether inputs have an action install or run what the repository says.
func installsWith(with any) bool {
	inputs, ok := with.(map[string]any)
	if !ok {
		return false
	}
	for name, value := range inputs {
		if installs.MatchString(name) && value != false && value != "false" && value != "" && value != nil {
			return true
		}
	}
	return false
}

// runsOfAction returns a changed file that an action of the repository can run, "" for none.
func (t tree) runsOfAction(dir string, depth int) string {
	for _, p := range touched(t.Change, false) {
		if dir == "." || strings.HasPrefix(p, dir+"/") {
			return p
		}
	}
	var a actionFile
	for _, name := range []string{"action.yml", "action.yaml"} {
		err := t.decode(path.Join(dir, name), &a)
		if errors.Is(err, fs.ErrNotExist) {
			continue // without one, the step fails
		}
		code := touched(t.Change, true)
		if len(code) == 0 {
			return ""
		}
		// What is no list of steps is a program: it can run any file of the repository.
		if err != nil || a.Runs.Using != "composite" || depth == maxNested || len(a.Runs.Steps) > maxSteps {
			return code[0]
		}
		for _, s := range a.Runs.Steps {
			if _, changed := t.runs(s, depth+1); changed != "" {
				return changed
			}
		}
		break
	}
	return ""
}

// searches matches what sets where programs and modules are looked for, or what an interpreter
// reads first, as a command and as a variable with its value.
var searches = regexp.MustCompile(`\bGITHUB_(?:PATH|ENV)\b|\b(?:PATH|PYTHONPATH|PYTHONHOME|NODE_PATH|NODE_OPTIONS|LD_LIBRARY_PATH|LD_PRELOAD|BASH_ENV|ENV|RUBYLIB|RUBYOPT|PERL5LIB|PERL5OPT|GIT_\w+|GOFLAGS|CLASSPATH)=`)

// runsIn returns a changed file that a command can run, "" for none. roots says that a
// folder of the repository counts as all of its files.
func (t tree) runsIn(line string, roots bool) string {
	if ofProject.MatchString(line) || byExpression.MatchString(line) {
		if all := touched(t.Change, true); len(all) > 0 {
			return all[0]
		}
	}
	return t.namedIn(line, roots)
}

// namedIn returns a changed file that a text names, or that a program of the repository
// which it names can run, "" for none.
func (t tree) namedIn(text string, roots bool) string {
	code := touched(t.Change, true)
	for _, word := range parts.Split(text, -1) {
		for _, p := range touched(t.Change, false) {
			if names(word, p) || roots && names(inTree(word), p) {
				return p
			}
		}
		if len(code) > 0 && t.isProgram(word, roots) {
			return code[0]
		}
	}
	return ""
}

// isProgram reports whether a word is the path of a program of the repository, or, for
// roots, of a folder.
func (t tree) isProgram(word string, roots bool) bool {
	if word = path.Clean(inTree(word)); t.Head == nil || word == "." || !fs.ValidPath(word) {
		return roots && word == "."
	}
	info, err := fs.Stat(t.Head, word)
	if err != nil {
		return false
	}
	return info.IsDir() && roots || info.Mode().IsRegular() && runnable[path.Ext(word)]
}

// inTree is the path in the tree that a word names which begins with a variable for the tree.
func inTree(word string) string {
	word = strings.TrimLeft(word, "/")
	for _, root := range []string{"GITHUB_WORKSPACE", "PWD", "github.workspace"} {
		if word == root {
			return "."
		}
		word = strings.TrimPrefix(word, root+"/")
	}
	return word
}

// runnable are the endings of files that interpreters are given. A word of prose has none and
// can be the name of such a file, too.
var runnable = map[string]bool{"": true, ".sh": true, ".bash": true, ".zsh": true, ".py": true, ".js": true, ".mjs": true, ".cjs": true, ".ts": true, ".mts": true, ".rb": true, ".pl": true, ".php": true, ".lua": true, ".ps1": true, ".bat": true, ".cmd": true, ".awk": true, ".go": true, ".r": true, ".R": true}

// texts are the scalars in a value, each with its key where it is in a mapping: KEY=VALUE.
func texts(v any, key string) []string {
	var out []string
	switch v := v.(type) {
	case nil:
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out = append(out, texts(v[k], k)...)
		}
	case map[any]any:
		for k, value := range v {
			out = append(out, texts(value, fmt.Sprint(k))...)
		}
	case []any:
		for _, value := range v {
			out = append(out, texts(value, key)...)
		}
	default:
		text := fmt.Sprint(v)
		if key != "" {
			text = key + "=" + text
		}
		out = append(out, text)
	}
	return out
}

// names reports whether a word of a command can mean a file: its path, its name, a folder
// above it, a pattern, or a module.
func names(word, p string) bool {
	word = strings.TrimPrefix(strings.TrimSuffix(word, "/"), "./")
	if len(word) < 2 {
		return word == "." || word == "*"
	}
	if word == p || word == path.Base(p) || strings.HasPrefix(p, word+"/") || strings.HasSuffix(word, "/"+p) {
		return true
	}
	for _, pattern := range []string{word, path.Base(word)} {
		if strings.ContainsAny(pattern, "*?[") {
			if glob.Check(pattern) != nil || glob.Any([]string{pattern}, p) {
				return true
			}
		}
	}
	return strings.ReplaceAll(word, ".", "/") == strings.TrimSuffix(p, path.Ext(p))
}
