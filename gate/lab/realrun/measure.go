package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
)

// row is what one commit came to.
type row struct {
	Project string `json:"project"`
	Commit  string `json:"commit"`
	Subject string `json:"subject"`
	Kind    string `json:"kind"`
	Verdict string `json:"verdict"`
	// Executable are the changed lines with code as gate counts them, which joins hunks that are
	// near each other, and Executed those that ran under gate. Of the PlainOf lines that git
	// says were added, the project's own tests run Plain and gate Here; PlainWhy says why that is
	// not known.
	Executable int    `json:"executable"`
	Executed   int    `json:"executed"`
	Plain      int    `json:"plain"`
	PlainOf    int    `json:"plain_of"`
	Here       int    `json:"here"`
	PlainWhy   string `json:"plain_why,omitempty"`
	// Missed are the lines that the project's own tests run and gate did not.
	Missed []string `json:"missed,omitempty"`
	// Seconds: installing the dependencies, the scan, the scan after one more line, the tests
	// by themselves.
	Deps       float64  `json:"deps_s"`
	Cold       float64  `json:"cold_s"`
	Push       float64  `json:"push_s"`
	PlainTime  float64  `json:"plain_s"`
	ColdCPU    float64  `json:"cold_cpu_s"` // processor time of the runs of the first scan, in seconds
	PushCPU    float64  `json:"push_cpu_s"` // and of the second that were not known
	Pushed     string   `json:"pushed,omitempty"`
	Unrun      []string `json:"unrun,omitempty"`      // what did not run, and why
	Incomplete []string `json:"incomplete,omitempty"` // why the result is
	Found      []string `json:"found,omitempty"`      // more than notes
	Units      []string `json:"units,omitempty"`      // each run of the first scan: kind, seconds, reason
	PushUnits  []string `json:"push_units,omitempty"` // each of the second that was not known
	Error      string   `json:"error,omitempty"`
}

func (r row) String() string {
	return fmt.Sprintf("%s %.8s (%s): %d of %d lines, of %d added %d plainly and %d here; cold %.1f s, push %.1f s; %s %s", r.Project, r.Commit, r.Kind, r.Executed, r.Executable, r.PlainOf, r.Plain, r.Here, r.Cold, r.Push, r.Verdict, r.Error)
}

// measure looks at one commit. What fails is in the row.
func measure(ctx context.Context, s settings, repo, name string, c commit) row {
	r := row{Project: name, Commit: c.id, Subject: c.subject, Kind: c.kind}
	dir, err := os.MkdirTemp("", "realrun-")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = r.fill(ctx, s, repo, dir, c)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

func (r *row) fill(ctx context.Context, s settings, repo, dir string, c commit) error {
	ctx, cancel := context.WithTimeout(ctx, 4*s.within+s.plain)
	defer cancel()
	tree := filepath.Join(dir, "tree")
	if _, err := git(ctx, dir, "clone", "--quiet", "--no-checkout", "--", abs(repo), tree); err != nil {
		return err
	}
	if _, err := git(ctx, tree, "checkout", "--quiet", "--detach", c.id); err != nil {
		return err
	}
	base := c.id + "~1"
	began := time.Now()
	if out, err := s.start(ctx, tree, "deps", "build", "--base", base); err != nil {
		r.Unrun = append(r.Unrun, "dependencies: "+last(out))
	}
	r.Deps = seconds(began)

	cold, took, err := s.scan(ctx, tree, base, filepath.Join(dir, "cache"))
	if err != nil {
		return err
	}
	r.Cold = took
	r.take(cold)
	r.Units, r.ColdCPU = unitsOf(cold, false)

	if err := r.plainly(ctx, s, tree, base, c, cold); err != nil {
		r.PlainWhy = err.Error()
	}

	r.Pushed = c.files[0].path
	if i := slices.IndexFunc(c.files, func(f file) bool { return !isTest(f.path) }); i >= 0 {
		r.Pushed = c.files[i].path
	}
	if err := push(ctx, tree, r.Pushed); err != nil {
		return err
	}
	again, took, err := s.scan(ctx, tree, base, filepath.Join(dir, "cache"))
	r.Push = took
	r.PushUnits, r.PushCPU = unitsOf(again, true)
	return err
}

// start runs gate in a folder; the last of what it prints on standard error comes back.
func (s settings) start(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	program := s.gate
	if strings.Contains(program, "/") {
		program = abs(program)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "CI=true")
	var stderr tail
	cmd.Stderr = &stderr
	err := cmd.Run()
	return string(stderr), err
}

// scan scans what a tree has changed, and returns how long that took in seconds.
func (s settings) scan(ctx context.Context, tree, base, cache string) (gate.Result, float64, error) {
	var result gate.Result
	to := filepath.Join(filepath.Dir(tree), "result.json")
	_ = os.Remove(to)
	began := time.Now()
	out, err := s.start(ctx, tree, "scan", "--base", base, "--layers", "static,sandbox", "--cache-dir", cache, "--format", "json", "--output", to)
	took := seconds(began)
	text, rerr := os.ReadFile(to)
	if rerr != nil {
		return result, took, fmt.Errorf("gate scan: %w: %s", err, last(out))
	}
	return result, took, json.Unmarshal(text, &result)
}

// take puts what a result says into a row.
func (r *row) take(res gate.Result) {
	r.Verdict = res.Verdict.String()
	if x := res.Executed; x != nil {
		r.Executed, r.Executable = x.Lines, x.Of
		for _, u := range x.Unrun {
			r.Unrun = append(r.Unrun, fmt.Sprintf("%s: %s", u.Path, clip(u.Reason)))
		}
		if x.Unmeasured > 0 {
			r.Unrun = append(r.Unrun, fmt.Sprintf("%d files were not measured", x.Unmeasured))
		}
	}
	for _, g := range res.Incomplete {
		r.Incomplete = append(r.Incomplete, fmt.Sprintf("%s: %s", g.Path, clip(g.Reason)))
	}
	for _, f := range res.Files {
		for _, one := range f.Findings {
			if one.Severity >= gate.SeveritySuspicious {
				r.Found = append(r.Found, fmt.Sprintf("%s: %s %s", f.Path, one.Rule, clip(one.Evidence)))
			}
		}
	}
}

// unitsOf are the runs of a result, each once, and their processor time in seconds. What ran
// for comparison only is not among them.
func unitsOf(res gate.Result, fresh bool) (out []string, cpu float64) {
	seen := map[string]bool{}
	for _, f := range res.Files {
		if f.Execution == nil {
			continue
		}
		for _, u := range f.Execution.Units {
			text := fmt.Sprintf("%s %s %.1f s (%.1f s of processor time) %s %s", u.Kind, clip(strings.Join(u.Command, " ")), float64(u.DurationMS)/1000, float64(u.CPUMS)/1000, u.Status, clip(u.Reason))
			if fresh && u.Cached || seen[text] {
				continue
			}
			seen[text] = true
			out, cpu = append(out, text), cpu+float64(u.CPUMS)/1000
		}
	}
	return out, math.Round(cpu*10) / 10
}

// push commits one more line of code at the end of a file.
func push(ctx context.Context, tree, path string) error {
	line := map[string]string{"python": "_pushed = 1", "node": "void 0", "go": "var _ = 1", "shell": ":"}[languageOf(path)]
	f, err := os.OpenFile(filepath.Join(tree, path), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "\n%s\n", line)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	_, err = git(ctx, tree, "-c", "user.name=realrun", "-c", "user.email=realrun@example.com", "-c", "commit.gpgSign=false", "commit", "--quiet", "--no-verify", "--all", "--message", "one more line")
	return err
}

// missed are the lines that ran plainly and not under gate.
func missed(res gate.Result, plain coverage.Profile) []string {
	var out []string
	for _, f := range res.Files {
		if f.Execution == nil {
			continue
		}
		var at []string
		for _, r := range f.Execution.Uncovered {
			for n := r[0]; n <= r[1]; n++ {
				if plain[f.Path][n] {
					at = append(at, fmt.Sprint(n))
				}
			}
		}
		if len(at) > 0 {
			out = append(out, f.Path+":"+strings.Join(at, ","))
		}
	}
	return out
}

// left is how many of the lines that were measured plainly did not run under gate.
func left(res gate.Result, changed map[string]gate.LineSet, src coverage.Sources, plain coverage.Profile) int {
	ran := coverage.Profile{}
	for _, f := range res.Files {
		if f.Execution == nil || len(f.Execution.Coverage) == 0 || plain[f.Path] == nil {
			continue
		}
		ran[f.Path] = coverage.Lines{}
		uncovered := gate.OnlyLines(f.Execution.Uncovered...)
		for n := range plain[f.Path] {
			ran[f.Path][n] = !uncovered.Touches(n, n)
		}
	}
	_, of := counted(changed, src, plain)
	here, _ := counted(changed, src, ran)
	return of - here
}

// counted adds up the changed lines with code and those that ran.
func counted(changed map[string]gate.LineSet, src coverage.Sources, p coverage.Profile) (executed, executable int) {
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		c := coverage.CountIn(changed[path], src[path], p[path])
		executed, executable = executed+c.Executed, executable+c.Executable
	}
	return executed, executable
}

func seconds(since time.Time) float64 {
	return float64(time.Since(since).Round(100*time.Millisecond).Milliseconds()) / 1000
}

func abs(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

const clipped = 300 // bytes of a text in a row

func clip(text string) string { return gate.Clip(strings.Join(strings.Fields(text), " "), clipped) }

// last is the last line of a text.
func last(text string) string {
	text = strings.TrimSpace(text)
	return clip(text[strings.LastIndexByte(text, '\n')+1:])
}

// tail keeps the end of what is written to it.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	if over := len(*t) - 64<<10; over > 0 {
		*t = (*t)[over:]
	}
	return len(p), nil
}
