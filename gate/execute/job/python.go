package job

import (
	_ "embed"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/sandbox"
)

// pythonBootstrap puts the roots of the repository on the module path, which
// `python3 -I` leaves empty, and runs or imports the target with the settings that
// its argument names.
var pythonBootstrap = pythonCover + pythonUnpack + pythonRestrict + pythonStandIn + pythonExercise + pythonChance + pythonStart

//go:embed bootstrap/python.py
var pythonStart string

//go:embed bootstrap/chance.py
var pythonChance string

//go:embed bootstrap/exercise.py
var pythonExercise string

//go:embed bootstrap/standin.py
var pythonStandIn string

//go:embed bootstrap/restrict.py
var pythonRestrict string

//go:embed bootstrap/unpack.py
var pythonUnpack string

//go:embed bootstrap/cover.py
var pythonCover string

// Mode is how the bootstrap starts a target.
type Mode string

// The modes of the bootstrap.
const (
	RunFile   Mode = "file"   // a path, as __main__
	RunModule Mode = "main"   // a module name, as __main__, like python -m
	Import    Mode = "import" // a module name
	Load      Mode = "load"   // a path, as a module: its folder has no name that Python can import
)

// Python is a program that is started by the bootstrap, which is told this.
type Python struct {
	Mode  Mode     `json:"mode"`
	Roots []string `json:"roots"`
	// Last are folders behind everything else on the module path.
	Last   []string `json:"last,omitempty"`
	Target string   `json:"target"`
	Clock  int64    `json:"clock,omitempty"` // what time it is at the start, in seconds since 1970; 0 is now
	// Cover are the files whose lines are counted also where nothing loads them;
	// nil watches nothing.
	Cover []string `json:"cover,omitempty"`
	// Budget is how long tests may take, in seconds; 0 is no end.
	Budget float64  `json:"budget,omitempty"`
	Near   []string `json:"near,omitempty"` // those of its arguments that are the tests nearest to the change
	// Others is how long tests go on after the nearest have ended and no changed line was
	// new, in seconds; 0 is as long as Budget. Where each of those lines has run, that is Shown
	// instead; 0 is no other time. NearestOnly ends them at once.
	Others      float64 `json:"others,omitempty"`
	Shown       float64 `json:"shown,omitempty"`
	NearestOnly bool    `json:"nearest_only,omitempty"`
	// Edited are the lines of test files that the change edits, from and to, by file, and
	// Changed those of other files; tests that mention Words come before others of their file.
	Edited  map[string][][2]int `json:"edited,omitempty"`
	Changed map[string][][2]int `json:"changed,omitempty"`
	Words   []string            `json:"words,omitempty"`
	// Dotted hands files of tests on as names of modules.
	Dotted   bool `json:"dotted,omitempty"`
	Exercise bool `json:"exercise,omitempty"` // call functions of the module
	// Touched are the lines, from and to, for whose sake functions are called with arguments
	// that are made up, by file, none where all are; Force are those that did not run, for
	// which conditions are taken as met.
	Touched  map[string][][2]int `json:"touched,omitempty"`
	Force    map[string][][2]int `json:"force,omitempty"`
	StandIns []string            `json:"stand_ins,omitempty"` // modules that are not there and are made up
	// Restrict refuses imports and calls before the program starts; nil refuses nothing.
	Restrict *Limits `json:"restrict,omitempty"`
}

func (p Python) line(args, env []string) Line {
	told, _ := json.Marshal(p) // strings, numbers and booleans: cannot fail
	argv := append([]string{"python3", "-I", "-B", "-u", "-c", pythonBootstrap, string(told)}, args...)
	return Line{Argv: argv, Started: argv, Env: env}
}

func (p Python) shown(args []string) []string {
	switch p.Mode {
	case RunFile:
		return append([]string{"python3", p.Target}, args...)
	case RunModule:
		return append([]string{"python3", "-m", p.Target}, args...)
	}
	shown := "import " + p.Target
	if p.Exercise {
		shown += " and call its functions"
	}
	return []string{"python3", "-c", shown}
}

// Dotted returns a job of Python whose program takes modules: files among its arguments
// are handed on as their names.
func (j Job) Dotted() Job {
	if p, ok := j.Program.(Python); ok {
		p.Dotted = true
		j.Program = p
	}
	return j
}

// ForChildren returns a job of Python whose children, started by the tests with an
// interpreter of their own, find the modules in these roots of the repository, as they
// do where the project is installed.
func (j Job) ForChildren(roots []string) Job {
	var at []string
	for _, r := range roots {
		at = append(at, path.Join(sandbox.Workspace, r))
	}
	return j.onPath(at...)
}

// WithInstalled returns a job of Python that finds modules which are installed in a
// folder, behind those of the repository. Other interpreters than ours find them by
// the variable.
func (j Job) WithInstalled(at string) Job {
	j = j.onPath(at)
	if p, ok := j.Program.(Python); ok {
		p.Roots = append(slices.Clone(p.Roots), at)
		j.Program = p
	}
	return j
}

// onPath adds folders to the end of the module path of all interpreters.
func (j Job) onPath(folders ...string) Job {
	const name = "PYTHONPATH="
	var env []string
	for _, v := range j.Env {
		if before, ok := strings.CutPrefix(v, name); ok {
			folders = append([]string{before}, folders...)
			continue
		}
		env = append(env, v)
	}
	j.Env = append(env, name+strings.Join(folders, ":"))
	return j
}
