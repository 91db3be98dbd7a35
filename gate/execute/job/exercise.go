package job

import (
	_ "embed"
	"net/url"
	"path"
	"strings"

	"github.com/aigate/gate/sandbox"
)

// Given is in every value that is made up for a call of a function: what such a value names
// was not chosen by the program.
const Given = "gate-given"

// Calls says which functions of a module are called.
type Calls struct {
	// Touched are the lines, from and to, by file, for whose sake functions are called with
	// arguments that are made up; no lines of a file are all of them.
	Touched map[string][][2]int
	// Force are lines that did not run, for which the conditions in front of them are taken
	// as met.
	Force map[string][][2]int
}

// Exercised returns how a module, or a program as if it were one, is imported and its
// functions called.
func (j Job) Exercised(c Calls) (Job, error) {
	switch p := j.Program.(type) {
	case Python:
		switch p.Mode {
		case RunFile:
			if path.Ext(p.Target) != ".py" {
				return Job{}, &NotApplicable{"only files with the name of a module are imported"}
			}
			p.Mode = Load
		case RunModule:
			p.Mode = Import
		case Import, Load:
		}
		p.Exercise, p.Touched, p.Force = true, c.Touched, c.Force
		j.Program, j.Args = p, nil
		return j, nil
	case Node:
		if file, ok := nodeFile(p.Command); ok && p.Import == "" {
			to := url.URL{Scheme: "file", Path: path.Join(sandbox.Workspace, file)}
			p.Import, p.Command = to.String(), nil
		}
		if p.Import != "" {
			p.Exercise, p.Calls = true, c
			j.Program, j.Args = p, nil
			return j, nil
		}
	}
	return Job{}, &NotApplicable{"only modules of Python and Node have functions that can be called"}
}

// nodeFile is the file that a command of Node runs, where it is a module by its name.
func nodeFile(command []string) (string, bool) {
	if len(command) != 2 || command[0] != "node" || !strings.HasPrefix(command[1], "./") {
		return "", false
	}
	switch path.Ext(command[1]) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx":
		return command[1], true
	}
	return "", false
}

// GoGivenTest chooses the test that calls functions of a Go package.
const GoGivenTest = "^TestGateGiven$"

//go:embed bootstrap/given_test.go.txt
var goGiven string

// GoGiven is what a file of tests consists of that calls functions of its package with
// arguments that are made up: gateGivenAll, behind its imports.
func GoGiven() string { return goGiven }
