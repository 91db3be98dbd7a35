package ways

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// environment is one in which tests run, as tox or nox describe it: what is installed, and
// the commands.
type environment struct {
	by       string // the file that says so
	commands []Command
	installs []string // requirements, and "-r FILE"
}

// names of environments in which tests run, the plain one first.
var testName = regexp.MustCompile(`(?i)^(?:py[\d.]*|pypy[\d.]*|tests?|unit|units|unit-?tests?|check|pytest|default|coverage|cov)$|^(?:py\d*|tests?|unit)[-_]|[-_](?:tests?|unit)$`)

var (
	// A condition of tox in front of a line: "py311,py312: ".
	toxFactor = regexp.MustCompile(`^[\w.,!{}-]+:\s+`)
	toxWord   = regexp.MustCompile(`\{[^{}]*\}`)
)

// here are words for the folder of the project in tox, shells, make and workflows.
var here = strings.NewReplacer("{toxinidir}", ".", "{tox_root}", ".", "$(CURDIR)", ".", "${CURDIR}", ".", "$PWD", ".", "${PWD}", ".", "$(pwd)", ".", "`pwd`", ".", "${{ github.workspace }}", ".", "{posargs}", "", "[]", "")

// toxEnvironments are those that a tox.ini, setup.cfg, tox.toml or pyproject.toml describes, the
// plain one first, and those that are called like tests.
func toxEnvironments(read Read, dir string) []environment {
	for _, name := range []string{"tox.ini", "setup.cfg"} {
		file := path.Join(dir, name)
		if text := read(file); strings.Contains(text, "[testenv") {
			return toxIni(text, file, dir)
		}
	}
	if file := path.Join(dir, "tox.toml"); read(file) != "" {
		var t toxTOML
		if toml.Unmarshal([]byte(clip(read(file))), &t) == nil {
			return t.environments(file, dir)
		}
	}
	file := path.Join(dir, "pyproject.toml")
	var p struct {
		Tool struct {
			Tox toxTOML `toml:"tox"`
		} `toml:"tool"`
	}
	if text := read(file); !strings.Contains(text, "tool.tox") || toml.Unmarshal([]byte(clip(text)), &p) != nil {
		return nil
	}
	if p.Tool.Tox.Legacy != "" {
		return toxIni(p.Tool.Tox.Legacy, file, dir)
	}
	return p.Tool.Tox.environments(file, dir)
}

func clip(text string) string { return text[:min(len(text), maxFile)] }

func toxIni(text, file, dir string) []environment {
	sections := ini(text)
	base := sections["testenv"]
	names := []string{"testenv"}
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		if own, ok := strings.CutPrefix(name, "testenv:"); ok && testName.MatchString(own) {
			names = append(names, name)
		}
	}
	var out []environment
	for _, name := range names {
		get := func(keys ...string) string {
			for _, of := range []map[string]string{sections[name], base} {
				for _, key := range keys {
					if v, ok := of[key]; ok {
						return v
					}
				}
			}
			return ""
		}
		e := environment{by: file}
		folder := Below(dir, here.Replace(or(get("changedir", "change_dir"), ".")))
		var env []string
		for line := range strings.Lines(get("setenv", "set_env")) {
			name, value, ok := strings.Cut(toxFactor.ReplaceAllString(strings.TrimSpace(line), ""), "=")
			if value = here.Replace(strings.TrimSpace(value)); ok && !toxWord.MatchString(value) {
				env = append(env, strings.TrimSpace(name)+"="+value)
			}
		}
		script := strings.Join([]string{get("commands_pre"), get("commands")}, "\n")
		for _, c := range toxScript(script) {
			c.Dir, c.Env = folder, slices.Concat(env, c.Env)
			e.commands = append(e.commands, c)
		}
		for line := range strings.Lines(get("deps")) {
			e.installs = append(e.installs, strings.TrimSpace(here.Replace(toxFactor.ReplaceAllString(strings.TrimSpace(line), ""))))
		}
		out = append(out, e)
	}
	return out
}

// toxScript are the commands of a value of tox, which is not run by a shell: what tox would
// put in a place is left out.
func toxScript(text string) []Command {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line = strings.TrimLeft(toxFactor.ReplaceAllString(strings.TrimSpace(line), ""), "-! \t")
		lines = append(lines, toxWord.ReplaceAllString(here.Replace(line), "$$X"))
	}
	return Split(strings.Join(lines, "\n"))
}

// toxTOML are the settings of tox in TOML (tox's manual, "pyproject.toml, native").
type toxTOML struct {
	Legacy string            `toml:"legacy_tox_ini"`
	Base   toxEnv            `toml:"env_run_base"`
	Env    map[string]toxEnv `toml:"env"`
}

type toxEnv struct {
	Commands []any          `toml:"commands"`
	Pre      []any          `toml:"commands_pre"`
	Deps     []any          `toml:"deps"`
	Set      map[string]any `toml:"set_env"`
	Dir      string         `toml:"change_dir"`
}

func (t toxTOML) environments(file, dir string) []environment {
	envs := []toxEnv{t.Base}
	for _, name := range slices.Sorted(maps.Keys(t.Env)) {
		if testName.MatchString(name) {
			envs = append(envs, t.Env[name])
		}
	}
	var out []environment
	for _, v := range envs {
		e := environment{by: file}
		var env []string
		for _, name := range slices.Sorted(maps.Keys(v.Set)) {
			if value, ok := v.Set[name].(string); ok {
				env = append(env, name+"="+here.Replace(value))
			}
		}
		for _, c := range slices.Concat(v.Pre, v.Commands) {
			words, ok := c.([]any)
			if !ok || len(words) > maxWords || len(e.commands) >= maxCommands {
				continue
			}
			cmd := Command{Dir: Below(dir, here.Replace(or(v.Dir, or(t.Base.Dir, ".")))), Env: env, Text: fmt.Sprint(words...)}
			for _, w := range words {
				text, ok := w.(string)
				if text = here.Replace(text); !ok || toxWord.MatchString(text) || strings.ContainsRune(text, 0) {
					cmd.Open = true
					continue
				}
				cmd.Words = append(cmd.Words, text)
			}
			if len(cmd.Words) > 0 {
				e.commands = append(e.commands, cmd)
			}
		}
		for _, d := range v.Deps {
			if text, ok := d.(string); ok {
				e.installs = append(e.installs, text)
			}
		}
		out = append(out, e)
	}
	return out
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Requires are the requirements that are installed where the tests of a project of Python run,
// by its own settings of tox or nox, and the file that says so: requirements as pip takes
// them, "-r FILE" seen from the project, and "." with extras for itself.
func (w *Ways) Requires(dir string) (lines []string, by string) {
	all := append(toxEnvironments(w.read, dir), noxEnvironments(w.read, dir)...)
	for _, e := range all {
		runs := slices.ContainsFunc(e.commands, func(c Command) bool {
			_, ok := pythonTests(c)
			return ok || pythonProgram.MatchString(c.Text)
		})
		if runs && len(e.installs) > 0 {
			return latest(e.installs), e.by
		}
	}
	return nil, ""
}

var requirementName = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*`)

// latest leaves one line of each package, the last: settings for several versions name it for
// each of them, and an installer takes one.
func latest(lines []string) []string {
	last := map[string]int{}
	for i, line := range lines {
		last[strings.ToLower(requirementName.FindString(line))] = i
	}
	var out []string
	for i, line := range lines {
		name := strings.ToLower(requirementName.FindString(line))
		if line != "" && (name == "" || last[name] == i) && !toxWord.MatchString(line) && len(out) < maxCommands {
			out = append(out, line)
		}
	}
	return out
}
