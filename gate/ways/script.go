package ways

import (
	"path"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// maxDepth bounds how scripts call each other.
const maxDepth = 4

// Scripts are the scripts of a package, by name, as its package.json has them.
type Scripts map[string]string

// Chain are the commands that a script comes to, with those of the scripts that it calls
// in their place, in the order in which they are written.
func (s Scripts) Chain(names ...string) []Command { return s.ChainIn(nil, names...) }

// ChainIn does that for the root of a workspace, whose packages are in the order in which they
// are built: scripts that make files in all of them are followed as well.
func (s Scripts) ChainIn(w Workspace, names ...string) []Command {
	c := chain{scripts: s, packages: w}
	for _, name := range names {
		c.follow(name, nil, "", nil, 0)
	}
	return c.out
}

type chain struct {
	scripts  Scripts
	packages Workspace
	out      []Command
	followed int // scripts
}

// maxFollowed bounds how many scripts are followed: each may call all others.
const maxFollowed = 500

func (c *chain) follow(name string, env []string, dir string, args []string, depth int) {
	if depth > maxDepth || len(c.out) >= maxCommands || c.followed >= maxFollowed {
		return
	}
	c.followed++
	if hook := "pre" + name; depth > 0 && c.scripts[hook] != "" {
		c.follow(hook, env, dir, nil, depth+1)
	}
	all := Split(c.scripts[name])
	for i, cmd := range all {
		if i == len(all)-1 {
			cmd.Words = slices.Concat(cmd.Words, args)
		}
		cmd.Env, cmd.Dir = slices.Concat(env, cmd.Env), Below(dir, cmd.Dir)
		c.command(cmd, depth)
		if len(c.out) >= maxCommands {
			return
		}
	}
}

func (c *chain) command(cmd Command, depth int) {
	cmd = unwrapped(cmd)
	if len(cmd.Words) == 0 {
		return
	}
	if c.inPackages(cmd, depth) {
		return
	}
	if names, args, ok := c.called(cmd); ok {
		for _, name := range names {
			c.follow(name, cmd.Env, cmd.Dir, args, depth+1)
		}
		return
	}
	if cmd.Words[0] == "concurrently" {
		c.concurrently(cmd, depth)
		return
	}
	c.out = append(c.out, cmd)
}

// unwrapped takes away what only sets variables or looks a command up: cross-env, env, npx.
func unwrapped(cmd Command) Command {
	for range maxDepth {
		if len(cmd.Words) < 2 {
			return cmd
		}
		rest := cmd.Words[1:]
		switch cmd.Words[0] {
		case "cross-env", "cross-env-shell", "env":
		case "npx", "bunx":
			for len(rest) > 0 && slices.Contains([]string{"--no-install", "--no", "-y", "--yes", "--bun", "--"}, rest[0]) {
				rest = rest[1:]
			}
		case "npm", "pnpm", "yarn", "bun":
			if rest[0] != "exec" {
				return cmd
			}
			rest = rest[1:]
			if len(rest) > 0 && rest[0] == "--" {
				rest = rest[1:]
			}
		default:
			return cmd
		}
		for len(rest) > 0 && assignment.MatchString(rest[0]) {
			cmd.Env, rest = append(slices.Clone(cmd.Env), rest[0]), rest[1:]
		}
		cmd.Words = rest
	}
	return cmd
}

// called are the scripts of the package that a command runs, and what it hands the last of
// them.
func (c *chain) called(cmd Command) (names, args []string, ok bool) {
	words := cmd.Words
	switch words[0] {
	case "run-s", "run-p", "npm-run-all", "npm-run-all2":
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") {
				names = append(names, c.matching(w)...)
			}
		}
		return names, nil, len(names) > 0
	case "npm-run-posix-or-windows": // it takes the script of this name, or for Windows another
		if len(words) > 1 {
			names = c.matching(words[1])
		}
		return names, nil, len(names) > 0
	case "npm", "pnpm", "yarn", "bun":
	default:
		return nil, nil, false
	}
	rest := words[1:]
	quiet := func() {
		for len(rest) > 0 && slices.Contains([]string{"-s", "--silent", "--if-present", "run", "run-script"}, rest[0]) {
			rest = rest[1:]
		}
	}
	quiet()
	if len(rest) == 0 || words[0] == "bun" && words[1] == "test" { // its own runner
		return nil, nil, false
	}
	name := rest[0]
	if name == "t" || name == "tst" {
		name = "test"
	}
	if _, there := c.scripts[name]; !there || slices.Contains(rest[1:], "--workspaces") || slices.Contains(rest[1:], "-ws") {
		return nil, nil, false
	}
	if rest = rest[1:]; len(rest) > 0 {
		if at := slices.Index(rest, "--"); at >= 0 {
			args = rest[at+1:]
		} else if words[0] != "npm" {
			args = rest
		}
	}
	return []string{name}, args, true
}

// matching are the scripts that a pattern of npm-run-all names, in order of their names.
func (c *chain) matching(pattern string) []string {
	if _, ok := c.scripts[pattern]; ok {
		return []string{pattern}
	}
	pattern, _, _ = strings.Cut(pattern, " ") // behind it are arguments
	if !strings.Contains(pattern, "*") || len(pattern) > 100 {
		return nil
	}
	text := strings.NewReplacer(`\*\*`, `.*`, `\*`, `[^:]*`).Replace(regexp.QuoteMeta(pattern))
	match, err := regexp.Compile("^" + text + "$")
	if err != nil {
		return nil
	}
	var out []string
	for name := range c.scripts {
		if match.MatchString(name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxDepth*4)]
}

// concurrently are the commands that a program of that name starts side by side.
func (c *chain) concurrently(cmd Command, depth int) {
	for _, w := range cmd.Words[1:] {
		if strings.HasPrefix(w, "-") {
			continue
		}
		for _, manager := range []string{"npm:", "pnpm:", "yarn:", "bun:"} {
			if pattern, ok := strings.CutPrefix(w, manager); ok {
				for _, name := range c.matching(pattern) {
					c.follow(name, cmd.Env, cmd.Dir, nil, depth+1)
				}
			}
		}
		if strings.Contains(w, " ") && depth < maxDepth {
			for _, inner := range Split(w) {
				inner.Env, inner.Dir = slices.Concat(cmd.Env, inner.Env), Below(cmd.Dir, inner.Dir)
				c.command(inner, depth+1)
			}
		}
	}
}

// Step is what a command in front of the tests is for.
type Step int

// What commands in front of tests are for.
const (
	Unknown Step = iota
	// Builds makes files that the tests need.
	Builds
	// Checks looks at files, cleans up or installs: the tests do without.
	Checks
)

// buildTools and checkTools are known by their manuals. A compiler that only checks is told
// so by an option.
var (
	buildTools = []string{
		"tsc", "tsup", "tsdown", "rollup", "rolldown", "esbuild", "webpack", "babel", "swc", "ncc", "unbuild", "tshy", "zshy", "pkgroll",
		"microbundle", "gulp", "peggy", "pegjs", "ttsc", "tspc", "vue-tsc", "ngc", "tsc-alias", "resolve-tspaths", "bili", "bunchee", "father", "preconstruct",
		"mkdir", "mkdirp", "cp", "cpy", "cpx", "copyfiles", "cpr", "ncp", "shx", "tsx", "ts-node", "esno", "vite-node", "graphql-codegen", "dts-bundle-generator", "api-extractor",
	}
	checkTools = []string{
		"eslint", "prettier", "standard", "ts-standard", "semistandard", "xo", "biome", "oxlint", "jshint", "jscs", "tslint", "stylelint", "tsd", "dtslint", "tstyche", "attw",
		"publint", "knip", "echo", "printf", "husky", "lint-staged", "madge", "cspell", "markdownlint", "markdownlint-cli2", "commitlint", "type-coverage", "size-limit", "bundlesize",
		"true", "exit", "sleep", "rm", "rimraf", "del", "del-cli", "trash", "depcheck", "dpdm", "check-dts", "expect-type", "license-checker", "nsp", "snyk", "codecov", "coveralls", "lockfile-lint", "dprint", "lint", "ls-lint", "installed-check",
		"karma", "playwright", "cypress", "testem", "wdio", "web-test-runner", "wtr", "ls", "cat", "which", "test", "[", "git", "sort-package-json", "npm-package-json-lint", "syncpack", "cd",
	}
)

// For says what a command is for.
func (c Command) For() Step {
	words := c.Words
	if c.Open || len(words) == 0 || !Inside(c.Dir) {
		return Unknown
	}
	name := strings.TrimSuffix(path.Base(words[0]), ".js")
	rest := words[1:]
	has := func(options ...string) bool {
		return slices.ContainsFunc(rest, func(w string) bool { return slices.Contains(options, w) })
	}
	switch {
	case slices.Contains(checkTools, name):
		return Checks
	case has("--watch", "-w") && name != "shx":
		return Unknown // it would not end
	case strings.HasSuffix(name, "tsc") && has("--noEmit", "--noemit", "--version", "-v"):
		return Checks
	case (name == "vite" || name == "parcel" || name == "next" || name == "bun") && len(rest) > 0 && rest[0] == "build":
		return Builds
	case name == "node":
		switch {
		case slices.ContainsFunc(rest, func(w string) bool { return slices.Contains(checkTools, path.Base(w)) }):
			return Checks // a program that starts one
		case len(rest) > 0 && !strings.HasPrefix(rest[0], "-"):
			return Builds
		}
	case slices.Contains([]string{"npm", "pnpm", "yarn"}, name) && len(rest) > 0 && slices.Contains([]string{"ci", "i", "install", "audit", "pack", "link"}, rest[0]):
		return Checks
	case name == "yarn" && len(rest) == 0:
		return Checks
	case slices.Contains(buildTools, name):
		return Builds
	}
	return Unknown
}

// kept are variables that a script may not set for a run: what finds and measures it, and
// what tells that it is one of a build machine, which is a condition of its own.
var kept = []string{"CI", "CONTINUOUS_INTEGRATION", "PATH", "HOME", "NODE_V8_COVERAGE", "NODE_V8_COVERAGE_FILES", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "GOCACHE", "GOCACHEPROG", "GOCOVERDIR", "GOPATH", "GOROOT", "GOPROXY", "GOTOOLCHAIN", "GOENV", "TMPDIR", "NODE_PATH"}

// Settable reports whether a variable of a script is one that a run may have.
func Settable(variable string) bool {
	name, value, ok := strings.Cut(variable, "=")
	return ok && assignment.MatchString(variable) && len(value) <= 1000 && !strings.ContainsRune(value, 0) && !slices.Contains(kept, name) &&
		!strings.HasPrefix(name, "LD_") && !strings.HasPrefix(name, "GATE_") && !strings.HasPrefix(name, "BASH_") && !strings.HasPrefix(name, "GITHUB_")
}
