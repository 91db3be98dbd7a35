package guard

import (
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// kind says how the values of a key are compared.
type kind int

const (
	unknown  kind = iota
	ignores       // true keeps a failure from counting
	when          // a condition: another one is a loss, none is not
	includes      // what it runs for: fewer are a loss, and some where there were all
	excludes      // what it doesn't run for: more are a loss
	events        // what starts a workflow of GitHub
	selects       // a regular expression over the names of files
	matrices      // fewer runs are a loss
	first         // the innermost value counts; see lostSetting
)

// kinds are the keys of CI systems and of hooks that say when a command runs and whether
// its failure counts.
//
//   - https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
//   - https://docs.gitlab.com/ci/yaml/
//   - https://learn.microsoft.com/azure/devops/pipelines/yaml-schema/
//   - https://buildkite.com/docs/pipelines/configure/step-types/command-step
//   - https://woodpecker-ci.org/docs/usage/workflow-syntax
//   - https://pre-commit.com/#creating-new-hooks and https://lefthook.dev/configuration/
func kinds() map[string]kind {
	return map[string]kind{
		"continue-on-error": ignores, "continueOnError": ignores, "allow_failure": ignores, "soft_fail": ignores, "failure": ignores,
		"ignore_error": ignores, "allow_failures": ignores, "skip": ignores,
		"if": when, "when": when, "rules": when, "condition": when, "workflow": when, "status": when, "preconditions": when, "enabled": when,
		"filters": when, "types_or": when, "types": when, "glob": when, "start_in": when, "inherit": when,
		"only": includes, "branches": includes, "paths": includes, "stages": includes, "default_stages": includes, "default_install_hook_types": includes, "trigger": includes, "pr": includes,
		"except": excludes, "branches-ignore": excludes, "paths-ignore": excludes, "exclude_types": excludes, "needs": excludes, "depends_on": excludes,
		"dependsOn": excludes, "ci": excludes,
		"on":      events,
		"exclude": selects, "files": selects,
		"strategy": matrices, "parallel": matrices,
		"shell": first, "working-directory": first, "working_directory": first, "root": first, "dir": first, "language": first, "pass_filenames": first,
	}
}

// lostSetting reports whether a setting that is above a command makes it run or fail
// less.
func lostSetting(key string, old, now []string) bool {
	if slices.Equal(old, now) {
		return false
	}
	switch kinds()[key] {
	case ignores:
		return len(added(old, harmful(now))) > 0
	case when:
		return len(added(old, limiting(now))) > 0
	case includes:
		if len(now) == 0 {
			return false
		}
		if len(old) == 0 {
			return !anyOf(now, "=pre-commit", "=commit", "=merge_requests", "=pull_requests")
		}
		return len(added(now, old)) > 0 || slices.ContainsFunc(added(old, now), func(l string) bool { return strings.Contains(l, "=!") })
	case excludes:
		return len(added(old, now)) > 0
	case events:
		return lostEvents(old, now)
	case selects:
		return seen(key, now) < seen(key, old)
	case matrices:
		return len(now) > 0 && (len(now) < len(old) || slices.ContainsFunc(added(old, now), func(l string) bool {
			return strings.HasSuffix(l, "=[]") || strings.Contains(l, ".exclude.")
		}))
	case first:
		return lostFirst(key, old, now)
	}
	return false
}

func anyOf(list []string, names ...string) bool {
	return slices.ContainsFunc(list, func(l string) bool { return slices.Contains(names, l) })
}

// harmful leaves out the values by which a failure counts.
func harmful(leaves []string) []string {
	return slices.DeleteFunc(slices.Clone(leaves), func(l string) bool {
		return anyOf([]string{strings.ToLower(l)}, "=false", "=no", "=off", "=fail", "=")
	})
}

// always matches conditions that hold.
var always = regexp.MustCompile(`^=(?:\$\{\{)?\s*(?:true|always\(\)|success\(\)|!\s*cancelled\(\)|succeeded\(\)|on_success|always|)\s*(?:\}\})?$`)

// limiting leaves out the conditions that always hold.
func limiting(leaves []string) []string {
	return slices.DeleteFunc(slices.Clone(leaves), always.MatchString)
}

// ran matches shells that run what they are given, and end when it fails.
var ran = regexp.MustCompile(`^=(?:(?:/usr)?/bin/)?(?:(?:bash|sh|zsh|dash)(?:(?: --?[\w-]+| pipefail)* -[a-z]*e[a-z]*(?: pipefail| --?[\w-]+)*(?: \{0\})?)?|pwsh|powershell|cmd)$`)

// lostFirst looks at the one value that counts.
func lostFirst(key string, old, now []string) bool {
	if key == "pass_filenames" {
		return anyOf(old, "=false")
	}
	if len(now) == 0 {
		return false
	}
	switch key {
	case "shell":
		return !ran.MatchString(now[0]) || strings.Contains(now[0], " -c") || strings.Contains(now[0], " -n")
	case "language":
		return now[0] == "=fail" || now[0] == "=pygrep"
	}
	return !anyOf(now, "=.", "=./", "=", "=${{ github.workspace }}")
}

// names are those of files as most repositories have them.
func names() []string {
	return []string{"README.md", "main.py", "src/app/index.js", "cmd/tool/main.go", "package.json", ".github/workflows/ci.yml", "scripts/build.sh", "Makefile"}
}

// seen counts the names that all expressions of a setting leave in.
func seen(key string, leaves []string) int {
	n := 0
	for _, name := range names() {
		in := true
		for _, l := range leaves {
			_, pattern, _ := strings.Cut(l, "=")
			re, err := regexp.Compile(pattern)
			if err != nil {
				return 0 // not an expression of Go: another one may leave anything out
			}
			in = in && re.MatchString(name) == (key == "files")
		}
		if in {
			n++
		}
	}
	return n
}

// usual are the activities of a pull request for which a workflow runs that names none.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request
func usual() []string { return []string{"opened", "synchronize", "reopened"} }

// forChanges are the events of a change that is not merged.
var forChanges = []string{"pull_request", "pull_request_target", "merge_group"}

// lostEvents compares what starts a workflow: leaves such as "=push" of a list and
// ".pull_request.branches=main" of a mapping.
func lostEvents(old, now []string) bool {
	was, is := eventsOf(old), eventsOf(now)
	gates := func(m map[string]map[string][]string) bool {
		return slices.ContainsFunc(forChanges, func(e string) bool { return m[e] != nil })
	}
	for _, event := range sorted(was) {
		if event == "workflow_dispatch" || !slices.Contains(forChanges, event) && gates(was) && gates(is) {
			continue
		}
		filters, ok := is[event]
		if !ok && event == "pull_request" {
			filters, ok = is["pull_request_target"] // which is a finding of its own
		}
		if !ok {
			return true
		}
		for _, key := range sortedKeys(was[event], filters) {
			if lostFilter(key, was[event][key], filters[key]) {
				return true
			}
		}
	}
	return false
}

func lostFilter(key string, old, now []string) bool {
	switch {
	case strings.HasSuffix(key, "-ignore"):
		return len(added(old, now)) > 0
	case key == "types":
		if len(old) == 0 {
			old = usual()
		}
		if len(now) == 0 {
			now = usual()
		}
		return len(added(now, old)) > 0
	case len(now) == 0 || slices.Contains(now, "**"):
		return false
	case len(old) == 0:
		return true
	}
	return len(added(now, old)) > 0 || slices.ContainsFunc(added(old, now), func(v string) bool { return strings.HasPrefix(v, "!") })
}

func eventsOf(leaves []string) map[string]map[string][]string {
	out := map[string]map[string][]string{}
	for _, l := range leaves {
		keys, v, _ := strings.Cut(l, "=")
		event, filter, _ := strings.Cut(strings.TrimPrefix(keys, "."), ".")
		if event == "" {
			event, v = v, ""
		}
		if out[event] == nil {
			out[event] = map[string][]string{}
		}
		if filter != "" {
			out[event][filter] = append(out[event][filter], v)
		}
	}
	return out
}
