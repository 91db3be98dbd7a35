package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// again runs tests that failed a second time, each alone, when there are at most a
// few: one of thousands that depends on chance should be seen and not stop
// everybody. It forgives nothing where the process died or had a data race, because
// what did not run then no one knows.
func (r *report) again(ctx context.Context, most int) {
	if len(r.failed) > most {
		return
	}
	for _, at := range slices.SortedFunc(maps.Keys(r.failed), test.compare) {
		if r.dead[at.process()] {
			continue
		}
		fmt.Fprintf(r.out, "=== again, alone: %s\n", at)
		second := newReport(r.out)
		flags := slices.Concat(r.flags[at.run], []string{"-count=1", "-run=^" + at.name + "$", at.pkg})
		if err := second.take(ctx, [][]string{flags}); err != nil {
			fmt.Fprintf(r.out, "%v\n", err)
			continue
		}
		if second.passed > 0 && len(second.failed) == 0 && second.broken == 0 && len(second.skipped) == 0 && len(second.dead) == 0 && !second.hangs() {
			delete(r.failed, at)
			r.flaky = append(r.flaky, at)
			r.passed += second.passed
			maps.Copy(r.ran, second.ran)
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
