package setup

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Project is what was found in a repository and beside it.
type Project struct {
	Git       bool
	Languages []Count // of the files, the most frequent first
	// GitHub says that its workflows run on GitHub, so far as its files and its remote tell.
	GitHub    bool
	Workflows []string // names of files in .github/workflows
	// OtherCI are the files of other systems that run its checks.
	OtherCI []string
	// SelfHosted and GPU say that one of its workflows asks for such a runner.
	SelfHosted, GPU bool
	PreCommit       bool // it uses pre-commit (https://pre-commit.com)
	// Agents are the coding agents that are used here, by name, with what shows it.
	Agents map[string]string
	// Editors are the editors whose settings are here or in the user's home folder, by name,
	// with what shows it.
	Editors map[string]string
}

// Count is how many files have a language.
type Count struct {
	Language gate.Language
	Files    int
}

// The bounds of looking: what lies beyond tells nothing new about how a project is built.
const (
	maxFiles = 20_000
	maxText  = 1 << 20 // bytes of a file that is read or edited
)

// A marker is a file or folder that shows who works here.
type marker struct{ name, path string }

// agentMarkers are in the project and, with the same name, in the user's home folder where
// home says so. Names are those of gate hook.
func agentMarkers() (project, home []marker) {
	project = []marker{
		{"claude", ".claude"}, {"claude", "CLAUDE.md"}, {"claude", ".mcp.json"},
		{"codex", ".codex"}, {"codex", "AGENTS.md"},
		{"cursor", ".cursor"}, {"cursor", ".cursorrules"},
		{"gemini", ".gemini"}, {"gemini", "GEMINI.md"},
		{"copilot", ".github/copilot-instructions.md"},
	}
	home = []marker{{"claude", ".claude"}, {"codex", ".codex"}, {"cursor", ".cursor"}, {"gemini", ".gemini"}, {"copilot", ".copilot"}}
	return project, home
}

// editorMarkers are likewise in the project and in the user's home folder.
func editorMarkers() (project, home []marker) {
	project = []marker{{"VS Code", ".vscode"}, {"JetBrains", ".idea"}, {"Zed", ".zed"}, {"Neovim", ".nvim.lua"}, {"Helix", ".helix"}}
	home = []marker{{"VS Code", ".vscode"}, {"Neovim", ".config/nvim"}, {"Helix", ".config/helix"}, {"Emacs", ".emacs.d"}, {"Emacs", ".config/emacs"}, {"Emacs", ".emacs"}}
	return project, home
}

func otherCI() []string {
	return []string{".gitlab-ci.yml", ".circleci/config.yml", "azure-pipelines.yml", "Jenkinsfile", ".travis.yml", "bitbucket-pipelines.yml", ".drone.yml", ".buildkite/pipeline.yml", ".woodpecker.yml"}
}

var (
	selfHosted = regexp.MustCompile(`(?m)^\s*runs-on:.*\bself-hosted\b`)
	gpuRunner  = regexp.MustCompile(`(?mi)^\s*runs-on:.*\bself-hosted\b.*\bgpu\b`)
	gitHubURL  = regexp.MustCompile(`(?m)^\s*url\s*=\s*\S*\bgithub\.com[:/]`)
)

// Look finds out what a project is made of. tree are its files, and home those of the user's
// home folder, nil for none; both are only read.
func Look(tree, home fs.FS) Project {
	p := Project{Agents: map[string]string{}, Editors: map[string]string{}}
	config, gitErr := readText(tree, ".git/config")
	p.Git = gitErr == nil || exists(tree, ".git")
	p.Languages = languages(tree)
	p.Workflows = workflows(tree)
	p.GitHub = exists(tree, ".github") || gitHubURL.Match(config)
	for _, name := range p.Workflows {
		text, err := readText(tree, path.Join(workflowFolder, name))
		if err != nil {
			continue // who cannot read it learns nothing from it
		}
		p.SelfHosted = p.SelfHosted || selfHosted.Match(text)
		p.GPU = p.GPU || gpuRunner.Match(text)
	}
	for _, name := range otherCI() {
		if exists(tree, name) {
			p.OtherCI = append(p.OtherCI, name)
		}
	}
	p.PreCommit = exists(tree, preCommitFile)
	agents, agentsOfUser := agentMarkers()
	editors, editorsOfUser := editorMarkers()
	mark(p.Agents, tree, "", agents)
	mark(p.Editors, tree, "", editors)
	if home != nil {
		mark(p.Agents, home, "~/", agentsOfUser)
		mark(p.Editors, home, "~/", editorsOfUser)
	}
	return p
}

// mark notes the first marker of each name.
func mark(found map[string]string, in fs.FS, prefix string, markers []marker) {
	for _, m := range markers {
		if found[m.name] == "" && exists(in, m.path) {
			found[m.name] = prefix + m.path
		}
	}
}

const workflowFolder = ".github/workflows"

func workflows(tree fs.FS) []string {
	entries, err := fs.ReadDir(tree, workflowFolder)
	if err != nil {
		return nil // there is none, or it tells nothing
	}
	var out []string
	for _, e := range entries {
		if ext := path.Ext(e.Name()); ext == ".yml" || ext == ".yaml" {
			out = append(out, e.Name())
		}
	}
	return out
}

// languages counts the files of each language, by their names.
func languages(tree fs.FS) []Count {
	counts := map[gate.Language]int{}
	left := maxFiles
	err := fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // a folder that can't be read has no languages
		case left == 0:
			return fs.SkipAll
		case e.IsDir() && slices.Contains([]string{".git", "node_modules", "vendor", ".venv", "venv", "third_party", "dist"}, e.Name()):
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		left--
		language, role := change.Classify(name, 0o644, nil)
		if role != gate.RoleDocs && language != "" && program(language) {
			counts[language]++
		}
		return nil
	})
	if err != nil {
		return nil
	}
	var out []Count
	for _, l := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, Count{l, counts[l]})
	}
	slices.SortStableFunc(out, func(a, b Count) int { return cmp.Compare(b.Files, a.Files) })
	return out
}

// program reports whether a language is one that programs are written in and that gate has
// rules of its own for.
func program(l gate.Language) bool {
	return slices.Contains([]gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageShell, gate.LanguageGo, gate.LanguageDockerfile, gate.LanguageMakefile, gate.LanguageNotebook}, l)
}

func exists(in fs.FS, name string) bool {
	_, err := fs.Stat(in, name)
	return err == nil
}

func readText(in fs.FS, name string) ([]byte, error) { return bounded.ReadFile(in, name, maxText) }
