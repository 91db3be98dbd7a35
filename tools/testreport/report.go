package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// test names one test in one of the runs, or with an empty name the package around
// its tests.
type test struct{ run, pkg, name string }

// String names the test for people.
func (t test) String() string {
	s := strings.TrimSpace(t.pkg + " " + t.name)
	if t.run == "" {
		return s
	}
	return s + " (" + t.run + ")"
}

func (t test) compare(u test) int {
	return cmp.Or(strings.Compare(t.pkg, u.pkg), strings.Compare(t.name, u.name), strings.Compare(t.run, u.run))
}

// process is the package in the same run.
func (t test) process() test { return test{run: t.run, pkg: t.pkg} }

// report collects what happened.
type report struct {
	out     io.Writer
	output  map[test][]string
	flags   map[string][]string // of each run
	seen    map[string]int      // failures that each run has told of
	skipped map[test]string     // why
	ran     map[test]bool       // passed, whichever the run
	passed  int                 // leaves and parents alike
	failed  map[test]int        // tests that failed, by the outermost one → how many it counts for
	broken  int                 // packages that failed without a failed test: build, vet, panic, timeout
	failing map[test]bool       // packages with a failed test
	dead    map[test]bool       // packages whose process did not get through its tests, or had a data race
	flaky   []test              // failed first, and passed when run again
	took    map[test]float64    // seconds, of packages and of outermost tests
}

func newReport(out io.Writer) *report {
	return &report{
		out: out, output: map[test][]string{}, flags: map[string][]string{}, seen: map[string]int{}, skipped: map[test]string{}, ran: map[test]bool{},
		failed: map[test]int{}, failing: map[test]bool{}, dead: map[test]bool{}, took: map[test]float64{},
	}
}

// add takes one event and prints what follows from it.
func (r *report) add(e event) {
	at := test{e.run, e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		r.keep(at, e.Output)
	case "pass":
		if e.Test != "" {
			r.passed++
			r.ran[test{"", e.Package, e.Test}] = true
		}
		r.ended(at, e)
	case "skip":
		if e.Test != "" {
			r.skipped[at] = reasonOf(r.output[at])
		}
		r.ended(at, e)
	case "fail":
		r.seen[e.run]++
		if e.Test != "" {
			name, _, _ := strings.Cut(e.Test, "/")
			r.failed[test{e.run, e.Package, name}]++
			r.failing[at.process()] = true
		} else if !r.failing[at] {
			r.broken++
		}
		for _, line := range r.output[at] {
			fmt.Fprint(r.out, line)
		}
		r.ended(at, e)
	case exited:
		if e.err != nil && r.seen[e.run] == 0 {
			r.broken++
			fmt.Fprintf(r.out, "go test ended with an error (%v), and no test and no build failed\n", e.err)
		}
	}
}

// ended forgets what is no longer needed of a test or a package.
func (r *report) ended(at test, e event) {
	delete(r.output, at)
	if !strings.Contains(at.name, "/") {
		r.took[at] = e.Elapsed
	}
}

// deadly matches what a process prints that did not run all its tests, or whose
// result means nothing.
var deadly = regexp.MustCompile(`^(panic: |fatal error: |WARNING: DATA RACE|signal: |\*\*\* Test killed)`)

// closing matches the line with which go test ends a package that did not fail.
var closing = regexp.MustCompile(`^(ok  |\?   )\t`)

// keep prints the closing line of a package and keeps everything else until it
// is known whether the test failed. A test that never ends, because the process
// died, is printed with its package.
func (r *report) keep(at test, line string) {
	if deadly.MatchString(line) {
		r.dead[at.process()] = true
	}
	switch {
	case at.name == "" && closing.MatchString(line):
		fmt.Fprint(r.out, line)
	case at.name == "" && line == "PASS\n":
	default:
		r.output[at] = append(r.output[at], line)
	}
}

// place matches what the testing package puts before a message.
var place = regexp.MustCompile(`^\s*[\w.-]+\.go:\d+: `)

// reasonOf returns the message that a test was skipped with.
func reasonOf(output []string) string {
	for _, line := range slices.Backward(output) {
		if place.MatchString(line) {
			return strings.TrimSpace(place.ReplaceAllString(line, ""))
		}
	}
	return "no reason given"
}

// listSlowest prints what took longest, one line each: a package's time is that of
// its tests, some of which run side by side.
func (r *report) listSlowest(most int) {
	for _, kind := range []struct {
		title string
		of    func(test) bool
	}{
		{"slowest packages", func(t test) bool { return t.name == "" }},
		{"slowest tests", func(t test) bool { return t.name != "" }},
	} {
		var all []test
		for at, seconds := range r.took {
			if kind.of(at) && seconds >= 0.1 {
				all = append(all, at)
			}
		}
		slices.SortFunc(all, func(a, b test) int { return cmp.Or(cmp.Compare(r.took[b], r.took[a]), a.compare(b)) })
		if len(all) > 0 && most > 0 {
			fmt.Fprintf(r.out, "%s:\n", kind.title)
		}
		for _, at := range all[:min(most, len(all))] {
			fmt.Fprintf(r.out, "%7.1fs %s\n", r.took[at], at)
		}
	}
}

// close prints what is left and the last line, and returns the exit code.
func (r *report) close(noSkips bool) int {
	hanging := 0
	for _, at := range slices.SortedFunc(maps.Keys(r.output), test.compare) {
		if at.name != "" { // without a name it is the chatter of a package
			hanging++
			fmt.Fprintf(r.out, "--- never ended: %s\n%s", at, strings.Join(r.output[at], ""))
		}
	}
	skips := r.listSkipped()
	failed := r.broken + hanging
	for _, n := range r.failed {
		failed += n
	}
	if len(r.flaky) > 0 {
		fmt.Fprintf(r.out, "flaky %d: failed above and passed when run again alone; fix them\n", len(r.flaky))
		for _, at := range r.flaky {
			fmt.Fprintf(r.out, "    %s\n", at)
		}
	}
	fmt.Fprintf(r.out, "%d passed, %d failed, %d flaky, %d skipped\n", r.passed, failed, len(r.flaky), skips)
	if failed > 0 || r.passed == 0 || noSkips && skips > 0 {
		return 1
	}
	return 0
}

// listSkipped prints the tests that ran in none of the runs, grouped by reason, and
// returns how many they are.
func (r *report) listSkipped() int {
	byReason := map[string][]test{}
	skips := 0
	for at, reason := range r.skipped {
		if !r.ran[test{"", at.pkg, at.name}] {
			byReason[reason] = append(byReason[reason], at)
			skips++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		fmt.Fprintf(r.out, "skipped %d: %s\n", len(byReason[reason]), reason)
		for _, at := range slices.SortedFunc(slices.Values(byReason[reason]), test.compare) {
			fmt.Fprintf(r.out, "    %s\n", at)
		}
	}
	return skips
}
