package fork

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of a workflow.
const (
	maxWorkflow = 1 << 20 // bytes
	maxJobs     = 200
	maxSteps    = 1000 // of one job
)

// maxNested is how many workflows and actions of the repository may call each other.
const maxNested = 4

// workflowFile is what counts of a workflow. Aliases are resolved by the decoder, which
// bounds them.
type workflowFile struct {
	Env      any            `yaml:"env"`
	Defaults any            `yaml:"defaults"`
	Jobs     map[string]job `yaml:"jobs"`
}

type job struct {
	Env       any    `yaml:"env"`
	Defaults  any    `yaml:"defaults"`
	Container any    `yaml:"container"`
	Services  any    `yaml:"services"`
	Needs     any    `yaml:"needs"`
	Uses      string `yaml:"uses"` // a workflow that can be reused
	With      any    `yaml:"with"`
	Steps     []step `yaml:"steps"`
}

type step struct {
	Run   string `yaml:"run"`
	Shell string `yaml:"shell"`
	Uses  string `yaml:"uses"`
	With  any    `yaml:"with"`
	Env   any    `yaml:"env"`
}

// actionFile is what counts of an action.
type actionFile struct {
	Runs struct {
		Using string `yaml:"using"`
		Steps []step `yaml:"steps"`
	} `yaml:"runs"`
}

// runsOfJobs returns an error where a job that reports, or hands on a file, first runs
// something that the pull request changes: what runs there can write the result. A file of
// the repository that it does not change can run one that it does.
func runsOfJobs(c *gate.Change, workflow string) error {
	return runsOfWorkflow(tree{c}, workflow, 0)
}

func runsOfWorkflow(t tree, workflow string, depth int) error {
	var w workflowFile
	err := t.decode(workflow, &w)
	if err == nil && len(w.Jobs) > maxJobs {
		err = fmt.Errorf("it has %d jobs, %d at most are read", len(w.Jobs), maxJobs)
	}
	if err == nil && depth == maxNested {
		err = fmt.Errorf("more than %d workflows call each other", maxNested)
	}
	if err != nil {
		return fmt.Errorf("unverified: the workflow %q can't be read in the tree of the pull request, so what its job runs is not known; update the branch: %w", workflow, err)
	}
	for name, j := range w.Jobs {
		if len(j.Steps) > maxSteps {
			return fmt.Errorf("unverified: the job %q of %q has too many steps to say what they run", name, workflow)
		}
		if called, ok := strings.CutPrefix(j.Uses, "./"); ok {
			if err := runsOfWorkflow(t, path.Clean(called), depth+1); err != nil {
				return err
			}
		}
		before := j.Steps[:reports(j.Steps)]
		if len(before) == 0 && j.Uses == "" {
			continue
		}
		before = append(before, w.handsOn(j, before)...)
		around := step{Env: []any{w.Env, j.Env}, With: []any{w.Defaults, j.Defaults, j.Container, j.Services, j.With}}
		for _, s := range append([]step{around}, before...) {
			if runs, changed := t.runs(s, 0); changed != "" {
				return fmt.Errorf("unverified: the job that reports also runs %q, and the pull request changes %q, which can decide what it reports; let that job run nothing but gate", gate.Clip(runs, 80), changed)
			}
		}
	}
	return nil
}

// handsOn are the steps of the other jobs that a job gets files or values from before it reports: by a
// cache or an artifact of any of them, by outputs of those that it needs.
func (w *workflowFile) handsOn(j job, before []step) []step {
	from := map[string]bool{}
	for _, s := range before {
		action, _, _ := strings.Cut(s.Uses, "@")
		if strings.Contains(action, "cache") || strings.Contains(action, "download-artifact") {
			for name := range w.Jobs {
				from[name] = true
			}
		}
	}
	for _, text := range append(texts([]any{j.Env, j.With, j.Container, j.Services}, ""), textsOf(before)...) {
		for _, m := range needed.FindAllStringSubmatch(text, -1) {
			from[m[1]] = true
		}
	}
	var out []step
	for _, name := range slices.Sorted(maps.Keys(from)) {
		other := w.Jobs[name]
		out = append(out, step{Env: other.Env, With: []any{other.Defaults, other.Container, other.With}})
		out = append(out, other.Steps[:min(len(other.Steps), maxSteps)]...)
	}
	return out
}

// needed matches a value of another job.
var needed = regexp.MustCompile(`\bneeds\.([\w-]+)`)

// textsOf are all texts in steps.
func textsOf(steps []step) []string {
	var out []string
	for _, s := range steps {
		out = append(append(out, s.Run, s.Shell), texts([]any{s.With, s.Env}, "")...)
	}
	return out
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
	ofProject = regexp.MustCompile(`(?:^|[\s/;&|("'])(?:npm|npx|yarn|pnpm|bunx?|deno|node|make|gmake|ninja|cmake|meson|just|task|rake|bundle|gem|pip[\d.]*\s+install|pipx|poetry|uv|pdm|hatch|tox|nox|pytest|py\.test|invoke|go\s+(?:run|test|generate|tool|install)|cargo|gradlew?|mvnw?|sbt|lein|composer|dotnet|msbuild|bazel(?:isk)?|buck2?|mage|docker(?:-compose)?|podman|buildah|pre-commit|lefthook|ansible\S*|terraform|mix|rebar3|stack|cabal|dub|swift|xcodebuild|fastlane|tsc|jest|vitest|mocha|python[\d.]*\s+-m|bats|act|pylint|flake8|mypy|pyright|ruff|eslint|prettier|stylelint|rubocop|phpcs|phpstan|psalm|phpunit|golangci-lint|doxygen|mdbook|latexmk|buf|scons|ant|busted|java|vagrant|pod|autoreconf|automake|autoconf|aclocal|autogen\.sh|cucumber|rspec|hugo|antora|pandoc|zola|eleventy|protoc|goreleaser|snyk|tflint|helm|kustomize|skaffold|tilt|conan|vcpkg|xmake|waf|premake\d|qmake|gradle|mvn|sphinx-build|mkdocs|coverage|webpack|vite|rollup|gulp|grunt|babel|cypress|playwright|nyc|c8|ava|commitlint|semantic-release|jekyll|earthly|dagger|nix(?:-\w+)?|turbo|nx|lerna|rush|tsx|ts-node)(?:[\s;&|)"']|$)`)
	// knownAction are actions that run nothing of the repository by themselves: those of GitHub,
	// what gets tools and signs in, and gate.
	knownAction = regexp.MustCompile(`(?i)^(?:actions/[\w.-]+|step-security/harden-runner|docker/(?:login|metadata)-action|google-github-actions/auth|aws-actions/configure-aws-credentials|azure/login|(?:[\w.-]+/)+setup-[\w.-]+|[\w.-]+/gate)(?:@|$)`)
	// installs is an input of an action that has it install or run what the repository says.
	installs = regexp.MustCompile(`(?i)^(?:bundler-cache|(?:run|auto)?[_-]?install(?:[_-]\w+)?|arguments|args|cmd|run|command|script-file|build-\w+)$`)
	// parts separates the words of a command.
	parts = regexp.MustCompile("[\\s;&|()<>\"'`={},$:]+")
	// byExpression is a command, or what an interpreter is given, that an expression puts in.
	byExpression = regexp.MustCompile(`(?:^|[;&|(]|\b(?:then|do|else|exec|eval|source|xargs|sudo|env|(?:ba|da|z|k)?sh|python[\d.]*|node|perl|ruby|php|pwsh)(?:[ \t]+-\S+)*[ \t])[ \t]*["']?\$\{\{`)
)

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
