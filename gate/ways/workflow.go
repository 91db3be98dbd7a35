package ways

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxSteps bounds the steps that are read of one workflow.
const maxSteps = 500

// workflow is the part of a workflow of GitHub that says what runs.
type workflow struct {
	Env      map[string]any `yaml:"env"`
	Defaults defaults       `yaml:"defaults"`
	Jobs     map[string]struct {
		Env      map[string]any `yaml:"env"`
		Defaults defaults       `yaml:"defaults"`
		Steps    []struct {
			Run   string         `yaml:"run"`
			Shell string         `yaml:"shell"`
			Dir   string         `yaml:"working-directory"`
			Env   map[string]any `yaml:"env"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

type defaults struct {
	Run struct {
		Dir string `yaml:"working-directory"`
	} `yaml:"run"`
}

// workflowCommands are the commands of the steps of a workflow, job by job.
func workflowCommands(text string) []Command {
	var doc yaml.Node
	if len(text) > maxFile || yaml.Unmarshal([]byte(text), &doc) != nil || aliases(&doc) {
		return nil // an alias may stand for more than fits
	}
	var w workflow
	if doc.Decode(&w) != nil {
		return nil
	}
	var out []Command
	steps := 0
	for _, name := range slices.Sorted(maps.Keys(w.Jobs)) {
		job := w.Jobs[name]
		for _, step := range job.Steps {
			if steps++; steps > maxSteps {
				return out
			}
			if step.Shell != "" && !strings.Contains(step.Shell, "sh") || step.Shell == "pwsh" || step.Shell == "powershell" {
				continue
			}
			dir := Below("", or(step.Dir, or(job.Defaults.Run.Dir, or(w.Defaults.Run.Dir, "."))))
			env := slices.Concat(plain(w.Env), plain(job.Env), plain(step.Env))
			for _, c := range Split(here.Replace(step.Run)) {
				if len(out) >= maxSteps {
					return out
				}
				c.Dir, c.Env = Below(dir, c.Dir), slices.Concat(env, c.Env)
				out = append(out, c)
			}
		}
	}
	return out
}

// plain are the variables of a table that are texts as they are.
func plain(table map[string]any) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		switch v := table[name].(type) {
		case string, int, bool, float64:
			if text := here.Replace(fmt.Sprint(v)); !strings.Contains(text, "${{") && len(out) < maxWords {
				out = append(out, name+"="+text)
			}
		}
	}
	return out
}

// aliases reports whether a document has any.
func aliases(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, aliases)
}
