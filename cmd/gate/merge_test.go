package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/action"
	"github.com/aigate/gate/report"
	"github.com/aigate/gate/report/github/githubtest"
)

// manyFiles is a change for several shards; one of the files is dangerous.
func manyFiles() map[string]string {
	files := map[string]string{"deep/er/bad.py": dangerous}
	for i := range 12 {
		files[fmt.Sprintf("pkg%d/mod%d.py", i%3, i)] = harmless
	}
	return files
}

// shards gates the change of the job in n parts and returns the folder with the
// results.
func (j *job) shards(n int) string {
	j.t.Helper()
	dir := j.t.TempDir()
	for i := 1; i <= n; i++ {
		save := filepath.Join(dir, fmt.Sprintf("shard-%d.json", i))
		if code := j.run("--shard", fmt.Sprintf("%d/%d", i, n), "--save", save); code != exitPass && code != exitBlocked {
			j.t.Fatalf("shard %d: exit code %d\n%s\n%s", i, code, &j.stdout, &j.stderr)
		}
	}
	return dir
}

// merge runs `gate merge`.
func (j *job) merge(args ...string) int {
	j.t.Helper()
	j.stdout.Reset()
	j.stderr.Reset()
	a := testApp()
	a.stdout, a.stderr = &j.stdout, &j.stderr
	a.apiWait = time.Millisecond
	a.getenv = func(k string) string { return j.env[k] }
	return a.main(append([]string{"merge"}, args...))
}

func decodeFile(t *testing.T, path string) gate.Result {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	res, err := report.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestShardsPublishNothingAndTheirMergeWhatThePullRequestWouldHave(t *testing.T) {
	j := newJob(t, map[string]string{"a.py": harmless}, manyFiles())
	whole := filepath.Join(t.TempDir(), "whole.json")
	j.wantExit(exitBlocked, "--save", whole)
	var comment string
	j.srv.Lock(func(s *githubtest.State) { comment = s.Comments[7][0].Body })
	check := j.check()

	j.srv.Lock(func(s *githubtest.State) { s.Comments[7], s.Checks, s.SARIFs = nil, nil, nil })
	requests := len(j.srv.Requests())
	os.Remove(j.env["GITHUB_STEP_SUMMARY"])
	dir := j.shards(3)
	if n := len(j.srv.Requests()); n != requests {
		t.Errorf("the shards sent %d requests to GitHub", n-requests)
	}
	if _, err := os.Stat(j.env["GITHUB_STEP_SUMMARY"]); err == nil {
		t.Error("a shard wrote a step summary")
	}

	out := t.TempDir()
	merged := filepath.Join(out, "merged.json")
	if code := j.merge(dir, "--publish", "--save", merged, "--sarif", filepath.Join(out, "gate.sarif")); code != exitBlocked {
		t.Fatalf("exit code %d\n%s\n%s", code, &j.stdout, &j.stderr)
	}
	if diff := cmp.Diff(decodeFile(t, whole), decodeFile(t, merged), cmpopts.IgnoreFields(gate.LayerResult{}, "DurationMS")); diff != "" {
		t.Errorf("(-whole +merged):\n%s", diff)
	}
	j.srv.Lock(func(s *githubtest.State) {
		if len(s.Comments[7]) != 1 || len(s.SARIFs) != 1 {
			t.Fatalf("%d comments and %d uploads, want one of each", len(s.Comments[7]), len(s.SARIFs))
		}
		if diff := cmp.Diff(withoutTimes(comment), withoutTimes(s.Comments[7][0].Body)); diff != "" {
			t.Errorf("comment (-whole +merged):\n%s", diff)
		}
	})
	if k := j.check(); k.Conclusion != "failure" || k.HeadSHA != j.head || len(k.Annotations) != len(check.Annotations) {
		t.Errorf("check: %+v", k)
	}
}

// withoutTimes leaves out the line with how long the layer took.
func withoutTimes(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "static ran") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

func TestBrokenShardsArePublishedAsAFailure(t *testing.T) {
	spoil := func(name string, change func(string) string) func(*job, string) {
		return func(j *job, dir string) {
			file := filepath.Join(dir, name)
			data, err := os.ReadFile(file)
			if err != nil {
				j.t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(change(string(data))), 0o644); err != nil {
				j.t.Fatal(err)
			}
		}
	}
	for name, tt := range map[string]struct {
		spoil func(j *job, dir string)
		says  string
	}{
		"one is missing":          {func(_ *job, dir string) { os.Remove(filepath.Join(dir, "shard-2.json")) }, "the result of shard 2 of 3 is missing"},
		"none is there":           {func(_ *job, dir string) { os.RemoveAll(dir); _ = os.Mkdir(dir, 0o755) }, "no shard has left one"},
		"the folder is not there": {func(_ *job, dir string) { os.RemoveAll(dir) }, "no such file"},
		"one is no JSON":          {spoil("shard-1.json", func(string) string { return "{" }), "shard-1.json: "},
		"one is twice there": {func(j *job, dir string) {
			data, _ := os.ReadFile(filepath.Join(dir, "shard-1.json"))
			_ = os.WriteFile(filepath.Join(dir, "shard-4.json"), data, 0o644)
		}, "shard-4.json is shard 1 of 3, and so is"},
		"one is of another commit": {spoil("shard-1.json", func(s string) string {
			return strings.Replace(s, `"head": "`, `"head": "0`, 1)
		}), "shard-1.json is about"},
		"one is about attacks": {spoil("shard-1.json", func(string) string { return `{"attacks": []}` }), "cannot be merged with a scan"},
		"one lost a file": {func(j *job, dir string) {
			j.head = j.commit("more", map[string]string{"z.py": harmless})
			j.event("synchronize", nil)
		}, "is about"},
	} {
		t.Run(name, func(t *testing.T) {
			files := manyFiles()
			files["deep/er/bad.py"] = harmless
			j := newJob(t, map[string]string{"a.py": harmless}, files)
			dir := j.shards(3)
			tt.spoil(j, dir)
			out := t.TempDir()
			code := j.merge(dir, "--publish", "--save", filepath.Join(out, "merged.json"), "--sarif", filepath.Join(out, "gate.sarif"))
			if code != exitIncomplete {
				t.Errorf("exit code %d, want 3\n%s", code, &j.stderr)
			}
			if k := j.check(); k.Conclusion != "failure" || k.HeadSHA != j.head {
				t.Errorf("the check says %q of %s", k.Conclusion, k.HeadSHA)
			}
			if all := j.stdout.String() + j.stderr.String(); !strings.Contains(all, tt.says) {
				t.Errorf("nothing says %q:\n%s", tt.says, all)
			}
		})
	}
}

func TestOverrideIsForTheMergedResultOnly(t *testing.T) {
	j := newJob(t, map[string]string{"a.py": harmless}, manyFiles())
	j.srv.Lock(func(s *githubtest.State) { s.Permissions["ada"] = "admin"; because(s) })
	j.event("labeled", map[string]string{"label": `{"name": "gate:override"}`})
	dir := j.shards(2)
	out := t.TempDir()
	if code := j.merge(dir, "--publish", "--save", filepath.Join(out, "merged.json"), "--sarif", ""); code != exitPass {
		t.Fatalf("exit code %d\n%s\n%s", code, &j.stdout, &j.stderr)
	}
	if res := decodeFile(t, filepath.Join(out, "merged.json")); res.Override == nil || res.Override.By != "ada" || res.Override.Reason == "" || res.Verdict != gate.Dangerous {
		t.Errorf("override %+v, verdict %s", res.Override, res.Verdict)
	}
}

func TestALayerThatTheBaseRequiresIsMissedInTheMerge(t *testing.T) {
	j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{"b.py": harmless})
	dir := j.shards(2)
	out := t.TempDir()
	if code := j.merge(dir, "--publish", "--require", "judge", "--save", filepath.Join(out, "merged.json"), "--sarif", ""); code != exitIncomplete {
		t.Errorf("exit code %d, want 3", code)
	}
}

func TestAForksMergeIsOnlySavedAndOneOfItsShardsIsRefused(t *testing.T) {
	j := newJob(t, map[string]string{"a.py": harmless}, manyFiles())
	data, err := os.ReadFile(j.env["GITHUB_EVENT_PATH"])
	if err != nil {
		t.Fatal(err)
	}
	fork := strings.Replace(string(data), `"ref": "topic", "repo": {"full_name": "acme/shop"}`, `"ref": "topic", "repo": {"full_name": "mallory/shop"}`, 1)
	if err := os.WriteFile(j.env["GITHUB_EVENT_PATH"], []byte(fork), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := j.shards(2)
	out := t.TempDir()
	if code := j.merge(dir, "--publish", "--save", filepath.Join(out, "merged.json"), "--sarif", ""); code != exitBlocked {
		t.Errorf("exit code %d, want 1\n%s", code, &j.stderr)
	}
	if n := j.srv.Count(http.MethodPost, "/"); n != 0 || len(j.srv.Requests()) != 0 {
		t.Errorf("%d requests were sent", len(j.srv.Requests()))
	}
	for name, refused := range map[string]bool{filepath.Join(dir, "shard-1.json"): true, filepath.Join(out, "merged.json"): false} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = action.DecodeClaim(data)
		switch {
		case refused && (err == nil || !strings.Contains(err.Error(), "shard 1 of 2")):
			t.Errorf("a shard is taken for the result of the fork: %v", err)
		case !refused && err != nil:
			t.Error(err)
		}
	}
}
