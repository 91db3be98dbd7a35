package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lab/eval"
)

// highMediumLow are the severities of bandit and gosec.
func highMediumLow(s string) eval.Level {
	switch strings.ToUpper(s) {
	case "HIGH":
		return eval.Dangerous
	case "MEDIUM":
		return eval.Suspicious
	default:
		return eval.Note
	}
}

func bandit(ctx context.Context, j job) ([]issue, error) {
	files, err := j.files(gate.LanguagePython)
	if err != nil {
		return nil, err
	}
	var out []issue
	for some := range slices.Chunk(files, chunk) {
		var doc struct {
			Results []struct {
				Filename string `json:"filename"`
				Severity string `json:"issue_severity"`
				Test     string `json:"test_id"`
			} `json:"results"`
		}
		if err := collect(ctx, j.root, &doc, "bandit", append([]string{"--quiet", "--ignore-nosec", "--format", "json"}, some...)...); err != nil {
			return nil, err
		}
		for _, r := range doc.Results {
			out = append(out, issue{strings.TrimPrefix(r.Filename, "./"), highMediumLow(r.Severity), r.Test})
		}
	}
	return out, nil
}

// shellcheck takes a script without a first line for Bash, which is what the
// other tools do; otherwise it would complain about that in each of them.
func shellcheck(ctx context.Context, j job) ([]issue, error) {
	files, err := j.files(gate.LanguageShell)
	if err != nil {
		return nil, err
	}
	groups := map[bool][]string{}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(j.root, f))
		if err != nil {
			return nil, err
		}
		says := strings.HasPrefix(string(data), "#!")
		groups[says] = append(groups[says], f)
	}
	var out []issue
	for says, of := range groups {
		args := []string{"--format", "json1", "--severity", "warning"}
		if !says {
			args = append(args, "--shell", "bash")
		}
		for some := range slices.Chunk(of, chunk) {
			var doc struct {
				Comments []struct {
					File  string `json:"file"`
					Level string `json:"level"`
					Code  int    `json:"code"`
				} `json:"comments"`
			}
			if err := collect(ctx, j.root, &doc, "shellcheck", append(slices.Clone(args), some...)...); err != nil {
				return nil, err
			}
			for _, c := range doc.Comments {
				level := map[string]eval.Level{"error": eval.Dangerous, "warning": eval.Suspicious}[c.Level]
				out = append(out, issue{c.File, level, fmt.Sprintf("SC%d", c.Code)})
			}
		}
	}
	return out, nil
}

func runGitleaks(ctx context.Context, program string, j job) ([]issue, error) {
	file, err := os.CreateTemp("", "gitleaks-*.json")
	if err != nil {
		return nil, err
	}
	_ = file.Close() // only its name is needed
	defer os.Remove(file.Name())
	cmd := exec.CommandContext(ctx, program, "dir", ".", "--no-banner", "--log-level", "error", "--exit-code", "0",
		"--report-format", "json", "--report-path", file.Name())
	cmd.Dir = j.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", program, err, gate.Clip(string(out), 2000))
	}
	var doc []struct {
		File   string `json:"File"`
		RuleID string `json:"RuleID"`
	}
	if err := decodeFile(file.Name(), &doc); err != nil {
		return nil, err
	}
	var out []issue
	for _, l := range doc {
		out = append(out, issue{l.File, eval.Dangerous, l.RuleID})
	}
	return out, nil
}

// runGosec gives every sample a folder of its own in one module, since two
// programs in one folder are no package. Packages of the standard library import
// what no other module may: they are looked at where they lie.
func runGosec(ctx context.Context, program string, j job) ([]issue, error) {
	work, err := os.MkdirTemp("", "gosec-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	goroot, err := answer(ctx, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	back := map[string]string{} // from a file that gosec sees to the one of the sample
	folders := map[string][]string{}
	for i, s := range j.samples {
		files, err := (job{j.root, []eval.Sample{s}}).files(gate.LanguageGo)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			at := filepath.Join(work, fmt.Sprintf("s%d", i), filepath.Base(f))
			if rel, ok := strings.CutPrefix(filepath.ToSlash(f), "go/"); ok && s.Category == standardLibrary {
				at = filepath.Join(goroot, "src", filepath.FromSlash(rel))
				folders[filepath.Join(goroot, "src")] = append(folders[filepath.Join(goroot, "src")], filepath.Dir(at))
			} else {
				data, err := os.ReadFile(filepath.Join(j.root, f))
				if err == nil {
					err = put(at, data)
				}
				if err != nil {
					return nil, err
				}
				folders[work] = append(folders[work], filepath.Dir(at))
			}
			back[at] = f
		}
	}
	if err := put(filepath.Join(work, "go.mod"), []byte("module example.com/samples\n\ngo 1.25\n")); err != nil {
		return nil, err
	}
	var out []issue
	for dir, of := range folders {
		slices.Sort(of)
		for some := range slices.Chunk(slices.Compact(of), chunk) {
			var doc struct {
				Issues []struct {
					Severity string `json:"severity"`
					Rule     string `json:"rule_id"`
					File     string `json:"file"`
				} `json:"Issues"`
			}
			if err := collect(ctx, dir, &doc, program, append([]string{"-quiet", "-nosec", "-tests", "-no-fail", "-fmt", "json"}, some...)...); err != nil {
				return nil, err
			}
			for _, i := range doc.Issues {
				if f, ok := back[i.File]; ok {
					out = append(out, issue{f, highMediumLow(i.Severity), i.Rule})
				}
			}
		}
	}
	return out, nil
}
