package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/github/githubtest"
)

// forkJob is a workflow_run job after the job of a fork has ended.
type forkJob struct {
	*job
	headFiles map[string]string
}

const (
	forkBase = "1111111111111111111111111111111111111111"
	forkHead = "2222222222222222222222222222222222222222"
)

func newForkJob(t *testing.T, base, head map[string]string) *forkJob {
	t.Helper()
	const workflow = ".github/workflows/gate.yml"
	ran := base
	if _, ok := base[workflow]; !ok { // it lies in both trees, as it does where a job ran
		ran = maps.Clone(base)
		if ran == nil {
			ran = map[string]string{}
		}
		ran[workflow] = "on: pull_request\n"
	}
	shown := maps.Clone(head)
	if _, ok := head[workflow]; !ok {
		shown[workflow] = ran[workflow]
	}
	dir := t.TempDir()
	j := &forkJob{headFiles: head, job: &job{t: t, srv: githubtest.New(t, "acme", "shop"), env: map[string]string{
		"GITHUB_EVENT_NAME": "workflow_run", "GITHUB_REPOSITORY": "acme/shop", "GITHUB_SERVER_URL": "https://github.com",
		"GITHUB_TOKEN": "secret-token", "GITHUB_EVENT_PATH": filepath.Join(dir, "event.json"), "HOME": dir,
		"GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary"), "GITHUB_OUTPUT": filepath.Join(dir, "output"),
	}}}
	j.env["GITHUB_API_URL"] = j.srv.URL
	t.Chdir(dir)
	event := `{"action": "completed", "repository": {"full_name": "acme/shop", "default_branch": "main"}, "workflow_run": {"id": 9}}`
	if err := os.WriteFile(j.env["GITHUB_EVENT_PATH"], []byte(event), 0o644); err != nil {
		t.Fatal(err)
	}
	j.srv.Lock(func(s *githubtest.State) {
		s.Runs[9] = json.RawMessage(`{"id": 9, "event": "pull_request", "head_sha": "` + forkHead + `", "status": "completed", "path": ".github/workflows/gate.yml", "head_repository": {"full_name": "mallory/shop"}}`)
		s.Pulls[7] = &githubtest.Pull{Number: 7, HeadSHA: forkHead, HeadRef: "topic", HeadRepo: "mallory/shop", BaseRef: "main", BaseSHA: forkBase}
		s.MergeBases[forkBase+"..."+forkHead] = forkBase
		s.Trees[forkBase], s.Trees[forkHead] = tree(s, ran), tree(s, shown)
		s.RunFiles[9] = []map[string]any{{"id": 3, "name": "gate-result", "expired": false}}
	})
	return j
}

func tree(s *githubtest.State, files map[string]string) json.RawMessage {
	entries := []map[string]any{}
	for path, text := range files {
		sha := fmt.Sprintf("%x", sha1.Sum([]byte(text)))
		s.Blobs[sha] = []byte(text)
		entries = append(entries, map[string]any{"path": path, "mode": "100644", "type": "blob", "sha": sha, "size": len(text)})
	}
	data, err := json.Marshal(map[string]any{"sha": "t", "tree": entries, "truncated": false})
	if err != nil {
		panic(err)
	}
	return data
}

// claim puts a result into the artifact of the run.
func (j *forkJob) claim(change func(*gate.Result)) {
	j.t.Helper()
	res := gate.Result{SchemaVersion: 1, Tool: tool(), Verdict: gate.Safe, Decision: gate.DecisionPass,
		Layers:     []gate.LayerResult{{Name: gate.LayerStatic, Status: gate.LayerRan}, {Name: gate.LayerJudge, Status: gate.LayerSkipped, Reason: "not there"}, {Name: gate.LayerSandbox, Status: gate.LayerRan}},
		Incomplete: []gate.Gap{}, Skipped: []gate.Skip{}, Files: []gate.FileResult{}}
	for path, text := range j.headFiles {
		res.Files = append(res.Files, gate.FileResult{Path: path, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text))), Language: gate.LanguagePython,
			Verdict: gate.Safe, Change: gate.ChangeAdded, Role: gate.RoleSource, Findings: []gate.Finding{},
			Attribution: gate.Attribution{Basis: "unknown", Agents: []string{}, Evidence: []gate.Evidence{}, Lines: []gate.LineRange{}}})
	}
	if change != nil {
		change(&res)
	}
	data, err := json.Marshal(res)
	if err != nil {
		j.t.Fatal(err)
	}
	j.artifact("gate-result.json", data)
}

func (j *forkJob) artifact(name string, data []byte) {
	j.t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		j.t.Fatal(err)
	}
	j.srv.Lock(func(s *githubtest.State) { s.Artifacts[3] = buf.Bytes() })
}

func (j *forkJob) publish(want int) {
	j.t.Helper()
	j.stdout.Reset()
	j.stderr.Reset()
	a := testApp()
	a.stdout, a.stderr, a.apiWait = &j.stdout, &j.stderr, 1
	a.getenv = func(k string) string { return j.env[k] }
	if got := a.main([]string{"publish"}); got != want {
		j.t.Fatalf("exit code %d, want %d\n%s\n%s", got, want, &j.stdout, &j.stderr)
	}
}

func TestAForksResultIsCheckedAndPublished(t *testing.T) {
	j := newForkJob(t, map[string]string{"a.py": harmless}, map[string]string{"a.py": harmless + "x = 1\n"})
	j.claim(nil)
	j.publish(exitPass)
	if k := j.check(); k.Conclusion != "success" || k.HeadSHA != forkHead {
		t.Errorf("check: %+v", k)
	}
	j.srv.Lock(func(s *githubtest.State) {
		if len(s.Comments[7]) != 1 {
			t.Errorf("comments: %+v", s.Comments)
		}
	})
}

func TestTheWorstOfAllPullRequestsWithOneHeadIsTheAnswer(t *testing.T) {
	for i := range 6 { // the API names them in any order
		j := newForkJob(t, map[string]string{"a.py": harmless}, map[string]string{"a.py": harmless, "b.py": dangerous})
		j.claim(nil)
		j.srv.Lock(func(s *githubtest.State) {
			const topic = "3333333333333333333333333333333333333333" // a branch that has it already
			other := *s.Pulls[7]
			other.Number, other.BaseRef, other.BaseSHA = 6, "topic", topic
			s.Pulls[6], s.Trees[topic], s.MergeBases[topic+"..."+forkHead] = &other, s.Trees[forkHead], topic
		})
		j.publish(exitBlocked)
		if k := j.check(); k.Conclusion == "success" {
			t.Fatalf("run %d, check: %+v", i, k)
		}
	}
}

func TestAHostileArtifactIsNeverAPass(t *testing.T) {
	dangerousHead := map[string]string{"a.py": harmless, "b.py": dangerous}
	harmlessHead := map[string]string{"a.py": harmless + "x = 1\n"}
	tests := map[string]struct {
		base, head map[string]string
		artifact   func(*forkJob)
		want       int
	}{
		"a forged pass over dangerous code": {nil, dangerousHead, func(j *forkJob) { j.claim(nil) }, exitBlocked},
		"no artifact":                       {nil, harmlessHead, func(j *forkJob) { j.srv.Lock(func(s *githubtest.State) { s.RunFiles[9] = nil }) }, exitIncomplete},
		"an artifact that is no archive":    {nil, harmlessHead, func(j *forkJob) { j.srv.Lock(func(s *githubtest.State) { s.Artifacts[3] = []byte("PK") }) }, exitIncomplete},
		"an artifact that is no result":     {nil, harmlessHead, func(j *forkJob) { j.artifact("x", []byte(`{"decision": "pass"}`)) }, exitIncomplete},
		"an artifact that is a bomb":        {nil, harmlessHead, func(j *forkJob) { j.artifact("x", bytes.Repeat([]byte(" "), 65<<20)) }, exitIncomplete},
		"a result about other content": {nil, harmlessHead, func(j *forkJob) {
			j.claim(func(r *gate.Result) { r.Files[0].SHA256 = strings.Repeat("0", 64) })
		}, exitIncomplete},
		"a result about no file": {nil, harmlessHead, func(j *forkJob) {
			j.claim(func(r *gate.Result) { r.Files = []gate.FileResult{} })
		}, exitIncomplete},
		"a workflow that the pull request edits": {map[string]string{".github/workflows/gate.yml": "on: push\n"},
			map[string]string{".github/workflows/gate.yml": "on: pull_request\n", "a.py": harmless}, func(j *forkJob) { j.claim(nil) }, exitIncomplete},
		"a policy that the base requires more of": {map[string]string{".gate.yml": "require: [static, judge]\n"},
			map[string]string{".gate.yml": "require: [static, judge]\n", "a.py": harmless}, func(j *forkJob) { j.claim(nil) }, exitIncomplete},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			base := tt.base
			if base == nil {
				base = map[string]string{"a.py": harmless}
			}
			j := newForkJob(t, base, tt.head)
			tt.artifact(j)
			j.publish(tt.want)
			if k := j.check(); k.Conclusion != "failure" {
				t.Errorf("the check says %q, want failure", k.Conclusion)
			}
		})
	}
}

func TestARunThatBelongsToNoPullRequestPublishesNothing(t *testing.T) {
	for name, change := range map[string]func(*githubtest.State){
		"another event": func(s *githubtest.State) {
			s.Runs[9] = json.RawMessage(`{"id": 9, "event": "push", "head_sha": "` + forkHead + `"}`)
		},
		"another head":              func(s *githubtest.State) { s.Pulls[7].HeadSHA = forkBase },
		"another repository's head": func(s *githubtest.State) { s.Pulls[7].HeadRepo = "eve/shop" },
		"a run that is not there":   func(s *githubtest.State) { s.Runs = nil },
	} {
		t.Run(name, func(t *testing.T) {
			j := newForkJob(t, map[string]string{"a.py": harmless}, map[string]string{"a.py": harmless})
			j.claim(nil)
			j.srv.Lock(change)
			j.publish(exitIncomplete)
			if n := j.srv.Count("POST", ""); n != 0 {
				t.Errorf("%d things were published", n)
			}
		})
	}
}
