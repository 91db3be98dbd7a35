package execute_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

func TestRunsAreAnnounced(t *testing.T) {
	// One asks for arguments, one lacks a module, one has functions that nothing
	// calls, and one looks at the time.
	w := world{id: thisWorld(), files: map[string]string{
		"asks.py":  "import sys\nif __name__ == '__main__':\n    print(sys.argv[1])\n",
		"lacks.py": "import nobody_has_this\n\nprint(1)\n",
		"calls.py": "def f():\n    return 1\n",
		"late.py":  "import datetime\nif datetime.datetime.now().year > 2029:\n    print(1)\n",
		"plain.js": "console.log(1);\n", "plain.sh": "echo 1\n",
	}}
	w.options = func(o *execute.Options) { o.Policy.Conditions = 2 }
	w.answer = func(s sandbox.Spec) (sandbox.Result, error) {
		res := sandbox.Result{Status: sandbox.Exited, Behaviour: sandbox.Behaviour{Recorder: "fake"}}
		said := strings.Join(s.Argv, " ")
		switch {
		case strings.Contains(said, "asks.py") && !slices.Contains(s.Argv, "--help"):
			res.ExitCode, res.Stderr.Data = 1, []byte("IndexError: list index out of range\n")
		case strings.Contains(said, `"target":"lacks`) && !strings.Contains(said, `"stand_ins":[`):
			res.ExitCode, res.Stderr.Data = 1, []byte("ModuleNotFoundError: No module named 'nobody_has_this'\n")
		}
		return res, nil
	}
	out, _, e := w.once(t, filepath.Join(t.TempDir(), "cache"))
	kinds := map[string]bool{}
	for _, x := range out.Executions {
		for _, u := range x.Units {
			kinds[u.Kind] = true
		}
	}
	for _, k := range []string{"script", "script, with stand-ins", "exercise", "module, with the clock in 2030"} {
		if !kinds[k] {
			t.Errorf("nothing ran as %q: %v", k, kinds)
		}
	}
	if e.expected.Load() != int64(e.runs()) {
		t.Errorf("%d of %d runs were announced", e.expected.Load(), e.runs())
	}
}
