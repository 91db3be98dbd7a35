package ways

import (
	"slices"
	"strings"
)

// Package is a package of a workspace of npm, pnpm, Yarn or Bun.
type Package struct {
	Dir     string // from the root of the workspace
	Name    string
	Scripts Scripts
	Needs   []string // names of packages that it depends on
}

// Workspace are the packages of one.
type Workspace []Package

// InOrder are the packages, each behind those of the workspace that it depends on; of
// packages that depend on each other, the one that is named first comes first.
func (w Workspace) InOrder() Workspace {
	at := map[string]int{}
	for i, p := range w {
		if _, ok := at[p.Name]; !ok {
			at[p.Name] = i
		}
	}
	var out Workspace
	seen := make([]bool, len(w))
	var visit func(i int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		for _, name := range w[i].Needs {
			if n, ok := at[name]; ok {
				visit(n)
			}
		}
		out = append(out, w[i])
	}
	for i := range w {
		visit(i)
	}
	return out
}

// of are the packages that a filter names; a filter that is not the name or the folder of
// one stands for all of them.
func (w Workspace) of(filter string) Workspace {
	i := slices.IndexFunc(w, func(p Package) bool {
		return filter == p.Name || strings.TrimSuffix(strings.TrimPrefix(filter, "./"), "/") == p.Dir
	})
	if filter == "" || i < 0 {
		return w
	}
	return w[i : i+1]
}

// makes is how the names of scripts begin that make files which tests of other packages need.
var makes = []string{"build", "compile", "prebuild", "generate", "codegen", "bundle", "dist", "prepare"}

// through is the script that a command runs in the packages of a workspace, and the filter of
// those; ok is false for another command, and for scripts that make no files.
func through(words []string) (script, filter string, ok bool) {
	var plain []string // without options
	target, all := "", false
	for i := 1; i < len(words); i++ {
		name, value, joined := strings.Cut(words[i], "=")
		next := func() string {
			if !joined && i+1 < len(words) {
				i++
				value = words[i]
			}
			return value
		}
		switch {
		case !strings.HasPrefix(name, "-"):
			plain = append(plain, words[i])
		case name == "--":
			i = len(words)
		case slices.Contains([]string{"-r", "--recursive", "--workspaces", "-ws"}, name):
			all = true
		case slices.Contains([]string{"--filter", "-F", "--workspace", "--scope", "--projects"}, name), words[0] == "npm" && name == "-w", words[0] == "nx" && name == "-p":
			filter, all = next(), true
		case slices.Contains([]string{"-t", "--target", "--targets"}, name) && words[0] == "nx":
			target, _, _ = strings.Cut(next(), ",")
		case slices.Contains([]string{"--concurrency", "-j", "--jobs", "--parallel"}, name) && words[0] != "pnpm" && !joined && i+1 < len(words) && strings.Trim(words[i+1], "0123456789%") == "":
			i++
		}
	}
	skip := func(names ...string) {
		for len(plain) > 0 && slices.Contains(names, plain[0]) {
			plain = plain[1:]
		}
	}
	switch words[0] {
	case "turbo", "lerna":
		skip("run")
		all = true
	case "nx":
		skip("run-many", "affected")
		plain, all = append([]string{target}, plain...), true
	case "yarn":
		switch {
		case len(plain) > 2 && plain[0] == "workspace":
			filter, plain, all = plain[1], plain[2:], true
		case len(plain) > 1 && plain[0] == "workspaces":
			plain, all = plain[1:], true
			skip("foreach")
		}
		skip("run")
	case "npm", "pnpm", "bun":
		skip("run", "run-script", "multi")
	default:
		return "", "", false
	}
	if !all || len(plain) == 0 || !slices.ContainsFunc(makes, func(m string) bool { return strings.HasPrefix(plain[0], m) }) {
		return "", "", false
	}
	return plain[0], filter, true
}

// inPackages follows a script in packages of the workspace. It reports whether one has it.
func (c *chain) inPackages(cmd Command, depth int) bool {
	script, filter, ok := through(cmd.Words)
	if !ok || cmd.Dir != "" {
		return false
	}
	scripts, packages, found := c.scripts, c.packages, false
	for _, p := range packages.of(filter) {
		if p.Scripts[script] == "" {
			continue
		}
		found = true
		c.scripts, c.packages = p.Scripts, nil // what a package calls is its own
		c.follow(script, cmd.Env, p.Dir, nil, depth+1)
	}
	c.scripts, c.packages = scripts, packages
	return found
}
