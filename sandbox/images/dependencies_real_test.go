package images_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/sandbox/images/fetch"
	"github.com/aigate/gate/tools/indextest"
	"github.com/aigate/gate/tools/testenv"
)

// installed builds an image with dependencies and returns it; the test's end removes
// it.
func installed(t *testing.T, e *client.Client, d images.Dependencies, o images.DependencyOptions) images.DependencyInfo {
	t.Helper()
	testenv.WithoutRace(t, "it waits for installers")
	testenv.Image(t, d.Language)
	sum := sha256.Sum256([]byte(t.Name() + time.Now().String()))
	d.Digest = hex.EncodeToString(sum[:])
	o.Network, o.Supervisor, o.Registries.CA = "host", testenv.Gate(t), indextest.Authorities()
	o.Registries.Hosts = append(o.Registries.Hosts, "registry.npmjs.org", "registry.yarnpkg.com", "proxy.golang.org", "sum.golang.org")
	var log strings.Builder
	o.Log = &log
	info, built, err := images.BuildDependencies(t.Context(), e, d, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	t.Cleanup(func() {
		// An engine in which any container hangs removes no image.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		if _, err := e.ImageRemove(ctx, info.Ref, image.RemoveOptions{PruneChildren: true}); err != nil {
			t.Log(err)
		}
	})
	if !built || info.Digest != d.Digest || info.Ref != images.DependencyRef(d.Language, d.Digest) || info.Old(time.Now()) {
		t.Errorf("built %v, %+v", built, info)
	}
	if strings.Contains(log.String(), indextest.Token) {
		t.Errorf("the log has the secret:\n%s", log.String())
	}
	return info
}

func TestDependenciesOfPythonComeFromAPrivateIndexAndItsSecretStaysOutside(t *testing.T) {
	e := engine(t)
	file, good := indextest.Wheel(t, "gate_greeting", "1.2", "def greet(): return 'hello from the lock file'\n")
	address := indextest.Start(t, map[string][]byte{file: good, "gate_source-1.0.tar.gz": []byte("a source distribution")})
	sum := sha256.Sum256(good)
	info := installed(t, e, images.Dependencies{Language: "python", Projects: []images.Project{
		{Dir: "services/api", Kind: "python", Files: map[string][]byte{
			"requirements.txt": fmt.Appendf(nil, "gate-greeting==1.2 --hash=sha256:%x\n", sum),
		}},
		{Dir: "tools", Kind: "python-exported", Files: map[string][]byte{
			"uv.lock.txt": []byte("gate-greeting==1.2\ngate-source==1.0\n"),
		}},
	}}, withIndex(t, address, images.DependencyOptions{Commit: "0123456789"}))
	if len(info.Projects) != 2 || info.Projects[0].Dir != "services/api" || info.Commit != "0123456789" {
		t.Fatalf("%+v", info)
	}
	// A source distribution would run its setup.py.
	if len(info.Problems) != 1 || !strings.Contains(info.Problems[0], "gate-source") {
		t.Errorf("problems %q", info.Problems)
	}
	code := fmt.Sprintf("import sys; sys.path.insert(0, %q); import gate_greeting; print(gate_greeting.greet())", info.Projects[0].At)
	if got := run(t, e, info.Ref, []string{"python3", "-I", "-c", code}); got != "hello from the lock file\n" {
		t.Errorf("the program says %q", got)
	}
	if got := run(t, e, info.Ref, []string{"sh", "-c", "id -u; env; ls -A /in /deps 2>&1; command -v pip"}); strings.Contains(got, indextest.Token) || !strings.HasPrefix(got, "1000\n") || strings.Contains(got, "bin/pip") {
		t.Errorf("a run sees %q", got)
	}
	holdsNoSecret(t, e, info)
}

// withIndex lets installers ask an index of indextest, whose credentials stay outside.
func withIndex(t *testing.T, address string, o images.DependencyOptions) images.DependencyOptions {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if user := u.User; user != nil {
		password, _ := user.Password()
		o.Secrets = images.Secrets{"PIP_INDEX_URL": password}
		o.Registries.Credentials = []fetch.Credential{{Host: u.Host, Authorization: "Basic " + base64.StdEncoding.EncodeToString([]byte(user.String()))}}
		u.User = nil
	}
	o.Registries.Hosts = append(o.Registries.Hosts, u.Host)
	o.Settings.Env = map[string]string{"PIP_INDEX_URL": u.String()}
	o.Network, o.Supervisor = "host", testenv.Gate(t)
	return o
}

// holdsNoSecret searches what anybody who has the image can see.
func holdsNoSecret(t *testing.T, e *client.Client, info images.DependencyInfo) {
	t.Helper()
	saved, err := e.ImageSave(t.Context(), []string{info.Ref})
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	layers, found := 0, false
	for outer := tar.NewReader(saved); ; {
		h, err := outer.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(outer)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(h.Name, "layer.tar") {
			layers++
		}
		found = found || bytes.Contains(data, []byte("gate_greeting"))
		if bytes.Contains(data, []byte(indextest.Token)) {
			t.Errorf("%s of the saved image holds the secret", h.Name)
		}
	}
	if layers == 0 || !found {
		t.Errorf("the search saw %d layers, and the dependency: %v", layers, found)
	}
	history, err := e.ImageHistory(t.Context(), info.Ref)
	if err != nil {
		t.Fatal(err)
	}
	inspected, err := e.ImageInspect(t.Context(), info.Ref)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v %+v", history, inspected.Config); strings.Contains(text, indextest.Token) {
		t.Errorf("the history or the labels hold the secret: %s", text)
	}
}

func TestAnImageThatWouldHoldASecretIsNotBuilt(t *testing.T) {
	e := engine(t)
	testenv.Image(t, "python")
	file, leak := indextest.Wheel(t, "gate_leak", "1.0", "TOKEN = '"+indextest.Token+"'\n")
	_, _, err := images.BuildDependencies(t.Context(), e, images.Dependencies{Language: "python", Digest: "feedfeedfeed", Projects: []images.Project{
		{Kind: "python", Files: map[string][]byte{"requirements.txt": []byte("gate-leak==1.0\n")}},
	}}, withIndex(t, indextest.Start(t, map[string][]byte{file: leak}), images.DependencyOptions{}))
	if err == nil || !strings.Contains(err.Error(), "gate_leak.py holds the secret PIP_INDEX_URL") || strings.Contains(err.Error(), indextest.Token) {
		t.Errorf("%v", err)
	}
	if _, err := e.ImageInspect(t.Context(), images.DependencyRef("python", "feedfeedfeed")); err == nil {
		t.Error("there is an image all the same")
	}
}

func TestDependenciesOfNodeAreInstalledWithoutTheirScripts(t *testing.T) {
	e := engine(t)
	const lock = `{"name": "app", "lockfileVersion": 3, "requires": true, "packages": {
"": {"name": "app", "workspaces": ["packages/*"], "dependencies": {"is-odd": "3.0.1"}},
"packages/util": {"name": "@acme/util", "version": "1.0.0"},
"node_modules/@acme/util": {"resolved": "packages/util", "link": true},
"node_modules/is-odd": {"version": "3.0.1", "resolved": "https://registry.npmjs.org/is-odd/-/is-odd-3.0.1.tgz", "integrity": "sha512-CQpnWPrDwmP1+SMHXZhtLtJv90yiyVfluGsX5iNCVkrhQtU3TQHsUWPG9wkdk9Lgd5yNpAg9jQEo90CBaXgWMA==", "dependencies": {"is-number": "^6.0.0"}},
"node_modules/is-number": {"version": "6.0.0", "resolved": "https://registry.npmjs.org/is-number/-/is-number-6.0.0.tgz", "integrity": "sha512-Wu1VHeILBK8KAWJUAiSZQX94GmOE45Rg6/538fKwiloUu21KncEkYGPqob2oSZ5mUT73vLGrHQjKw3KMPwfDzg=="}
}}`
	info := installed(t, e, images.Dependencies{Language: "node", Projects: []images.Project{{Dir: "web", Kind: "npm", Files: map[string][]byte{
		"package.json":               []byte(`{"name": "app", "workspaces": ["packages/*"], "dependencies": {"is-odd": "3.0.1"}, "scripts": {"postinstall": "touch /deps/ran"}}`),
		"packages/util/package.json": []byte(`{"name": "@acme/util", "version": "1.0.0"}`),
		"package-lock.json":          []byte(lock),
	}}}}, images.DependencyOptions{})
	if len(info.Projects) != 1 || !slices.Equal(info.Projects[0].Modules, []string{"node_modules"}) {
		t.Fatalf("%+v", info.Projects)
	}
	got := run(t, e, info.Ref, []string{"sh", "-c", "cd " + info.Projects[0].At + " && node -p 'require(\"is-odd\")(3)'; readlink node_modules/@acme/util; ls -d /opt/aigate/deps/ran 2>&1"})
	if !strings.Contains(got, "true\n/workspace/web/packages/util\n") || !strings.Contains(got, "No such file") {
		t.Errorf("%q", got)
	}
}

func TestTheVersionOfNodeThatTheBaseAsksForComesWithItsDependencies(t *testing.T) {
	e := engine(t)
	info := installed(t, e, images.Dependencies{Language: "node", Interpreter: "22", Projects: []images.Project{{Kind: "npm-manifest", Files: map[string][]byte{
		"package.json": []byte(`{"name": "app", "dependencies": {"is-number": "6.0.0"}}`),
	}}}}, images.DependencyOptions{})
	if !strings.HasPrefix(info.Version, "22.") || len(info.Problems) > 0 {
		t.Fatalf("version %q, problems %q", info.Version, info.Problems)
	}
	if got := run(t, e, info.Ref, []string{"node", "--version"}); strings.TrimSpace(got) != "v"+info.Version {
		t.Errorf("%q, want v%s", got, info.Version)
	}
	_, _, err := images.BuildDependencies(t.Context(), e, images.Dependencies{Language: "node", Interpreter: "21", Digest: "d", Projects: []images.Project{{}}}, images.DependencyOptions{})
	if err == nil || !strings.Contains(err.Error(), "there is no node 21") {
		t.Errorf("a version without a checksum: %v", err)
	}
}

func TestBunComesWithTheDependenciesOfWhatIsMadeForIt(t *testing.T) {
	e := engine(t)
	info := installed(t, e, images.Dependencies{Language: "node", Bun: true, Projects: []images.Project{{Kind: "bun", Files: map[string][]byte{
		"package.json": []byte(`{"name": "app", "dependencies": {"is-number": "6.0.0"}}`),
		"bun.lock": []byte(`{
  "lockfileVersion": 1,
  "workspaces": {"": {"name": "app", "dependencies": {"is-number": "6.0.0"}}},
  "packages": {
    "is-number": ["is-number@6.0.0", "", {}, "sha512-Wu1VHeILBK8KAWJUAiSZQX94GmOE45Rg6/538fKwiloUu21KncEkYGPqob2oSZ5mUT73vLGrHQjKw3KMPwfDzg=="],
  },
}
`),
	}}}}, images.DependencyOptions{})
	if len(info.Problems) > 0 || len(info.Projects) != 1 {
		t.Fatalf("%+v", info)
	}
	got := run(t, e, info.Ref, []string{"sh", "-c", "cd " + info.Projects[0].At + " && bun -e 'console.log(require(\"is-number\")(3), typeof Bun)'"})
	if !strings.Contains(got, "true object") {
		t.Errorf("%q", got)
	}
}

func TestDependenciesOfGoAreAModuleCacheThatIsReadOnly(t *testing.T) {
	e := engine(t)
	info := installed(t, e, images.Dependencies{Language: "go", Projects: []images.Project{
		{Dir: "tool", Kind: "go", Files: map[string][]byte{
			"go.mod": []byte("module example.com/tool\n\ngo 1.21\n\nrequire rsc.io/quote v1.5.2\n\nrequire (\n\tgolang.org/x/text v0.0.0-20170915032832-14c0d48ead0c // indirect\n\trsc.io/sampler v1.3.0 // indirect\n)\n"),
			"go.sum": []byte(quoteSums),
		}},
	}}, images.DependencyOptions{})
	program := `set -e; mkdir -p /tmp/tool; cd /tmp/tool
printf 'module example.com/tool\n\ngo 1.21\n\nrequire rsc.io/quote v1.5.2\n\nrequire (\n\tgolang.org/x/text v0.0.0-20170915032832-14c0d48ead0c // indirect\n\trsc.io/sampler v1.3.0 // indirect\n)\n' >go.mod
cat >go.sum <<'END'
` + quoteSums + `END
printf 'package main\n\nimport "rsc.io/quote"\n\nfunc main() { println(quote.Glass()) }\n' >main.go
go run .`
	if got := run(t, e, info.Ref, []string{"sh", "-c", program}); !strings.Contains(got, "I can eat glass") {
		t.Errorf("%s", got)
	}
}

const quoteSums = `golang.org/x/text v0.0.0-20170915032832-14c0d48ead0c h1:qgOY6WgZOaTkIIMiVjBQcw93ERBE4m30iBm00nkL0i8=
golang.org/x/text v0.0.0-20170915032832-14c0d48ead0c/go.mod h1:NqM8EUOU14njkJ3fqMW+pc6Ldnwhi/IjpwHt7yyuwOQ=
rsc.io/quote v1.5.2 h1:w5fcysjrx7yqtD/aO+QwRjYZOKnaM9Uh2b40tElTs3Y=
rsc.io/quote v1.5.2/go.mod h1:LzX7hefJvL54yjefDEDHNONDjII0t9xZLPXsUe+TKr0=
rsc.io/sampler v1.3.0 h1:7uVkIFmeBqHfdjD+gZwtXXI+RODJ2Wc4O7MPEh/QiW4=
rsc.io/sampler v1.3.0/go.mod h1:T1hPZKmBbMNahiBKFy5HrXp6adAjACjK9JXDnKaTXpA=
`

func TestBothKindsOfYarnInstall(t *testing.T) {
	e := engine(t)
	const manifest = `{"name": "app", "version": "1.0.0", "dependencies": {"is-odd": "3.0.1"}}`
	info := installed(t, e, images.Dependencies{Language: "node", Projects: []images.Project{
		{Dir: "one", Kind: "yarn", Files: map[string][]byte{"package.json": []byte(manifest), "yarn.lock": []byte(yarnLock)}},
		{Dir: "two", Kind: "yarn-berry", Files: map[string][]byte{"package.json": []byte(manifest), "yarn.lock": []byte(berryLock)}},
		{Dir: "broken", Kind: "npm", Files: map[string][]byte{"package.json": []byte(manifest), "package-lock.json": []byte(`{"lockfileVersion": 3, "packages": {}}`)}},
	}}, images.DependencyOptions{Settings: images.Settings{Env: map[string]string{"YARN_NPM_REGISTRY_SERVER": "https://registry.npmjs.org"}}})
	if len(info.Projects) != 2 || len(info.Problems) != 1 || !strings.HasPrefix(info.Problems[0], "broken: nothing is installed: ") {
		t.Fatalf("%+v", info)
	}
	for _, p := range info.Projects {
		if got := run(t, e, info.Ref, []string{"sh", "-c", "cd " + p.At + " && node -p 'require(\"is-odd\")(3)'"}); got != "true\n" {
			t.Errorf("%s: %q", p.Dir, got)
		}
	}
}

const yarnLock = `# THIS IS AN AUTOGENERATED FILE. DO NOT EDIT THIS FILE DIRECTLY.
# yarn lockfile v1


is-number@^6.0.0:
  version "6.0.0"
  resolved "https://registry.npmjs.org/is-number/-/is-number-6.0.0.tgz#e6d15ad31fc262887cccf217ae5f9316f81b1995"
  integrity sha512-Wu1VHeILBK8KAWJUAiSZQX94GmOE45Rg6/538fKwiloUu21KncEkYGPqob2oSZ5mUT73vLGrHQjKw3KMPwfDzg==

is-odd@3.0.1:
  version "3.0.1"
  resolved "https://registry.npmjs.org/is-odd/-/is-odd-3.0.1.tgz#65101baf3727d728b66fa62f50cda7f2d3989601"
  integrity sha512-CQpnWPrDwmP1+SMHXZhtLtJv90yiyVfluGsX5iNCVkrhQtU3TQHsUWPG9wkdk9Lgd5yNpAg9jQEo90CBaXgWMA==
  dependencies:
    is-number "^6.0.0"
`

const berryLock = `# This file is generated by running "yarn install" inside your project.
# Manual changes might be lost - proceed with caution!

__metadata:
  version: 10
  cacheKey: 10c0

"is-number@npm:^6.0.0":
  version: 6.0.0
  resolution: "is-number@npm:6.0.0"
  checksum: 10c0/5da4c68401529675c575878d2760d66f18eaef4b014858577f6003daf66488d7fe4eae684b1e8574e3fa1bb447c6c6c56b8491d2b4b3239da2d32e5f6f218008
  languageName: node
  linkType: hard

"is-odd@npm:3.0.1":
  version: 3.0.1
  resolution: "is-odd@npm:3.0.1"
  dependencies:
    is-number: "npm:^6.0.0"
  checksum: 10c0/89ee2e353c5a3f3bd400c79db1c307a5b3506198ee8169d521e533a9b1d8a08fc95f21a919c084e98845b4286d7ffe309778da03744dfe66c3c1763ab1a030c6
  languageName: node
  linkType: hard

"y4@workspace:.":
  version: 0.0.0-use.local
  resolution: "y4@workspace:."
  dependencies:
    is-odd: "npm:3.0.1"
  languageName: unknown
  linkType: soft
`

// starter is an engine that remembers which containers were started through it: tests
// of other packages install at the same time.
type starter struct {
	*client.Client
	started []string // ids
}

func (s *starter) ContainerStart(ctx context.Context, id string, o container.StartOptions) error {
	s.started = append(s.started, id)
	return s.Client.ContainerStart(ctx, id, o)
}

func TestInterruptedInstallationsLeaveNothing(t *testing.T) {
	e := &starter{Client: engine(t)}
	testenv.Image(t, "python")
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	ask := sync.OnceFunc(func() { close(asked) })
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		ask()
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	go func() {
		<-asked
		cancel()
	}()
	_, _, err := images.BuildDependencies(ctx, e, images.Dependencies{Language: "python", Digest: "deadbeefdead", Projects: []images.Project{
		{Kind: "python", Files: map[string][]byte{"requirements.txt": []byte("gate-slow==1.0\n")}},
	}}, withIndex(t, silent.URL+"/simple/", images.DependencyOptions{}))
	if !errors.Is(err, context.Canceled) && (err == nil || !strings.Contains(err.Error(), context.Canceled.Error())) {
		t.Fatal(err)
	}
	if len(e.started) == 0 {
		t.Error("nothing was interrupted: no container was started")
	}
	for _, id := range e.started {
		if _, err := e.ContainerInspect(t.Context(), id); !errdefs.IsNotFound(err) {
			t.Errorf("container %s is left: %v", id, err)
		}
	}
	if _, err := e.ImageInspect(t.Context(), images.DependencyRef("python", "deadbeefdead")); err == nil {
		t.Error("there is an image")
	}
}

func TestUnlockedDependenciesAreResolvedAsOfTheDayOfTheCommit(t *testing.T) {
	e := engine(t)
	info := installed(t, e, images.Dependencies{Language: "node", Projects: []images.Project{
		{Dir: "npm", Kind: "npm-manifest", Files: map[string][]byte{"package.json": []byte(`{"name": "app", "dependencies": {"is-number": "*"}}`)}},
		{Dir: "pnpm", Kind: "pnpm-manifest", Files: map[string][]byte{
			"package.json":        []byte(`{"name": "root", "private": true}`),
			"pnpm-workspace.yaml": []byte("packages: ['p/*']\n"),
			"p/a/package.json":    []byte(`{"name": "a", "dependencies": {"is-odd": "3.0.1", "b": "workspace:*"}}`),
			"p/b/package.json":    []byte(`{"name": "b"}`),
		}},
	}}, images.DependencyOptions{AsOf: time.Date(2018, 6, 1, 0, 0, 0, 0, time.UTC)})
	if len(info.Projects) != 2 {
		t.Fatalf("%+v", info)
	}
	// 7.0.0 came in July 2018. A mirror may know only since when it has a version itself.
	switch got := info.Projects[0].Resolved; {
	case slices.Equal(got, []string{"is-number@6.0.0"}) && len(info.Problems) == 0:
	case len(got) == 1 && len(info.Problems) == 1 && strings.Contains(info.Problems[0], "npm: resolved as of today"):
	default:
		t.Errorf("npm came to %q, and says %q", got, info.Problems)
	}
	if got := info.Projects[1].Resolved; !slices.Contains(got, "is-odd@3.0.1") {
		t.Errorf("pnpm came to %q", got)
	}
	at := info.Projects[1].At
	if got := run(t, e, info.Ref, []string{"sh", "-c", "cd " + at + "/p/a && node -p 'require(\"is-odd\")(3)'; readlink node_modules/b"}); got != "true\n/workspace/pnpm/p/b\n" {
		t.Errorf("%q", got)
	}
}

func TestDependenciesThatTheRegistryLacksAreLeftOutAndNamed(t *testing.T) {
	e := engine(t)
	info := installed(t, e, images.Dependencies{Language: "node", Projects: []images.Project{{Kind: "npm-manifest", Files: map[string][]byte{
		"package.json": []byte(`{"name": "app", "dependencies": {"is-number": "7.0.0"}, "devDependencies": {"is-odd": "^999.0.0", "@aigate-invalid/there-is-none": "1.0.0"}}`),
	}}}}, images.DependencyOptions{})
	if got := run(t, e, info.Ref, []string{"sh", "-c", "cd " + info.Projects[0].At + " && node -p 'require(\"is-number\")(3) && require(\"is-odd\")(3)'"}); got != "true\n" {
		t.Errorf("%q", got)
	}
	for _, want := range []string{"is-odd@^999.0.0: the registry has not got it; another version is taken", "@aigate-invalid/there-is-none: the registry has not got it; it is left out"} {
		if !slices.ContainsFunc(info.Problems, func(p string) bool {
			return strings.Contains(strings.ReplaceAll(p, "there-is-none@1.0.0", "there-is-none"), want)
		}) {
			t.Errorf("%q is not in %q", want, info.Problems)
		}
	}
}

func TestManifestsOfPythonAreResolvedByTheIndex(t *testing.T) {
	e := engine(t)
	files := map[string][]byte{}
	for _, w := range []struct{ name, version, code, requires string }{
		{"gate_greeting", "1.2", "def greet(): return 'old'\n", ""},
		{"gate_greeting", "1.9", "def greet(): return 'young'\n", ""},
		{"gate_other", "3.1", "def greet(): return 'another'\n", ""},
		{"gate_needs", "1.0", "try:\n    import gate_lacking\nexcept ImportError:\n    GREETING = 'without'\n", "gate-lacking>=2,<3"},
	} {
		var requires []string
		if w.requires != "" {
			requires = []string{w.requires}
		}
		file, data := indextest.Wheel(t, w.name, w.version, w.code, requires...)
		files[file] = data
	}
	manifest := "gate-greeting<2; python_version > '3'\ngate-other[x]>=99; python_version > '3'\ngate-needs\n"
	for n := range 25 { // more than pip could be asked to name one by one
		manifest += fmt.Sprintf("gate-absent-%d>=1\n", n)
	}
	address := indextest.Start(t, files)
	direct, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	to := *direct
	to.Path = "/"
	var asked atomic.Int32
	between := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		if strings.HasPrefix(r.In.URL.Path, "/simple/gate-greeting") {
			asked.Add(1)
		}
		r.SetURL(&to)
	}}
	front := httptest.NewServer(between)
	t.Cleanup(front.Close)
	info := installed(t, e, images.Dependencies{Language: "python", Projects: []images.Project{
		{Kind: "python-manifest", Files: map[string][]byte{"manifest.txt": []byte(manifest)}},
	}}, withIndex(t, strings.Replace(front.URL, "http://", "http://"+direct.User.String()+"@", 1)+direct.Path, images.DependencyOptions{}))
	if len(info.Projects) != 1 || !slices.Equal(info.Projects[0].Resolved, []string{"gate_greeting@1.9", "gate_needs@1.0", "gate_other@3.1"}) {
		t.Fatalf("%+v", info)
	}
	for _, want := range []string{"gate-absent-0 is not installed", "gate-absent-24 is not installed", "gate-lacking is not installed: No matching distribution found for gate-lacking", "gate-other: the index has no version that fits >=99; another one is taken"} {
		if !slices.ContainsFunc(info.Problems, func(p string) bool { return strings.Contains(p, want) }) {
			t.Errorf("%q is not in %q", want, info.Problems)
		}
	}
	if len(info.Problems) != 27 {
		t.Errorf("%d problems: %q", len(info.Problems), info.Problems)
	}
	if n := asked.Load(); n > 12 { // an answer needs a request without and one with a password
		t.Errorf("the index was asked %d times for one package", n)
	}
	code := fmt.Sprintf("import sys; sys.path.insert(0, %q); import gate_needs; print(gate_needs.GREETING)", info.Projects[0].At)
	if got := run(t, e, info.Ref, []string{"python3", "-I", "-c", code}); got != "without\n" {
		t.Errorf("the program says %q", got)
	}
}

// TestWhatAPackageTakesFromARepositoryComesFromTheRegistry: one package of the tests that names a
// repository does not keep all others away.
func TestWhatAPackageTakesFromARepositoryComesFromTheRegistry(t *testing.T) {
	e := engine(t)
	info := installed(t, e, images.Dependencies{Language: "node", Projects: []images.Project{{Kind: "npm-manifest", Files: map[string][]byte{
		"package.json": []byte(`{"name": "app", "devDependencies": {"evalmd": "0.0.19", "is-odd": "3.0.1"}}`),
	}}}}, images.DependencyOptions{})
	if len(info.Projects) != 1 || !slices.ContainsFunc(info.Problems, func(p string) bool {
		return strings.Contains(p, "fs-extra@github:") && strings.Contains(p, "another version is taken")
	}) {
		t.Fatalf("%+v", info)
	}
	if got := run(t, e, info.Ref, []string{"sh", "-c", "cd " + info.Projects[0].At + " && node -p 'require(\"is-odd\")(3)' && ls -d node_modules/fs-extra"}); got != "true\nnode_modules/fs-extra\n" {
		t.Errorf("%q", got)
	}
}
