package execute_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
)

func mapFS(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return tree
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q lacks %q", text, p)
		}
	}
}

// library is a runner whose engine has images with these labels.
type library struct {
	fakeRunner
	labels map[string]map[string]string // by reference
	asked  []string
}

func (l *library) Image(_ context.Context, ref string) (sandbox.Image, error) {
	l.asked = append(l.asked, ref)
	if labels, ok := l.labels[ref]; ok {
		return sandbox.Image{Refs: []string{ref}, ID: "sha256:1", Labels: labels}, nil
	}
	return sandbox.Image{}, &sandbox.MissingError{What: "image", Name: ref}
}

// lockOf is what the lock files of a tree say for a language.
func lockOf(t *testing.T, files map[string]string, language string) locks.Lock {
	t.Helper()
	paths, err := locks.Paths(mapFS(files))
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := locks.Read(mapFS(files), paths)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if l.Language == language {
			return l
		}
	}
	t.Fatalf("no lock files of %s", language)
	return locks.Lock{}
}

func labelsOf(l locks.Lock, projects string) map[string]string {
	return map[string]string{
		"aigate.deps": l.Language, "aigate.deps.digest": l.Digest, "aigate.deps.projects": projects, "aigate.deps.created": time.Now().Format(time.RFC3339),
	}
}

func TestTheImageFollowsFromTheBaseAndNotFromTheHead(t *testing.T) {
	base := map[string]string{"requirements.txt": "flask==3.0.0\n", "app.py": "print(1)\n"}
	head := map[string]string{"requirements.txt": "evil==6.6.6\n", "app.py": "print(2)\n"}
	ofBase, ofHead := lockOf(t, base, "python"), lockOf(t, head, "python")
	wanted, other := images.DependencyRef("python", ofBase.Digest), images.DependencyRef("python", ofHead.Digest)
	const projects = `[{"dir": "", "at": "/opt/aigate/deps/0"}]`
	for name, c := range map[string]struct {
		labels map[string]map[string]string
		policy bool // the policy names an image of its own
		want   string
	}{
		"both are there":                     {labels: map[string]map[string]string{wanted: labelsOf(ofBase, projects), other: labelsOf(ofHead, projects)}, want: wanted},
		"only that of the head is there":     {labels: map[string]map[string]string{other: labelsOf(ofHead, projects)}, want: images.Ref("python")},
		"its labels are those of another":    {labels: map[string]map[string]string{wanted: labelsOf(ofHead, projects)}, want: images.Ref("python")},
		"its labels lead out of its folders": {labels: map[string]map[string]string{wanted: labelsOf(ofBase, `[{"dir": "", "at": "/etc"}]`)}, want: images.Ref("python")},
		"it has no labels":                   {labels: map[string]map[string]string{wanted: {}}, want: images.Ref("python")},
		"the policy names an image":          {labels: map[string]map[string]string{wanted: labelsOf(ofBase, projects)}, policy: true, want: "example/python:1"},
	} {
		t.Run(name, func(t *testing.T) {
			engine := &library{labels: c.labels}
			o := options(func(context.Context) (execute.Runner, error) { return engine, nil })
			o.Policy.Conditions = 0
			if c.policy {
				o.Policy.Images = map[gate.Language]string{gate.LanguagePython: "example/python:1"}
			}
			s, err := execute.New(o)
			if err != nil {
				t.Fatal(err)
			}
			change := changeOf(mapFS(head), "app.py")
			change.Base = mapFS(base)
			executions(t, s, change)
			if len(engine.specs) == 0 || engine.specs[0].Image != c.want {
				t.Fatalf("it ran in %+v, want %s", engine.specs, c.want)
			}
			given := strings.Contains(strings.Join(engine.specs[0].Argv, " "), "/opt/aigate/deps/0")
			if given != (c.want == wanted) {
				t.Errorf("it finds the dependencies: %v", given)
			}
		})
	}
}

func TestAProjectOfNodeFindsItsOwnDependencies(t *testing.T) {
	files := map[string]string{
		"package.json": `{"name": "root", "workspaces": ["packages/*"]}`, "package-lock.json": `{"packages": {}}`,
		"packages/a/package.json": `{"name": "a"}`, "packages/a/index.js": "1", "old/package.json": `{}`, "old/yarn.lock": "",
		"packages/a/node_modules/mine.js": "2",
	}
	l := lockOf(t, files, "node")
	ref := images.DependencyRef("node", l.Digest)
	engine := &library{labels: map[string]map[string]string{ref: labelsOf(l, `[{"dir": "", "at": "/opt/aigate/deps/0", "modules": ["node_modules", "packages/a/node_modules"]},
		{"dir": "old", "at": "/opt/aigate/deps/1", "modules": ["node_modules"]}]`)}}
	o := options(func(context.Context) (execute.Runner, error) { return engine, nil })
	o.Policy.Conditions = 0
	s, err := execute.New(o)
	if err != nil {
		t.Fatal(err)
	}
	head := mapFS(files)
	head["packages/new/package.json"] = &fstest.MapFile{Data: []byte(`{"name": "@acme/new"}`)}
	change := changeOf(head, "packages/a/index.js")
	change.Base = mapFS(files)
	executions(t, s, change)
	if len(engine.specs) == 0 {
		t.Fatal("nothing ran")
	}
	var links []string
	for _, name := range []string{"node_modules", "node_modules/a", "packages/a/node_modules", "old/node_modules", "packages/node_modules/@acme/new", "node_modules/@acme/new"} {
		if _, ok := engine.inputs[0][name]; ok {
			links = append(links, name)
		}
	}
	// What the repository itself has in a folder is not hidden by a link.
	if diff := cmp.Diff([]string{"node_modules", "old/node_modules", "packages/node_modules/@acme/new"}, links); diff != "" {
		t.Error(diff)
	}
}

func TestADependencyThatOnlyTheChangeAddsIsAFinding(t *testing.T) {
	base := map[string]string{
		"package-lock.json": `{"packages": {"node_modules/old": {"version": "1.0.0"}}}`,
		"web/package.json":  `{"dependencies": {"moved": "1"}}`,
		"go.mod":            "module example.com/m\n",
	}
	head := map[string]string{
		"package-lock.json": `{"packages": {"node_modules/old": {"version": "2.0.0"},
"node_modules/moved": {"version": "1.0.0"},
"node_modules/quiet": {"version": "1.0.0"},
"node_modules/loud": {"version": "1.0.0", "hasInstallScript": true}}}`,
		"go.mod":           "module example.com/m\n\nrequire example.com/new v1.0.0\n",
		"requirements.txt": "flask\n",
		"web/yarn.lock":    "this is none",
	}
	s, err := execute.New(options(func(context.Context) (execute.Runner, error) {
		t.Error("no engine is needed for that")
		return nil, &gate.Unavailable{}
	}))
	if err != nil {
		t.Fatal(err)
	}
	change := changeOf(mapFS(head))
	change.Base = mapFS(base)
	out, found := executions(t, s, change)
	var got []string
	for _, target := range change.Targets {
		for _, f := range found.Of(target.Path) {
			got = append(got, fmt.Sprintf("%s:%d %s %s %s", target.Path, f.Line, f.Severity, f.Rule, f.Evidence))
		}
	}
	want := []string{
		"go.mod:3 note dependency/added example.com/new v1.0.0",
		"package-lock.json:3 note dependency/added quiet 1.0.0",
		"package-lock.json:4 suspicious dependency/added-script loud 1.0.0",
		"requirements.txt:1 note dependency/added flask",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(out.Incomplete) != 1 || out.Incomplete[0].Path != "web/yarn.lock" {
		t.Errorf("gaps %+v", out.Incomplete)
	}
	// Without a base everything would be new, and nothing is.
	change.Base = nil
	if _, found := executions(t, s, change); len(found.Of("go.mod")) > 0 {
		t.Error("a scan of a folder calls dependencies new")
	}
}

func TestAThousandNewDependenciesDoNotFillAReport(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "name-%d==1\n", i)
	}
	s, err := execute.New(options(func(context.Context) (execute.Runner, error) { return nil, nil }))
	if err != nil {
		t.Fatal(err)
	}
	change := changeOf(mapFS(map[string]string{"requirements.txt": text.String()}))
	change.Base = fstest.MapFS{}
	_, found := executions(t, s, change)
	all := found.Of("requirements.txt")
	if len(all) != 51 {
		t.Fatalf("%d findings", len(all))
	}
	if !slices.ContainsFunc(all, func(f gate.Finding) bool { return strings.Contains(f.Message, "950 more") }) {
		t.Error("the report does not say how many are left")
	}
}

// TestDependenciesAreInstalledBeforeTheFirstProgramRuns holds that what is installed is
// the base's, once for a language of which something runs, and that a failure is told.
func TestDependenciesAreInstalledBeforeTheFirstProgramRuns(t *testing.T) {
	base := map[string]string{"requirements.txt": "flask==3.0.0\n", "go.mod": "module x\n", "go.sum": "a v1 h1:x\n", "app.py": "print(1)\n"}
	head := map[string]string{"requirements.txt": "evil==6.6.6\n", "app.py": "print(2)\n"}
	lock := lockOf(t, base, "python")
	ref := images.DependencyRef("python", lock.Digest)
	for name, failure := range map[string]error{"it works": nil, "it fails": errors.New("the registry does not answer")} {
		t.Run(name, func(t *testing.T) {
			engine := &library{labels: map[string]map[string]string{}}
			engine.answer = func(sandbox.Spec) (sandbox.Result, error) {
				return sandbox.Result{Status: sandbox.Exited, ExitCode: 1, Stderr: sandbox.Stream{Data: []byte("ModuleNotFoundError: No module named 'flask'\n")}}, nil
			}
			o := options(func(context.Context) (execute.Runner, error) { return engine, nil })
			o.Policy.Conditions, o.NotAdded = 0, "deps-added: never"
			var asked []locks.Lock
			o.Install = func(_ context.Context, l locks.Lock) error {
				if len(engine.specs) > 0 {
					t.Error("a program ran before")
				}
				asked = append(asked, l)
				if failure == nil {
					engine.labels[ref] = labelsOf(lock, `[{"dir": "", "at": "/opt/aigate/deps/0"}]`)
				}
				return failure
			}
			s, err := execute.New(o)
			if err != nil {
				t.Fatal(err)
			}
			change := changeOf(mapFS(head), "app.py")
			change.Base = mapFS(base)
			_, found := executions(t, s, change)
			if len(asked) != 1 || asked[0].Digest != lock.Digest {
				t.Fatalf("installed: %+v", asked)
			}
			want := ref
			if failure != nil {
				want = images.Ref("python")
				var why string
				for _, f := range found.Of("app.py") {
					if f.Rule == "dependency/not-installed" {
						why = f.Evidence
					}
				}
				contains(t, why, "could not be installed: the registry does not answer")
			}
			if engine.specs[0].Image != want {
				t.Errorf("it ran in %s, want %s", engine.specs[0].Image, want)
			}
		})
	}
}

// TestWhatStoppedRunsOnTheBaseWithWhatIsInstalled: with other versions, or with none, the base's
// file would end another way than that of the head for no reason of the change.
func TestWhatStoppedRunsOnTheBaseWithWhatIsInstalled(t *testing.T) {
	base := map[string]string{"requirements.txt": "flask==3.0.0\n", "app.py": "print(1)\n"}
	head := map[string]string{"requirements.txt": "flask==3.0.0\n", "app.py": "print(2)\n"}
	lock := lockOf(t, base, "python")
	engine := &library{labels: map[string]map[string]string{images.DependencyRef("python", lock.Digest): labelsOf(lock, `[{"dir": "", "at": "/opt/aigate/deps/0"}]`)}}
	installed, bare := 0, 0
	engine.silent = true // no run tells which lines ran, so the file counts as stopped
	engine.answer = func(spec sandbox.Spec) (sandbox.Result, error) {
		input, err := unpack(spec)
		switch {
		case input["app.py"] != base["app.py"]:
		case strings.Contains(strings.Join(slices.Concat(spec.Argv, spec.Env), " "), "/opt/aigate/deps/0"):
			installed++
		default:
			bare++
		}
		return sandbox.Result{Status: sandbox.Exited}, err
	}
	o := options(func(context.Context) (execute.Runner, error) { return engine, nil })
	o.Policy.Conditions = 0
	s, err := execute.New(o)
	if err != nil {
		t.Fatal(err)
	}
	change := changeOf(mapFS(head), "app.py")
	change.Base = mapFS(base)
	executions(t, s, change)
	if installed == 0 || bare > 0 {
		t.Errorf("%d runs on the base with what is installed, %d without", installed, bare)
	}
}
