package arch

import (
	"fmt"
	"slices"
	"strings"
)

// Place is a file or a folder that the project has to have.
type Place struct {
	Path string // from the root, without a slash at the end
	For  string // what it is for, in one phrase
	// Plain is a place that needs no explanation to a contributor: every project has
	// one, or a page of its own explains it.
	Plain bool
}

// Layout returns what the project is made of, in the order in which a reader meets
// it. CONTRIBUTING.md shows it; each folder's own comment says more.
func Layout() []Place {
	return []Place{
		{Path: "action.yml", For: "the composite action: install gate, run `gate pr`"},
		{Path: "Dockerfile", For: "an image that carries gate, for other CI systems"},
		{Path: "cmd/gate", For: "the command line: flags, wiring and exit codes"},
		{Path: "gate", For: "the vocabulary and the pipeline; standard library only"},
		{Path: "gate/engine", For: "options to result: the order of a run, written once"},
		{Path: "gate/change", For: "which files and lines changed: git, pull request, folder"},
		{Path: "gate/attribution", For: "which changes an AI wrote, and the evidence"},
		{Path: "gate/source", For: "text read once: tokens, strings, comments, embedded code"},
		{Path: "gate/static", For: "layer 1: rules, decoding, constants, data flow"},
		{Path: "gate/judge", For: "layer 2: a local model, its answers checked"},
		{Path: "gate/execute", For: "layer 3: what runs in containers, and what it did there"},
		{Path: "gate/action", For: "GitHub: from the event to what is published"},
		{Path: "gate/lab", For: "attacks, corpora and comparisons that measure gate"},
		{Path: "gate/agent", For: "programs that a model writes for a task"},
		{Path: "gate/hook", For: "answers to the hooks of coding agents and of git"},
		{Path: "gate/mcp", For: "the Model Context Protocol: gate for coding agents at work"},
		{Path: "gate/lsp", For: "the Language Server Protocol: findings in the editor"},
		{Path: "gate/workspace", For: "the files of a session, as one file"},
		{Path: "gate/skill", For: "skills: their front matter and files"},
		{Path: "gate/policy", For: ".gate.yml: keys, defaults, errors with their place"},
		{Path: "gate/suppress", For: "findings that were accepted: comments, baseline"},
		{Path: "gate/cache", For: "results kept from one run to the next"},
		{Path: "gate/fork", For: "two results about the pull request of a fork, joined"},
		{Path: "gate/shard", For: "one run on several machines"},
		{Path: "gate/rate", For: "how many sandbox runs an hour may have"},
		{Path: "gate/deps", For: "images with the dependencies of the base"},
		{Path: "gate/doctor", For: "what this machine has for a run, and what it lacks"},
		{Path: "gate/rulebook", For: "the rules of all layers, for people"},
		{Path: "gate/exit", For: "exit codes as typed errors"},
		{Path: "gate/locks", For: "what lock files name"},
		{Path: "gate/glob", For: "the one dialect of globs"},
		{Path: "gate/lazyregexp", For: "expressions compiled when they are first used"},
		{Path: "gate/hosts", For: "which hosts the base names"},
		{Path: "gate/strict", For: "YAML read strictly"},
		{Path: "gate/bounded", For: "at most N bytes of a file"},
		{Path: "gate/atomicfile", For: "a file is written in one step"},
		{Path: "gate/exchange", For: "files between a folder and a program in the sandbox"},
		{Path: "gate/printable", For: "hostile text on a terminal"},
		{Path: "sandbox", For: "one hostile program in one container: Spec in, Result out"},
		{Path: "sandbox/supervisor", For: "the first process in a container; records and plays the internet"},
		{Path: "sandbox/images", For: "Dockerfiles of the images that code runs in"},
		{Path: "report", For: "one handler for each output format"},
		{Path: "report/github", For: "comment, check run, annotations, code scanning"},
		{Path: "fixtures", For: "labelled attacks, corpora and the demo; most are not disarmed"},
		{Path: "docs", For: "user documentation, one page a task"},
		{Path: "tools", For: "what builds and tests the project"},
		{Path: ".github", For: "CI, release and nightly; gate runs on itself"},
		{Path: ".ci", For: "what CI runs, for any CI system"},

		{Path: "README.md", Plain: true},
		{Path: "CONTRIBUTING.md", Plain: true},
		{Path: "CHANGELOG.md", Plain: true},
		{Path: "SECURITY.md", Plain: true},
		{Path: "LICENSE", Plain: true},
		{Path: "Makefile", Plain: true},
		{Path: "go.mod", Plain: true},
		{Path: "go.sum", Plain: true},
		{Path: ".golangci.yml", Plain: true},
		{Path: ".pre-commit-hooks.yaml", Plain: true},
		{Path: ".dockerignore", Plain: true},
		{Path: ".editorconfig", Plain: true},
		{Path: ".gitattributes", Plain: true},
		{Path: ".gitignore", Plain: true},
	}
}

// CheckLayout compares the layout with the paths of all files of the checkout: every
// place exists, and nothing at the top level is missing from the layout.
func CheckLayout(layout []Place, files []string) []string {
	var wrong []string
	for _, p := range layout {
		if !slices.ContainsFunc(files, func(f string) bool { return under(f, p.Path) }) {
			wrong = append(wrong, fmt.Sprintf("%s is missing: %s", p.Path, p.For))
		}
		if !p.Plain && p.For == "" {
			wrong = append(wrong, fmt.Sprintf("%s: the layout does not say what it is for", p.Path))
		}
	}
	var top []string
	for _, f := range files {
		name, _, _ := strings.Cut(f, "/")
		top = append(top, name)
	}
	slices.Sort(top)
	for _, name := range slices.Compact(top) {
		if !slices.ContainsFunc(layout, func(p Place) bool { return under(p.Path, name) }) {
			wrong = append(wrong, fmt.Sprintf("%s is at the top level and the layout of tools/arch does not say what it is for", name))
		}
	}
	return wrong
}

// Where returns the layout as CONTRIBUTING.md shows it: an indented block with one
// line for each place that is not plain.
func Where(layout []Place) string {
	width := 0
	for _, p := range layout {
		if !p.Plain {
			width = max(width, len(p.Path))
		}
	}
	var b strings.Builder
	for _, p := range layout {
		if !p.Plain {
			fmt.Fprintf(&b, "    %-*s  %s\n", width, p.Path, p.For)
		}
	}
	return b.String()
}

// whereBegin and whereEnd are the marks of the layout in CONTRIBUTING.md.
const whereBegin, whereEnd = "<!-- layout: generated -->\n", "<!-- /layout -->\n"

// CheckWhere returns what is wrong with the page that shows the layout, and the
// page as it should be; "" where it has no place for it.
func CheckWhere(layout []Place, page string) (wrong []string, want string) {
	before, rest, ok := strings.Cut(page, whereBegin)
	_, after, ok2 := strings.Cut(rest, whereEnd)
	if !ok || !ok2 {
		return []string{fmt.Sprintf("CONTRIBUTING.md has no place for the layout, between %q and %q", strings.TrimSpace(whereBegin), strings.TrimSpace(whereEnd))}, ""
	}
	want = before + whereBegin + "\n" + Where(layout) + "\n" + whereEnd + after
	if want != page {
		wrong = append(wrong, "CONTRIBUTING.md does not show the layout of tools/arch; run: go generate ./tools/arch")
	}
	return wrong, want
}
