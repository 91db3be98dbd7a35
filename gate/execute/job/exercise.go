package job

// Exercised returns how a module is imported and its functions called.
func (j Job) Exercised() (Job, error) {
	switch p := j.Program.(type) {
	case Python:
		if p.Mode == Import || p.Mode == Load {
			p.Exercise = true
			j.Program = p
			return j, nil
		}
	case Node:
		if p.Import != "" {
			p.Exercise = true
			j.Program = p
			return j, nil
		}
	}
	return Job{}, &NotApplicable{"only modules of Python and Node have functions that can be called"}
}
