package workrun_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/agent/workrun"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/tinygguf"
	"github.com/aigate/gate/tools/testenv"
)

// A whole session with a real model server: the model, which is tiny, writes and judges.
func TestAWholeSessionWithARealServer(t *testing.T) {
	for name, server := range testenv.ModelServers(t) {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, false)
			p.options.Engine.Ollama, p.options.Engine.Model = server, testenv.TinyModel
			r, code := p.task(tinygguf.MeanTask + ": write a mean and a test for it; run the test")
			if code != exit.Pass || len(r.Steps) != 3 || len(r.Workspace) != 2 || r.Calls != workrun.CallsJSON || !strings.Contains(r.Answer, "its test passes") {
				t.Fatalf("exit code %d, %+v\n%s", code, r, &p.said)
			}
			if ran := r.Steps[2]; ran.Error || !strings.Contains(ran.Text, "1 passed") || ran.Spent.Static == 0 || ran.Spent.Judge == 0 || ran.Spent.Start == 0 || ran.Spent.Run == 0 || ran.Spent.Generation == 0 {
				t.Errorf("the test did not run, or a phase took no time: %+v", ran)
			}
			p.options.Data = []string{filepath.Join(p.dir, "values.csv")}
			if err := os.WriteFile(p.options.Data[0], []byte("name,value\na,1\nb,2\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			r, code = p.task(tinygguf.ChartTask + ": draw a chart of the values")
			if code != exit.Pass || len(r.Results) != 1 || len(r.Workspace) != 3 {
				t.Fatalf("exit code %d, %+v\n%s", code, r, &p.said)
			}
			if png, err := os.ReadFile(filepath.Join(p.options.Out, "chart.png")); err != nil || !bytes.HasPrefix(png, []byte("\x89PNG")) {
				t.Errorf("%v, %.10q", err, png)
			}
			t.Logf("%s: %s", name, r.Spent)
			if err := workrun.Clear(t.Context(), p.engine, "default"); err != nil {
				t.Fatal(err)
			}
			if r, code := p.task("what is there?"); code != exit.Pass || len(r.Workspace) != 0 || !strings.Contains(r.Answer, "nothing to do") {
				t.Errorf("after clear: exit code %d, %+v", code, r)
			}
		})
	}
}
