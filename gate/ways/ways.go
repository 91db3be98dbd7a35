package ways

import (
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Read returns the text of a file of the tree, "" for one that is not there or too large.
type Read func(file string) string

// maxWorkflows bounds the workflows that are read.
const maxWorkflows = 30

// Ways reads how the projects of one tree run their tests.
type Ways struct {
	read      Read
	workflows []string // their paths
	steps     []source // of the workflows, once they are read
	parsed    bool
}

// source are the commands that a file comes to.
type source struct {
	by       string
	commands []Command
}

// New returns what reads a tree; workflows are the paths of its workflows.
func New(read Read, workflows []string) *Ways {
	return &Ways{read: read, workflows: workflows[:min(len(workflows), maxWorkflows)]}
}

// Tests is how a project runs its tests. The zero value is that nothing says so.
type Tests struct {
	Runner  string   // "pytest" or "unittest" or "go test", or "django" for a manage.py
	By      string   // the file that says so
	Dir     string   // the folder that it is started in, of the tree
	Program string   // the manage.py, of the tree
	Options []string // that belong to how tests run
	Select  []string // those that leave tests out
	Roots   []string // folders of the tree for the module path
	Env     []string // variables
	Tags    []string // the build tags of each command of Go: "a,b", "" for none
	Left    []string // commands in front of it, or in its place, that were not followed
}

// fromCI are the steps of all workflows.
func (w *Ways) fromCI() []source {
	if !w.parsed {
		w.parsed = true
		for _, file := range w.workflows {
			w.steps = append(w.steps, source{file, workflowCommands(w.read(file))})
		}
	}
	return w.steps
}

// Python is how a project of Python runs its tests: by tox, nox, its Makefile, the scripts of
// its pyproject.toml, or its workflows, the first that names a runner; with the options
// that its settings of pytest add.
func (w *Ways) Python(dir string) Tests {
	t := w.python(dir)
	if t.Runner == "" || t.Runner == "pytest" {
		options, selects, roots := pytestOptions(w.addopts(dir))
		t.Options, t.Select, t.Roots = slices.Concat(options, t.Options), slices.Concat(selects, t.Select), append(t.Roots, rooted(dir, roots)...)
	}
	return t
}

func (w *Ways) python(dir string) Tests {
	var sources []source
	for _, e := range append(toxEnvironments(w.read, dir), noxEnvironments(w.read, dir)...) {
		sources = append(sources, source{e.by, e.commands})
	}
	commands, by := makeCommands(w.read, dir)
	sources = append(sources, source{by, commands}, source{path.Join(dir, "pyproject.toml"), scriptCommands(w.read(path.Join(dir, "pyproject.toml")), dir)})
	left := Tests{}
	for _, s := range append(sources, w.fromCI()...) {
		for _, c := range s.commands {
			if ci := slices.Contains(w.workflows, s.by); !Inside(c.Dir) || ci && c.Dir != dir {
				continue
			}
			if t, ok := pythonTests(c); ok {
				t.By, t.Dir = s.by, c.Dir
				return t
			}
			if starts := pythonProgram.MatchString(c.Text); starts && left.By == "" {
				left.By, left.Left = s.by, []string{c.Text}
			}
		}
	}
	return left
}

// pythonProgram is a program that projects have instead of a runner.
var pythonProgram = regexp.MustCompile(`\b(?:runtests\.py|run_tests\.py|trial|nose2?|ward|behave|stestr|django-admin +test)\b`)

// addopts are the options that the settings of pytest add to each run.
func (w *Ways) addopts(dir string) []string {
	var text string
	for _, s := range []struct{ file, section string }{{"pytest.ini", "pytest"}, {".pytest.ini", "pytest"}, {"pyproject.toml", ""}, {"tox.ini", "pytest"}, {"setup.cfg", "tool:pytest"}} {
		content := w.read(path.Join(dir, s.file))
		if content == "" {
			continue
		}
		if s.section != "" {
			text = ini(content)[s.section]["addopts"]
		} else {
			var p struct {
				Tool struct {
					Pytest struct {
						Options struct {
							Add any `toml:"addopts"`
						} `toml:"ini_options"`
					} `toml:"pytest"`
				} `toml:"tool"`
			}
			if toml.Unmarshal([]byte(clip(content)), &p) != nil {
				continue
			}
			switch add := p.Tool.Pytest.Options.Add.(type) {
			case string:
				text = add
			case []any:
				return texts(add)
			}
		}
		if text != "" {
			break
		}
	}
	all := Split("pytest " + strings.ReplaceAll(text, "\n", " "))
	if len(all) == 0 || len(all[0].Words) == 0 {
		return nil
	}
	return all[0].Words[1:]
}

func texts(values []any) []string {
	var out []string
	for _, v := range values {
		if s, ok := v.(string); ok && len(out) < maxWords && !strings.ContainsRune(s, 0) {
			out = append(out, s)
		}
	}
	return out
}

// scriptCommands are those of the scripts of a pyproject.toml that run tests: of hatch, PDM,
// poe, taskipy and Rye.
func scriptCommands(text, dir string) []Command {
	var p struct {
		Tool struct {
			Hatch struct {
				Envs map[string]struct {
					Scripts map[string]any    `toml:"scripts"`
					Env     map[string]string `toml:"env-vars"`
				} `toml:"envs"`
			} `toml:"hatch"`
			PDM  struct{ Scripts map[string]any } `toml:"pdm"`
			Rye  struct{ Scripts map[string]any } `toml:"rye"`
			Poe  struct{ Tasks map[string]any }   `toml:"poe"`
			Task struct{ Tasks map[string]any }   `toml:"taskipy"`
		} `toml:"tool"`
	}
	if !strings.Contains(text, "[tool.") || toml.Unmarshal([]byte(clip(text)), &p) != nil {
		return nil
	}
	var out []Command
	take := func(scripts map[string]any, env []string) {
		for _, name := range []string{"test", "tests", "unit", "pytest", "check", "cov", "run-coverage"} {
			for _, line := range scriptLines(scripts[name]) {
				for _, c := range Split(toxWord.ReplaceAllString(here.Replace(line), "$$X")) {
					c.Dir, c.Env = Below(dir, c.Dir), slices.Concat(env, c.Env)
					out = append(out, c)
				}
			}
		}
	}
	for _, name := range sorted(p.Tool.Hatch.Envs) {
		var env []string
		for _, v := range sorted(p.Tool.Hatch.Envs[name].Env) {
			env = append(env, v+"="+p.Tool.Hatch.Envs[name].Env[v])
		}
		take(p.Tool.Hatch.Envs[name].Scripts, env)
	}
	for _, scripts := range []map[string]any{p.Tool.PDM.Scripts, p.Tool.Rye.Scripts, p.Tool.Poe.Tasks, p.Tool.Task.Tasks} {
		take(scripts, nil)
	}
	return out[:min(len(out), maxCommands)]
}

// scriptLines are the lines of one script, in any of the forms that the tools take.
func scriptLines(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		return texts(v)
	case map[string]any:
		for _, key := range []string{"cmd", "shell", "chain"} {
			switch c := v[key].(type) {
			case string:
				return []string{c}
			case []any:
				return []string{strings.Join(texts(c), " ")}
			}
		}
	}
	return nil
}
