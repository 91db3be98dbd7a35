package main

import (
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report"
	"github.com/aigate/gate/report/github/githubtest"
)

// crafted makes the head from an index or tree that no checkout would make: craft
// works in the repository and leaves the tree in the index or returns its name.
func crafted(t *testing.T, base map[string]string, craft func(j *job) (tree string)) *job {
	t.Helper()
	j := newJob(t, base, nil)
	tree := craft(j)
	if tree == "" {
		tree = j.git("write-tree")
	}
	j.head = j.git("commit-tree", "-p", j.base, "-m", "hostile", tree)
	j.event("synchronize", nil)
	return j
}

// gitInput runs git with something to read.
func (j *job) gitInput(stdin io.Reader, args ...string) string {
	j.t.Helper()
	cmd := exec.CommandContext(j.t.Context(), "git", args...)
	cmd.Dir, cmd.Stdin = j.repo, stdin
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.Output()
	if err != nil {
		j.t.Fatalf("git %s: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func (j *job) blob(content string) string {
	return j.gitInput(strings.NewReader(content), "hash-object", "-w", "--stdin")
}

// stage puts an entry into the index without a file in the work tree.
func (j *job) stage(mode, sha, path string) {
	j.git("update-index", "--add", "--cacheinfo", mode+","+sha+","+path)
}

// folder is a tree with one entry, which may have any name.
func (j *job) folder(mode, kind, sha, name string) string {
	return j.gitInput(strings.NewReader(mode+" "+kind+" "+sha+"\t"+name+"\n"), "mktree", "--missing")
}

// result runs gate, wants the exit code, and returns what was saved.
func (j *job) result(want int) gate.Result {
	j.t.Helper()
	save := filepath.Join(j.t.TempDir(), "result.json")
	j.wantExit(want, "--save", save)
	f, err := os.Open(save)
	if err != nil {
		j.t.Fatal(err)
	}
	defer f.Close()
	res, err := report.Decode(f)
	if err != nil {
		j.t.Fatal(err)
	}
	return res
}

// comment returns the body of the only comment.
func (j *job) comment() string {
	j.t.Helper()
	var body string
	j.srv.Lock(func(s *githubtest.State) {
		if len(s.Comments[7]) != 1 {
			j.t.Fatalf("%d comments, want 1", len(s.Comments[7]))
		}
		body = s.Comments[7][0].Body
	})
	return body
}

func TestHostilePullRequestsAreShownForWhatTheyAre(t *testing.T) {
	base := map[string]string{"a.py": harmless, "CODEOWNERS": "* @acme/owners\n", ".github/workflows/ci.yml": "on: push\njobs: {}\n", ".gate.yml": "fail-on: dangerous\n"}
	strict := map[string]string{".gate.yml": "fail-on: suspicious\n", "CODEOWNERS": base["CODEOWNERS"]}
	tests := map[string]struct {
		base  map[string]string
		craft func(*job) string
		want  int
		shown []string // in the log and in the comment
	}{
		"a link out of the repository": {base, func(j *job) string {
			j.stage("120000", j.blob("/etc/passwd"), "settings")
			return ""
		}, exitPass, []string{"SUSPICIOUS", "settings", "file/symlink-outside"}},
		"a link out of the repository through ..": {strict, func(j *job) string {
			j.stage("120000", j.blob("../../../home/runner/.ssh/id_rsa"), "docs/key")
			return ""
		}, exitBlocked, []string{"docs/key", "file/symlink-outside"}},
		"a path that climbs out of the tree": {base, func(j *job) string {
			up := j.folder("040000", "tree", j.folder("100644", "blob", j.blob(dangerous), "x.py"), "..")
			return j.folder("040000", "tree", up, "..")
		}, exitIncomplete, []string{"INCOMPLETE", "../../x.py"}},
		"a path into .git": {base, func(j *job) string {
			return j.folder("040000", "tree", j.folder("100755", "blob", j.blob("#!/bin/sh\nexit 0\n"), "post-checkout"), ".git")
		}, exitIncomplete, []string{"INCOMPLETE", ".git/post-checkout"}},
		"the owners are deleted": {base, func(j *job) string {
			j.git("rm", "-q", "--cached", "CODEOWNERS")
			return ""
		}, exitPass, []string{"SUSPICIOUS", "CODEOWNERS", "config/owners-removed"}},
		"the owners are deleted where suspicions block": {strict, func(j *job) string {
			j.git("rm", "-q", "--cached", "CODEOWNERS")
			return ""
		}, exitBlocked, []string{"CODEOWNERS", "config/owners-removed"}},
		"the policy is deleted": {strict, func(j *job) string {
			j.git("rm", "-q", "--cached", ".gate.yml")
			return ""
		}, exitBlocked, []string{".gate.yml", "config/protected-file"}},
		"the workflow is edited": {base, func(j *job) string {
			j.stage("100644", j.blob("on: push\njobs: {x: {runs-on: ubuntu-latest, steps: []}}\n"), ".github/workflows/ci.yml")
			return ""
		}, exitPass, []string{"SUSPICIOUS", ".github/workflows/ci.yml", "workflow/wider-permissions"}},
		"a submodule is bumped": {base, func(j *job) string {
			j.stage("160000", strings.Repeat("1", 40), "vendor/lib")
			return ""
		}, exitPass, []string{"SUSPICIOUS", "vendor/lib", "file/submodule-changed"}},
		"a submodule is bumped where suspicions block": {strict, func(j *job) string {
			j.stage("160000", strings.Repeat("1", 40), "vendor/lib")
			return ""
		}, exitBlocked, []string{"vendor/lib", "file/submodule-changed"}},
		"the policy switches off the rule that fires": {base, func(j *job) string {
			j.stage("100644", j.blob("fail-on: dangerous\npaths: {exclude: ['**']}\nrules: {disable: [hidden/exec-decoded]}\nprotect: []\n"), ".gate.yml")
			j.stage("100644", j.blob(dangerous), "b.py")
			return ""
		}, exitBlocked, []string{"b.py", ".gate.yml"}},
		"comments that other tools take for suppressions": {base, func(j *job) string {
			text := "# gate:ignore-file\n# noqa\nimport base64\nexec(base64.b64decode('cHJpbnQoMSk='))  # nosec # noqa # gate:ignore # gate: ignore reason=fine\n"
			j.stage("100644", j.blob(text), "b.py")
			return ""
		}, exitBlocked, []string{"b.py"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			j := crafted(t, tt.base, tt.craft)
			j.wantExit(tt.want)
			comment := j.comment()
			for _, want := range tt.shown {
				if !strings.Contains(j.stdout.String(), want) || !strings.Contains(comment, want) {
					t.Errorf("%q is not shown in both\nlog:\n%s\ncomment:\n%s", want, &j.stdout, comment)
				}
			}
			wantConclusion := "failure"
			if tt.want == exitPass {
				wantConclusion = "success"
			}
			if k := j.check(); k.Conclusion != wantConclusion || k.HeadSHA != j.head {
				t.Errorf("the check of %s says %q", k.HeadSHA, k.Conclusion)
			}
		})
	}
}

// TestAFileNameIsPlainTextInTheComment reads the comment back as GitHub does: what
// comes from the name may be in code and nowhere else.
func TestAFileNameIsPlainTextInTheComment(t *testing.T) {
	for _, name := range []string{
		"x\n# zqz\n`|<img src=zqz.invalid>.py",
		"zqz``` @zqz.py",
		"[zqz](https:/zqz.example.com).py",
		"| zqz | @zqz | https:/zqz.example.com #1.py",
		"<details><summary>zqz</summary>.py",
		"zqz\u202eyp.gnp\r\n-->.py",
		"```zqz\n```\n> **zqz** SAFE.py",
	} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{name: dangerous + "# ``` zqz @zqz <b>zqz</b>\n"})
			j.wantExit(exitBlocked)
			body := []byte(j.comment())
			seen := false
			doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(body))
			_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				if !entering {
					return ast.WalkContinue, nil
				}
				switch n := n.(type) {
				case *ast.CodeSpan, *ast.FencedCodeBlock:
					seen = seen || strings.Contains(nodeText(n, body), "zqz")
					return ast.WalkSkipChildren, nil
				case *ast.Text:
					if strings.Contains(string(n.Value(body)), "zqz") {
						t.Errorf("text outside of code: %q", n.Value(body))
					}
				case *ast.Link, *ast.Image, *ast.AutoLink:
					if url := fmt.Sprint(linkOf(n, body)); strings.Contains(url, "zqz") && !strings.HasPrefix(url, "https://github.com/acme/shop/blob/") {
						t.Errorf("a link to %s", url)
					}
				case *ast.RawHTML:
					if html := string(n.Segments.Value(body)); strings.Contains(html, "zqz") || strings.Contains(html, "<img") {
						t.Errorf("HTML: %q", html)
					}
				case *ast.HTMLBlock:
					if html := nodeText(n, body); strings.Contains(html, "zqz") {
						// A folded section names its file inside of <code>, escaped.
						inner := strings.NewReplacer("<summary>", "", "</summary>", "", "<details>", "", "<code>", "", "</code>", "").Replace(html)
						if strings.ContainsAny(inner, "<>@") {
							t.Errorf("HTML: %q", html)
						}
						seen = true
					}
				}
				return ast.WalkContinue, nil
			})
			if !seen {
				t.Errorf("the file is not named:\n%s", body)
			}
		})
	}
}

// nodeText is the source of a node: its lines, or its children's text.
func nodeText(n ast.Node, source []byte) string {
	var b strings.Builder
	if n.Type() == ast.TypeBlock {
		b.Write(n.Lines().Value(source))
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(source))
		}
	}
	return b.String()
}

func linkOf(n ast.Node, source []byte) string {
	switch n := n.(type) {
	case *ast.Link:
		return string(n.Destination)
	case *ast.Image:
		return string(n.Destination)
	case *ast.AutoLink:
		return string(n.URL(source))
	}
	return ""
}

func TestTenThousandFilesAreNeverCutSilently(t *testing.T) {
	const files = 10_000
	j := crafted(t, map[string]string{"a.py": harmless}, func(j *job) string {
		sha := j.blob(harmless)
		var index strings.Builder
		for i := range files {
			fmt.Fprintf(&index, "100644 %s\tsrc/%05d.py\n", sha, i)
		}
		j.gitInput(strings.NewReader(index.String()), "update-index", "--index-info")
		return ""
	})
	res := j.result(exitIncomplete)
	if len(res.Files) < 3000 || res.Decision != gate.DecisionIncomplete {
		t.Errorf("%d files looked at, decision %s", len(res.Files), res.Decision)
	}
	if comment := j.comment(); !strings.Contains(comment, "INCOMPLETE") || !strings.Contains(comment, "limits.files") {
		t.Errorf("the comment does not say what was cut:\n%.2000s", comment)
	}
	if k := j.check(); k.Conclusion != "failure" {
		t.Errorf("the check says %q", k.Conclusion)
	}
}

func TestAFileOf200MBIsReadToItsEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		size int64 // bytes
		end  string
		want int
	}{
		"and is dangerous for what its end does": {200 << 20, dangerous, exitBlocked},
		// Every file over the bound of the policy (10 MiB at most) is one, so a shorter one will do.
		"and is incomplete": {12 << 20, harmless, exitIncomplete},
	} {
		t.Run(name, func(t *testing.T) {
			j := crafted(t, map[string]string{"a.py": harmless}, func(j *job) string {
				line := strings.Repeat("#", 1023) + "\n"
				body := io.MultiReader(io.LimitReader(repeated(line), tt.size), strings.NewReader(tt.end))
				j.stage("100644", j.gitInput(body, "hash-object", "-w", "--stdin"), "big.py")
				return ""
			})
			j.wantExit(tt.want)
			if !strings.Contains(j.stdout.String(), "big.py") || !strings.Contains(j.comment(), "big.py") {
				t.Errorf("the file is not shown:\n%s", &j.stdout)
			}
		})
	}
}

// repeated is a line without end.
type repeated string

func (r repeated) Read(p []byte) (int, error) {
	n := 0
	for n+len(r) <= len(p) {
		n += copy(p[n:], r)
	}
	return n, nil
}

func TestTheNameOfABranchIsNeverShell(t *testing.T) {
	for _, branch := range []string{"topic;touch${IFS}PWNED", "$(touch${IFS}PWNED)", "`touch PWNED`", "--upload-pack=touch PWNED", "topic\n::set-output name=decision::pass"} {
		t.Run(branch, func(t *testing.T) {
			j := newJob(t, map[string]string{"a.py": harmless}, map[string]string{"b.py": dangerous})
			t.Chdir(j.repo)
			payload, err := os.ReadFile(j.env["GITHUB_EVENT_PATH"])
			if err != nil {
				t.Fatal(err)
			}
			quoted, err := json.Marshal(branch)
			if err != nil {
				t.Fatal(err)
			}
			payload = []byte(strings.Replace(string(payload), `"ref": "topic"`, `"ref": `+string(quoted), 1))
			if err := os.WriteFile(j.env["GITHUB_EVENT_PATH"], payload, 0o644); err != nil {
				t.Fatal(err)
			}
			j.wantExit(exitBlocked)
			if _, err := os.Stat("PWNED"); err == nil {
				t.Error("a command in the name of the branch ran")
			}
			for line := range strings.Lines(j.stdout.String()) {
				if strings.HasPrefix(line, "::set-output") {
					t.Errorf("the runner would obey %q", line)
				}
			}
		})
	}
}

// TestFailedRequestsNeverMakeAForksChangePass lets each request that the trusted
// half sends fail in each way, one at a time.
func TestFailedRequestsNeverMakeAForksChangePass(t *testing.T) {
	start := func(t *testing.T) *forkJob {
		j := newForkJob(t, map[string]string{"a.py": harmless}, map[string]string{"a.py": harmless + "x = 1\n"})
		j.claim(nil)
		return j
	}
	good := start(t)
	good.publish(exitPass)
	asked := map[string]bool{}
	for _, r := range good.srv.Requests() {
		if !strings.HasPrefix(r.Path, "/storage/") { // stands for another server
			asked[r.Method+" "+r.Path] = true
		}
	}
	if len(asked) < 8 {
		t.Fatalf("only %d requests were sent: %v", len(asked), asked)
	}
	for _, request := range slices.Sorted(maps.Keys(asked)) {
		if strings.HasSuffix(request, "/git/blobs/"+blobID(harmless)) {
			continue // the file as it was before: see the next test
		}
		for _, status := range []int{401, 404, 500} {
			t.Run(fmt.Sprintf("%s answers %d", request, status), func(t *testing.T) {
				j := start(t)
				failed := false
				j.srv.FailWith(func(method, path string, _ int, _ http.Header) int {
					if method+" "+path == request {
						failed = true
						return status
					}
					return 0
				})
				j.publish(exitIncomplete)
				if !failed {
					t.Error("the request was not sent")
				}
				log := j.stdout.String() + j.stderr.String()
				if !strings.Contains(log, "injected fault") && !strings.Contains(log, fmt.Sprint(status)) {
					t.Errorf("the failure is not shown:\n%s", log)
				}
			})
		}
	}
}

// blobID is the name that newForkJob gives a content.
func blobID(content string) string { return fmt.Sprintf("%x", sha1.Sum([]byte(content))) }

func TestAWholeFileDecidesWhereItsOldContentCannotBeRead(t *testing.T) {
	j := newForkJob(t, map[string]string{"a.py": dangerous}, map[string]string{"a.py": dangerous + "x = 1\n"})
	j.claim(nil)
	j.publish(exitPass) // the dangerous lines were there before
	j.srv.FailWith(func(_, path string, _ int, _ http.Header) int {
		if strings.HasSuffix(path, "/git/blobs/"+blobID(dangerous)) {
			return 500
		}
		return 0
	})
	j.publish(exitBlocked)
}
