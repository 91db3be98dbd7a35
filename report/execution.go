package report

import (
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
)

// unitCell says how one run ended.
func unitCell(u gate.Unit) cell {
	return executionCell(&gate.Execution{Status: u.Status, ExitCode: u.ExitCode})
}

// cachedWord marks what is cached, after a comma.
func cachedWord(cached bool) string {
	if cached {
		return ", cached"
	}
	return ""
}

// environment says where something ran and what it used, without what was not
// recorded. Its parts come from the engine and are made visible.
func environment(e *gate.Execution) string {
	var parts []string
	for _, s := range []string{e.Engine, e.Runtime, e.Image} {
		if s != "" {
			parts = append(parts, visible(s))
		}
	}
	if e.Resources.CPUMS > 0 {
		parts = append(parts, milliseconds(e.Resources.CPUMS)+" CPU")
	}
	if e.Resources.MemoryBytes > 0 {
		parts = append(parts, size(e.Resources.MemoryBytes)+" memory")
	}
	if e.Resources.Pids > 0 {
		parts = append(parts, fmt.Sprintf("%d processes", e.Resources.Pids))
	}
	return strings.Join(parts, ", ")
}

// behaviour says one thing that a run did.
func behaviour(b gate.Behaviour) string {
	s := visible(b.Kind) + ": " + visible(gate.Clip(b.Detail, gate.MaxEvidence))
	if b.Count > 1 {
		s += fmt.Sprintf(" (%d times)", b.Count)
	}
	return s
}

// outputRest says what of an output is not shown.
func outputRest(moreLines int, o gate.Output) string {
	var parts []string
	if moreLines > 0 {
		parts = append(parts, plural(moreLines, "more line"))
	}
	if o.Truncated {
		parts = append(parts, "cut; the program wrote "+size(o.Bytes)+" in all")
	}
	return strings.Join(parts, "; ")
}

// fileList names the files of one run, the first few of them.
func fileList(files []string) string {
	shown := files[:min(len(files), textFiles)]
	names := make([]string, len(shown))
	for i, f := range shown {
		names[i] = visible(f)
	}
	s := strings.Join(names, ", ")
	if n := len(files) - len(shown); n > 0 {
		s += " and " + plural(n, "more file")
	}
	return s
}

// size writes a number of bytes as people say it.
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	f, prefixes := float64(n)/unit, "KMGTPE"
	i := 0
	for f >= unit && i < len(prefixes)-1 {
		f /= unit
		i++
	}
	return fmt.Sprintf("%.1f %ciB", f, prefixes[i])
}
