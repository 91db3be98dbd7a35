package job

// The restricted mode of Python: the interpreter itself refuses imports that are
// not allowed and calls that reach outside, before the program starts
// (bootstrap/restrict.py). It runs beside what it refuses, so it is one more layer
// and never the one that holds: that is the container.

// Limits is what the bootstrap is told about the restricted mode.
type Limits struct {
	Allow  []string `json:"allow"`  // modules, as imports.allow has them; empty are those that only compute
	Runner []string `json:"runner"` // what tests need besides
}

// Restricted returns the job under the restricted mode. A command that starts
// interpreters of its own stays as it is, as docs/execution.md says. Anything else
// that cannot be restricted is an error, so that it does not run without.
func (j Job) Restricted(l Limits) (Job, error) {
	l.Allow, l.Runner = append([]string{}, l.Allow...), append([]string{}, l.Runner...) // never null
	switch p := j.Program.(type) {
	case Python:
		p.Restrict = &l
		j.Program = p
		return j, nil
	case Command:
		if p.OwnInterpreter {
			return j, nil
		}
	}
	return Job{}, &NotApplicable{"the restricted mode of Python cannot be set for it"}
}
