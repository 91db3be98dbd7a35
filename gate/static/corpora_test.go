package static_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/lab/eval"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/tools/testenv"
)

// What every rule change does to the corpora that were written blind, sample by
// sample: the golden files say what is missed, what is only suspicious, and
// what is flagged by which rules.
func TestACorpusIsSeenAsItsGoldenFileSays(t *testing.T) {
	testenv.WithoutRace(t, "thousands of samples, one at a time through the whole layer")
	for _, dir := range corpora(t) {
		name := strings.ReplaceAll(strings.TrimPrefix(dir, "corpora/"), "/", "-")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := seenIn(t, filepath.Join(fixtures, dir))
			golden := filepath.Join("testdata", "corpora", name+".txt")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v; write it with go test ./gate/static -run TestACorpusIsSeen -update", err)
			}
			for _, line := range changed(want, got) {
				t.Error(line)
			}
		})
	}
}

// Anyone who writes a program chooses how long it is.
func TestHonestLinesAroundARiskyProgramDontChangeItsSeverity(t *testing.T) {
	testenv.WithoutRace(t, "hundreds of samples, one at a time through the whole layer")
	for _, dir := range corpora(t) {
		t.Run(strings.ReplaceAll(strings.TrimPrefix(dir, "corpora/"), "/", "-"), func(t *testing.T) {
			t.Parallel()
			corpus := open(t, filepath.Join(fixtures, dir))
			corpus.Samples = slices.DeleteFunc(corpus.Samples, func(s eval.Sample) bool { return s.Label != eval.Malicious })
			plain, long := severities(t, corpus, func(tree fs.FS) fs.FS { return tree }), severities(t, corpus, padded)
			for path, severity := range plain {
				if long[path] < severity {
					t.Errorf("%s: %s, and %s with %d honest lines more", path, severity, long[path], honestLines)
				}
			}
		})
	}
}

// honestLines is how many lines padded adds.
const honestLines = 40

// padded is a tree whose programs end with lines that do nothing of note.
func padded(tree fs.FS) fs.FS {
	lines := map[string]string{".py": "step_%d = %[1]d\n", ".sh": "echo step %d\n", ".js": "var step%d = %[1]d;\n", ".go": "var step%d = %[1]d\n"}
	out := fstest.MapFS{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if line := lines[filepath.Ext(name)]; line != "" {
			data = append(bytes.TrimRight(data, "\n"), '\n')
			for i := range honestLines {
				data = fmt.Appendf(data, line, i)
			}
		}
		out[name] = &fstest.MapFile{Data: data, Mode: info.Mode()}
		return nil
	})
	if err != nil {
		return nil
	}
	return out
}

// severities are what the layer makes of each sample of a corpus.
func severities(t *testing.T, corpus *eval.Corpus, as func(fs.FS) fs.FS) map[string]eval.Level {
	t.Helper()
	scanner, err := corpusScanner()
	if err != nil {
		t.Fatal(err)
	}
	p, out := corpusPolicy(), map[string]eval.Level{}
	outcomes, err := eval.Run(t.Context(), corpus, eval.Options{Workers: 1, Pipeline: func(ctx context.Context, base, head fs.FS) (gate.Result, error) {
		c, err := changeOf(ctx, base, as(head))
		if err != nil {
			return gate.Result{}, err
		}
		return gate.Run(ctx, gate.Request{Change: c, Policy: p, Stages: []gate.Stage{scanner}, Handler: gate.Discard{}})
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		out[o.Path] = o.Layers[string(gate.LayerStatic)].Severity
	}
	return out
}

func TestACorpusListsEverythingThatLiesInItsFolder(t *testing.T) {
	for _, dir := range corpora(t) {
		corpus := open(t, filepath.Join(fixtures, dir))
		for _, name := range unlisted(t, os.DirFS(filepath.Join(fixtures, dir)), corpus.Samples) {
			t.Errorf("%s/%s has no sample %s", dir, eval.CorpusFile, name)
		}
	}
}

func TestAFileThatBelongsToNoSampleIsNamed(t *testing.T) {
	dir := fstest.MapFS{eval.CorpusFile: {}, "a.py": {}, "forgotten.py": {}, "pkg/setup.py": {}, "pkg/src/x.py": {}, "other/y.py": {}}
	got := unlisted(t, dir, []eval.Sample{{Path: "a.py"}, {Path: "pkg"}})
	if want := []string{"forgotten.py", "other/y.py"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// corpora are the folders of the fixtures that hold a corpus of their own.
func corpora(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(fixtures, "corpora", "*", "*", eval.CorpusFile))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	var found []string
	for _, f := range files {
		dir, err := filepath.Rel(fixtures, filepath.Dir(f))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, filepath.ToSlash(dir))
	}
	return found
}

func open(t *testing.T, dir string) *eval.Corpus {
	t.Helper()
	c, err := eval.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// unlisted are the files of a corpus that belong to no sample.
func unlisted(t *testing.T, dir fs.FS, samples []eval.Sample) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(dir, ".", func(p string, d fs.DirEntry, err error) error {
		listed := slices.ContainsFunc(samples, func(s eval.Sample) bool { return s.Path == p || s.Base == p })
		switch {
		case err != nil:
			return err
		case listed && d.IsDir():
			return fs.SkipDir
		case !listed && !d.IsDir() && p != eval.CorpusFile && p != "README.md":
			out = append(out, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// corpusPolicy is the one under which corpora are looked at.
func corpusPolicy() gate.Policy {
	p := gate.DefaultPolicy()
	p.Protect = nil // no file of a corpus is protected
	return p
}

// corpusScanner is shared, because a scanner compiles what it needs as it goes.
var corpusScanner = sync.OnceValues(func() (*static.Scanner, error) {
	return static.New(static.Options{Policy: corpusPolicy()})
})

// seenIn is the text of a golden file: a head with the figures, then a line for
// each sample that is not as it should be.
func seenIn(t *testing.T, dir string) []byte {
	t.Helper()
	scanner, err := corpusScanner()
	if err != nil {
		t.Fatal(err)
	}
	p := corpusPolicy()
	corpus := open(t, dir)
	outcomes, err := eval.Run(t.Context(), corpus, eval.Options{Workers: 1, Pipeline: func(ctx context.Context, base, head fs.FS) (gate.Result, error) {
		c, err := changeOf(ctx, base, head)
		if err != nil {
			return gate.Result{}, err
		}
		return gate.Run(ctx, gate.Request{Change: c, Policy: p, Stages: []gate.Stage{scanner}, Handler: gate.Discard{}})
	}})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	var lines []string
	for _, o := range outcomes {
		for _, gap := range append(o.Failed, o.Incomplete...) {
			t.Errorf("%s was not looked at: %s", o.Path, gap)
		}
		seen := o.Layers[string(gate.LayerStatic)]
		count[o.Label.String()]++
		count[o.Label.String()+" "+seen.Severity.String()]++
		switch {
		case o.Label == eval.Malicious && seen.Severity < eval.Suspicious:
			lines = append(lines, "missed      "+o.Path)
		case o.Label == eval.Malicious && seen.Severity < eval.Dangerous:
			lines = append(lines, "suspicious  "+o.Path)
		case o.Label == eval.Benign && seen.Severity >= eval.Suspicious:
			lines = append(lines, "flagged     "+o.Path+flagging(seen))
		}
	}
	slices.Sort(lines)
	figures := func(label, worse string) string {
		dangerous := count[label+" dangerous"]
		return fmt.Sprintf("# %d %s: %d %s, %d as dangerous\n", count[label], label, count[label+" suspicious"]+dangerous, worse, dangerous)
	}
	return []byte(figures("malicious", "detected") + figures("benign", "flagged") + strings.Join(append(lines, ""), "\n"))
}

// flagging names the rules that flag a benign sample, with their severity.
func flagging(seen eval.Seen) string {
	var out strings.Builder
	for _, r := range seen.Rules {
		if r.Severity >= eval.Suspicious {
			fmt.Fprintf(&out, " %s=%s", r.Rule, r.Severity)
		}
	}
	return out.String()
}

// changeOf is the change that a sample is.
func changeOf(ctx context.Context, base, head fs.FS) (*gate.Change, error) {
	if base == nil {
		return wholeChange(head)
	}
	return change.Compared(ctx, base, head)
}

// wholeChange is the change that a scan of a folder looks at.
func wholeChange(tree fs.FS) (*gate.Change, error) {
	c := &gate.Change{Head: tree}
	return c, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		t := &gate.Target{Path: name, Kind: gate.ChangeNone, Mode: info.Mode(), Size: info.Size()}
		t.Language, t.Role = change.Classify(name, info.Mode(), data[:min(len(data), change.HeadBytes)])
		c.Targets = append(c.Targets, t)
		c.Files = append(c.Files, name)
		return nil
	})
}

// changed lists the lines of two texts that are in one of them only.
func changed(want, got []byte) []string {
	var out []string
	was, is := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for _, line := range was {
		if !slices.Contains(is, line) {
			out = append(out, "no more: "+line)
		}
	}
	for _, line := range is {
		if !slices.Contains(was, line) {
			out = append(out, "new:     "+line)
		}
	}
	if len(out) == 0 && !bytes.Equal(want, got) {
		out = append(out, "the same lines in another order: write the golden file again")
	}
	return out
}
