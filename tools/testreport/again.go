package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
)

// again runs tests that failed a second time, each alone, when there are at most a
// few: one of thousands that depends on chance should be seen and not stop
// everybody. It forgives nothing where the process died or had a data race, because
// what did not run then nobody knows.
func (r *report) again(ctx context.Context, most int, run func(ctx context.Context, pkg, name string) io.Reader) {
	if len(r.failed) > most {
		return
	}
	for _, at := range slices.SortedFunc(maps.Keys(r.failed), func(a, b test) int {
		return cmp.Or(strings.Compare(a.pkg, b.pkg), strings.Compare(a.name, b.name))
	}) {
		if r.dead[at.pkg] {
			continue
		}
		fmt.Fprintf(r.out, "=== again, alone: %s %s\n", at.pkg, at.name)
		second := report{out: r.out}
		if err := second.read(run(ctx, at.pkg, at.name)); err != nil {
			fmt.Fprintf(r.out, "%v\n", err)
			continue
		}
		if second.passed > 0 && len(second.failed) == 0 && second.broken == 0 && len(second.skipped) == 0 && !second.dead[at.pkg] && !second.hangs() {
			delete(r.failed, at)
			r.flaky = append(r.flaky, at)
			r.passed += second.passed
		}
	}
}

// hangs reports whether a test has not ended.
func (r *report) hangs() bool {
	for at := range r.output {
		if at.name != "" {
			return true
		}
	}
	return false
}

// goTest runs one test of a package and returns its events.
func goTest(flags []string) func(ctx context.Context, pkg, name string) io.Reader {
	return func(ctx context.Context, pkg, name string) io.Reader {
		args := slices.Concat([]string{"test", "-json", "-count=1", "-timeout", "20m", "-run", "^" + name + "$"}, flags, []string{pkg})
		cmd := exec.CommandContext(ctx, "go", args...)
		out, err := cmd.Output()
		if err != nil {
			out = append(out, []byte(`{"Action":"`+exited+`"}`)...)
		}
		return bytes.NewReader(out)
	}
}
