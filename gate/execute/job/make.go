package job

// Make runs the default goal of a Makefile.
type Make struct {
	File  string
	Cover bool // make tells which recipes it runs
}

func (m Make) line(args, env []string) Line {
	argv := m.shown(args)
	if m.Cover {
		argv = append([]string{"make", "--trace"}, argv[1:]...)
	}
	return Line{Argv: argv, Started: argv, Env: env}
}

func (m Make) shown(args []string) []string { return append([]string{"make", "-f", m.File}, args...) }
