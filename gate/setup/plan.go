package setup

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/hook"
)

// The folders that edits name.
const (
	InProject = "project" // the root of the repository
	InHome    = "home"    // the user's home folder
)

// The parts of a plan, as the flag --only names them.
const (
	PartPolicy    = "policy"
	PartWorkflow  = "workflow"
	PartPreCommit = "pre-commit"
	PartGitHooks  = "git-hooks"
	PartMCP       = "mcp"
	PartHooks     = "hooks"
)

// Parts are all parts of a plan.
func Parts() []string {
	return []string{PartPolicy, PartWorkflow, PartPreCommit, PartGitHooks, PartMCP, PartHooks}
}

// The workflows that a plan can have.
const (
	WorkflowHosted = "hosted" // GitHub's own runners: static rules and the sandbox
	WorkflowGPU    = "gpu"    // runners of your own: all three layers
)

// Options are what a user may choose. Plan checks them.
type Options struct {
	Only     []string // the parts; none is all
	Agents   []string // none is those that were found
	Workflow string   // "" is what fits the runners that the project uses
	// Pin is the commit of gate that workflows name, as 40 hexadecimal digits, and Version
	// what it is called. Without a commit there is no workflow and no entry for pre-commit.
	Pin, Version string
	// Program is the absolute path of gate.
	Program string
}

// Edit is one file of a plan.
type Edit struct {
	In   string      `json:"in"`   // InProject or InHome
	Path string      `json:"path"` // below it, with slashes
	What string      `json:"what"` // in a few words
	Mode fs.FileMode `json:"mode"` // of a new file
	// Existed says that the file was there, with the content Before; After is what it will have.
	Existed bool   `json:"existed"`
	Before  []byte `json:"before,omitempty"`
	After   []byte `json:"after,omitempty"`
	// Added is what a JSON document got, and Block the lines that another text got, so that
	// they can be taken away again when others have changed the file as well.
	Added map[string]any `json:"added,omitempty"`
	Block string         `json:"block,omitempty"`
	// Pieces are the strings that a JSON text got, in the order in which they were put there.
	Pieces []string `json:"pieces,omitempty"`
	// Folders are those that were made for it, the deepest first.
	Folders []string `json:"folders,omitempty"`
	// Left says why nothing is written, "" where it is; ByHand is then the text to put there.
	Left   string `json:"-"`
	ByHand string `json:"-"`
	// Next is what is left for the user to do once it is written, "" for nothing.
	Next string `json:"-"`
}

// Name is the path as people write it.
func (e Edit) Name() string {
	if e.In == InHome {
		return "~/" + e.Path
	}
	return e.Path
}

// Folders are the folders that edits are in. Home is nil where there is none.
type Folders struct {
	Project, Home fs.FS
	// Same says that both are one folder: the user's home folder is a repository.
	Same bool
}

func (f Folders) of(in string) fs.FS {
	if in == InHome {
		return f.Home
	}
	return f.Project
}

// planner collects the edits.
type planner struct {
	p       Project
	o       Options
	folders Folders
	edits   []Edit
}

// Plan says which files become what. The error is that of an option.
func Plan(p Project, folders Folders, o Options) ([]Edit, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	all := &planner{p: p, o: o, folders: folders}
	for _, part := range []struct {
		name string
		plan func()
	}{
		{PartPolicy, all.policy}, {PartWorkflow, all.workflow}, {PartPreCommit, all.preCommit},
		{PartGitHooks, all.gitHooks}, {PartMCP, all.servers}, {PartHooks, all.hooks},
	} {
		if len(o.Only) == 0 || slices.Contains(o.Only, part.name) {
			part.plan()
		}
	}
	return all.edits, nil
}

func (o *Options) check() error {
	for _, part := range o.Only {
		if !slices.Contains(Parts(), part) {
			return exit.Usagef("--only: %q is no part (one of %s)", part, strings.Join(Parts(), ", "))
		}
	}
	for _, agent := range o.Agents {
		if agent != "none" && !slices.Contains(hook.Names(), agent) {
			return exit.Usagef("--agents: %q is no agent that gate knows (none, or some of %s)", agent, strings.Join(hook.Names(), ", "))
		}
	}
	if !slices.Contains([]string{"", WorkflowHosted, WorkflowGPU}, o.Workflow) {
		return exit.Usagef("--workflow is %s or %s, not %q", WorkflowHosted, WorkflowGPU, o.Workflow)
	}
	if o.Pin != "" && (len(o.Pin) != 40 || strings.Trim(o.Pin, "0123456789abcdef") != "") {
		return exit.Usagef("--pin is a commit of gate, 40 hexadecimal digits, not %q", o.Pin)
	}
	return nil
}

// agents are those whose settings are planned, in the order in which pages show them.
func (all *planner) agents() []hook.Tool {
	return slices.DeleteFunc(hook.Tools(), func(t hook.Tool) bool {
		if len(all.o.Agents) > 0 {
			return !slices.Contains(all.o.Agents, t.Name)
		}
		return all.p.Agents[t.Name] == ""
	})
}

// create plans a file that must not be there yet.
func (all *planner) create(e Edit, text []byte) {
	e.After, e.Mode = text, cmp.Or(e.Mode, 0o644)
	switch have, err := readPlain(all.folders.of(e.In), e.Path); {
	case errors.Is(err, fs.ErrNotExist):
	case err == nil && bytes.Equal(have, text):
		e.Left = fileThere
	case err == nil:
		e.Left, e.ByHand = "it is there, with something else in it", string(text)
	default:
		e.Left, e.ByHand = said(err), string(text)
	}
	all.edits = append(all.edits, e)
}

// merge plans what a JSON file gets: the text as it is, or what it lacks of its content.
func (all *planner) merge(e Edit, text string) {
	e.Mode = 0o644
	want, err := objectIn([]byte(text))
	if err != nil {
		e.Left = said(err)
		all.edits = append(all.edits, e)
		return
	}
	have, err := all.present(e)
	if errors.Is(err, fs.ErrNotExist) {
		e.Added = want
		all.create(e, []byte(text))
		return
	}
	e.Existed, e.Before = true, have
	if err == nil {
		var m merged
		m, err = mergeJSON(have, want)
		e.After, e.Added, e.Pieces = m.text, m.added, m.pieces
	}
	switch {
	case err != nil:
		e.Left, e.ByHand = said(err), text
	case e.Added == nil:
		e.Left = partThere
	}
	all.edits = append(all.edits, e)
}

// present is what a file will have when its turn comes: where the project is the home folder, an
// edit of the one may come before an edit of the other.
func (all *planner) present(e Edit) ([]byte, error) {
	for _, before := range slices.Backward(all.edits) {
		if all.folders.Same && before.Path == e.Path && before.Left == "" {
			return before.After, nil
		}
	}
	return readPlain(all.folders.of(e.In), e.Path)
}

// extend plans a block that a text gets.
func (all *planner) extend(e Edit, add func(text []byte) ([]byte, string, error), byHand string) {
	have, err := readPlain(all.folders.of(e.In), e.Path)
	e.Mode, e.Existed, e.Before = 0o644, true, have
	if errors.Is(err, fs.ErrNotExist) {
		e.Existed, err = false, nil
	}
	if err == nil {
		e.After, e.Block, err = add(have)
	}
	switch {
	case err != nil:
		e.Left, e.ByHand = said(err), byHand
	case e.Block == "":
		e.Left = partThere
	}
	all.edits = append(all.edits, e)
}

// said is an error without the file that it is about, which is named beside it.
func said(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return err.Error()
}

//go:embed policy.yml
var policyText []byte

func (all *planner) policy() {
	all.create(Edit{In: InProject, Path: ".gate.yml", What: "the policy: what has to complete, and what blocks"}, policyText)
}

//go:embed workflows
var workflowTexts embed.FS

// unpinned is how the examples name gate.
const unpinned = "aigate/gate@main # pin the commit of a release"

func (all *planner) workflow() {
	name := all.o.Workflow
	switch {
	case name == "" && !all.p.GitHub:
		all.edits = append(all.edits, Edit{
			In: InProject, Path: path.Join(workflowFolder, "gate.yml"), What: "the workflow",
			Left: "nothing here says that the project is on GitHub (no .github folder, no remote there); --workflow hosted writes it anyway",
		})
		return
	case name == "" && all.p.GPU:
		name = WorkflowGPU
	case name == "":
		name = WorkflowHosted
	}
	e := Edit{
		In: InProject, Path: path.Join(workflowFolder, "gate.yml"), What: "the workflow: each pull request goes through gate",
		Next: "require the check \"gate\" in a ruleset of the default branch (docs/action.md)",
	}
	if all.o.Pin == "" {
		e.Left = "this gate does not know the commit it was built from; name one with --pin"
		all.edits = append(all.edits, e)
		return
	}
	file := map[string]string{WorkflowHosted: "hosted.yml", WorkflowGPU: "self-hosted-gpu.yml"}[name]
	text, err := workflowTexts.ReadFile("workflows/" + file)
	if err != nil {
		e.Left = said(err)
		all.edits = append(all.edits, e)
		return
	}
	all.create(e, bytes.ReplaceAll(text, []byte(unpinned), []byte("aigate/gate@"+all.pin())))
}

// pin is the commit, with its name in a comment.
func (all *planner) pin() string {
	if all.o.Version == "" {
		return all.o.Pin
	}
	return all.o.Pin + " # " + all.o.Version
}

const preCommitFile = ".pre-commit-config.yaml"

func (all *planner) preCommit() {
	if !all.p.PreCommit {
		return
	}
	e := Edit{In: InProject, Path: preCommitFile, What: "pre-commit: each commit goes through the static rules"}
	if all.o.Pin == "" {
		e.Left = "this gate does not know the commit it was built from; name one with --pin"
		all.edits = append(all.edits, e)
		return
	}
	entry := func(indent string) string {
		return indent + "- repo: https://github.com/aigate/gate\n" + indent + "  rev: " + all.pin() + "\n" + indent + "  hooks:\n" + indent + "    - id: gate\n"
	}
	all.extend(e, func(text []byte) ([]byte, string, error) { return addRepo(text, entry) }, entry("  "))
}

// gitHooks plans git's own hooks, where no other program keeps them.
func (all *planner) gitHooks() {
	if !all.p.Git || all.p.PreCommit {
		return
	}
	for _, name := range []string{"pre-commit", "pre-push"} {
		e := Edit{In: InProject, Path: ".git/hooks/" + name, What: "git's hook " + name + ", for this clone", Mode: 0o755}
		args := ""
		if name == "pre-push" {
			args = ` "$@"`
		}
		text := "#!/bin/sh\nexec " + shellWord(all.o.Program) + " hook git " + name + args + "\n"
		if why := all.keptElsewhere(); why != "" {
			e.Left, e.ByHand = why, text
			all.edits = append(all.edits, e)
			continue
		}
		all.create(e, []byte(text))
	}
}

// keptElsewhere names what else manages git's hooks, "" for nothing.
func (all *planner) keptElsewhere() string {
	for _, manager := range []string{".husky", "lefthook.yml", ".lefthook.yml", ".overcommit.yml"} {
		if exists(all.folders.Project, manager) {
			return manager + " keeps git's hooks"
		}
	}
	config, err := readText(all.folders.Project, ".git/config")
	switch {
	case err != nil:
		return "this is a linked work tree, whose hooks are those of its repository"
	case bytes.Contains(bytes.ToLower(config), []byte("hookspath")):
		return "the repository keeps its hooks elsewhere (core.hooksPath)"
	}
	return ""
}

// shellWord quotes a path for a shell.
func shellWord(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// servers plans `gate mcp` in the settings of agents and editors.
func (all *planner) servers() {
	// These files are the project's, so they name gate as every machine finds it.
	server := func(root string) string {
		return `{
  "mcpServers": {
    "gate": {"command": "gate", "args": ["mcp", "--root", "` + root + `"]}
  }
}
`
	}
	for _, t := range all.agents() {
		what := "gate mcp for " + t.Title + ": it scans its own change, and runs code in containers"
		switch t.Name {
		case "claude":
			all.merge(Edit{In: InProject, Path: ".mcp.json", What: what}, server("."))
		case "cursor":
			all.merge(Edit{In: InProject, Path: ".cursor/mcp.json", What: what}, server("${workspaceFolder}"))
		case "gemini":
			all.merge(Edit{In: InProject, Path: ".gemini/settings.json", What: what}, server("."))
		case "codex":
			table := "[mcp_servers.gate]\ncommand = " + tomlString(all.o.Program) + "\nargs = [\"mcp\", \"--root\", \".\"]\ntool_timeout_sec = 300\n"
			add := func(text []byte) ([]byte, string, error) {
				return addTable(text, []string{"mcp_servers", "gate"}, table)
			}
			if all.folders.Home != nil {
				all.extend(Edit{In: InHome, Path: ".codex/config.toml", What: what}, add, table)
			}
		}
	}
}

// tomlString quotes a path; the program's path has no control characters.
func tomlString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// hooks plans `gate hook` in the user's own settings, where an agent does not work.
func (all *planner) hooks() {
	if all.folders.Home == nil {
		return
	}
	files := map[string]string{
		"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "cursor": ".cursor/hooks.json",
		"gemini": ".gemini/settings.json", "copilot": ".copilot/hooks/gate.json",
	}
	for _, t := range all.agents() {
		e := Edit{In: InHome, Path: files[t.Name], What: "gate hook for " + t.Title + ": what it is about to do goes through the static rules, in every project"}
		if t.Name == "codex" {
			e.Next = "trust the new hooks in Codex with /hooks"
		}
		all.merge(e, t.Settings(all.o.Program))
	}
}

// Why an edit has nothing to write: an earlier one did it.
const (
	fileThere = "it is there already"
	partThere = "it has that already"
)

// There reports whether the file has everything that the edit would add.
func (e Edit) There() bool { return e.Left == fileThere || e.Left == partThere }

// Steps are what is left to do once edits are written.
func Steps(edits []Edit) []string {
	var out []string
	project := map[string]bool{}
	for _, e := range edits {
		if e.Left != "" {
			continue
		}
		if e.In == InProject && !strings.HasPrefix(e.Path, ".git/") {
			project[e.Path] = true
		}
	}
	if len(project) > 0 {
		out = append(out, fmt.Sprintf("commit %s", strings.Join(slices.Sorted(maps.Keys(project)), ", ")))
	}
	for _, e := range edits {
		if e.Next != "" && (e.Left == "" || e.There()) {
			out = append(out, e.Next)
		}
	}
	return append(out, "gate doctor says what the layers still need on this machine")
}
