package static_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
)

// pipelines returns the files of a text archive, each with the words behind its path.
func pipelines(t *testing.T, name string) []txtar.File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "pipelines", name))
	if err != nil {
		t.Fatal(err)
	}
	return txtar.Parse(data).Files
}

// settings scans a file as a new one, as what its name says it is.
func settings(t *testing.T, of txtar.File) []gate.Finding {
	t.Helper()
	path, _, _ := strings.Cut(of.Name, " ")
	target := &gate.Target{Path: path, Kind: gate.ChangeAdded, Size: int64(len(of.Data))}
	target.Language, target.Role = change.Classify(path, fs.FileMode(0o644), of.Data[:min(len(of.Data), change.HeadBytes)])
	return run(t, newScanner(t, nil), fstest.MapFS{path: {Data: of.Data}}, target).found[path]
}

func TestWhatPipelinesAndToolsWouldRunIsRead(t *testing.T) {
	for _, file := range pipelines(t, "runs.txt") {
		t.Run(file.Name, func(t *testing.T) {
			found := settings(t, file)
			for _, f := range found {
				if f.Severity == gate.SeverityDangerous {
					return
				}
			}
			t.Errorf("not dangerous: %s\n%s", decisive(found), file.Data)
		})
	}
}

func TestWhatHonestPipelinesRunIsNoFinding(t *testing.T) {
	for _, file := range pipelines(t, "honest.txt") {
		t.Run(file.Name, func(t *testing.T) {
			if got := decisive(settings(t, file)); got != "" {
				t.Errorf("found %s\n%s", got, file.Data)
			}
		})
	}
}

// decisive lists the findings that ask for a review.
func decisive(found []gate.Finding) string {
	var out []string
	for _, f := range found {
		if f.Severity > gate.SeverityNote {
			out = append(out, fmt.Sprintf("%s (%s, line %d: %s)", f.Rule, f.Severity, f.Line, f.Evidence))
		}
	}
	return strings.Join(out, "; ")
}
