package job

// AtTime returns the job with its clock moved to a time, in seconds since 1970, and
// what shows that time. Where no clock can be moved nothing is claimed.
func (j Job) AtTime(to int64) (Job, string, error) {
	var what string
	switch p := j.Program.(type) {
	case Python:
		p.Clock, what = to, "Python's time and datetime, in this process"
		j.Program = p
	case Node:
		p.Clock, what = to, "Node's Date"
		j.Program = p
	case Module:
		p.Clock, what = to, "the clock of the module"
		j.Program = p
	case Script:
		if p.Interpreter != "bash" {
			return Job{}, "", &NotApplicable{p.Interpreter + " takes no function from its environment"}
		}
		p.Clock, what = to, "the date command in Bash"
		j.Program = p
	default:
		return Job{}, "", &NotApplicable{"nothing moves the clock of such a program"}
	}
	return j, what, nil
}
