package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCountingLinesIsNoBehaviour(t *testing.T) {
	for _, dir := range []string{"/workspace", "/dev/shm"} {
		for _, name := range []string{"", "/python-12.json", "/types-7.json", "/texts-7-0.json", "/coverage-8-1795284342719-0.json", "/shell-lines", "/tests-begin", "/tests-nearest", "/tests-running-17", "/covmeta.f37628f4673f76d340c9f79875d95285"} {
			if got := Document(seen(t, "write "+dir+"/.gate-coverage"+name)); len(got) > 0 {
				t.Errorf("%s/.gate-coverage%s is shown: %v", dir, name, got)
			}
		}
	}
	for _, other := range []string{
		"write /workspace/.gate-coverage/x.sh", "write /workspace/.gate-coverage/python-1.json/x", "write /tmp/.gate-coverage/python-1.json",
		"delete /workspace/.gate-coverage/python-1.json", "write /workspace/.gate-coverage2",
		"rename /workspace/a.py · /workspace/.gate-coverage/python-1.json", "rename /workspace/.gate-coverage/python-1.json · /workspace/a.py",
	} {
		if got := Document(seen(t, other)); len(got) != 1 {
			t.Errorf("%s is hidden", other)
		}
	}
}

func TestTheFolderOfCoverageHidesNoProgram(t *testing.T) {
	r := runOf(t, Script, "write /workspace/.gate-coverage/shell-lines\nexec /bin/sh · sh · /workspace/.gate-coverage/shell-lines")
	r.Has, r.Literal = func(string) bool { return false }, func([]byte) bool { return false }
	other := runOf(t, Script, "write /workspace/x\nexec /bin/sh · sh · /workspace/x")
	other.Has, other.Literal = r.Has, r.Literal
	if got, want := rulesOf(Findings(r)), rulesOf(Findings(other)); got != want || got == "" {
		t.Errorf("%q, elsewhere %q", got, want)
	}
}

// A build of Go writes more files than the document holds of a run.
func TestWritesOfAProgramAreNotTakenForItsBuildCache(t *testing.T) {
	var did []string
	for i := range 2 * maxShown {
		did = append(did, fmt.Sprintf("write /tmp/gocache/%02x/%d-a", i%256, i), fmt.Sprintf("delete /tmp/go-build1/b%d", i))
	}
	did = append(did, "write /workspace/out.txt", "list /workspace/secrets")
	var shown []string
	for _, b := range Document(seen(t, strings.Join(did, "\n"))) {
		shown = append(shown, b.Kind+" "+b.Detail)
	}
	for _, want := range []string{"write /workspace/out.txt", "list /workspace/secrets"} {
		if !slices.Contains(shown, want) {
			t.Errorf("%q is not among the %d things shown", want, len(shown))
		}
	}
}
