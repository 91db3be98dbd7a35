package job

// WithStandIns returns the job with something in place of modules that are not
// there. imported returns what sources import from a module.
func (j Job) WithStandIns(modules []string, imported func(module string) []string) (Job, error) {
	switch p := j.Program.(type) {
	case Python:
		p.StandIns = modules
		j.Program = p
		return j, nil
	case Node:
		p.StandIns = map[string][]string{}
		for _, m := range modules {
			p.StandIns[m] = imported(m)
		}
		j.Program = p
		return j, nil
	}
	return Job{}, &NotApplicable{"only modules of Python and Node can be replaced"}
}
