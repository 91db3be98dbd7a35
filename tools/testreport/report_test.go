package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// suite is a module with a package for each way that a test run can end.
const suite = `
-- go.mod --
module example.com/suite

go 1.26
-- good/good_test.go --
package good

import "testing"

func TestGood(t *testing.T) { t.Log("a passing test says this") }
-- skips/skips_test.go --
package skips

import "testing"

func TestOne(t *testing.T) { t.Skip("no engine; run: start it") }
func TestTwo(t *testing.T) {
	t.Run("inner", func(t *testing.T) { t.Skip("no engine; run: start it") })
}
func TestGood(t *testing.T) {}
-- bad/bad_test.go --
package bad

import "testing"

func TestBad(t *testing.T) { t.Error("a failing test says this") }
-- chance/chance_test.go --
package chance

import (
	"os"
	"testing"
)

func TestChance(t *testing.T) {
	t.Run("part", func(t *testing.T) {
		if _, err := os.Stat("seen"); err != nil {
			os.WriteFile("seen", nil, 0o644)
			t.Error("failed the first time")
		}
	})
}
func TestGood(t *testing.T) {}
-- panics/panics_test.go --
package panics

import (
	"os"
	"testing"
)

func TestPanics(t *testing.T) {
	if _, err := os.Stat("seen"); err != nil {
		os.WriteFile("seen", nil, 0o644)
		panic("the first time")
	}
}
func TestNeverReached(t *testing.T) { t.Error("no one has seen this") }
-- crash/crash_test.go --
package crash

import (
	"os"
	"testing"
)

func TestCrash(t *testing.T) { os.Stdout.WriteString("about to end\n"); os.Exit(7) }
-- broken/broken_test.go --
package broken

import "testing"

func TestBroken(t *testing.T) { undefined() }
-- none/none.go --
package none
-- luck/luck_test.go --
package luck

import (
	"os"
	"testing"
)

func TestLuck(t *testing.T) {
	if raced {
		t.Skip("too slow under the race detector")
	}
	if _, err := os.Stat("seen"); err != nil {
		os.WriteFile("seen", nil, 0o644)
		t.Error("failed the first time")
	}
}
func TestGood(t *testing.T) {}
-- luck/raced_test.go --
//go:build race

package luck

const raced = true
-- luck/unraced_test.go --
//go:build !race

package luck

const raced = false
-- sleeps/sleeps_test.go --
package sleeps

import (
	"testing"
	"time"
)

func TestSleeps(t *testing.T) {
	t.Run("part", func(t *testing.T) { time.Sleep(300 * time.Millisecond) })
}
-- heavy/heavy_test.go --
package heavy

import "testing"

func TestHeavy(t *testing.T) {
	if raced {
		t.Skip("too slow under the race detector")
	}
}
func TestGood(t *testing.T) {}
-- heavy/raced_test.go --
//go:build race

package heavy

const raced = true
-- heavy/plain_test.go --
//go:build !race

package heavy

const raced = false
`

// unpack writes the suite into a folder of its own.
func unpack(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(suite)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReportOfATestRun(t *testing.T) {
	tests := map[string]struct {
		runs     []string // behind --
		args     []string
		code     int
		has, not []string
	}{
		"a package that passes is one line": {
			[]string{"./good"}, nil, 0,
			[]string{"ok  \texample.com/suite/good", "1 passed, 0 failed, 0 flaky, 0 skipped\n"}, []string{"a passing test"}},
		"skipped tests are listed by their reason": {
			[]string{"./skips"}, nil, 0,
			[]string{"skipped 2: no engine; run: start it\n", "suite/skips TestOne\n", "suite/skips TestTwo/inner\n", "0 flaky, 2 skipped\n"}, nil},
		"under -no-skips they fail": {
			[]string{"./skips"}, []string{"-no-skips"}, 1, []string{"skipped 2:"}, nil},
		"a test that fails is shown in full": {
			[]string{"./good", "./bad"}, nil, 1,
			[]string{"a failing test says this", "FAIL\texample.com/suite/bad", "1 passed, 1 failed"}, []string{"a passing test"}},
		"a process that dies in the middle is a failure": {
			[]string{"./good", "./crash"}, nil, 1, []string{"about to end", "1 passed, "}, []string{" 0 failed"}},
		"a package that does not build is a failure": {
			[]string{"./good", "./broken"}, nil, 1, []string{"undefined: undefined", "1 passed, 1 failed"}, nil},
		"a test that passes the second time is flaky": {
			[]string{"./chance", "./good"}, []string{"-again", "1"}, 0,
			[]string{"failed the first time", "=== again, alone: example.com/suite/chance TestChance\n", "flaky 1: ", "4 passed, 0 failed, 1 flaky, 0 skipped\n"}, nil},
		"a test that one run skips and the other passes the second time is no skip": {
			[]string{"-race", "./luck", "--", "./luck"}, []string{"-no-skips", "-again", "1"}, 0, []string{"flaky 1: ", "3 passed, 0 failed, 1 flaky, 0 skipped\n"}, nil},
		"without -again it has failed": {
			[]string{"./chance"}, nil, 1, []string{"1 passed, 2 failed, 0 flaky"}, []string{"=== again"}},
		"a test that fails again has failed": {
			[]string{"./bad"}, []string{"-again", "1"}, 1, []string{"=== again", "0 passed, 1 failed, 0 flaky"}, nil},
		"more failures than allowed are not run again": {
			[]string{"./bad", "./chance"}, []string{"-again", "1"}, 1, []string{"1 passed, 3 failed, 0 flaky"}, []string{"=== again"}},
		"a process that panics is not forgiven: the rest of its tests did not run": {
			[]string{"./panics", "./good"}, []string{"-again", "5"}, 1, []string{"1 passed, 1 failed, 0 flaky"}, []string{"=== again"}},
		"a run that is not there is left out": {
			[]string{"-race", "--", "./good"}, nil, 0, []string{"1 passed, 0 failed, 0 flaky, 0 skipped\n"}, nil},
		"runs side by side are one result": {
			[]string{"-race", "./good", "--", "./bad"}, nil, 1, []string{"ok  \texample.com/suite/good", "FAIL\texample.com/suite/bad", "1 passed, 1 failed"}, nil},
		"a test that one run skips and the other passes is no skip": {
			[]string{"-race", "./heavy", "--", "./heavy"}, []string{"-no-skips"}, 0, []string{"3 passed, 0 failed, 0 flaky, 0 skipped\n"}, nil},
		"a test that every run skips is one": {
			[]string{"-race", "./heavy", "--", "./good"}, []string{"-no-skips"}, 1, []string{"skipped 1: too slow", "suite/heavy TestHeavy (-race)"}, nil},
		"what took longest is named": {
			[]string{"./sleeps", "./good"}, nil, 0, []string{"slowest packages:\n", "suite/sleeps\n", "slowest tests:\n    0.3s example.com/suite/sleeps TestSleeps\n"}, []string{"sleeps TestSleeps/part", "suite/good TestGood"}},
		"a run without any test is a failure": {
			[]string{"./none"}, nil, 1, []string{"0 passed, 0 failed"}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := unpack(t)
			t.Chdir(dir)
			var out strings.Builder
			code := run(t.Context(), slices.Concat(tc.args, []string{"--"}, tc.runs), &out, io.Discard)
			if code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			for _, s := range tc.has {
				if !strings.Contains(out.String(), s) {
					t.Errorf("not printed: %q", s)
				}
			}
			for _, s := range tc.not {
				if strings.Contains(out.String(), s) {
					t.Errorf("printed, but should not be: %q", s)
				}
			}
			if t.Failed() {
				t.Logf("printed:\n%s", &out)
			}
		})
	}
}

func TestWrongUsage(t *testing.T) {
	for name, args := range map[string][]string{
		"no run":               {"-no-skips"},
		"a run without a name": {"-no-skips", "--", "-race"},
		"packages before --":   {"./good", "--", "./good"},
		"a flag that is not":   {"-skips", "--", "./good"},
	} {
		var problems strings.Builder
		if code := run(t.Context(), args, io.Discard, &problems); code != 2 || problems.Len() == 0 {
			t.Errorf("%s: exit code %d, want 2, problems %q", name, code, &problems)
		}
	}
}

func TestDecode(t *testing.T) {
	for name, in := range map[string]string{
		"plain output of go test": "ok  \texample.com/a\t0.1s\n",
		"an event that is cut":    `{"Action":"pa`,
	} {
		if err := decode(strings.NewReader(in), func(event) {}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAdd(t *testing.T) {
	t.Run("a go test that ends with an error and tells of no failure is a failure", func(t *testing.T) {
		r := newReport(io.Discard)
		r.add(event{Action: "pass", Package: "a", Test: "TestA"})
		r.add(event{Action: exited, err: errors.New("exit status 1")})
		if code := r.close(false); code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
	})
	t.Run("nothing at all is a failure", func(t *testing.T) {
		if code := newReport(io.Discard).close(false); code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
	})
}
