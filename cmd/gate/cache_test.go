package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report"
	"github.com/aigate/gate/tools/testenv"
)

func TestTheSecondScanOnRealPartsKnowsTheFirst(t *testing.T) {
	t.Parallel()
	testenv.Docker(t)
	for _, lang := range []string{"python", "shell"} {
		testenv.Image(t, lang)
	}
	g := newRealGate(t, map[string]string{
		"main.py": "import helper\nif __name__ == '__main__':\n    print('sum', helper.add(1, 2))\n", "helper.py": "def add(a, b):\n    return a + b\n",
		"evil.py": "x = 'GATE_EVIL'\n", "build.sh": "#!/bin/bash\necho built\n",
	})
	args := []string{"scan", "--layers", "static,judge,sandbox", "--ollama", testenv.Ollama(t), "--model", testenv.TinyModel, "."}
	scan := func(more ...string) gate.Result {
		res, code := g.result(append(args, more...)...)
		if code != exitBlocked || file(t, res, "evil.py").Verdict != gate.Dangerous || len(res.Incomplete) > 0 {
			t.Errorf("%v: exit code %d, %v with gaps %v", more, code, res.Verdict, res.Incomplete)
		}
		return res
	}
	known := func(res gate.Result, want bool) {
		t.Helper()
		for _, f := range res.Files {
			ran := f.Execution != nil && f.Execution.Status != gate.ExecutionNotRun
			if f.Judge.Cached != want || ran && f.Execution.Cached != want {
				t.Errorf("%s: known to the judge %v, to the sandbox %v; want %v", f.Path, f.Judge.Cached, f.Execution.Cached, want)
			}
		}
	}
	first := scan()
	known(first, false)
	known(scan(), true)
	known(scan("--no-cache"), false)
	if f := file(t, scan(), "main.py"); f.Verdict != file(t, first, "main.py").Verdict || f.Execution.Coverage["executed"] != file(t, first, "main.py").Execution.Coverage["executed"] {
		t.Errorf("main.py: %+v", f)
	}
	if res, _ := g.result("run", "main.py"); file(t, res, "main.py").Execution.Cached {
		t.Error("run: known, although the tree of a run has other files in it than that of a scan that leaves out what is dangerous")
	}
	if res, _ := g.result("run", "main.py"); !file(t, res, "main.py").Execution.Cached {
		t.Error("the second run is not known")
	}
	elsewhere := filepath.Join(t.TempDir(), "cache")
	known(scan("--cache-dir", elsewhere), false)
	known(scan("--cache-dir", elsewhere), true)

	text := func(args ...string) string {
		out, err := g.command(args...).CombinedOutput()
		if err != nil {
			t.Errorf("gate %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	var shown struct {
		Entries int
		Spaces  map[string]struct{ Entries int }
	}
	if err := json.Unmarshal([]byte(text("cache", "show", "--format", "json")), &shown); err != nil || shown.Spaces["judge"].Entries < 4 || shown.Spaces["sandbox"].Entries < 4 {
		t.Errorf("%+v, %v", shown, err)
	}
	if out := text("cache", "show"); !strings.Contains(out, "sandbox ") || !strings.Contains(out, "judge ") || !strings.Contains(out, "at most ") {
		t.Errorf("show says\n%s", out)
	}
	if out := text("cache", "prune"); !strings.HasPrefix(out, "removed 0 entries") {
		t.Errorf("prune says %s", out)
	}
	if out := text("cache", "prune", "--max-size", "1KiB"); strings.HasPrefix(out, "removed 0 entries") {
		t.Errorf("prune --max-size says %s", out)
	}
	text("cache", "prune", "--all")
	known(scan(), false)
	if len(entries(t, elsewhere)) == 0 {
		t.Error("another cache was pruned")
	}
}

// entries lists the files below a folder, with their sizes and times.
func entries(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, ierr := d.Info()
			if ierr != nil {
				return ierr
			}
			out[path] = info.ModTime().String()
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out
}

func TestAPullRequestOfAForkReadsTheCacheAndNeverWritesIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	run := func(fork bool, code string) bool {
		j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{"b.py": code})
		j.env["OLLAMA_HOST"], j.env["GATE_MODEL"], j.env["GATE_CACHE_DIR"] = testenv.Ollama(t), testenv.TinyModel, dir
		if fork {
			data, err := os.ReadFile(j.env["GITHUB_EVENT_PATH"])
			if err != nil {
				t.Fatal(err)
			}
			data = bytes.Replace(data, []byte(`"ref": "topic", "repo": {"full_name": "acme/shop"}`), []byte(`"ref": "topic", "repo": {"full_name": "mallory/shop"}`), 1)
			if err := os.WriteFile(j.env["GITHUB_EVENT_PATH"], data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		save := filepath.Join(t.TempDir(), "saved.json")
		j.wantExit(exitPass, "--layers", "static,judge", "--save", save)
		f, err := os.Open(save)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		res, err := report.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		return file(t, res, "b.py").Judge.Cached
	}
	if run(true, harmless) {
		t.Error("known from nowhere")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a fork has made the folder: %v", err)
	}
	run(false, harmless)
	before := entries(t, dir)
	if len(before) == 0 {
		t.Error("a pull request of the repository itself has kept nothing")
	}
	if !run(true, harmless) {
		t.Error("a fork does not read what is known")
	}
	if run(true, harmless+"x = 1\n") {
		t.Error("known from nowhere")
	}
	after := entries(t, dir)
	for path, at := range after {
		if before[path] != at {
			t.Errorf("%s was written for a fork", path)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d entries became %d", len(before), len(after))
	}
}
