package job

import (
	"strings"

	"github.com/aigate/gate/sandbox"
)

// Hooks are what interpreters load before anything else, with whichever environment the program
// starts them: a Node that is started without what this line has for it gets the same, and Python
// of our image has what keeps its code in the standard library.
func (l Line) Hooks() []sandbox.Hook {
	value := strings.Join(Node{}.options(), " ")
	for _, e := range l.Env {
		if own, ok := strings.CutPrefix(e, nodeOptions+"="); ok {
			value = own
		}
	}
	return []sandbox.Hook{
		{
			Programs: []string{"node", "nodejs"}, Variable: nodeOptions, Value: value, Mark: "GATE_HOOKS_PUT", Copied: 30 << 20,
			Earlier: []string{"-r", "--require", "--build-snapshot", "--build-snapshot-config", "--snapshot-blob"},
		},
		{Programs: []string{"python", "pypy"}, Folder: "/usr/lib/python3", File: "_gate_keep."},
	}
}
