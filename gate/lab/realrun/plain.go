package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/job"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// workspace is where a project is in the container.
const workspace = "/workspace"

// plainly runs the project's own tests in the image that gate used, and counts which of the
// changed lines they reach. An error says why that is not known.
func (r *row) plainly(ctx context.Context, s settings, tree, base string, c commit, res gate.Result) error {
	changed, src, err := changedLines(ctx, tree, base, c)
	if err != nil {
		return err
	}
	language := languageOf(c.files[0].path)
	image := imageOf(res, language)
	if image == "" {
		return fmt.Errorf("gate ran no %s", language)
	}
	var targets []string
	for _, f := range c.files {
		if languageOf(f.path) == language {
			targets = append(targets, f.path)
		}
	}
	b := container{name: filepath.Base(filepath.Dir(tree)), image: image}
	defer b.remove()
	if err := b.open(ctx, tree); err != nil {
		return err
	}
	installed, err := b.installed(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	j, err := testsOf(s.plain, language, s.tests[r.Project], installed, targets)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, s.plain)
	defer cancel()
	line := j.Line()
	out, ended := b.run(within, line.Env, append([]string{"sh", "-c", `PATH="$0$PATH" exec "$@"`, programsOf(installed)}, line.Argv...)...)
	r.PlainTime = seconds(began)
	files, err := b.told(ctx)
	if err != nil {
		return fmt.Errorf("the tests left no word about their lines: %w: %s", err, last(string(out)))
	}
	profile, err := read(language, files, src, tree)
	if err != nil {
		return err
	}
	r.Plain, r.PlainOf = counted(changed, src, profile)
	r.Here = r.PlainOf - left(res, changed, src, profile)
	r.Missed = missed(res, profile)
	if ended != nil {
		r.PlainWhy = fmt.Sprintf("the tests ended with %v: %s", ended, last(string(out)))
	}
	return nil
}

// testsOf is how all tests of a project are started, with the counters that gate uses.
func testsOf(within time.Duration, language, command string, installed []project, targets []string) (job.Job, error) {
	shell := []string{"sh", "-c", command}
	var j job.Job
	switch language {
	case "python":
		p := job.Python{Mode: job.RunModule, Roots: []string{"src", ""}, Target: "pytest"}
		j = job.Job{Image: gate.LanguagePython, Program: p, Args: append([]string{"-q", "--continue-on-collection-errors"}, strings.Fields(command)...)}.ForChildren([]string{"src", ""})
		if len(installed) > 0 {
			j = j.WithInstalled(installed[0].At)
		}
	case "node":
		if command == "" {
			shell[2] = "npm test"
		}
		if strings.HasPrefix(command, "bun test") {
			shell[2] += " " + strings.Join(job.BunCoverage(), " ")
		}
		j = job.Job{Image: gate.LanguageJavaScript, Program: job.Node{Command: shell}}
	case "go":
		j = job.Job{Image: gate.LanguageGo, Program: job.GoTests{Packages: []string{"./..."}, Of: []string{"./..."}}}
	case "shell":
		if command == "" {
			return j, errors.New("no command for its tests was given")
		}
		words := strings.Fields(command)
		j = job.Job{Image: gate.LanguageShell, Program: job.Bats{Program: words[0]}, Args: words[1:]}
	}
	j, err := j.Counted(targets, "")
	if err != nil || language != "python" {
		return j, err
	}
	return j.Budgeted(job.Budget{All: within}) // what tells of its tests goes on counting where one ends a debugger
}

// read reads what a run left about the lines of the sources.
func read(language string, files map[string][]byte, src coverage.Sources, tree string) (coverage.Profile, error) {
	switch language {
	case "python":
		told, err := coverage.PythonProcesses(files, src)
		return told.Profile, err
	case "node":
		if tracefile, ok := files["lcov.info"]; ok { // of Bun
			return coverage.LCOV(tracefile, src, "")
		}
		told, err := coverage.NodeProcesses(files, src, workspace, "")
		return told.Profile, ignoring(err, len(told.Profile))
	case "go":
		names := map[string]string{}
		for p := range src {
			dir, module := moduleOf(tree, path.Dir(p))
			names[path.Join(module, strings.TrimPrefix(strings.TrimPrefix(p, dir), "/"))] = p
		}
		return coverage.Go(files, src, func(name string) string { return names[name] })
	}
	profile, _, err := coverage.ShellTests(files["shell-lines"], src, workspace)
	return profile, err
}

// ignoring leaves out an error about some of many processes.
func ignoring(err error, known int) error {
	if known > 0 {
		return nil
	}
	return err
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

// moduleOf is the nearest folder upwards with a go.mod ("" for the root), and its module.
func moduleOf(tree, dir string) (at, module string) {
	for {
		if dir == "." {
			dir = ""
		}
		if text, err := os.ReadFile(filepath.Join(tree, dir, "go.mod")); err == nil {
			if m := moduleLine.FindSubmatch(text); m != nil {
				return dir, string(m[1])
			}
		}
		if dir == "" {
			return "", ""
		}
		dir = path.Dir(dir)
	}
}

// imageOf is the image in which gate ran a language.
func imageOf(res gate.Result, language string) string {
	for _, f := range res.Files {
		if f.Execution != nil && f.Execution.Image != "" && languageOf(f.Path) == language {
			return f.Execution.Image
		}
	}
	return ""
}

var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// changedLines are the lines that a commit leaves in its files of code, and their texts.
func changedLines(ctx context.Context, tree, base string, c commit) (map[string]gate.LineSet, coverage.Sources, error) {
	lines, src := map[string]gate.LineSet{}, coverage.Sources{}
	for _, f := range c.files {
		diff, err := git(ctx, tree, "diff", "--no-renames", "--no-ext-diff", "-U0", base, c.id, "--", f.path)
		if err != nil {
			return nil, nil, err
		}
		var ranges []gate.LineRange
		for line := range strings.Lines(diff) {
			m := hunk.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			from, n := number(m[1]), 1
			if m[2] != "" {
				n = number(m[2])
			}
			if n > 0 {
				ranges = append(ranges, gate.LineRange{from, from + n - 1})
			}
		}
		text, err := git(ctx, tree, "show", c.id+":"+f.path)
		if err != nil {
			return nil, nil, err
		}
		lines[f.path], src[f.path] = gate.OnlyLines(ranges...), text
	}
	return lines, src, nil
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // digits, as the expression has them
	return n
}

// project is what the label of an image says of an installed project.
type project struct {
	Dir     string   `json:"dir"`
	At      string   `json:"at"`
	Modules []string `json:"modules"`
}

// programsOf are the folders of installed programs, as they begin a PATH.
func programsOf(installed []project) string {
	out := ""
	for _, p := range installed {
		out += path.Join(p.At, "bin") + ":" + path.Join(workspace, p.Dir, "node_modules/.bin") + ":"
	}
	return out
}

// container is a container without a network, in which one project's tests run.
type container struct{ name, image string }

// open starts the container and puts the tree into it.
func (b container) open(ctx context.Context, tree string) error {
	args := []string{"run", "--detach", "--rm", "--name", b.name, "--network", "none", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
		"--memory", "4g", "--pids-limit", "2048", "--shm-size", "1g",
		"--tmpfs", workspace + ":exec,uid=1000,gid=1000,size=2g", "--tmpfs", "/tmp:exec,mode=1777,size=2g", "--entrypoint", "sleep", b.image, "7200"}
	if out, err := exec.CommandContext(ctx, "docker", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("start a container of %s: %w: %s", b.image, err, last(string(out)))
	}
	pack := exec.CommandContext(ctx, "tar", "-C", tree, "--exclude=./.git", "-c", ".")
	unpack := exec.CommandContext(ctx, "docker", "exec", "-i", b.name, "tar", "-C", workspace, "-x", "--no-same-owner", "-m")
	in, err := pack.StdoutPipe()
	if err != nil {
		return err
	}
	unpack.Stdin = in
	if err := pack.Start(); err != nil {
		return err
	}
	out, err := unpack.CombinedOutput()
	if werr := pack.Wait(); err == nil {
		err = werr
	}
	if err != nil {
		return fmt.Errorf("put the tree into the container: %w: %s", err, last(string(out)))
	}
	return nil
}

// installed are the projects of the image, after their folders of modules were linked.
func (b container) installed(ctx context.Context) ([]project, error) {
	out, err := exec.CommandContext(ctx, "docker", "inspect", "--format", `{{index .Config.Labels "aigate.deps.projects"}}`, b.name).Output()
	if err != nil {
		return nil, fmt.Errorf("ask for the labels of %s: %w", b.image, err)
	}
	var all []project
	if text := bytes.TrimSpace(out); len(text) > 0 && text[0] == '[' {
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, fmt.Errorf("the labels of %s: %w", b.image, err)
		}
	}
	for _, p := range all {
		for _, m := range p.Modules {
			if out, err := b.run(ctx, nil, "ln", "-sfn", path.Join(p.At, m), path.Join(workspace, p.Dir, m)); err != nil {
				return nil, fmt.Errorf("link %s: %w: %s", m, err, last(string(out)))
			}
		}
	}
	return all, nil
}

// run runs a command in the container; the end of its output comes back.
func (b container) run(ctx context.Context, env []string, argv ...string) ([]byte, error) {
	args := []string{"exec", "-w", workspace}
	for _, v := range env {
		args = append(args, "--env", v)
	}
	cmd := exec.CommandContext(ctx, "docker", append(append(args, b.name), argv...)...)
	var out tail
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out, err
}

// The bounds of what is brought back about lines.
const (
	maxToldFiles = 2_000
	maxTold      = 512 << 20 // bytes
)

// told is what the counters left, by name.
func (b container) told(ctx context.Context) (map[string][]byte, error) {
	cmd := exec.CommandContext(ctx, "docker", "exec", b.name, "tar", "-C", workspace, "-c", job.CoverFolder)
	in, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for entries := tar.NewReader(io.LimitReader(in, maxTold)); len(files) < maxToldFiles; {
		h, err := entries.Next()
		if err != nil {
			break // its end, or that of the bound; tar's exit says whether anything failed
		}
		if h.Typeflag == tar.TypeReg {
			if files[path.Base(h.Name)], err = io.ReadAll(io.LimitReader(entries, coverage.MaxReport+1)); err != nil {
				return nil, err
			}
		}
	}
	_, _ = io.Copy(io.Discard, in)
	return files, cmd.Wait()
}

// remove ends the container, whatever runs in it.
func (b container) remove() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = exec.CommandContext(ctx, "docker", "rm", "--force", b.name).Run() // one that is not there is as good
}
