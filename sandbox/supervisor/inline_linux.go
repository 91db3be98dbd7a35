package supervisor

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// Code that is handed to an interpreter as an argument appears in no file: what
// sh -c, python3 -c and node -e run is kept as a piece of code of its own.

// An inliner is an interpreter that takes code as an argument.
type inliner struct {
	names []string
	file  string // under which name the code is shown; the extension is its language
	read  string // and that which it reads
	// code are the options before the code, and takes those before another value.
	// Those of one letter may follow others in one argument.
	code, takes []string
}

func inliners() []inliner {
	return []inliner{
		{[]string{"sh", "dash", "bash", "ash", "zsh", "ksh", "mksh", "rbash"}, "argument.sh", "stdin.sh", []string{"c"}, []string{"o", "O", "init-file", "rcfile"}},
		{[]string{"python", "pypy"}, "argument.py", "stdin.py", []string{"c"}, []string{"W", "X"}},
		{[]string{"node", "nodejs"}, "argument.js", "stdin.js", []string{"e", "p", "eval", "print"}, []string{"r", "C", "require", "import", "conditions", "input-type"}},
	}
}

// inlined returns which argument of a command is code, and the file as which it is
// shown; 0 where none is.
func inlined(program string, argv []string) (arg int, file string) {
	if filepath.Base(program) == "busybox" && len(argv) > 1 {
		at, file := inlined(argv[1], argv[1:])
		if at > 0 {
			at++
		}
		return at, file
	}
	for _, in := range inliners() {
		if in.is(program) {
			return in.argument(argv), in.file
		}
	}
	return 0, ""
}

func (in inliner) is(program string) bool {
	return slices.Contains(in.names, strings.TrimRight(filepath.Base(program), "0123456789."))
}

// valued reports whether an option takes the next argument as its value.
func (in inliner) valued(option string) bool {
	if long, ok := strings.CutPrefix(option, "--"); ok {
		return slices.Contains(in.takes, long)
	}
	return len(option) > 1 && slices.Contains(in.takes, option[len(option)-1:])
}

func (in inliner) argument(argv []string) int {
	asked := false
	for i := 1; i < len(argv); i++ {
		option, ok := strings.CutPrefix(argv[i], "-")
		switch {
		case !ok && !strings.HasPrefix(argv[i], "+") || option == "":
			if asked {
				return i
			}
			return 0 // a script, whose arguments follow
		case strings.HasPrefix(option, "-"):
			long, _, valued := strings.Cut(option[1:], "=")
			if valued && slices.Contains(in.code, long) {
				return i
			}
			asked = asked || slices.Contains(in.code, long)
			if !valued && in.valued(argv[i]) {
				i++
			}
		case ok:
			asked = asked || slices.ContainsFunc(in.code, func(c string) bool { return len(c) == 1 && strings.Contains(option, c) })
			if in.valued(argv[i]) {
				i++
			}
		}
	}
	return 0
}

// maxInlined is how many pieces are kept; what is short is in full in the events
// of the commands, and is no gap.
const maxInlined = 16

// inline keeps code that was handed over as an argument.
func (c *captures) inline(file, program string, code []byte, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inlined >= maxInlined {
		if len(code) > maxArgument {
			c.more++
		}
		return
	}
	c.inlined += c.keep(wire.Capture{Path: file, How: wire.PassedAsArgument + " to " + clip(filepath.Base(program), 64), Data: code, Truncated: more})
}
