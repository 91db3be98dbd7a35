package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lab/eval"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// job is what a tool looks at: the samples of a corpus that are in its languages.
type job struct {
	root    string // absolute; samples are below it
	samples []eval.Sample
}

// issue is one thing that a tool reports.
type issue struct {
	File  string     `json:"file"`
	Level eval.Level `json:"level"`
	Rule  string     `json:"rule"`
}

// tool is one program that is compared. Another tool's severities are taken for
// gate's by how loud its users hear them; severities says which is which.
type tool struct {
	name       string
	severities string // for the page
	languages  []gate.Language
	version    func(ctx context.Context) (string, error)
	run        func(ctx context.Context, j job) ([]issue, error)
}

// others are the tools beside gate. bin holds those that are built from source.
func others(bin string) []tool {
	// Absolute, since tools run in the folder of the samples.
	if abs, err := filepath.Abs(bin); err == nil {
		bin = abs
	}
	gosec, gitleaks := newest(bin, "gosec-v*"), newest(bin, "gitleaks-v*")
	return []tool{
		{
			name: "bandit", severities: "HIGH is dangerous, MEDIUM suspicious, LOW a note", languages: []gate.Language{gate.LanguagePython},
			version: firstMatch(`bandit (\S+)`, "bandit", "--version"), run: bandit,
		},
		{
			name: "shellcheck", severities: "error is dangerous, warning suspicious, info and style a note", languages: []gate.Language{gate.LanguageShell},
			version: firstMatch(`version: (\S+)`, "shellcheck", "--version"), run: shellcheck,
		},
		{
			name: "gosec", severities: "HIGH is dangerous, MEDIUM suspicious, LOW a note", languages: []gate.Language{gate.LanguageGo},
			version: fixed(gosec), run: func(ctx context.Context, j job) ([]issue, error) { return runGosec(ctx, gosec, j) },
		},
		{
			name: "gitleaks", severities: "has none: every finding is dangerous",
			languages: []gate.Language{gate.LanguagePython, gate.LanguageShell, gate.LanguageGo, gate.LanguageJavaScript, gate.LanguageTypeScript},
			version:   fixed(gitleaks), run: func(ctx context.Context, j job) ([]issue, error) { return runGitleaks(ctx, gitleaks, j) },
		},
	}
}

// newest is the program in bin whose name carries the highest version.
func newest(bin, pattern string) string {
	found, err := filepath.Glob(filepath.Join(bin, pattern))
	if err != nil || len(found) == 0 {
		return filepath.Join(bin, pattern)
	}
	slices.Sort(found)
	return found[len(found)-1]
}

// fixed takes the version from the name of a program that was built for this.
func fixed(program string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		if _, err := os.Stat(program); err != nil {
			return "", fmt.Errorf("%w: `make detection` builds it", err)
		}
		_, version, _ := strings.Cut(filepath.Base(program), "-v")
		return version, nil
	}
}

func firstMatch(pattern, program string, args ...string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		out, err := exec.CommandContext(ctx, program, args...).Output()
		if err != nil {
			return "", fmt.Errorf("%s: %w (Debian: apt-get install %s)", program, err, program)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(out)
		if m == nil {
			return "", fmt.Errorf("%s says no version", program)
		}
		return string(m[1]), nil
	}
}

// collect runs a program and decodes the JSON that it writes. These programs end
// with a code that is not 0 when they have found something.
func collect(ctx context.Context, dir string, into any, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // gosec builds what it looks at
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, gate.Clip(problems.String(), 2000))
	}
	if err := json.Unmarshal(out.Bytes(), into); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, gate.Clip(problems.String(), 2000))
	}
	return nil
}

// files are the files of the samples, relative to the root.
func (j job) files(languages ...gate.Language) ([]string, error) {
	var out []string
	err := j.eachFile(func(rel string, data []byte) {
		if slices.Contains(languages, languageOf(filepath.Join(j.root, rel), data)) {
			out = append(out, rel)
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// eachFile visits the files of the samples, by their paths relative to the root.
func (j job) eachFile(visit func(rel string, data []byte)) error {
	for _, s := range j.samples {
		err := filepath.WalkDir(filepath.Join(j.root, filepath.FromSlash(s.Path)), func(name string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(j.root, name)
			if err == nil {
				visit(rel, data)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// chunk is how many files one call of a program gets, so that its command line
// does not become too long.
const chunk = 200
