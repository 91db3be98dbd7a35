package guard

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// lost lists what the other use does less.
func (u use) lost(n use) []string {
	var out []string
	add := func(what string) { out = append(out, what) }
	if n.ref != u.ref && !released.MatchString(n.ref) {
		add("another version: " + n.ref)
	}
	if n.hidden && !u.hidden {
		add("in a job that nothing runs")
	}
	for _, w := range added(u.weak, n.weak) {
		add(w)
	}
	out = append(out, lostArgs(u.sub, u.args, n.args)...)
	out = append(out, lostInputs(u.inputs, n.inputs)...)
	for _, key := range sortedKeys(u.settings, n.settings) {
		if lostSetting(key, u.settings[key], n.settings[key]) {
			add(key + ": " + cmp.Or(strings.Join(n.settings[key], ", "), "nothing"))
		}
	}
	for _, name := range sorted(n.env) {
		if old, ok := u.env[name]; steers.MatchString(name) && (!ok || old != n.env[name]) && !harmlessValue(name, n.env[name]) {
			add(name + "=" + n.env[name])
		}
	}
	for _, w := range added(u.before, n.before) {
		add("before it: " + w)
	}
	for _, w := range added(u.checkout, n.checkout) {
		add("looks at " + w)
	}
	return out
}

// released matches versions that are released or a commit. A use without a version runs
// what is installed.
var released = regexp.MustCompile(`^(?:|latest|v?\d+(?:\.\d+){0,2}(?:-[\w.]+)?(?:@sha256:[0-9a-f]{64})?|[0-9a-f]{40}|[0-9a-f]{64}|sha256:[0-9a-f]{64})$`)

// steers matches variables that say what gate, git or the shell look at.
var steers = regexp.MustCompile(`^(?:GITHUB_\w+|GATE_\w+|GIT_\w+|CI_\w+|RUNNER_\w+|PATH|BASH_ENV|ENV|LD_\w+|DYLD_\w+|CURL_\w+|SSL_\w+|(?i:\w*_proxy)|HOME|XDG_\w+|DOCKER_\w+|CONTAINER_HOST|OLLAMA_\w+|GODEBUG|SHELLOPTS|SKIP|PRE_COMMIT_\w+|HUSKY|LEFTHOOK\w*)$`)

func harmlessValue(name, value string) bool {
	switch name {
	case "GITHUB_TOKEN", "GITLAB_TOKEN", "GIT_DEPTH", "GIT_STRATEGY", "GIT_TERMINAL_PROMPT", "DOCKER_BUILDKIT":
		return true
	case "GATE_CACHE_DIR":
		return strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~") || strings.HasPrefix(value, "${{ runner.")
	}
	return false
}

// added are the elements that the second list has and the first hasn't.
func added(old, now []string) []string {
	var out []string
	for _, w := range now {
		if !slices.Contains(old, w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// lostInputs compares the inputs of the action.
func lostInputs(old, now map[string]string) []string {
	var out []string
	for _, name := range sortedKeys(old, now) {
		o, n := old[name], now[name]
		switch name {
		case "token", "result-file", "sarif-file", "results", "comment", "sarif":
			continue
		case "layers", "require":
			if o != n && !(n == "" && name == "layers" && o == "") && (!covers(n, o) || o == "" && !strings.Contains(n, "sandbox")) {
				out = append(out, name+": "+cmp.Or(n, "nothing"))
			}
			continue
		case "publish":
			if n == "" || n == "true" {
				continue
			}
		case "version":
			if released.MatchString(n) {
				continue
			}
		case "binary", "shard", "images-file", "model", "ollama", "runtime":
			if n == "" {
				continue
			}
		}
		if o != n {
			out = append(out, name+": "+cmp.Or(n, "nothing"))
		}
	}
	return out
}

// covers reports whether a list separated by commas has all of another one.
func covers(now, old string) bool {
	fields := func(s string) []string {
		return strings.FieldsFunc(strings.Trim(s, `"'`), func(r rune) bool { return r == ',' || r == ' ' })
	}
	has := fields(now)
	for _, w := range fields(old) {
		if !slices.Contains(has, w) {
			return false
		}
	}
	return true
}

// The options of gate: those that change what is written and not what is seen, and those
// of them that are followed by a value.
var (
	neutral  = []string{"--format", "-f", "--output", "-o", "--save", "--sarif", "--quiet", "-q", "--verbose", "-v", "--color", "--timeout", "--memory", "--cpus", "--no-cache", "--publish=true", "--no-suppressions"}
	switches = []string{"--quiet", "-q", "--verbose", "-v", "--no-cache", "--no-suppressions", "--staged", "--ai-only", "--publish", "--help", "-h"}
)

// options splits arguments into options with their values, and paths.
func options(args []string) (map[string]string, []string) {
	out, paths := map[string]string{}, []string{}
	for i := 0; i < len(args); i++ {
		a := strings.Trim(args[i], `"'`)
		name, value, has := strings.Cut(a, "=")
		switch {
		case redirect.MatchString(a):
			if strings.HasSuffix(a, ">") {
				i++
			}
		case !strings.HasPrefix(a, "-"):
			paths = append(paths, strings.TrimSuffix(a, "/"))
		case !has && !slices.Contains(switches, name) && i+1 < len(args):
			i++
			out[name] = strings.Trim(args[i], `"'`)
		default:
			out[name] = value
		}
	}
	return out, paths
}

var redirect = regexp.MustCompile(`^(?:[0-9]?|&)>`)

// lostArgs compares what gate is told.
func lostArgs(sub string, old, now []string) []string {
	was, wasPaths := options(old)
	is, paths := options(now)
	var out []string
	for _, name := range sortedKeys(was, is) {
		o, had := was[name]
		n, has := is[name]
		if had != has || o != n {
			if lostOption(name, o, n, had, has) {
				out = append(out, strings.TrimSpace(name+" "+n))
			}
		}
	}
	if sub == "scan" && len(paths) > 0 && !slices.Contains(paths, ".") && (len(wasPaths) == 0 || len(added(paths, wasPaths)) > 0) {
		out = append(out, "looks at "+strings.Join(paths, " "))
	}
	return out
}

// lostOption reports whether an option that differs makes gate see or block less.
func lostOption(name, old, now string, had, has bool) bool {
	switch name {
	case "--no-suppressions":
		return !has
	case "--publish":
		return has && now != "" && now != "true"
	case "--layers", "--require":
		if !had {
			return name == "--layers" && !strings.Contains(now, "sandbox")
		}
		return !covers(now, old)
	case "--fail-on":
		return now != "suspicious"
	case "--base", "--staged":
		return has
	}
	return has && !slices.Contains(neutral, name)
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func sortedKeys[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return sorted(all)
}

func merged(outer, inner map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, outer)
	maps.Copy(out, inner)
	return out
}
