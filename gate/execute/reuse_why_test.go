package execute_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/cache/ledger"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

// explained is what `gate cache explain` says about a program.
func explained(t *testing.T, dir, target string) ledger.Run {
	t.Helper()
	var b bytes.Buffer
	if err := ledger.Show(dir, "json", &b); err != nil {
		t.Fatal(err)
	}
	s, err := ledger.Decode(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(s.Runs, func(r ledger.Run) bool { return slices.Contains(r.Targets, target) && r.As == "" })
	if i < 0 {
		t.Fatalf("nothing about %s: %+v", target, s.Runs)
	}
	return s.Runs[i]
}

// looked is a run that looked at files of its input.
func looked(in sandbox.Inputs) func(sandbox.Spec) (sandbox.Result, error) {
	return func(sandbox.Spec) (sandbox.Result, error) {
		r := did()
		r.Behaviour.Inputs = &in
		return r, nil
	}
}

func TestRunsSayWhyTheyWereReusedOrNot(t *testing.T) {
	beside := sandbox.Inputs{Read: []string{"a.py"}}
	for name, tt := range map[string]struct {
		answer  func(sandbox.Spec) (sandbox.Result, error)
		change  func(*world)
		outcome ledger.Outcome
		why     string
	}{
		"nothing":                      {nil, func(*world) {}, ledger.Reused, "the files are those of an earlier run"},
		"another file":                 {looked(beside), func(w *world) { w.files["b.txt"] = "other" }, ledger.Reused, "nothing that it looked at has changed (1 file read, 1 changed elsewhere)"},
		"the program":                  {looked(beside), func(w *world) { w.files["a.py"] += "\n" }, ledger.RunAgain, "it read a.py, which changed"},
		"the size of a file":           {looked(sandbox.Inputs{Read: []string{"a.py"}, Sized: []string{"b.txt"}}), func(w *world) { w.files["b.txt"] = "longer" }, ledger.RunAgain, "it asked for the size of b.txt, which changed"},
		"the size of any file":         {looked(sandbox.Inputs{AllSizes: true, Why: "it does X"}), func(w *world) { w.files["b.txt"] = "longer" }, ledger.RunAgain, "the sizes of all files count because it does X, and changed: b.txt"},
		"the room of all files":        {looked(sandbox.Inputs{Room: true}), func(w *world) { w.files["b.txt"] = strings.Repeat("x", 5000) }, ledger.RunAgain, "it may know how much room all files take, and changed: b.txt"},
		"a file, and nothing is known": {nil, func(w *world) { w.files["b.txt"] = "other" }, ledger.RunAgain, "changed: b.txt"},
		"a new file":                   {looked(beside), func(w *world) { w.files["c.txt"] = "" }, ledger.RunAgain, "files were added: c.txt"},
		"new files":                    {looked(beside), func(w *world) { w.files["c"], w.files["d"], w.files["e"], w.files["f"] = "", "", "", "" }, ledger.RunAgain, "files were added: c, d, e and 1 more"},
		"a file that is gone":          {looked(beside), func(w *world) { delete(w.files, "b.txt") }, ledger.RunAgain, "files were removed: b.txt"},
		"a new name":                   {looked(beside), func(w *world) { delete(w.files, "b.txt"); w.files["c.txt"] = "data" }, ledger.RunAgain, "files were added (c.txt) and removed (b.txt)"},
		"the image":                    {looked(beside), func(w *world) { w.id.ImageID = "sha256:2" }, ledger.RunAgain, "what it runs on is another: image"},
		"the supervisor":               {looked(beside), func(w *world) { w.id.Supervisor, w.id.Kernel = "s2", "7" }, ledger.RunAgain, "what it runs on is another: supervisor, kernel"},
		"the limits": {looked(beside), func(w *world) {
			w.options = func(o *execute.Options) { o.Policy.Memory = 1 << 30 }
		}, ledger.RunAgain, "it is started otherwise: "},
		"a merge queue": {looked(beside), func(w *world) {
			w.options = func(o *execute.Options) { o.Fresh = "a merge queue runs all programs" }
		}, ledger.RunAgain, "a merge queue runs all programs"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache")
			w := func() world {
				return world{id: thisWorld(), files: map[string]string{"a.py": program, "b.txt": "data"}, answer: tt.answer}
			}
			w().once(t, dir)
			if r := explained(t, dir, "a.py"); r.Outcome != ledger.RunFirst || r.NotKept != "" || (r.AllFiles == "") != (tt.answer != nil) {
				t.Errorf("the first time %+v", r)
			}
			next := w()
			tt.change(&next)
			out, _, _ := next.once(t, dir)
			r := explained(t, dir, "a.py")
			if r.Outcome != tt.outcome || !strings.HasPrefix(r.Why, tt.why) || out.Executions["a.py"].Cached != (r.Outcome == ledger.Reused) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestARunThatIsNotKeptSaysWhy(t *testing.T) {
	for want, change := range map[string]func(*sandbox.Result){
		"the recorder lost events":                        func(r *sandbox.Result) { r.Behaviour.Lost = 1 },
		"its time was up":                                 func(r *sandbox.Result) { r.Status = sandbox.Timeout },
		"its memory ran out":                              func(r *sandbox.Result) { r.Status = sandbox.OOM },
		"not all code that it wrote was captured":         func(r *sandbox.Result) { r.Behaviour.Uncaptured = 1 },
		"not all that it wrote was searched for canaries": func(r *sandbox.Result) { r.Behaviour.Unsearched = 1 },
		"it asked for random numbers":                     func(r *sandbox.Result) { r.Behaviour.Random = true },
		"the image was built again meanwhile":             func(r *sandbox.Result) { r.ImageID = "sha256:2" },
		"it was ended from outside: ended by SIGKILL":     func(r *sandbox.Result) { r.Reason = "ended by SIGKILL" },
		"files that it wrote were not brought back":       func(r *sandbox.Result) { r.Refused = []sandbox.Refusal{{Path: "x"}} },
	} {
		w := world{id: thisWorld(), files: map[string]string{"a.py": program}, answer: func(sandbox.Spec) (sandbox.Result, error) {
			r := did()
			change(&r)
			return r, nil
		}}
		dir := filepath.Join(t.TempDir(), "cache")
		w.once(t, dir)
		if r := explained(t, dir, "a.py"); r.NotKept != want {
			t.Errorf("%q: %+v", want, r)
		}
		w.once(t, dir)
		if r := explained(t, dir, "a.py"); r.Why != "its last run was not kept: "+want {
			t.Errorf("%q: %+v", want, r)
		}
	}
}

// TestAFreshRunIsKeptAndReusesNothing: what a merge queue ran is there for the next pull
// request, in place of what was there.
func TestAFreshRunIsKeptAndReusesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	said := "one"
	w := world{id: thisWorld(), files: map[string]string{"a.py": program}, answer: func(sandbox.Spec) (sandbox.Result, error) {
		r := did()
		r.Stdout = sandbox.Stream{Data: []byte(said), Bytes: int64(len(said))}
		return r, nil
	}}
	fresh := w
	fresh.options = func(o *execute.Options) { o.Fresh = "a merge queue runs all programs" }
	printed := func(w world, runs bool) string {
		t.Helper()
		out, _, e := w.once(t, dir)
		if x := out.Executions["a.py"]; (e.runs() > 0) != runs || x.Cached == runs {
			t.Errorf("%d runs, %+v", e.runs(), x)
		}
		return out.Executions["a.py"].Units[0].Stdout.Text
	}
	printed(w, true)
	said = "two"
	if got := printed(w, false); got != "one" {
		t.Error(got)
	}
	if got := printed(fresh, true); got != "two" {
		t.Error(got)
	}
	if got := printed(w, false); got != "two" {
		t.Error(got)
	}
}
