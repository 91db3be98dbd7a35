package job

import (
	"fmt"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Script is a file that a shell runs.
type Script struct {
	Interpreter string // sh, bash or dash
	File        string
	Clock       int64 // what the date command shows at the start, in seconds since 1970; 0 is now
	Cover       bool  // Bash tells which lines ran
	Tools       bool  // commands that the image lacks succeed and are recorded; for Bash
}

func (s Script) line(args, env []string) Line {
	if s.Clock != 0 {
		// Bash takes functions from its environment. A file in the search path would
		// do for every shell, but nothing in a writable folder can be executed.
		shim := fmt.Sprintf(`BASH_FUNC_date%%%%=() { command date -d "@$((%d + SECONDS))" "$@"; }`, s.Clock)
		env = append([]string{shim}, env...)
	}
	if s.Tools {
		env = append([]string{toolShim}, env...)
	}
	argv := s.shown(args)
	if !s.Cover {
		return Line{Argv: argv, Started: argv, Env: env}
	}
	started := slices.Insert(argv, 1, "-x")
	return Line{Argv: append([]string{s.Interpreter, "-c", aroundShell, s.Interpreter}, started...), Started: started, Env: env}
}

// inPlaceOf is what Bash runs for a command that is not there: a program under its name that does
// nothing and succeeds, so that what it was started with is recorded. What it was sent is
// read to its end.
const inPlaceOf = `() { [ ! -p /dev/stdin ] || cat >/dev/null; ( exec -a %[1]s /bin/true "$@" ); }`

// commandName is what a function of Bash can be called that comes from its environment.
var commandName = regexp.MustCompile(`^[A-Za-z_][\w.+-]{0,99}$`)

// WithCommands returns a job of a script for which commands are there that do nothing and
// succeed. A script for another shell is run by Bash, which alone takes functions from its
// environment. Names that are no names of commands, and jobs of other programs, stay as they are.
func (j Job) WithCommands(names []string) Job {
	s, ok := j.Program.(Script)
	if !ok || len(names) == 0 {
		return j
	}
	s.Interpreter = "bash"
	j.Program = s
	for _, name := range names {
		if commandName.MatchString(name) {
			j = j.In("BASH_FUNC_" + name + "%%=" + fmt.Sprintf(inPlaceOf, name))
		}
	}
	return j
}

// toolShim is what Bash calls where there is no such command: it starts a program that does
// nothing and answers plausibly, so that the recorder sees the command with its arguments.
const toolShim = `BASH_FUNC_command_not_found_handle%%=() { (exec -a "` + Tool + `$1" /bin/true "${@:2}"); case "$1" in *ctl|docker|gh|aws|gcloud) echo ok;; esac; return 0; }`

// Tool begins the name of a command that is recorded in the place of one that is not there.
const Tool = "gate-tool:"

func (s Script) shown(args []string) []string {
	return append([]string{s.Interpreter, s.File}, args...)
}

// eachLine runs every argument as a shell line of its own, also when one before it
// failed, and ends with the code of the last one that failed.
const eachLine = `code=0; for line; do sh -c "$line" || code=$?; done; exit $code`

// Lines are lines of shell that do not depend on one another.
type Lines struct {
	Name string // what they are called in messages
	Each []string
}

func (l Lines) line(args, env []string) Line {
	argv := slices.Concat([]string{"sh", "-c", eachLine, l.Name}, l.Each, args)
	return Line{Argv: argv, Started: argv, Env: env}
}

func (l Lines) shown(args []string) []string {
	return []string{"sh", "-c", strings.Join(slices.Concat(l.Each, args), "\n")}
}

// Command is a command line as it is.
type Command struct {
	Argv []string
	// OwnInterpreter says that it starts interpreters of its own, which the restricted
	// mode of Python does not reach. docs/execution.md names the commands that do.
	OwnInterpreter bool
}

func (c Command) line(args, env []string) Line {
	argv := c.shown(args)
	return Line{Argv: argv, Started: argv, Env: env}
}

func (c Command) shown(args []string) []string { return slices.Concat(c.Argv, args) }
