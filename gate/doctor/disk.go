package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/sandbox"
)

// Free space in bytes below which the doctor warns (docs/action.md).
const (
	// The four sandbox images take about 1.5 GiB, and renewing them as much again
	// before the old ones can go.
	minEngineSpace = 5 << 30
	// Reports, files read from git, records of runs.
	minWorkSpace = 1 << 30
)

// place is a folder whose disk must not be full.
type place struct {
	what string
	dir  string
	min  int64
	fix  string
}

// ownPlaces are the folders that gate itself writes to.
func ownPlaces(e *engine.Engine) []place {
	places := []place{
		{"disk: temporary", os.TempDir(), minWorkSpace, "empty it, or set TMPDIR to a folder on a larger disk"},
		{"disk: records", e.StateDir(""), minWorkSpace, "keep the records of runs for less long (retention: {logs: 1d} in the policy), or set XDG_STATE_HOME"},
	}
	if cache := e.CachePlace(engine.CacheOptions{}); cache.Dir != "" {
		places = append(places, place{"disk: cache", cache.Dir, minWorkSpace, "gate cache prune --all, or set GATE_CACHE_DIR to a folder on a larger disk"})
	}
	return places
}

// measure asks for the bytes that this user may still write below a folder that
// exists: [freeSpace], except where a test fills a disk.
type measure func(dir string) (int64, error)

func (p place) check(free measure) Diagnosis {
	d := Diagnosis{What: p.what, State: OK}
	dir := existing(p.dir)
	n, err := free(dir)
	switch {
	case err != nil:
		d.State, d.Detail, d.Fix = Note, fmt.Sprintf("free space of %s is not known: %v", dir, err), "df -h "+quoted(dir)
	case n < p.min:
		d.State, d.Detail, d.Fix = Note, fmt.Sprintf("only %s free in %s, at least %s are wanted", gibibytes(n), dir, gibibytes(p.min)), p.fix
	default:
		d.Detail = fmt.Sprintf("%s free in %s", gibibytes(n), dir)
	}
	return d
}

// checkEngineDisk looks at the disk of the engine, which is this machine's only
// where the engine is and shows its folder.
func checkEngineDisk(info sandbox.Info, free measure) Diagnosis {
	p := place{"disk: engine", info.Root, minEngineSpace, "docker image prune && docker builder prune   # removes what no image of a name needs"}
	local := strings.HasPrefix(info.Host, "unix://") || strings.HasPrefix(info.Host, "npipe://")
	if _, err := os.Stat(filepath.Dir(p.dir)); !local || p.dir == "" || err != nil {
		return Diagnosis{
			What: p.what, State: Note,
			Detail: fmt.Sprintf("not known: the engine at %s keeps its data on another machine, in %s", info.Host, p.dir),
			Fix:    "df -h " + quoted(p.dir) + "   # on that machine",
		}
	}
	return p.check(free)
}

// existing is the nearest folder above that is there: what is written later
// lands on its disk.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

func gibibytes(n int64) string { return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) }

// quoted is a path as a shell takes it.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
