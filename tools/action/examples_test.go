package action_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/report/github/githubtest"
	"github.com/aigate/gate/tools/testenv"
)

// examples puts the workflows that users copy into the repository, as they are but
// for the binary under test.
func (p *pull) examples() {
	p.t.Helper()
	const use = "- uses: aigate/gate@main # pin the commit of a release\n        with:\n"
	for _, name := range []string{"hosted.yml", "sharded.yml", "merge-queue.yml", "fork-scan.yml", "fork-publish.yml"} {
		data, err := os.ReadFile(filepath.Join(root, ".github/workflows/examples", name))
		if err != nil {
			p.t.Fatal(err)
		}
		text := string(data)
		if n := strings.Count(text, use); n == 0 || n != strings.Count(text, "aigate/gate@") {
			p.t.Fatalf("%s does not use the action as expected", name)
		}
		p.repo.Write(".github/workflows/"+name, strings.ReplaceAll(text, use, use+"          binary: "+testenv.Gate(p.t)+"\n"))
	}
}

// uploader replaces actions/upload-artifact, which cannot be fetched without
// a network. It leaves the file below its artifact's name.
const uploader = `name: stand-in for upload-artifact
inputs:
  name: {required: true}
  path: {required: true}
  if-no-files-found: {default: warn}
  retention-days: {default: "1"}
runs:
  using: composite
  steps:
    - shell: bash
      env:
        NAME: ${{ inputs.name }}
        FILE: ${{ inputs.path }}
      run: mkdir -p "$ARTIFACTS/$NAME" && cp "$FILE" "$ARTIFACTS/$NAME/"
`

// downloader replaces actions/download-artifact.
const downloader = `name: stand-in for download-artifact
inputs:
  pattern: {required: true}
  path: {required: true}
  merge-multiple: {required: true}
runs:
  using: composite
  steps:
    - shell: bash
      env:
        PATTERN: ${{ inputs.pattern }}
        FOLDER: ${{ inputs.path }}
      run: mkdir -p "$FOLDER" && cp "$ARTIFACTS"/$PATTERN/* "$FOLDER/"
`

// restorer replaces actions/cache/restore, with a cache that is empty.
const restorer = `name: stand-in for cache/restore
inputs:
  path: {required: true}
  key: {required: true}
  restore-keys: {required: true}
runs:
  using: composite
  steps:
    - shell: bash
      run: echo "the cache is empty"
`

// hosted runs the workflow for a pull request whose head is in a repository, with the
// engine's images as they are, and reports whether the job passed.
func (p *pull) hosted(head string) (passed bool) {
	p.t.Helper()
	if err := os.MkdirAll(p.path("cache-action/restore"), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path("cache-action/restore/action.yml"), []byte(restorer), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return p.act("pull_request", "hosted.yml", p.payload(head), "--var", "GATE_IMAGES=none",
		"--local-repository", "actions/cache@5a3ec84eff668545956fd18022155c47e93e2684="+p.path("cache-action"))
}

// shards runs the matrix and the merge, and reports whether all jobs passed.
func (p *pull) shards() (passed bool) {
	p.t.Helper()
	var more []string
	for name, action := range map[string]string{
		"actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02":   uploader,
		"actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093": downloader,
	} {
		_, short, _ := strings.Cut(name, "/")
		short, _, _ = strings.Cut(short, "@")
		if err := os.MkdirAll(p.path(short), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(p.path(short+"/action.yml"), []byte(action), 0o644); err != nil {
			p.t.Fatal(err)
		}
		more = append(more, "--local-repository", name+"="+p.path(short))
	}
	return p.act("pull_request", "sharded.yml", p.payload("acme/shop"), append(more, "--env", "ARTIFACTS="+p.path("artifacts"), "--var", "GATE_SHARDS=2")...)
}

// forkPush runs both halves for a pull request from a fork, one after the other,
// and reports whether their jobs passed.
func (p *pull) forkPush() (scanned, published bool) {
	p.t.Helper()
	if err := os.MkdirAll(p.path("upload"), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path("upload/action.yml"), []byte(uploader), 0o644); err != nil {
		p.t.Fatal(err)
	}
	used := "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02"
	scanned = p.act("pull_request", "fork-scan.yml", p.payload("mallory/shop"),
		"--local-repository", used+"="+p.path("upload"), "--env", "ARTIFACTS="+p.path("artifacts"))
	if n := len(p.srv.Requests()); n != 0 {
		p.t.Errorf("the untrusted half sent %d requests to GitHub", n)
	}
	p.uploaded()
	published = p.act("workflow_run", "fork-publish.yml", map[string]any{
		"action": "completed", "repository": repository(), "sender": map[string]any{"login": "mallory"},
		"workflow_run": map[string]any{"id": 9, "event": "pull_request", "head_repository": map[string]any{"full_name": "mallory/shop"}},
	})
	return scanned, published
}

// uploaded lets GitHub know the pull request, its files, and the run with its
// artifact.
func (p *pull) uploaded() {
	p.t.Helper()
	files, err := os.ReadDir(p.path("artifacts/gate-result"))
	if err != nil || len(files) != 1 || files[0].Name() != "gate-result.json" {
		p.t.Fatalf("the artifact holds %v, want gate-result.json alone: %v\n%s", files, err, p.log)
	}
	data, err := os.ReadFile(p.path("artifacts/gate-result/gate-result.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("gate-result.json")
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	head := p.head()
	p.srv.Lock(func(s *githubtest.State) {
		s.Runs[9] = json.RawMessage(fmt.Sprintf(`{"id": 9, "event": "pull_request", "head_sha": %q, "status": "completed",
			"path": ".github/workflows/fork-scan.yml", "head_repository": {"full_name": "mallory/shop"}}`, head))
		s.Pulls[7] = &githubtest.Pull{Number: 7, HeadSHA: head, HeadRef: "topic", HeadRepo: "mallory/shop", BaseRef: "main", BaseSHA: p.base}
		s.MergeBases[p.base+"..."+head] = p.base
		s.Trees[p.base], s.Trees[head] = p.tree(s, p.base), p.tree(s, head)
		s.RunFiles[9] = []map[string]any{{"id": 3, "name": "gate-result", "expired": false}}
		s.Artifacts[3] = archive.Bytes()
	})
}

// tree puts the files of a commit into GitHub and returns what it says of them.
func (p *pull) tree(s *githubtest.State, commit string) json.RawMessage {
	p.t.Helper()
	entries := []map[string]any{}
	for line := range strings.Lines(p.repo.Git("ls-tree", "-r", commit)) {
		meta, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		field := strings.Fields(meta)
		// What Git cuts off is the last line feed of each of our files.
		content := p.repo.Git("cat-file", "blob", field[2])
		if content != "" {
			content += "\n"
		}
		s.Blobs[field[2]] = []byte(content)
		entries = append(entries, map[string]any{"path": path, "mode": field[0], "type": field[1], "sha": field[2], "size": len(content)})
	}
	data, err := json.Marshal(map[string]any{"sha": commit, "tree": entries, "truncated": false})
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

func (p *pull) wantCheck(conclusion string) {
	p.t.Helper()
	if k := p.check(); k.Conclusion != conclusion || k.HeadSHA != p.head() {
		p.t.Errorf("the check of %s says %q, want %q\n%s", k.HeadSHA, k.Conclusion, conclusion, p.log)
	}
}

func TestTheExamplesGateTheChangesThatTheyAreFor(t *testing.T) {
	harmless := func(p *pull) { p.repo.Write("shop/hello.py", "print('hello')\n") }
	dangerous := func(p *pull) { p.repo.Write("shop/payload.py", "sell_off(1)\n") }
	for name, tt := range map[string]struct {
		change     func(*pull)
		passes     bool
		conclusion string
	}{
		"a harmless change":  {harmless, true, "success"},
		"a dangerous change": {dangerous, false, "failure"},
	} {
		t.Run("hosted.yml and "+name, func(t *testing.T) {
			testenv.Image(t, "python")
			p := newPull(t)
			tt.change(p)
			p.repo.Commit("Sell more")
			if passed := p.hosted("acme/shop"); passed != tt.passes {
				t.Errorf("the job passed: %t\n%s", passed, p.log)
			}
			p.wantCheck(tt.conclusion)
			p.comment()
		})
		t.Run("sharded.yml and "+name, func(t *testing.T) {
			p := newPull(t)
			tt.change(p)
			p.repo.Commit("Sell more")
			if passed := p.shards(); passed != tt.passes {
				t.Errorf("the jobs passed: %t\n%s", passed, p.log)
			}
			p.wantCheck(tt.conclusion)
			p.comment()
		})
		t.Run("merge-queue.yml and "+name, func(t *testing.T) {
			p := newPull(t)
			tt.change(p)
			p.repo.Commit("Sell more")
			passed := p.act("merge_group", "merge-queue.yml", map[string]any{
				"action": "checks_requested", "repository": repository(), "sender": map[string]any{"login": "ada"},
				"merge_group": map[string]any{"base_sha": p.base, "head_sha": p.head(), "base_ref": "refs/heads/main", "head_ref": "refs/heads/gh-readonly-queue/main/pr-7"},
			})
			if passed != tt.passes {
				t.Errorf("the job passed: %t\n%s", passed, p.log)
			}
			p.wantCheck(tt.conclusion)
		})
		t.Run("the pair for forks and "+name, func(t *testing.T) {
			p := newPull(t)
			tt.change(p)
			p.repo.Commit("Sell more")
			if scanned, published := p.forkPush(); scanned != tt.passes || published != tt.passes {
				t.Errorf("the scan passed: %t, the publication passed: %t\n%s", scanned, published, p.log)
			}
			p.wantCheck(tt.conclusion)
			p.comment()
		})
	}
}

// gpu puts the example for self-hosted runners into the repository, with the
// binary, the server and the model under test.
func (p *pull) gpu(ollama string) {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(root, ".github/workflows/examples/self-hosted-gpu.yml"))
	if err != nil {
		p.t.Fatal(err)
	}
	text := strings.NewReplacer("/usr/local/bin/gate", testenv.Gate(p.t), "http://127.0.0.1:11434", ollama).Replace(string(data))
	p.repo.Write(".github/workflows/gpu.yml", text)
	p.repo.Git("checkout", "-q", "main")
	p.base = p.repo.Commit("Gate on our own runners")
	p.repo.Git("checkout", "-q", "-B", "topic")
}

// conclusions are those of all check runs, in order.
func (p *pull) conclusions() []string {
	p.t.Helper()
	var all []string
	p.srv.Lock(func(s *githubtest.State) {
		for _, k := range s.Checks {
			all = append(all, k.Conclusion)
		}
	})
	return all
}

func TestTheGPUExampleFailsUntilTheJudgeHasSpoken(t *testing.T) {
	testenv.Runtime(t, "runsc")
	ollama := testenv.Ollama(t)
	run := func(t *testing.T, ollama, code string) *pull {
		p := newPull(t)
		p.gpu(ollama)
		p.repo.Write("shop/sale.py", code)
		p.repo.Commit("Sell more")
		p.act("pull_request", "gpu.yml", p.payload("acme/shop"), "-P", "self-hosted=-self-hosted",
			"--env", "GATE_MODEL="+testenv.TinyModel)
		return p
	}
	for name, tt := range map[string]struct {
		ollama, code string
		want         []string // conclusions of the check, the first job's first
	}{
		"a harmless change passes with the judge":    {ollama, "print('hello')\n", []string{"failure", "success"}},
		"a blocked change does not wait for a judge": {ollama, "sell_off(1)\n", []string{"failure"}},
		"without a judge the first failure is final": {"http://127.0.0.1:1", "print('hello')\n", []string{"failure"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := run(t, tt.ollama, tt.code)
			if got := p.conclusions(); !slices.Equal(got, tt.want) {
				t.Errorf("the check said %q, want %q\n%s", got, tt.want, p.log)
			}
			p.comment()
		})
	}
}

func TestTheExamplesLeaveEachOthersChangesAlone(t *testing.T) {
	p := newPull(t)
	p.repo.Write("shop/payload.py", "sell_off(1)\n")
	p.repo.Commit("Sell more")
	if !p.hosted("mallory/shop") || !p.act("pull_request", "fork-scan.yml", p.payload("acme/shop")) {
		t.Errorf("a job ran for a change of the other kind\n%s", p.log)
	}
	if n := p.srv.Count(http.MethodPost, ""); n != 0 {
		t.Errorf("%d things were published", n)
	}
}
