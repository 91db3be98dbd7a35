package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	maxCommits = 50
	// looked is how many of the newest commits are looked at.
	looked = 150
	// A commit of fewer lines of code says little, one of more is rarely made by hand.
	minLines, maxLines = 3, 600
)

// commit is a change of a project.
type commit struct {
	id      string
	subject string
	kind    string // what it changes
	files   []file // of code
}

// file is one that a commit leaves changed.
type file struct {
	path  string
	added int // lines
}

// kinds are what commits change, in the order in which they are taken.
func kinds() []string { return []string{"code and tests", "code", "tests"} }

// choose takes commits of all kinds in turn, the newest of each first.
func choose(ctx context.Context, repo string, n int) ([]commit, error) {
	out, err := git(ctx, repo, "log", "--first-parent", "-n", strconv.Itoa(looked), "--format=%H %s")
	if err != nil {
		return nil, err
	}
	byKind := map[string][]commit{}
	for line := range strings.Lines(out) {
		id, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		stat, err := git(ctx, repo, "diff", "--numstat", "--no-renames", "--diff-filter=AM", id+"~1", id)
		if err != nil {
			continue // the first of all, or of those that were fetched
		}
		c := commit{id: id, subject: subject, files: codeOf(stat)}
		total := 0
		for _, f := range c.files {
			total += f.added
		}
		if total < minLines || total > maxLines {
			continue
		}
		c.kind = kindOf(c.files)
		byKind[c.kind] = append(byKind[c.kind], c)
	}
	var chosen []commit
	for i := 0; len(chosen) < n; i++ {
		before := len(chosen)
		for _, k := range kinds() {
			if i < len(byKind[k]) && len(chosen) < n {
				chosen = append(chosen, byKind[k][i])
			}
		}
		if len(chosen) == before {
			break
		}
	}
	return chosen, nil
}

// codeOf are the files of code in what git says of a change, the most lines first.
func codeOf(stat string) []file {
	var out []file
	for line := range strings.Lines(stat) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if len(parts) != 3 || languageOf(parts[2]) == "" {
			continue
		}
		if added, err := strconv.Atoi(parts[0]); err == nil && added > 0 {
			out = append(out, file{path: parts[2], added: added})
		}
	}
	slices.SortFunc(out, func(a, b file) int {
		return cmp.Or(cmp.Compare(b.added, a.added), cmp.Compare(a.path, b.path))
	})
	return out
}

func kindOf(files []file) string {
	tests := slices.ContainsFunc(files, func(f file) bool { return isTest(f.path) })
	code := slices.ContainsFunc(files, func(f file) bool { return !isTest(f.path) })
	switch {
	case tests && code:
		return kinds()[0]
	case code:
		return kinds()[1]
	}
	return kinds()[2]
}

// isTest reports whether the name of a file is that of a test or of what belongs to tests.
func isTest(p string) bool {
	base := path.Base(p)
	return strings.HasPrefix(base, "test_") || strings.Contains(base, "_test.") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") ||
		path.Ext(base) == ".bats" || slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(d string) bool {
		return d == "test" || d == "tests" || d == "__tests__" || d == "fixtures" || d == "testdata"
	})
}

// languageOf is the language of the image for a file, "" for what is no code.
func languageOf(p string) string {
	switch path.Ext(p) {
	case ".py":
		return "python"
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx":
		return "node"
	case ".go":
		return "go"
	case ".sh", ".bash", ".bats":
		return "shell"
	}
	return ""
}

// git runs git in a repository and returns what it prints.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false"}, args...)...)
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // Output returns it as it is
		err = fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}
