package locks

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/ways"
)

// maxManifest bounds a manifest of Python, in bytes: it is written by people.
const maxManifest = 1 << 20

// testExtras are what projects call the extras and groups that their tests need.
var testExtras = regexp.MustCompile(`^(?:all|ci|dev|develop|development|lint-?test|test|tests|testing|unit-?tests?|typing-test)$`)

// manifestName is the file that an installer gets of a project without a lock file.
const manifestName = "manifest.txt"

// pythonManifests adds the projects without a lock file: what pyproject.toml, setup.cfg and
// requirement files without versions ask for, with what their tests need.
func (r *reader) pythonManifests(byDir map[string]*Project) {
	projects := map[string]pyproject{}
	for _, p := range r.paths {
		if path.Base(p) == "pyproject.toml" {
			if m, ok := r.pyproject(p); ok {
				projects[p] = m
				r.own[pythonName(m.name())] = true
			}
		}
	}
	asked := map[string][]string{}
	for _, p := range r.paths {
		dir := parent(p)
		var lines []string
		switch base := path.Base(p); {
		case base == "pyproject.toml":
			m := projects[p]
			lines = r.lines(p, m.texts())
		case base == "setup.cfg":
			lines = r.setupCfg(p)
		case base == "tox.ini" || base == "tox.toml" || base == "noxfile.py":
			continue // below
		case isRequirements(p):
			if path.Base(dir) == "requirements" {
				dir = parent(dir)
			}
			lines = r.loose(p, 0)
		}
		if byDir[dir] == nil || byDir[dir].Kind == KindPythonManifest {
			asked[dir] = append(asked[dir], lines...)
		}
	}
	for _, dir := range r.tested() {
		if byDir[dir] == nil || byDir[dir].Kind == KindPythonManifest {
			asked[dir] = append(asked[dir], r.forTests(dir, projects)...)
		}
	}
	for dir, lines := range asked {
		if lines = unique(lines); len(lines) > 0 {
			byDir[dir] = &Project{Dir: dir, Kind: KindPythonManifest, Files: map[string][]byte{manifestName: []byte(strings.Join(lines, "\n") + "\n")}}
		}
	}
}

// tested are the folders with settings of tox or nox, in order.
func (r *reader) tested() []string {
	var out []string
	for _, p := range r.paths {
		if slices.Contains([]string{"tox.ini", "tox.toml", "noxfile.py", "pyproject.toml", "setup.cfg"}, path.Base(p)) && !slices.Contains(out, parent(p)) {
			out = append(out, parent(p))
		}
	}
	return out
}

// forTests is what tox or nox installs where the tests of a folder run.
func (r *reader) forTests(dir string, projects map[string]pyproject) []string {
	read := func(file string) string {
		data := r.text(file)
		return string(data[:min(len(data), maxManifest)])
	}
	requires, by := ways.New(read, nil).Requires(dir)
	var out []string
	for _, line := range requires {
		file, extras := fileLine.FindStringSubmatch(line), ownExtras.FindStringSubmatch(line)
		switch {
		case file != nil:
			at := path.Join(dir, file[2])
			if _, err := fs.Stat(r.tree, at); err == nil && fs.ValidPath(at) {
				r.has[at] = true // whatever it is called
			}
			if r.has[at] && !strings.HasPrefix(strings.TrimLeft(file[1], "-"), "c") {
				out = append(out, r.loose(at, 0)...)
			}
		case extras != nil:
			m := projects[path.Join(dir, "pyproject.toml")]
			for name := range strings.SplitSeq(extras[1], ",") {
				out = append(out, r.lines(by, m.Project.Optional[strings.TrimSpace(name)])...)
			}
		case strings.HasPrefix(line, "-") || strings.HasPrefix(line, "."):
		default:
			if line := r.requirementOf(by, line); line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}

// ownExtras is the project itself, with extras, as an installer is handed it.
var ownExtras = regexp.MustCompile(`^(?:(?:-e|--editable)\s*)?\.\[([\w\s,.-]{1,200})\]$`)

func unique(lines []string) []string {
	slices.Sort(lines)
	return slices.Compact(lines)
}

// requirementLine is what may be handed to pip of a requirement (PEP 508): a name, extras,
// versions, a marker. An address is none.
var requirementLine = regexp.MustCompile(`^([A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?)\s*(\[[\w\s,.-]*\])?\s*(\(?[\w\s.*!<>=~,+-]*\)?)\s*(;[\w\s.'"<>=!~(),+*-]{0,500})?$`)

// requirementOf returns the line for one requirement as it is handed to pip, "" for what
// comes from no index.
func (r *reader) requirementOf(p, text string) string {
	text = strings.Join(strings.Fields(text), " ")
	m := requirementLine.FindStringSubmatch(text)
	switch {
	case text == "":
		return ""
	case m == nil:
		r.leave(p, "%.100q comes from no index, or is not understood", text)
		return ""
	case r.own[pythonName(m[1])]:
		return "" // it is here, and its extras are taken by their names
	}
	return text
}

// pyproject is the part of a pyproject.toml that names dependencies (PEP 621, PEP 735, and
// what Poetry and uv have of their own).
type pyproject struct {
	Project struct {
		Name         string              `toml:"name"`
		Dependencies []string            `toml:"dependencies"`
		Optional     map[string][]string `toml:"optional-dependencies"`
	} `toml:"project"`
	Groups map[string][]any `toml:"dependency-groups"`
	Tool   struct {
		Poetry struct {
			Name         string         `toml:"name"`
			Dependencies map[string]any `toml:"dependencies"`
			Dev          map[string]any `toml:"dev-dependencies"`
			Group        map[string]struct {
				Dependencies map[string]any `toml:"dependencies"`
			} `toml:"group"`
		} `toml:"poetry"`
		UV struct {
			Dev []string `toml:"dev-dependencies"`
		} `toml:"uv"`
	} `toml:"tool"`
}

func (r *reader) pyproject(p string) (m pyproject, ok bool) {
	if err := m.read(r.text(p)); err != nil {
		r.leave(p, "it cannot be read: %.200v", err)
		return m, false
	}
	return m, true
}

func (m *pyproject) read(data []byte) error {
	if len(data) > maxManifest {
		return fmt.Errorf("it is larger than %d bytes", maxManifest)
	}
	return toml.Unmarshal(data, m)
}

// pyprojectNames are the dependencies that a pyproject.toml names, with all extras and
// groups: users install them.
func pyprojectNames(data []byte) ([]Dependency, error) {
	var m pyproject
	if err := m.read(data); err != nil {
		return nil, err
	}
	texts := m.texts()
	for _, extra := range m.Project.Optional {
		texts = append(texts, extra...)
	}
	for name := range m.Groups {
		texts = append(texts, m.group(name, 0)...)
	}
	var out []Dependency
	for _, text := range texts {
		name := nameStart.FindString(strings.TrimSpace(text))
		if name == "" || pythonName(name) == pythonName(m.name()) {
			continue
		}
		d := Dependency{Language: Python, Name: pythonName(name), needle: text}
		if _, url, ok := strings.Cut(text, "@"); ok {
			d.Elsewhere = strings.TrimSpace(url)
		}
		out = append(out, d)
	}
	return out, nil
}

func (m *pyproject) name() string { return cmp.Or(m.Project.Name, m.Tool.Poetry.Name) }

// texts are the requirements as they are written.
func (m *pyproject) texts() []string {
	texts := slices.Concat(m.Project.Dependencies, m.Tool.UV.Dev)
	for _, name := range slices.Sorted(maps.Keys(m.Project.Optional)) {
		if testExtras.MatchString(pythonName(name)) {
			texts = append(texts, m.Project.Optional[name]...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Groups)) {
		if testExtras.MatchString(pythonName(name)) {
			texts = append(texts, m.group(name, 0)...)
		}
	}
	poetry := m.Tool.Poetry
	texts = append(append(texts, poetryLines(poetry.Dependencies)...), poetryLines(poetry.Dev)...)
	for _, name := range slices.Sorted(maps.Keys(poetry.Group)) {
		if testExtras.MatchString(pythonName(name)) {
			texts = append(texts, poetryLines(poetry.Group[name].Dependencies)...)
		}
	}
	return texts
}

// lines are those of requirements that can be handed to pip.
func (r *reader) lines(p string, texts []string) []string {
	var out []string
	for _, text := range texts {
		if line := r.requirementOf(p, text); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// group is what a dependency group names, with the groups that it includes.
func (m *pyproject) group(name string, depth int) []string {
	var out []string
	for _, entry := range m.Groups[name] {
		switch e := entry.(type) {
		case string:
			out = append(out, e)
		case map[string]any:
			if other, ok := e["include-group"].(string); ok && depth < maxIncludes {
				out = append(out, m.group(other, depth+1)...)
			}
		}
	}
	return out
}

// caret is what Poetry writes for "this version or a later one that is compatible".
var caret = regexp.MustCompile(`^[\^~]\s*(\d+)((?:\.\d+)*)$`)

// poetryLines are the dependencies of a table of Poetry in the words of pip.
func poetryLines(table map[string]any) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		version, ok := table[name].(string)
		if t, isTable := table[name].(map[string]any); isTable {
			version, ok = t["version"].(string)
			if optional, _ := t["optional"].(bool); optional {
				continue
			}
		}
		if !ok || name == "python" {
			continue
		}
		switch m := caret.FindStringSubmatch(version); {
		case version == "*":
			version = ""
		case m != nil && m[1] == "0":
			version = ">=" + m[1] + m[2]
		case m != nil:
			version = fmt.Sprintf(">=%s%s,<%s", m[1], m[2], next(m[1]))
		case version != "" && version[0] >= '0' && version[0] <= '9':
			version = "==" + version
		}
		out = append(out, name+version)
	}
	return out
}

// next is the number after that of a text of digits.
func next(digits string) string {
	var n int
	if _, err := fmt.Sscan(digits, &n); err != nil || n > 1<<30 {
		return digits + "0"
	}
	return fmt.Sprint(n + 1)
}

var (
	iniSection = regexp.MustCompile(`^\[([^\]]+)\]\s*$`)
	iniKey     = regexp.MustCompile(`^([\w.-]+)\s*[=:]\s*(.*)$`)
)

// setupCfg reads install_requires and the extras for tests (the manual of setuptools).
func (r *reader) setupCfg(p string) []string {
	section, key := "", ""
	var texts []string
	for line := range strings.Lines(string(r.text(p))) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		value := trimmed
		switch m := iniKey.FindStringSubmatch(line); {
		case trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, ";"):
			continue
		case iniSection.MatchString(line):
			section, key = iniSection.FindStringSubmatch(line)[1], ""
			continue
		case strings.TrimLeft(line, " \t") != line: // goes on with the key
		case m != nil:
			key, value = m[1], m[2]
		default:
			continue
		}
		switch {
		case section == "metadata" && key == "name":
			r.own[pythonName(value)] = true
		case section == "options" && (key == "install_requires" || key == "tests_require"),
			section == "options.extras_require" && testExtras.MatchString(pythonName(key)):
			texts = append(texts, strings.Split(value, "\n")...)
		}
	}
	return r.lines(p, texts)
}

// loose is what a requirement file asks for in which not every line is pinned.
func (r *reader) loose(p string, depth int) []string {
	var out []string
	for _, line := range logicalLines(string(r.text(p))) {
		file := fileLine.FindStringSubmatch(line)
		switch {
		case file != nil:
			if other := path.Join(path.Dir(p), file[2]); r.has[other] && depth < maxIncludes && !strings.HasPrefix(strings.TrimLeft(file[1], "-"), "c") {
				out = append(out, r.loose(other, depth+1)...)
			}
		case strings.HasPrefix(line, "-") || strings.HasPrefix(line, "."):
		default:
			line, _, _ = strings.Cut(line, " --hash=")
			if line := r.requirementOf(p, line); line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}
