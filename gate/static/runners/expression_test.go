package runners

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// guarded are the expressions that are not tried on every line.
func guarded() map[string]expression {
	return map[string]expression{
		"commands": commands, "started": started, "evaluating": evaluating, "held": held, "table": table,
		"dispatched": dispatched, "defined": defined, "arrowed": arrowed, "method": method, "assigned": assigned,
	}
}

func checkLine(t *testing.T, line string) {
	t.Helper()
	for name, e := range guarded() {
		if got, want := e.groups(line), e.full.FindStringSubmatch(line); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q in %q, want %q", name, got, line, want)
		}
	}
}

func TestNoLineThatMatchesIsLeftOut(t *testing.T) {
	lines := 0
	err := filepath.WalkDir("../../../fixtures/corpora", func(file string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(file)
		for line := range bytes.Lines(data[:min(len(data), 4<<10)]) {
			if lines++; lines%31 == 0 && len(line) <= 400 { // some of them, from all files
				checkLine(t, string(bytes.TrimRight(line, "\r\n")))
			}
		}
		return err
	})
	if err != nil || lines < 1000 {
		t.Fatalf("%d lines: %v", lines, err)
	}
}

func FuzzExpression(f *testing.F) {
	for _, line := range []string{
		"os.execvp(a)", "x = Popen (a)", "%x(a)", "`#{a}`", "asyncio.create_subprocess_shell(a)", "cp.fork(a)", "getstatusoutput(a)",
		"Process.Start(a)", "ProcessBuilder (a)", "Open3.capture2 a", "proc_open(a", "passthru (a", "check_call(a)", "run (a", "vm.runInContext(a)",
		"assert(a", "{ log: exec }", "a := subprocess.call", "t[k](a)", "t.get(k)(a)", "sub a", "fn a(b", "fun a", "f = x => y", "f: lambda a:", "async m(a) {", "a: int = b",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if len(line) <= maxLine {
			checkLine(t, line)
		}
	})
}
