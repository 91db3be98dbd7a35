package execute

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// maxShownArgument bounds one argument in a report, in bytes.
const maxShownArgument = 4 << 10

// command is what a report shows of an argument list: what people would type,
// without the bootstrap code that stands for it.
func command(argv []string) []string {
	out := plain(argv)
	for i, a := range out {
		out[i] = gate.Clip(strings.ToValidUTF8(a, "\uFFFD"), maxShownArgument)
	}
	return out
}

func plain(argv []string) []string {
	if interpreted(argv) {
		return append([]string{"wasm"}, argv[wasmModule:]...)
	}
	code := slices.IndexFunc(argv, func(a string) bool {
		return a == pythonBootstrap || a == importFile || a == exerciseFile || a == goRun() || a == eachLine
	})
	// A file may be called like our code; only behind -c and -e it is code.
	if code < 1 || code+1 >= len(argv) || argv[code-1] != "-c" && argv[code-1] != "-e" {
		return slices.Clone(argv)
	}
	rest := argv[code+1:]
	switch argv[code] {
	case importFile:
		return []string{"node", "-e", "import('" + rest[0] + "')"}
	case exerciseFile:
		return []string{"node", "-e", "import('" + rest[0] + "') and call its functions"}
	case goRun():
		return append([]string{"go", "run"}, rest...)
	case eachLine:
		return []string{"sh", "-c", strings.Join(rest[1:], "\n")}
	}
	var job pythonJob
	if json.Unmarshal([]byte(rest[0]), &job) != nil {
		return slices.Clone(argv)
	}
	switch job.Mode {
	case pythonRunFile:
		return append([]string{"python3", job.Target}, rest[1:]...)
	case pythonRunModule:
		return append([]string{"python3", "-m", job.Target}, rest[1:]...)
	}
	shown := "import " + job.Target
	if job.Exercise {
		shown += " and call its functions"
	}
	return []string{"python3", "-c", shown}
}
