package fork

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of a workflow.
const (
	maxWorkflow = 1 << 20 // bytes
	maxJobs     = 200
	maxSteps    = 1000 // of one job
)

// workflowFile is what counts of a workflow. Aliases are resolved by the decoder, which
// bounds them.
type workflowFile struct {
	Jobs map[string]struct {
		Steps []step `yaml:"steps"`
	} `yaml:"jobs"`
}

type step struct {
	Run  string `yaml:"run"`
	Uses string `yaml:"uses"`
}

// runsOfJobs returns an error where a job that reports, or hands on a file, first runs
// something that the pull request changes: what runs there can write the result.
func runsOfJobs(c *gate.Change, workflow string) error {
	var w workflowFile
	data, err := readHead(c, workflow)
	if err == nil {
		err = yaml.NewDecoder(bytes.NewReader(data)).Decode(&w)
	}
	if err == nil && len(w.Jobs) > maxJobs {
		err = fmt.Errorf("it has %d jobs, %d at most are read", len(w.Jobs), maxJobs)
	}
	if err != nil {
		return fmt.Errorf("unverified: the workflow %q can't be read in the tree of the pull request, so what its job runs is not known; update the branch: %w", workflow, err)
	}
	for name, job := range w.Jobs {
		if len(job.Steps) > maxSteps {
			return fmt.Errorf("unverified: the job %q of %q has too many steps to say what they run", name, workflow)
		}
		for _, s := range job.Steps[:reports(job.Steps)] {
			if runs, changed := s.runs(c); changed != "" {
				return fmt.Errorf("unverified: the job that reports also runs %q, and the pull request changes %q, which can decide what it reports; let that job run nothing but gate", gate.Clip(runs, 80), changed)
			}
		}
	}
	return nil
}

// reports returns the number of steps up to the last that runs gate or hands on a file, 0
// for a job without one.
func reports(steps []step) int {
	for i, s := range slices.Backward(steps) {
		action, _, _ := strings.Cut(s.Uses, "@")
		if strings.Contains(action, "upload-artifact") || path.Base(action) == "gate" || strings.Contains(s.Run, "gate-result") || ownCommand.MatchString(s.Run) {
			return i + 1
		}
	}
	return 0
}

var (
	// ownCommand is a line that runs gate.
	ownCommand = regexp.MustCompile(`(?m)(?:^|[\s/;&|(])gate\s+(?:pr|scan|merge|publish|doctor|deps|version)\b[^\n]*`)
	// ofProject are programs that run what the manifests and the folders of a project say.
	ofProject = regexp.MustCompile(`(?:^|[\s/;&|("'])(?:npm|npx|yarn|pnpm|bunx?|deno|node|make|gmake|ninja|cmake|meson|just|task|rake|bundle|gem|pip[\d.]*\s+install|pipx|poetry|uv|pdm|hatch|tox|nox|pytest|py\.test|invoke|go\s+(?:run|test|generate|tool|install)|cargo|gradlew?|mvnw?|sbt|lein|composer|dotnet|msbuild|bazel(?:isk)?|buck2?|mage|docker(?:-compose)?|podman|buildah|pre-commit|lefthook|ansible\S*|terraform|mix|rebar3|stack|cabal|dub|swift|xcodebuild|fastlane|tsc|jest|vitest|mocha|python[\d.]*\s+-m|bats|act|earthly|dagger|nix(?:-\w+)?|turbo|nx|lerna|rush|tsx|ts-node)(?:[\s;&|)"']|$)`)
	// parts separates the words of a command.
	parts = regexp.MustCompile("[\\s;&|()<>\"'`={},$]+")
)

func readHead(c *gate.Change, name string) ([]byte, error) {
	if c.Head == nil {
		return nil, fs.ErrNotExist
	}
	return bounded.ReadFile(c.Head, name, maxWorkflow)
}

// runs returns what of a step runs a file that the change touches, and that file.
func (s step) runs(c *gate.Change) (what, changed string) {
	if dir, ok := strings.CutPrefix(s.Uses, "./"); ok {
		dir = path.Clean(dir)
		for _, p := range touched(c, false) {
			if dir == "." || strings.HasPrefix(p, dir+"/") {
				return s.Uses, p
			}
		}
		return "", ""
	}
	for line := range strings.Lines(strings.ReplaceAll(s.Run, "\\\n", " ")) {
		line = strings.TrimSpace(ownCommand.ReplaceAllString(line, " "))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if ofProject.MatchString(line) {
			if all := touched(c, true); len(all) > 0 {
				return line, all[0]
			}
		}
		words := parts.Split(line, -1)
		for _, p := range touched(c, false) {
			if slices.ContainsFunc(words, func(w string) bool { return names(w, p) }) {
				return line, p
			}
		}
	}
	return "", ""
}

// names reports whether a word of a command can mean a file: its path, its name, a folder
// above it, a pattern, or a module.
func names(word, p string) bool {
	word = strings.TrimPrefix(strings.TrimSuffix(word, "/"), "./")
	if len(word) < 2 {
		return word == "." || word == "*"
	}
	if word == p || word == path.Base(p) || strings.HasPrefix(p, word+"/") || strings.HasSuffix(word, "/"+p) {
		return true
	}
	for _, pattern := range []string{word, path.Base(word)} {
		if strings.ContainsAny(pattern, "*?[") {
			if glob.Check(pattern) != nil || glob.Any([]string{pattern}, p) {
				return true
			}
		}
	}
	return strings.ReplaceAll(word, ".", "/") == strings.TrimSuffix(p, path.Ext(p))
}

// touched are the paths of a change, without documentation where only code counts.
func touched(c *gate.Change, code bool) []string {
	var out []string
	for _, t := range c.Targets {
		if code && t.Role == gate.RoleDocs {
			continue
		}
		for _, p := range []string{t.Path, t.OldPath} {
			if p != "" {
				out = append(out, p)
			}
		}
	}
	return out
}
