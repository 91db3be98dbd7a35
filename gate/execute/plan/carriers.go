package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/embedded"
)

// Files that are no programs hold commands that other programs run: steps of workflows,
// settings of editors and hooks, cells of notebooks.

// maxEmbedded bounds the pieces of one file that are run.
const maxEmbedded = 20

// carries reports whether a file may hold commands that run as they are.
func carries(t *gate.Target) bool {
	switch t.Language {
	case gate.LanguageWorkflow, gate.LanguageNotebook:
		return true
	case gate.LanguageYAML, gate.LanguageJSON, gate.LanguageTOML, gate.LanguageINI:
		return carrierName.MatchString(t.Path)
	}
	return false
}

var carrierName = regexp.MustCompile(`(?i)(^|/)(\.pre-commit-config\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci/config\.ya?ml|azure-pipelines\.ya?ml|action\.ya?ml|Taskfile\.ya?ml|lefthook\.ya?ml|\.(?:vscode|zed)/\w+\.json|devcontainer\.json|composer\.json|\.lintstagedrc(\.json)?|pyproject\.toml|tox\.ini|setup\.cfg|mise\.toml)$`)

// embeddedCode plans what a file holds that is no program itself. It reports whether there is
// something.
func embeddedCode(p *planner, t *gate.Target) bool {
	if !carries(t) || !p.tree.Has(t.Path) {
		return false
	}
	var shell, python []string
	for _, r := range embedded.Extract(t.Language, t.Path, []byte(p.tree.Text(t.Path))) {
		if r.Guessed || len(r.Lines) == 0 || len(shell)+len(python) >= maxEmbedded {
			continue
		}
		// Cells of a notebook need those in front of them.
		if t.Language != gate.LanguageNotebook && !slices.ContainsFunc(r.Lines, func(n int) bool { return t.Lines.Touches(n, n) }) {
			continue
		}
		switch r.Language {
		case gate.LanguageShell:
			shell = append(shell, filled(string(r.Text)))
		case gate.LanguagePython:
			python = append(python, withoutMagic(string(r.Text)))
		}
	}
	if len(shell) > 0 {
		p.add(Unit{
			Kind: Hook, Targets: []string{t.Path}, Recipe: true,
			Job: job.Job{Image: gate.LanguageShell, Program: job.Lines{Name: "commands", Each: shell}},
		})
	}
	if len(python) > 0 {
		name := "gate_cells.py"
		p.add(Unit{
			Kind: Script, Targets: []string{t.Path}, Extra: []workspace.File{{Path: name, Data: []byte(strings.Join(python, "\n"))}},
			Job: pythonJob(job.RunFile, name, rootsIn(p.tree, []string{"", "src", workspace.Parent(t.Path)})),
		})
	}
	return len(shell)+len(python) > 0
}

var (
	secretField = regexp.MustCompile(`\$\{\{\s*(?:secrets|github)\.\w*(?i:token|pat|secret|password|key)\w*\s*\}\}`)
	otherField  = regexp.MustCompile(`\$\{\{[^}]*\}\}`)
	magicLine   = regexp.MustCompile(`(?m)^(\s*)[%!].*$`)
)

// filled puts values in the place of the fields of a workflow: a planted secret for a secret.
func filled(text string) string {
	return otherField.ReplaceAllString(secretField.ReplaceAllString(text, "$${GITHUB_TOKEN}"), job.Given)
}

// withoutMagic is a cell without the commands of the notebook itself, and goes on where it fails.
func withoutMagic(text string) string {
	text = magicLine.ReplaceAllString(text, "${1}pass")
	return fmt.Sprintf("try:\n    exec(compile(%q, \"cell\", \"exec\"), globals())\nexcept Exception as error:\n    print(error)\n", text)
}

// goals are the targets of a Makefile whose recipes or lines the change edits, behind the
// default one, which is "" where only that runs.
func goals(text string, changed gate.LineSet) []string {
	var first string
	var out []string
	name, from := "", 0
	lines := strings.Split(text, "\n")
	end := func(to int) {
		if name != "" && name != first && changed.Touches(from, to) && !slices.Contains(out, name) && len(out) < maxEmbedded {
			out = append(out, name)
		}
	}
	for i, line := range lines {
		m := makeRule.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		end(i)
		name, from = m[1], i+1
		if first == "" {
			first = name
		}
	}
	end(len(lines))
	if len(out) > 0 {
		out = append([]string{first}, out...)
	}
	return out
}

var makeRule = regexp.MustCompile(`^([A-Za-z0-9][\w./-]*)\s*::?(?:[^=]|$)`)

// editedScripts runs the scripts of a package.json that the change edits and that neither an
// installer nor the tests run.
func editedScripts(p *planner, file string, m Manifest) bool {
	dir, changed := workspace.Parent(file), p.targets[file].Lines
	if changed.All() {
		return false // those of a new package are run by what calls them
	}
	found := false
	for i, line := range strings.Split(p.tree.Text(file), "\n") {
		key := scriptKey.FindStringSubmatch(line)
		if key == nil || !changed.Touches(i+1, i+1) || m.Scripts[key[1]] == "" || slices.Contains(installScripts, key[1]) || testScript.MatchString(key[1]) {
			continue
		}
		script := npmScripts(m.Scripts, "pre"+key[1], key[1], "post"+key[1])
		p.add(Unit{
			Kind: Script, Targets: []string{file}, Dir: dir,
			Job: job.Job{Image: gate.LanguageJavaScript, Program: job.Node{Command: []string{"sh", "-c", script}, Env: npmEnv(dir, m, path.Base(key[1]))}},
		})
		found = true
	}
	return found
}

var (
	scriptKey  = regexp.MustCompile(`^\s*"([\w:.-]+)"\s*:\s*"`)
	testScript = regexp.MustCompile(`^(?:pre|post)?test$`)
)
