package execute_test

import (
	"context"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/tools/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree reads testdata/run/NAME.txtar.
func tree(t testing.TB, name string) fstest.MapFS {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", "run", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, f := range a.Files {
		files[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
	}
	return files
}

// changeOf is a change in which these files of a tree were added; without names,
// all of them.
func changeOf(files fstest.MapFS, paths ...string) *gate.Change {
	c := &gate.Change{Head: files, Files: slices.Sorted(maps.Keys(files))}
	if len(paths) == 0 {
		paths = c.Files
	}
	for _, p := range paths {
		f := files[p]
		lang, role := change.Classify(p, f.Mode, f.Data)
		c.Targets = append(c.Targets, &gate.Target{Path: p, Language: lang, Role: role, Kind: gate.ChangeAdded, Mode: f.Mode, Size: int64(len(f.Data))})
	}
	return c
}

// options are those of a stage with the images of this project.
func options(open func(context.Context) (execute.Runner, error)) execute.Options {
	return execute.Options{
		Open: open, Hint: "gate doctor",
		Policy: gate.DefaultPolicy().Sandbox, On: gate.DefaultPolicy().On,
		Images: map[gate.Language]string{
			gate.LanguagePython: images.Ref("python"), gate.LanguageJavaScript: images.Ref("node"),
			gate.LanguageGo: images.Ref("go"), gate.LanguageShell: images.Ref("shell"),
		},
		ImageHint: func(string) string { return "build the image" },
	}
}

// realStage returns a stage on a real engine, under a runtime.
func realStage(t *testing.T, runtime string, with func(*execute.Options)) *execute.Stage {
	t.Helper()
	testenv.Runtime(t, runtime)
	for _, l := range images.Languages() {
		testenv.Image(t, l)
	}
	supervisor, state := testenv.Gate(t), t.TempDir()
	o := options(func(ctx context.Context) (execute.Runner, error) {
		return sandbox.Open(ctx, sandbox.Options{
			Supervisor: supervisor, StateDir: state,
			Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		})
	})
	o.Policy.Runtime = runtime
	o.Policy.Timeout = 4 * time.Minute // this is no test of speed
	if with != nil {
		with(&o)
	}
	s, err := execute.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// executions runs a change and returns what became of every file, with what was
// found in it.
func executions(t *testing.T, s *execute.Stage, c *gate.Change) (gate.Outcome, *gate.Findings) {
	t.Helper()
	found := gate.NewFindings(c.Targets, nil)
	out, err := s.Run(t.Context(), c, found)
	if err != nil {
		t.Fatal(err)
	}
	return out, found
}

// readAll reads a folder of a tree, and a go.mod above it.
func readAll(t *testing.T, fsys fs.FS, dir string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	add := func(p string) {
		data, err := fs.ReadFile(fsys, p)
		if err != nil {
			t.Fatal(err)
		}
		out[p] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	add("go.mod")
	err := fs.WalkDir(fsys, dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			add(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
