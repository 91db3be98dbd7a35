package execute_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate/deps"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/tools/testenv"
	"github.com/aigate/gate/tools/wheels"
)

// debian serves an index of the packages of Python that Debian has, and returns its address.
func debian(t testing.TB) string {
	t.Helper()
	client := &http.Client{Timeout: 5 * time.Minute}
	packages, err := wheels.List(t.Context(), client, "https://deb.debian.org/debian", "bookworm", "amd64")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(wheels.New(client, packages, func(project string, err error) { t.Logf("%s cannot be had: %v", project, err) }))
	t.Cleanup(s.Close)
	return s.URL + "/simple/"
}

func TestAProjectOfPythonRunsWithRealPackages(t *testing.T) {
	t.Parallel()
	testenv.WithoutRace(t, "it waits for an installer and for containers")
	testenv.Docker(t)
	testenv.Image(t, "python")
	base := map[string]string{
		"pyproject.toml":       "[project]\nname = \"shop\"\nversion = \"1\"\ndependencies = [\"itsdangerous>=2\", \"tomlkit\"]\n\n[project.optional-dependencies]\ntest = [\"pytest\", \"gate-none-has-this-package\"]\n",
		"src/shop/__init__.py": "import itsdangerous\n\ndef sign(text):\n    return itsdangerous.Signer('k').sign(text)\n",
		"src/shop/page.py":     "def page(name):\n    return name\n",
		"tests/test_shop.py":   "from shop import sign\nfrom shop.page import page\n\ndef test_sign():\n    assert sign('a').startswith(b'a.')\n\ndef test_page():\n    assert 'Eve' in page('Eve')\n",
	}
	env := map[string]string{"PIP_INDEX_URL": debian(t), "GATE_BUILD_NETWORK": "host", "GATE_SUPERVISOR": testenv.Gate(t)}
	how, err := deps.Options{}.Resolve(func(name string) string { return env[name] }, "")
	if err != nil {
		t.Fatal(err)
	}
	how.Trusted = true
	all, left, err := locks.Read(mapFS(base), []string{"pyproject.toml"})
	if err != nil || len(left) > 0 || len(all) != 1 {
		t.Fatal(all, left, err)
	}
	info, _, err := how.Build(t.Context(), all[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		if out, err := exec.CommandContext(ctx, "docker", "rmi", info.Ref).CombinedOutput(); err != nil {
			t.Logf("%v: %s", err, out)
		}
	})
	if len(info.Problems) != 1 || !strings.Contains(info.Problems[0], "gate-none-has-this-package") {
		t.Errorf("the image lacks %q", info.Problems)
	}

	head := mapFS(base)
	head["src/shop/page.py"].Data = []byte("import tomlkit\n\ndef page(name):\n    return tomlkit.dumps({'name': name})\n")
	change := changeOf(head, "src/shop/page.py")
	change.Base = mapFS(base)
	out, found := executions(t, sharedStage(t, "runc", 0), change)
	e := out.Executions["src/shop/page.py"]
	if e == nil || e.Image != info.Ref || len(e.StandIns) > 0 || e.Coverage["executed"] != 3 || e.Coverage["executable"] != 3 {
		t.Errorf("%+v", e)
	}
	for _, f := range found.Of("src/shop/page.py") {
		t.Errorf("%s %s", f.Rule, f.Evidence)
	}
}
