package ways

import (
	"maps"
	"path"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

var (
	pythonName = regexp.MustCompile(`^(?:python|pypy)[\d.]*$`)
	// Options of what starts a runner that have a value behind them.
	startValues = []string{"-W", "-X", "--group", "--extra", "--with", "--with-requirements", "-p", "--python", "--only-group", "--no-group", "-e", "--env", "--source", "--rcfile", "--omit", "--include", "--project", "--directory", "-s", "--data-file", "--context", "--concurrency"}
)

// pythonTests reads a command that starts a runner of Python; ok is false for another.
func pythonTests(c Command) (t Tests, ok bool) {
	words := c.Words
	flags := func(values []string) {
		for len(words) > 0 && strings.HasPrefix(words[0], "-") && words[0] != "-m" {
			if slices.Contains(values, words[0]) && len(words) > 1 {
				words = words[1:]
			}
			words = words[1:]
		}
	}
	for range 2 * maxDepth {
		if len(words) == 0 {
			return t, false
		}
		program := words[0]
		name := path.Base(program)
		words = words[1:]
		switch {
		case name == "pytest" || name == "py.test":
			t.Runner = "pytest"
			var roots []string
			t.Options, t.Select, roots = pytestOptions(words)
			t.environment(c)
			t.Roots = append(t.Roots, rooted(c.Dir, roots)...)
			return t, true
		case name == "unittest":
			t.Runner = "unittest"
			t.environment(c)
			t.discovered(c.Dir, words)
			return t, true
		case name == "-m" || name == "time" || name == "xvfb-run" || name == "dbus-run-session" || name == "env":
			flags(nil)
		case pythonName.MatchString(name):
			flags([]string{"-W", "-X"})
			if runner := setupRunner(words); runner != "" && Inside(Below(c.Dir, words[0])) {
				t.Runner = runner
				t.environment(c)
				return t, true
			}
			if len(words) == 0 || words[0] != "-m" && path.Base(words[0]) != managePy {
				return t, false // a program
			}
		case name == managePy:
			if len(words) == 0 || words[0] != "test" || !Inside(Below(c.Dir, program)) {
				return t, false
			}
			t.Runner, t.Program = "django", Below(c.Dir, program)
			t.Options = djangoOptions(words[1:])
			t.environment(c)
			return t, true
		case name == "hatch" && len(words) > 0 && words[0] == "test":
			words[0] = "pytest"
			words = slices.Clone(words)
		case slices.Contains([]string{"uv", "poetry", "pdm", "hatch", "pipenv", "rye", "coverage", "micromamba", "conda"}, name):
			flags(startValues)
			if len(words) == 0 || words[0] != "run" {
				return t, false
			}
			words = words[1:]
			flags(startValues)
		default:
			return t, false
		}
	}
	return t, false
}

// setupRunner is the runner that a command of a setup.py starts: setuptools' own loads what unittest
// finds, and pytest-runner has one of pytest. "" is another command.
func setupRunner(words []string) string {
	if len(words) < 2 || path.Base(words[0]) != "setup.py" {
		return ""
	}
	for _, w := range words[1:] {
		switch w {
		case "test":
			return "unittest"
		case "pytest", "ptr":
			return "pytest"
		}
	}
	return ""
}

// managePy is the program of a Django project.
const managePy = "manage.py"

// djangoOptions are the options of `manage.py test` that belong to how tests run (Django's
// manual, "django-admin").
func djangoOptions(words []string) []string {
	var out []string
	for i, w := range words {
		name, value, joined := strings.Cut(w, "=")
		if name != "--settings" && name != "--pythonpath" && name != "--testrunner" {
			continue
		}
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		if value != "" && len(value) <= 1000 && !strings.HasPrefix(value, "-") {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// environment takes over the variables of a command. Folders of PYTHONPATH are folders of
// the tree, for the module path.
func (t *Tests) environment(c Command) {
	for _, v := range c.Env {
		if value, ok := strings.CutPrefix(v, "PYTHONPATH="); ok {
			t.Roots = append(t.Roots, rooted(c.Dir, strings.Split(value, ":"))...)
			continue
		}
		if Settable(v) && len(t.Env) < maxWords {
			t.Env = append(t.Env, v)
		}
	}
}

// rooted are folders of the tree that are named from one of them.
func rooted(dir string, folders []string) []string {
	var out []string
	for _, f := range folders {
		if at := Below(dir, f); f != "" && Inside(at) && !slices.Contains(out, at) && len(out) < maxWords {
			out = append(out, at)
		}
	}
	return out
}

// discovered takes the folders of `unittest discover`, from which modules are imported.
func (t *Tests) discovered(dir string, words []string) {
	start, top := "", ""
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch {
		case w == "-s" || w == "--start-directory":
			start = next
		case w == "-t" || w == "--top-level-directory":
			top = next
		case i > 0 && words[i-1] == "discover" && !strings.HasPrefix(w, "-"):
			start = w
		}
	}
	t.Roots = append(t.Roots, rooted(dir, []string{or(top, start)})...)
}

// The options of pytest that belong to how tests run (pytest's manual, "Command-line Flags").
var (
	pytestValues = []string{"--import-mode", "-o", "--override-ini", "-p", "-c", "--config-file", "--confcutdir", "--ignore", "--ignore-glob", "--capture"}
	pytestSelect = []string{"-m", "-k", "--deselect"}
	pytestSwitch = []string{"-s"}
	// Options of plugins that say how tests run, as settings: one that no plugin knows is no error.
	pytestSettings = map[string]string{"--asyncio-mode": "asyncio_mode", "--anyio-mode": "anyio_mode", "--ds": "DJANGO_SETTINGS_MODULE", "--dc": "DJANGO_CONFIGURATION"}
	// others have a value that is to be passed over.
	pytestOther = []string{"-n", "--numprocesses", "--maxfail", "--cov", "--cov-report", "--cov-config", "--junitxml", "--junit-xml", "--durations", "-r", "-W", "--pythonwarnings", "--tb", "--basetemp", "--rootdir", "--color", "--timeout", "--dist", "--log-level", "--log-cli-level", "--reruns", "--verbosity", "--html", "-x"}
)

// pytestOptions are the options that belong to how tests run, those that leave tests out, and
// folders for the module path, of the arguments of pytest.
func pytestOptions(words []string) (options, selects, roots []string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, joined := strings.Cut(w, "=")
		if !strings.HasPrefix(w, "--") && len(w) > 2 && slices.Contains([]string{"-m", "-k", "-o", "-p"}, w[:2]) && strings.HasPrefix(w, "-") {
			name, value, joined = w[:2], strings.TrimPrefix(w[2:], "="), true
		}
		setting, ofPlugin := pytestSettings[name]
		takes := ofPlugin || slices.Contains(pytestValues, name) || slices.Contains(pytestSelect, name)
		switch {
		case slices.Contains(pytestSwitch, w):
			options = append(options, w)
			continue
		case !takes:
			if slices.Contains(pytestOther, w) && w != "-x" && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
				i++
			}
			continue
		case !joined:
			if i+1 == len(words) {
				continue
			}
			i++
			value = words[i]
		}
		if len(value) > 1000 {
			continue
		}
		if ofPlugin {
			options = append(options, "-o", setting+"="+value)
			continue
		}
		setting, to, _ := strings.Cut(value, "=")
		switch {
		case slices.Contains(pytestSelect, name):
			selects = append(selects, name, value)
		case name != "-o" && name != "--override-ini":
			options = append(options, name, value)
		case setting == "pythonpath":
			roots = append(roots, strings.Fields(to)...)
		case setting != "addopts":
			options = append(options, "-o", value)
		}
	}
	return options, selects, roots
}
