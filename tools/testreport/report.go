package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// event is one line of `go test -json`; see `go doc test2json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build-output and build-fail
	Test       string // "" for the package itself
	Output     string
}

// test names one test, or with an empty name the package around its tests.
type test struct{ pkg, name string }

// report collects what happened.
type report struct {
	out     io.Writer
	output  map[test][]string
	skipped map[string][]string // reason → tests
	passed  int                 // leaves and parents alike
	failed  map[test]int        // tests that failed, by the outermost one → how many it counts for
	broken  int                 // packages that failed without a failed test: build, vet, panic, timeout
	dead    map[string]bool     // packages whose process did not get through its tests, or had a data race
	flaky   []test              // failed first, and passed when run again
}

// read takes events to the end and prints as it goes.
func (r *report) read(in io.Reader) error {
	r.output, r.skipped = map[test][]string{}, map[string][]string{}
	r.failed, r.dead = map[test]int{}, map[string]bool{}
	failedIn := map[string]bool{}
	seen := 0 // failures that the command that runs has told of
	for d := json.NewDecoder(in); ; {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the events of go test -json: %w", err)
		}
		at := test{e.Package, e.Test}
		switch e.Action {
		case "build-output":
			fmt.Fprint(r.out, e.Output)
		case "output":
			r.keep(at, e.Output)
		case "pass":
			if e.Test != "" {
				r.passed++
			}
			delete(r.output, at)
		case "skip":
			if e.Test != "" {
				reason := reasonOf(r.output[at])
				r.skipped[reason] = append(r.skipped[reason], e.Package+" "+e.Test)
			}
			delete(r.output, at)
		case "fail":
			seen++
			if e.Test != "" {
				name, _, _ := strings.Cut(e.Test, "/")
				r.failed[test{e.Package, name}]++
				failedIn[e.Package] = true
			} else if !failedIn[e.Package] {
				r.broken++
			}
			for _, line := range r.output[at] {
				fmt.Fprint(r.out, line)
			}
			delete(r.output, at)
		case exited:
			if seen == 0 {
				r.broken++
				fmt.Fprintln(r.out, "go test ended with an error, and no test and no build failed")
			}
			seen = 0
		}
	}
}

// exited is the action of an event of the Makefile's: that a go test command has
// ended with an error.
const exited = "exit"

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
		r.dead[at.pkg] = true
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

// close prints what is left and the last line, and returns the exit code.
func (r *report) close(noSkips bool) int {
	hanging := 0
	for _, at := range slices.SortedFunc(maps.Keys(r.output), func(a, b test) int {
		return cmp.Or(strings.Compare(a.pkg, b.pkg), strings.Compare(a.name, b.name))
	}) {
		if at.name != "" { // without a name it is the chatter of a package
			hanging++
			fmt.Fprintf(r.out, "--- never ended: %s %s\n%s", at.pkg, at.name, strings.Join(r.output[at], ""))
		}
	}
	skips := 0
	for _, reason := range slices.Sorted(maps.Keys(r.skipped)) {
		tests := r.skipped[reason]
		skips += len(tests)
		fmt.Fprintf(r.out, "skipped %d: %s\n", len(tests), reason)
		for _, name := range tests {
			fmt.Fprintf(r.out, "    %s\n", name)
		}
	}
	failed := r.broken + hanging
	for _, n := range r.failed {
		failed += n
	}
	if len(r.flaky) > 0 {
		fmt.Fprintf(r.out, "flaky %d: failed above and passed when run again alone, which is a defect to mend\n", len(r.flaky))
		for _, at := range r.flaky {
			fmt.Fprintf(r.out, "    %s %s\n", at.pkg, at.name)
		}
	}
	fmt.Fprintf(r.out, "%d passed, %d failed, %d flaky, %d skipped\n", r.passed, failed, len(r.flaky), skips)
	if failed > 0 || r.passed == 0 || noSkips && skips > 0 {
		return 1
	}
	return 0
}
