package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/tools/indextest"
	"github.com/aigate/gate/tools/testenv"
)

// depsRepo is a repository whose last commit changes the lock file and the program.
func depsRepo(t *testing.T) *realGate {
	t.Helper()
	g := newRealGate(t, map[string]string{
		"requirements.txt": "gate-base==1.0\n",
		"app.py":           "print('nothing yet')\n",
	})
	git := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir = g.dir
		cmd.Env = append(g.env, "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "base")
	for name, text := range map[string]string{
		"requirements.txt": "gate-base==1.0\ngate-new==1.0\n",
		"app.py":           "import gate_base\n\nprint('base says', gate_base.hello())\n\nimport gate_new\n\nprint(gate_new)\n",
	} {
		if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("commit", "-q", "-a", "-m", "change")
	return g
}

func TestDependenciesOfTheBaseAreThereAndThoseOfTheChangeAreNamed(t *testing.T) {
	t.Parallel()
	testenv.Image(t, "python")
	g := depsRepo(t)
	base, wheel := indextest.Wheel(t, "gate_base", "1.0", "def hello(): return 'hello'\n")
	evil, never := indextest.Wheel(t, "gate_new", "1.0", "raise SystemExit('installed')\n")
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, indextest.Authorities(), 0o600); err != nil {
		t.Fatal(err)
	}
	g.env = append(g.env, "PIP_INDEX_URL="+indextest.Start(t, map[string][]byte{base: wheel, evil: never}), "GATE_BUILD_NETWORK=host")

	var said bytes.Buffer
	build := g.command("deps", "build", "--base", "HEAD~1", "--secret-env", "PIP_INDEX_URL", "--ca", ca, "-v")
	build.Stderr = &said
	out, err := build.Output()
	ref, _, _ := strings.Cut(string(out), "\t")
	if err != nil || !strings.HasPrefix(ref, "gate-deps-python:") {
		t.Fatalf("%v: %s%s", err, out, said.String())
	}
	t.Cleanup(func() {
		// An engine in which any container hangs removes no image.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		_ = exec.CommandContext(ctx, "docker", "rmi", ref).Run()
	})
	if text := said.String(); strings.Contains(text, indextest.Token) || strings.Contains(text, "gate-new") || strings.Contains(text, "gate_new") {
		t.Errorf("the build shows a secret, or what only the change names:\n%s", text)
	}
	if out, err := g.command("deps", "list").Output(); err != nil || !strings.Contains(string(out), ref) {
		t.Errorf("list: %v\n%s", err, out)
	}

	res, _ := g.result("scan", "--base", "HEAD~1", "--layers", "static,sandbox")
	app := file(t, res, "app.py")
	if app.Execution.Image != ref {
		t.Errorf("it ran in %s, want %s", app.Execution.Image, ref)
	}
	if u := app.Execution.Units[0]; !strings.Contains(u.Stdout.Text, "base says hello") || strings.Contains(u.Stderr.Text, "installed") {
		t.Errorf("%+v", u)
	}
	if strings.Join(app.Execution.StandIns, " ") != "gate_new" {
		t.Errorf("stand-ins %v", app.Execution.StandIns)
	}
	named := false
	for _, f := range file(t, res, "requirements.txt").Findings {
		named = named || f.Rule == "dependency/added" && f.Line == 2 && f.Severity == gate.SeverityNote && strings.HasPrefix(f.Evidence, "gate-new 1.0")
	}
	if !named {
		t.Errorf("the new dependency is not named: %+v", file(t, res, "requirements.txt").Findings)
	}

	// It is young: prune leaves it alone, and every image that is not of that kind.
	if out, err := g.command("deps", "prune").CombinedOutput(); err != nil || strings.Contains(string(out), ref) {
		t.Errorf("prune: %v\n%s", err, out)
	}
	if err := exec.Command("docker", "image", "inspect", ref).Run(); err != nil {
		t.Errorf("the image is gone: %v", err)
	}

	// In CI the run builds it itself, and the installers get no credential.
	if out, err := exec.Command("docker", "rmi", ref).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	g.env = append(g.env, "CI=true")
	t.Cleanup(func() { _ = exec.Command("docker", "rmi", extendedRef(t, g)).Run() })
	res, _ = g.result("scan", "--base", "HEAD~1", "--layers", "static,sandbox", "--no-cache")
	if app := file(t, res, "app.py"); app.Execution.Image != ref || !strings.Contains(app.Execution.Units[0].Stdout.Text, "base says hello") {
		t.Errorf("in %s it says %q: %+v", app.Execution.Image, app.Execution.Units[0].Stdout.Text, app.Execution)
	}
	// For what the change names the installers get no credential, and this index gives nothing without:
	// the run has what the base names, and says what it lacks.
	unfetched := false
	for _, f := range file(t, res, "app.py").Findings {
		unfetched = unfetched || f.Rule == "dependency/not-fetched" && strings.HasPrefix(f.Evidence, "gate-new 1.0 (") && strings.Contains(f.Evidence, "gate-base of the base could not be fetched")
	}
	if !unfetched {
		t.Errorf("what the change adds is not said to be missing: %+v", file(t, res, "app.py").Findings)
	}
	if _, err := exec.Command("docker", "image", "inspect", images.DependencyRef("python", headDigest(t, g.dir))).Output(); err == nil {
		t.Error("what only the change names was installed, too")
	}
}

// headDigest is that of the lock files of the work tree.
func headDigest(t *testing.T, dir string) string {
	t.Helper()
	all, _, err := locks.ReadTree(os.DirFS(dir))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	return all[0].Digest
}

// extendedRef is the image with what the last commit of a repository names beyond the one before.
func extendedRef(t *testing.T, g *realGate) string {
	t.Helper()
	show := exec.Command("git", "show", "HEAD~1:requirements.txt")
	show.Dir, show.Env = g.dir, g.env
	text, err := show.Output()
	if err != nil {
		t.Fatal(err)
	}
	base, _, err := locks.ReadTree(fstest.MapFS{"requirements.txt": {Data: text}})
	head, _, headErr := locks.ReadTree(os.DirFS(g.dir))
	if err != nil || headErr != nil || len(base) != 1 || len(head) != 1 {
		t.Fatal(err, headErr, base, head)
	}
	both, _, _ := locks.Extend(base[0], head[0])
	return images.DependencyRef(both.Language, both.Digest)
}
