package job

import "slices"

// Make runs the default goal of a Makefile.
type Make struct {
	File  string
	Cover bool // make tells which recipes it runs
}

const (
	// makeFlagsFile is read behind the Makefile.
	makeFlagsFile = goCoverFolder + "/flags.mk"
	// makeFlags fixes the flags that the Makefile has set, and tells them: make may be told
	// by them to trace recipes that it does not run.
	makeFlags = "override MAKEFLAGS := $(MAKEFLAGS)\n" +
		"MAKEFILE_LIST := $(filter-out " + makeFlagsFile + ",$(MAKEFILE_LIST))\n" +
		"$(info @gate-flags@ $(MAKEFLAGS))\n"
	// aroundMake puts that file where no program lists it.
	aroundMake = `d=/dev/shm/.gate-coverage
mkdir -p $d 2>/dev/null && printf %s "$0" >$d/flags.mk || exec "$@"
exec "$@" -f $d/flags.mk`
)

func (m Make) line(args, env []string) Line {
	argv := m.shown(args)
	if !m.Cover {
		return Line{Argv: argv, Started: argv, Env: env}
	}
	argv = slices.Insert(argv, 1, "--trace")
	return Line{
		Argv:    append([]string{"sh", "-c", aroundMake, makeFlags}, argv...),
		Started: append(slices.Clone(argv), "-f", makeFlagsFile), Env: env,
	}
}

func (m Make) shown(args []string) []string { return append([]string{"make", "-f", m.File}, args...) }
