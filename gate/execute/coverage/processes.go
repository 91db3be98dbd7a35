package coverage

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A run has several processes, and each leaves files of its own in one folder.

// StoppedPrefix begins the names of files that say why a process ended.
const StoppedPrefix = "stopped-"

// BunReport is the file in which `bun test` tells which lines ran.
const BunReport = "lcov.info"

// Told is what the processes of one run say together.
type Told struct {
	Profile Profile
	Shapes  Shapes
	Reasons map[string]string // why something is not known, by path; "" is all of it
}

func newTold() Told { return Told{Profile: Profile{}, Shapes: Shapes{}, Reasons: map[string]string{}} }

// PythonProcesses reads what processes of Python left, by name. An error is about some of
// them; what the others say is there all the same.
func PythonProcesses(files map[string][]byte, src Sources) (Told, error) {
	told := newTold()
	var failed error
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasPrefix(name, "python-") {
			continue
		}
		p, shapes, partial, err := Python(files[name], src)
		failed = cmp.Or(failed, err)
		if partial {
			told.Reasons[""] = "it ran more lines than are watched, so some of those that did not may have"
		}
		told.Profile.Merge(p)
		told.Shapes.Merge(shapes)
	}
	return told, failed
}

// NodeProcesses reads what processes of Node and Bun left, by name. root is the folder of
// the tree in the container and dir the one in it where they were started. An error is about
// some of them; what the others say is there all the same.
func NodeProcesses(files map[string][]byte, src Sources, root, dir string) (Told, error) {
	told := newTold()
	erased := map[string][]int{}
	var failed error
	if report := files[BunReport]; report != nil {
		p, err := LCOV(report, src, dir)
		failed = cmp.Or(failed, err)
		told.Profile.Merge(p)
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if strings.HasPrefix(name, "types-") {
			e, err := Erased(files[name], src)
			failed = cmp.Or(failed, err)
			maps.Copy(erased, e)
		}
	}
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, "coverage-")
		if !ok {
			continue
		}
		pid, _, _ := strings.Cut(rest, "-")
		thread := strings.TrimSuffix(rest[strings.LastIndexByte(rest, '-')+1:], ".json")
		var compiled Compiled
		if data := files["texts-"+pid+"-"+thread+".json"]; data != nil {
			var err error
			compiled, err = ReadCompiled(data)
			failed = cmp.Or(failed, err)
		}
		stopped, _ := ReadStopped(files[StoppedPrefix+pid+".json"])
		p, shapes, reasons, err := V8(files[name], src, root, erased, compiled, stopped)
		failed = cmp.Or(failed, err)
		told.Profile.Merge(p)
		told.Shapes.Merge(shapes)
		maps.Copy(told.Reasons, reasons)
	}
	return told, failed
}
